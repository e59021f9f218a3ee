"""An application of the OpenAI SDK's that speaks through the proxy: what its tests share."""

from typing import Any

from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from tests.recollect_proxy.given import TEA, WHICH_TEA
from tests.scripted.upstream import Received
from tests.servers.running_proxy import RunningProxy, User

ASK: Any = [{"role": "user", "content": WHICH_TEA}]
KEY = "sk-of-the-application"


def sdk(proxy: RunningProxy, user: User | None) -> AsyncOpenAI:
    return AsyncOpenAI(
        base_url=f"http://127.0.0.1:{proxy.port}/v1",
        api_key=KEY,
        max_retries=0,
        default_headers={"X-OpenWebUI-User-Id": user.id, "X-OpenWebUI-Chat-Id": "sdk"} if user else {},
        http_client=DefaultAsyncHttpxClient(
            verify=False
        ),  # it takes long to read certificates, that nobody needs
    )


def assert_untouched(request: Received) -> None:
    """Assert that the SDK's own headers went up, and none of ours."""
    assert request.values(b"authorization") == [b"Bearer " + KEY.encode()]
    assert request.values(b"user-agent")[0].startswith(b"AsyncOpenAI/Python ")
    assert request.values(b"x-stainless-lang") == [b"python"]
    assert not [
        name for name, _ in request.headers if b"openwebui" in name.lower() or b"recollect" in name.lower()
    ]


def assert_recalled(request: Received, known: User | None) -> None:
    """Assert that the user's memory went up, and nobody else's."""
    assert (TEA in request.system) == (known is not None)
    assert_untouched(request)


def assert_recalled_in_instructions(request: Received, known: User | None) -> None:
    assert (TEA in request.json.get("instructions", "")) == (known is not None)
    assert_untouched(request)
