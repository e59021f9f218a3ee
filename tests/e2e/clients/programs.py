"""Runs a client that people use, as a process of its own, and reads what it says."""

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parents[2] / ".venv-clients"
SCRIPTS = HERE / "scripts"
NODE = HERE / "node"

QUESTION = "Which tea is my favourite?"
KEY = "sk-of-the-client"

_PATIENCE_SECONDS = 900.0
_NOWHERE = "http://127.0.0.1:9"

Client: TypeAlias = Callable[[str, Mapping[str, str]], Awaitable[Any]]
"""Asks its question of the server at an address (without /v1), sends these headers too; returns what it got."""


def _surroundings() -> dict[str, str]:
    """Return an environment in which no client calls home: what leaves this machine is refused at once."""
    return {
        "PATH": os.environ["PATH"],
        "HTTP_PROXY": _NOWHERE,
        "HTTPS_PROXY": _NOWHERE,
        "ALL_PROXY": _NOWHERE,
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "DO_NOT_TRACK": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "LANGCHAIN_TRACING_V2": "false",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",  # DEVELOPMENT would read any .env it finds
        "PYTHONUTF8": "1",
    }


async def run(*command: str | Path, given: bytes = b"", folder: Path | None = None, **environ: str) -> bytes:
    """Run a command to its end, in a folder, and return what it printed."""
    running = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_surroundings() | environ,
        cwd=folder,
    )
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            printed, complained = await running.communicate(given)
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    assert running.returncode == 0, (printed + complained).decode(errors="replace")
    return printed


def of_the_environment(program: str) -> Path:
    """Return a program of the clients' own environment, or skip the test where there is none."""
    found = ENVIRONMENT / "bin" / program
    if not found.exists():
        pytest.skip("the clients' environment is missing: `make test-clients` makes it")
    return found


def python_client(script: str, **options: Any) -> Client:
    """Return a client written in Python: one of the scripts beside this file.

    Args:
        script: The script's name without its ending.
        options: Further fields of its task, or others than these: address, headers, key and question.
    """

    async def ask(address: str, headers: Mapping[str, str]) -> Any:
        task = {"address": address, "headers": dict(headers), "key": KEY, "question": QUESTION, **options}
        python = of_the_environment("python")
        return json.loads(await run(python, SCRIPTS / f"{script}.py", given=json.dumps(task).encode()))

    return ask


def node_client(way: str, program: str = "client.mjs", **options: Any) -> Client:

    async def ask(address: str, headers: Mapping[str, str]) -> Any:
        node = shutil.which("node")
        if node is None:
            pytest.skip("node is not installed: nothing is known of the SDKs for Node")
        if not (NODE / "node_modules").exists():
            pytest.skip("the SDKs for Node are not installed: `make test-clients` does it, with npm")
        task = {"address": address, "headers": dict(headers), "key": KEY, "question": QUESTION, **options}
        return json.loads(await run(node, NODE / program, way, given=json.dumps(task).encode()))

    return ask
