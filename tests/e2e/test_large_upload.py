"""A gigabyte is uploaded through a served proxy, which holds next to none of it at any time."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from tests.scripted.upstream import LAST_CHUNK, chunk, until_close
from tests.servers.running_proxy import CHAT
from tests.servers.served_process import environment, served_process
from tests.support.raw_client import Fields, request_bytes

_MEGABYTE = 2**20
_PIECES = 1024
_MOST_GROWTH = 60 * _MEGABYTE

pytestmark = pytest.mark.slow


class Sink:
    """An upstream that reads whatever comes, keeps none of it, and answers at the end."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self.port: int = listening.getsockname()[1]
        self.arrived = 0

    def serve(self) -> None:
        """Take one request after the other, each on a connection of its own, until it is closed."""
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection:
                self._read(connection)
                connection.sendall(b"".join(step for step in until_close(b"{}") if isinstance(step, bytes)))

    def _read(self, connection: socket.socket) -> None:
        piece = bytearray(_MEGABYTE)
        end = b""
        while not end.endswith(LAST_CHUNK):
            size = connection.recv_into(piece)
            assert size > 0, "the upload broke off"
            if piece.startswith(b"GET "):  # the proxy asks once whether the LLM's server is there
                return
            self.arrived += size
            end = (end + piece[max(size - len(LAST_CHUNK), 0) : size])[-len(LAST_CHUNK) :]


@contextmanager
def sink() -> Iterator[Sink]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sink = Sink(listening)
        serving = Thread(target=sink.serve)
        serving.start()
        try:
            yield sink
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            serving.join()


def upload(port: int, path: bytes, user: Fields) -> bytes:
    """Send a gigabyte in chunks, and return the beginning of what came back."""
    piece = chunk(bytes(range(256)) * (_MEGABYTE // 256))
    fields = [
        (b"Transfer-Encoding", b"chunked"),
        (b"Content-Type", b"multipart/form-data; boundary=b"),
        *user,
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(request_bytes(b"POST", path, fields))
        for _ in range(_PIECES):
            connection.sendall(piece)
        connection.sendall(LAST_CHUNK)
        return connection.recv(_MEGABYTE)


def memory(process: int, line: str) -> int:
    """Return a line of the kernel's account of a process's memory, in bytes."""
    account = Path(f"/proc/{process}/status").read_text("ascii")
    return int(account.partition(f"{line}:")[2].split()[0]) * 1024


def forget_the_peak(process: int) -> None:
    """Let the most memory that a process has had be what it has now (proc(5), clear_refs)."""
    Path(f"/proc/{process}/clear_refs").write_text("5", "ascii")


@pytest.mark.parametrize(
    ("path", "user"),
    [(b"/v1/files", []), (CHAT, []), (CHAT, [(b"X-OpenWebUI-User-Id", b"anna")])],
    ids=["a file", "a chat of nobody", "a chat too large for memory"],
)
async def test_a_gigabyte_passes_in_constant_memory(
    own_dsn: str, tmp_path: Path, path: bytes, user: Fields
) -> None:
    with sink() as upstream:
        environ = environment(
            upstream=f"http://127.0.0.1:{upstream.port}/v1",
            data_dir=tmp_path,
            database_url=own_dsn,
            formation="qa_turn",
        )
        async with served_process(environ=environ) as served:
            process = served.process.pid
            forget_the_peak(process)
            before = memory(process, "VmRSS")
            answer = await asyncio.to_thread(upload, served.port, path, user)
            peak = memory(process, "VmHWM")

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert upstream.arrived > _PIECES * _MEGABYTE
    assert peak - before < _MOST_GROWTH
