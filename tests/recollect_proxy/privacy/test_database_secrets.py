"""The password in a database's URL is in no line of a proxy's, whatever is wrong with the database."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.servers.served_process import environment, served_process
from tests.support.waiting import until

SECRET = "hush-4711"

pytestmark = pytest.mark.process


@asynccontextmanager
async def refusing() -> AsyncIterator[int]:
    """Serve what refuses everybody's password, and quotes it; yield the port."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        fields = f"SFATAL\0C28P01\0Mnot the password {SECRET}\0\0".encode()
        writer.write(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def given(folder: Path, address: str) -> dict[str, str]:
    url = f"postgresql://anna:{SECRET}@{address}/memories?sslmode=disable"
    return environment(upstream="http://127.0.0.1:9/v1", data_dir=str(folder), database_url=url)


async def test_while_it_is_away_each_line_says_why_and_none_has_the_password(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        environ = given(tmp_path, f"127.0.0.1:{nobody.getsockname()[1]}")
        async with served_process("--log-level", "debug", environ=environ) as served:
            await until(lambda: "store_open_failed" in "".join(served.logged))
        said = "".join([*served.output, *served.logged])

    assert "nothing listens at its address" in said
    assert SECRET not in said


async def test_a_start_that_ends_says_why_without_the_password(tmp_path: Path) -> None:
    async with refusing() as port:
        environ = given(tmp_path, f"127.0.0.1:{port}")
        with pytest.raises(AssertionError) as raised:  # there is no banner
            async with served_process("--log-level", "debug", environ=environ):
                pass

    said = str(raised.value)
    assert "The database can't be opened" in said
    assert SECRET not in said
