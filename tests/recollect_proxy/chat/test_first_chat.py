"""Libraries are imported when the proxy starts, not while the first user waits for an answer."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import jwt
import pytest
from tests.recollect_proxy.chat import first_chat
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.served_process import environment

_SECRET = "a secret of both, of forty characters or so"
_OURS = ("recollect", "recollect_proxy")


@pytest.mark.process
@pytest.mark.parametrize(("identity", "worker"), [("header", "own"), ("openwebui-jwt", "elsewhere")])
async def test_the_first_chat_imports_no_library(
    upstream: ScriptedUpstream, own_dsn: str, data_dir: Path, identity: str, worker: str
) -> None:
    signed = jwt.encode({"sub": "alice", "iss": "open-webui", "exp": 4_000_000_000, "iat": 1}, _SECRET)
    environ = environment(
        upstream=upstream.base_url,
        database_url=own_dsn,
        data_dir=data_dir,
        formation="qa_turn",
        worker=worker,
        identity=identity,
        openwebui_jwt_secret=_SECRET,
    )
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            first_chat.__file__,
            f"X-OpenWebUI-User-Jwt: {signed}",
            "X-OpenWebUI-User-Id: alice",
        ),
        env=environ,
        stdout=subprocess.PIPE,
    )
    stdout, _ = await process.communicate()
    told = next(
        json.loads(line) for line in stdout.decode().splitlines() if line.startswith("{")
    )  # between the log's

    assert told["status"] == "HTTP/1.1 200 OK"
    libraries = {name.partition(".")[0] for name in told["imported"]} - set(sys.stdlib_module_names)
    assert libraries.difference(_OURS) == set()
    assert [name for name in told["imported"] if name.partition(".")[0] in _OURS] == []
