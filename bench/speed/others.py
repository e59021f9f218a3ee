"""The systems that Recollect is compared with: nginx, the cost of a proxy that only passes bytes, and LiteLLM's proxy. Never: a figure."""

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.servers import NotStartedError, free_port, started, unpack_package
from bench.speed.systems import System
from bench.watching import cores

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
