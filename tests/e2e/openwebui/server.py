"""The real Open WebUI as a process of its own, in a fresh data folder."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.support.waiting import until

REPOSITORY = Path(__file__).parents[3]
ENVIRONMENT = REPOSITORY / ".venv-openwebui"
ADMIN_EMAIL, ADMIN_PASSWORD = "admin@example.com", "a password of the administrator"

_PATIENCE_SECONDS = 900.0
_NOWHERE = "http://127.0.0.1:9"
_LOG_LINES = 80


@dataclass(frozen=True)
class Server:
    """A running Open WebUI."""

    base_url: str
    log_file: Path

    @property
    def log(self) -> str:
        """All that it logged so far."""
        return self.log_file.read_text(errors="replace")

    @property
    def last_words(self) -> str:
        """The last lines of its log, for who reads of a failure."""
        return "\n".join(self.log.splitlines()[-_LOG_LINES:])


@asynccontextmanager
async def served_openwebui(
    folder: Path, *, connection: str, connection_headers: Mapping[str, str], model: str, **environ: str
) -> AsyncIterator[Server]:
    """Start Open WebUI on a free port, wait until it is ready, and end it on leaving."""
    program = ENVIRONMENT / "bin" / "open-webui"
    if not program.exists():
        pytest.skip("Open WebUI is not installed: `make e2e-openwebui` does it")
    port = _free_port()
    server = Server(f"http://127.0.0.1:{port}", folder / "openwebui.log")
    settings = {"enable": True, "headers": dict(connection_headers)}
    connected = {
        "OPENAI_API_BASE_URLS": connection,
        "OPENAI_API_CONFIGS": json.dumps({"0": settings}),
        "RAG_OPENAI_API_BASE_URL": model,
    }
    with server.log_file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            program,
            *("serve", "--host", "127.0.0.1", "--port", str(port)),
            env=_surroundings(folder) | connected | environ,
            cwd=folder,
            stdout=log,
            stderr=asyncio.subprocess.STDOUT,
        )
    try:
        await _ready(server, process)
        yield server
    finally:
        await _end(process)


def _surroundings(folder: Path) -> dict[str, str]:
    """Return an environment in which it calls nobody: what leaves this machine is refused at once."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "HTTP_PROXY": _NOWHERE,
        "HTTPS_PROXY": _NOWHERE,
        "NO_PROXY": "127.0.0.1",
        "DATA_DIR": str(folder),
        "WEBUI_SECRET_KEY": "of no use to anybody, 0123456789abcdef",
        "WEBUI_AUTH": "true",
        "WEBUI_ADMIN_EMAIL": ADMIN_EMAIL,
        "WEBUI_ADMIN_PASSWORD": ADMIN_PASSWORD,
        "WEBUI_ADMIN_NAME": "Administrator",
        "ENABLE_OLLAMA_API": "false",
        "ENABLE_OPENAI_API": "true",
        "OPENAI_API_KEYS": "sk-of-the-connection",
        "BYPASS_MODEL_ACCESS_CONTROL": "true",
        "ENABLE_MEMORIES": "false",
        "ENABLE_CHANNELS": "true",
        "OFFLINE_MODE": "true",
        "HF_HUB_OFFLINE": "1",
        "ENABLE_VERSION_UPDATE_CHECK": "false",
        "RAG_EMBEDDING_ENGINE": "openai",
        "RAG_EMBEDDING_MODEL": "scripted-embedder",
        "RAG_OPENAI_API_KEY": "sk-of-the-embedder",
        "GLOBAL_LOG_LEVEL": "INFO",
        "ANONYMIZED_TELEMETRY": "false",
        "DO_NOT_TRACK": "true",
        "SCARF_NO_ANALYTICS": "true",
        "PYTHONUTF8": "1",
    }


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


async def _ready(server: Server, process: asyncio.subprocess.Process) -> None:
    async with httpx.AsyncClient(base_url=server.base_url, trust_env=False) as client:

        async def answers() -> bool:
            if process.returncode is not None:
                return True
            try:
                return (await client.get("/ready")).status_code == httpx.codes.OK
            except httpx.TransportError:
                return False

        try:
            await until(answers, seconds=_PATIENCE_SECONDS)
        except TimeoutError:
            pytest.fail(f"Open WebUI did not become ready:\n{server.last_words}")
    assert process.returncode is None, server.last_words


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
