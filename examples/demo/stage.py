"""Sets the stage for the demo, and clears it: upstream, proxy, data."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import openai
from rich.console import Console

from examples.demo.memories import MemoryApi
from examples.demo.play import Play
from examples.demo.screen import Screen
from examples.demo.upstream import demo_upstream
from recollect.errors import RecollectError
from recollect.model import Strategy
from recollect_proxy.app import App
from recollect_proxy.serving.ephemeral_server import serve_proxy, serve_upstream, temporary
from recollect_proxy.settings.admin_token import admin_token
from recollect_proxy.settings.proxy_settings import ProxySettings

_COLUMNS_AT_MOST = 100
_PATIENCE_SECONDS = 30.0
_PATIENCE_WITH_LLM_SECONDS = 300.0


class PlayFailedError(RecollectError):
    """The demo could not be played to its end."""


async def stage(settings: ProxySettings, *, is_real: bool, api_key: str | None, model: str | None) -> bool:
    """Play the demo on a proxy of its own.

    Args:
        settings: The operator's. The database and the data are the demo's own.
        is_real: Whether the upstream they name is an LLM; else the demo's script stands in.
        api_key: The LLM's key.
        model: The name of the LLM's model; None: the first it lists.

    Returns:
        Whether everything came out as it must; always with a real LLM, which may answer as it likes.

    Raises:
        PlayFailedError: The model or the proxy failed.
    """
    console = Console(highlight=False)
    console.width = min(console.width, _COLUMNS_AT_MOST)
    screen = Screen(console)
    async with _proxy(settings, is_real=is_real) as (own, origin, token):
        base_url = f"{origin}{own.base_path}"
        async with (
            openai.AsyncOpenAI(
                base_url=base_url,
                api_key=api_key or "none",
                http_client=openai.DefaultAsyncHttpxClient(trust_env=False),
            ) as client,
            httpx.AsyncClient(base_url=origin, trust_env=False) as administrator,
        ):
            try:
                chosen = model or await _first_model(client)
                screen.introduce(base_url=base_url, model=chosen, is_real=is_real)
                missed = await Play(
                    client=client,
                    model=chosen,
                    memories=MemoryApi(administrator, token),
                    settings=own,
                    audience=screen,
                    patience=_PATIENCE_WITH_LLM_SECONDS if is_real else _PATIENCE_SECONDS,
                ).run()
            except (openai.OpenAIError, httpx.HTTPError) as error:
                raise PlayFailedError(f"The demo could not be played to its end: {error}") from error
    screen.conclude(missed, enforced=not is_real)
    return is_real or not missed


@asynccontextmanager
async def _proxy(settings: ProxySettings, *, is_real: bool) -> AsyncIterator[tuple[ProxySettings, str, str]]:
    """Serve it; yield its settings, its address, and its admin token."""
    async with AsyncExitStack() as closing:
        changes: dict[str, Any] = {"formation": Strategy.EXTRACT, "formation_quiet_seconds": 0}
        if not is_real:
            upstream = await closing.enter_async_context(serve_upstream(demo_upstream))
            changes["upstream"] = f"{upstream}/v1"
        own = temporary(settings, **changes)
        token = admin_token(own).value
        yield own, await closing.enter_async_context(serve_proxy(App(own, admin_token=token), own)), token


async def _first_model(client: openai.AsyncOpenAI) -> str:
    async for model in client.models.list():
        return model.id
    raise PlayFailedError("The LLM lists no models; name one with --model.")
