"""The LiteLLM proxy as a system of the bench, from an environment of its own. Never: a figure."""

import json
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.servers import NotStartedError, free_port, started
from bench.speed.systems import System
from bench.watching import cores

_ENVIRONMENT = Path(sys.prefix) / "bench-litellm"
_QUIET = {
    "version": 1,
    "disable_existing_loggers": False,
    "loggers": {"uvicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False}},
}


@contextmanager
def litellm(folder: Path, upstream: int, models: Sequence[str]) -> Iterator[System]:
    """Run the proxy as its manual advises for production: one worker, no database, no callbacks, no access log."""
    program = _ENVIRONMENT / "bin" / "litellm"
    if not program.exists():
        raise NotStartedError(f"not installed in {_ENVIRONMENT.name}")
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
    ]
    command += ["--host", "127.0.0.1", "--port", str(port), "--num_workers", "1"]
    headers = {"Authorization": f"Bearer {key}"}
    log, core = folder / "log", cores()[0]
    with started(command, port, environ=environ | told, headers=headers, log=log, core=core) as server:
        yield System("litellm", "LiteLLM proxy", port, f"Authorization: Bearer {key}\r\n".encode(), server)


def version() -> str:
    """Return the version that is installed."""
    [found] = _ENVIRONMENT.glob("lib/python*/site-packages/litellm-*.dist-info")
    return found.name.removeprefix("litellm-").removesuffix(".dist-info")


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
