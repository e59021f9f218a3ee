"""nginx as a system of the bench: the cost of a proxy that only passes bytes. Never: a figure."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.servers import free_port, started, unpack_package
from bench.speed.systems import System
from bench.watching import cores

_CACHE = Path(sys.prefix) / "bench-nginx"
_CONFIG = """
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


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[System]:
    """Run nginx with one worker before the LLM."""
    program = _program()
    folder.mkdir()
    port = free_port()
    (folder / "nginx.conf").write_text(_CONFIG.format(folder=folder, port=port, upstream=upstream))
    command: list[str | Path] = [program, "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"]
    with started(command, port, environ=os.environ, log=folder / "log", core=cores()[0]) as server:
        yield System("nginx", "nginx", port, server=server)


def version() -> str:
    """Return its version."""
    told = subprocess.run([_program(), "-v"], check=False, capture_output=True, text=True)
    return told.stderr.strip().rpartition("/")[2]


def _program() -> Path:
    """Return nginx: the installed one, or the distribution's, unpacked into our environment."""
    unpacked = _CACHE / "usr" / "sbin" / "nginx"
    if installed := shutil.which("nginx"):
        return Path(installed)
    if not unpacked.exists():
        unpack_package("nginx", _CACHE)
    return unpacked
