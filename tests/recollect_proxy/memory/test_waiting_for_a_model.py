"""Exchanges wait while their model can't be asked: after restarts, for imports, for missing models."""

import pytest
from tests.recollect_proxy.given import CAT
from tests.recollect_proxy.settings import changed
from tests.scripted.extraction import messages_shown
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion, failure
from tests.servers.running_proxy import RunningProxy, User, extract_statements, running_proxy

from recollect_proxy.settings.proxy_settings import ProxySettings

DOG = "I have a dog called Rex."
HELLO = "Shall we go on?"
"""In so many forms a model is asked until its server has refused it."""


class OneServer:
    """The LLM that answers chats and forms memories, which it can do only with some models, and with a key if it wants one."""

    def __init__(self, upstream: ScriptedUpstream, *models: str, key: bool = False) -> None:
        self.models = models
        self.key = key
        self.asked: list[str] = []
        upstream.otherwise = self.answer

    def answer(self, request: Received) -> Answer:
        if not messages_shown(request):
            return completion("I see.")
        if self.key and not request.values(b"authorization"):
            return failure(401)
        model = request.json["model"]
        self.asked.append(model)
        if self.models and model not in self.models:
            return failure(404, message=f"The model {model} does not exist.")
        return extract_statements(request)


@pytest.fixture
def settings(fresh_settings: ProxySettings) -> ProxySettings:
    """Settings of a proxy that has no model and no key but those of its chats."""
    return changed(
        fresh_settings,
        extraction_base_url=None,
        extraction_model=None,
        worker="within",
        formation_quiet_seconds=0,
    )


async def waiting(proxy: RunningProxy) -> dict[str, int]:
    formation = (await proxy.api(b"GET", "/health")).json["formation"]
    reasons: dict[str, int] = formation["waiting"]
    return reasons


async def contents(proxy: RunningProxy, user: User) -> list[str]:
    """Return the contents of a user's memories, of every kind."""
    page = await proxy.engine.page(user.known_as, limit=99)
    return sorted(each.content for each in page.memories)


async def test_what_was_said_just_before_a_restart_waits_for_its_persons_key_and_is_formed_when_they_chat(
    settings: ProxySettings, upstream: ScriptedUpstream, user: User
) -> None:
    OneServer(upstream, key=True)
    async with running_proxy(settings, forms=False) as before:
        await before.say(user, CAT)
        await before.say(user, DOG)
        await before.settle()

    async with running_proxy(settings) as proxy:
        await proxy.formed(user)
        kept, reasons = await contents(proxy, user), await waiting(proxy)
        status = (await proxy.api(b"GET", "/health")).json["status"]
        metrics = (await proxy.api(b"GET", "/metrics")).body.decode()
        await proxy.say(user, HELLO, chat="another")
        formed = await proxy.statements(user)
        left = await waiting(proxy)

    assert (kept, reasons, status) == ([], {"key": 2}, "degraded")
    assert 'recollect_exchanges_waiting{reason="key"} 2.0' in metrics
    assert (formed, left) == ([CAT, DOG], {})
