"""The systems that are compared: Recollect as several of them, nginx (the cost of passing bytes), and LiteLLM's proxy."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import httpx
from tests.recollect.store.embedded.servers import postmaster as postmaster_of
from tests.servers.external_servers import free_port
from tests.servers.served_process import environment

from bench.servers import TOKEN, NotStartedError, Server, client, memory_api, started, unpack_package
from bench.servers import recollect as serve
from bench.speed.prompts import MEMORIES, WHOLE, Questions, Requests, statements
from bench.watching import cores, family, mebibytes

CHATS = 200
_STOP_SECONDS = 30.0


@dataclass(frozen=True)
class System:
    """A server that is compared, and how it is spoken to.

    Attributes:
        headers: Lines that go with each request.
        server: The server; None: nothing stands between, and the mock is asked directly.
        same_question: Whether it is asked the same question again and again.
        version: The version of a system that is not ours.
    """

    name: str
    title: str
    port: int
    headers: bytes = b"Authorization: Bearer sk-of-the-client\r\n"
    server: Server | None = None
    same_question: bool = False
    version: str = ""

    def processes(self) -> list[int]:
        """Return its processes, of which the direct way has none."""
        return family(self.server.process.pid) if self.server else []

    def requests(self, model: str, size: int, questions: Iterator[bytes]) -> Requests:
        """Return requests to it."""
        asked = repeat(next(Questions())) if self.same_question else questions
        return Requests(self.port, model, size, self.headers, asked)


def of_person(person: str) -> bytes:
    """Return the headers of a person who chats temporarily: such a chat recalls here, and leaves no memory."""
    return System.headers + f"X-OpenWebUI-User-Id: {person}\r\nX-OpenWebUI-Chat-Id: local:bench\r\n".encode()


def _running(data_dir: Path, upstream: str) -> AbstractContextManager[Server]:
    """Run it on the core of the systems."""
    environ = environment(admin_token=TOKEN, upstream=upstream, formation="qa_turn", recall_in_temporary=True)
    return serve(data_dir, environ, log_level="error", core=cores()[0])


@contextmanager
def recollect(folder: Path, upstream: str) -> Iterator[tuple[Server, dict[str, object]]]:
    """Run Recollect with a reader's memories; yield it, and the costs of starting it."""
    folder.mkdir(mode=0o711)
    with _running(folder, upstream) as server:
        first = server.start_seconds
    with _running(folder, upstream) as server:
        idle = mebibytes(server.process.pid)
        api = memory_api(server)
        _chat(server, api)
        costs: dict[str, object] = {
            "start_seconds": {"first": round(first, 2), "second": round(server.start_seconds, 2)},
            "mebibytes": {"idle": idle, f"after_{CHATS}_chats": mebibytes(server.process.pid)},
        }
        for statement in statements(MEMORIES):
            api.post("/memory/users/reader/memories", json={"content": statement})
        yield server, costs


def _chat(server: Server, api: httpx.Client) -> None:
    """Have chats of one person, one after another, and wait until memories are formed of them."""
    with client(server, {"X-OpenWebUI-User-Id": "talker", "X-OpenWebUI-Chat-Id": "one"}) as talker:
        for statement in statements(CHATS):
            body = {"model": WHOLE, "messages": [{"role": "user", "content": statement}]}
            talker.post("/v1/chat/completions", json=body)
    while api.get("/memory/health").json()["formation"]["formed"] < CHATS:
        time.sleep(0.1)


@contextmanager
def recollect_without_store(folder: Path, upstream: str) -> Iterator[Server]:
    """Run Recollect, and stop its database under it."""
    folder.mkdir(mode=0o711)
    with _running(folder, upstream) as server:
        postmaster = postmaster_of(folder)
        os.kill(postmaster, signal.SIGINT)
        patient_until = time.monotonic() + _STOP_SECONDS
        while postmaster in family(server.process.pid):
            if time.monotonic() > patient_until:
                sys.exit("The database did not stop.")
            time.sleep(0.05)
        yield server


_UNPACKED = Path(sys.prefix) / "bench-nginx"
_LITELLM = Path(sys.prefix) / "bench-litellm"
_NGINX_CONFIG = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_buffer_size 1m;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    keepalive_requests 1000000000;
    upstream llm {{
        server 127.0.0.1:{upstream};
        keepalive 256;
        keepalive_requests 1000000000;
    }}
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location / {{
            proxy_pass http://llm;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }}
    }}
}}
"""


_QUIET = {
    "version": 1,
    "disable_existing_loggers": False,
    "loggers": {"uvicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False}},
}


@contextmanager
def nginx(folder: Path, upstream: int, _models: Sequence[str]) -> Iterator[System]:
    """Run nginx with one worker: the installed one, or the distribution's, unpacked into our environment."""
    program = Path(shutil.which("nginx") or _UNPACKED / "usr" / "sbin" / "nginx")
    if not program.exists():
        unpack_package("nginx", _UNPACKED)
    told = subprocess.run([program, "-v"], check=False, capture_output=True, text=True)
    folder.mkdir()
    port = free_port()
    (folder / "nginx.conf").write_text(_NGINX_CONFIG.format(folder=folder, port=port, upstream=upstream))
    command: list[str | Path] = [program, "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"]
    with started(command, port, environ=os.environ, log=folder / "log", core=cores()[0]) as server:
        version = told.stderr.strip().rpartition("/")[2]
        yield System("nginx", "nginx", port, server=server, version=version)


@contextmanager
def litellm(folder: Path, upstream: int, models: Sequence[str]) -> Iterator[System]:
    """Run the proxy as its manual advises for production: one worker, no database, no callbacks, no access log."""
    program = _LITELLM / "bin" / "litellm"
    if not program.exists():
        raise NotStartedError(f"not installed in {_LITELLM.name}")
    [package] = _LITELLM.glob("lib/python*/site-packages/litellm-*.dist-info")
    folder.mkdir()
    key, port = f"sk-{secrets.token_urlsafe(32)}", free_port()
    (folder / "config.yaml").write_text(json.dumps(_config(upstream, models)))  # JSON is YAML
    (folder / "log.json").write_text(json.dumps(_QUIET))
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(("LITELLM", "OPENAI"))
    }
    told = {
        "LITELLM_MASTER_KEY": key,
        "LITELLM_MODE": "PRODUCTION",
        "LITELLM_LOG": "ERROR",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it asks the internet for prices
    }
    command: list[str | Path] = [
        *(program, "--config", folder / "config.yaml", "--log_config", folder / "log.json"),
        *("--host", "127.0.0.1", "--port", str(port), "--num_workers", "1"),
    ]
    authorization = f"Bearer {key}"
    with started(
        command,
        port,
        environ=environ | told,
        headers={"Authorization": authorization},
        log=folder / "log",
        core=cores()[0],
    ) as server:
        headers = f"Authorization: {authorization}\r\n".encode()
        version = package.name.removeprefix("litellm-").removesuffix(".dist-info")
        yield System("litellm", "LiteLLM proxy", port, headers, server, version=version)


def _config(upstream: int, models: Sequence[str]) -> dict[str, object]:
    return {
        "model_list": [
            {
                "model_name": model,
                "litellm_params": {
                    "model": f"openai/{model}",
                    "api_base": f"http://127.0.0.1:{upstream}/v1",
                    "api_key": "sk-of-the-upstream",
                },
            }
            for model in models
        ],
        "general_settings": {"master_key": "os.environ/LITELLM_MASTER_KEY"},
    }
