"""What the chat's model can't be asked about waits, and is never junk: restarts, imports, missing models, odd answers."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.recollect_proxy.settings import changed
from tests.running_proxy import RunningProxy, User, extract_statements, running_proxy, somebody
from tests.scripted_extraction import messages_shown
from tests.scripted_upstream import Answer, Received, ScriptedUpstream, completion, failure
from tests.served_process import RECOLLECT, environment
from tests.waiting import until

from recollect.engine import inbox
from recollect_proxy.settings.proxy_settings import ProxySettings

CAT = "I have a cat called Minka."
DOG = "I have a dog called Rex."
HELLO = "Shall we go on?"
FORMS = 4
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
    """Return all that is kept of somebody, statement or not."""
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
    assert 'recollect_waiting{reason="key"} 2.0' in metrics
    assert (formed, left) == ([CAT, DOG], {})


async def test_a_model_that_is_gone_is_asked_for_once_and_the_one_that_is_chatted_with_forms_what_waited(
    settings: ProxySettings, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    server = OneServer(upstream, "there")
    async with running_proxy(settings) as proxy:
        for text in (CAT, DOG):
            await proxy.say(user, text, model="gone")
            await proxy.formed(user)
        await proxy.say(other_user, CAT, model="there")
        of_another = await proxy.statements(other_user)
        reasons, asked = await waiting(proxy), list(server.asked)
        await proxy.say(user, HELLO, model="there")
        formed = await proxy.statements(user)

    assert (reasons, of_another) == ({"model": 2}, [CAT])
    assert asked.count("gone") <= 2 * FORMS
    assert formed == [CAT, DOG]


async def imported(settings: ProxySettings, user: User, tmp_path: Path) -> str:
    """Import a chat of another product's model, and return what the command says."""
    file = tmp_path / "chats.jsonl"
    messages = [
        {"role": "user", "content": CAT},
        {"role": "assistant", "content": "Nice.", "model": "gpt-4o"},
    ]
    file.write_text(json.dumps({"messages": messages, "user": user.known_as, "chat_id": "c"}), "utf-8")
    assert settings.database_url is not None
    environ = environment(database_url=settings.database_url.get_secret_value(), data_dir=settings.data_dir)
    command = await asyncio.create_subprocess_exec(
        str(RECOLLECT), "import", "jsonl", str(file), env=environ, stdout=asyncio.subprocess.PIPE
    )
    told, _ = await command.communicate()
    assert command.returncode == 0
    return told.decode()


async def test_an_import_without_a_model_says_so_and_waits_until_one_is_set(
    settings: ProxySettings,
    fresh_settings: ProxySettings,
    upstream: ScriptedUpstream,
    user: User,
    tmp_path: Path,
) -> None:
    server = OneServer(upstream, "llama")
    told = await imported(settings, user, tmp_path)
    async with running_proxy(settings) as proxy:
        await proxy.formed(user)
        kept, reasons = await contents(proxy, user), await waiting(proxy)
    async with running_proxy(changed(fresh_settings, worker="within")) as proxy:
        await until(lambda: _is_formed(proxy, user))
        formed = await proxy.statements(user)

    assert "NO MODEL" in told
    assert (kept, reasons, server.asked) == ([], {"model": 1}, [])
    assert formed == [CAT]


async def _is_formed(proxy: RunningProxy, user: User) -> bool:
    return bool(await contents(proxy, user))


async def test_an_import_asks_the_model_that_its_person_chats_with_and_no_other(
    settings: ProxySettings, upstream: ScriptedUpstream, user: User, tmp_path: Path
) -> None:
    server = OneServer(upstream, "llama", "gpt-4o")
    async with running_proxy(settings) as proxy:
        await proxy.say(user, DOG, model="llama")
        await proxy.formed(user)
        told = await imported(settings, user, tmp_path)
        formed = await proxy.statements(user)

    assert "NO MODEL" not in told
    assert "NO KEY" in told
    assert (formed, set(server.asked)) == ([CAT, DOG], {"llama"})


async def test_what_was_once_kept_as_it_was_said_is_formed_again_by_a_command(
    settings: ProxySettings, upstream: ScriptedUpstream, user: User
) -> None:
    OneServer(upstream)
    async with running_proxy(settings) as proxy:
        await proxy.api(b"PATCH", f"/users/{user.id}/settings", {"formation": "qa_turn"})
        await proxy.say(user, CAT)
        await proxy.formed(user)
        before = await contents(proxy, user)
        path = f"/users/{user.id}/memories"
        listed = [(await proxy.api(b"GET", path + query)).json for query in ("", "?kind=qa_turn")]
        searched = (await proxy.api(b"GET", f"{path}/search?q=cat")).json["found"]
        of_chat = (await proxy.api(b"GET", f"/users/{user.id}/sessions/chat-1/memories")).json["memories"]
        of_agent = await proxy.engine.agents.recent(user.known_as, limit=9)
        found_by_agent = await proxy.engine.agents.found(user.known_as, CAT, limit=9)
        timeline = await proxy.engine.changes(user.known_as, limit=9)
        await proxy.api(b"PATCH", f"/users/{user.id}/settings", {"formation": None})
        await proxy.rows(
            "UPDATE recollect.exchanges SET fallback = 'unusable' WHERE user_id = $1 RETURNING id",
            user.known_as,
        )

        await proxy.api(b"POST", "/formation/retry")
        await until(lambda: _is_formed_again(proxy, user))

    assert before == [f"Q: {CAT}\nA: I see."]
    assert [len(each["memories"]) for each in listed] == [0, 1], "people see none among their statements"
    assert (searched, of_chat, of_agent, found_by_agent, timeline) == ([], [], [], [], [])


async def _is_formed_again(proxy: RunningProxy, user: User) -> bool:
    return await contents(proxy, user) == [CAT]


async def test_what_was_said_with_formation_off_is_formed_later_but_not_what_a_person_left_out(
    settings: ProxySettings, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    OneServer(upstream)
    async with running_proxy(changed(settings, formation="off")) as proxy:
        await proxy.say(user, CAT)
        await proxy.say(user, "Don't remember this chat.", chat="left out")
        await proxy.say(user, DOG, chat="left out")
        await proxy.api(b"PATCH", f"/users/{other_user.id}/settings", {"formation": "off"})
        await proxy.say(other_user, DOG)
        await proxy.say(one_alone := somebody(), DOG)
        for each in (user, other_user, one_alone):
            await proxy.formed(each)
        kept = await contents(proxy, user)
        await proxy.api(b"PATCH", f"/users/{one_alone.id}/settings", {"formation": "extract"})
        await until(lambda: _is_formed(proxy, one_alone))
    async with running_proxy(settings) as proxy:
        await proxy.api(b"PATCH", f"/users/{other_user.id}/settings", {"formation": None})
        await proxy.api(b"POST", "/formation/retry")
        for each in (user, other_user):
            await proxy.say(each, HELLO, chat="later")
        formed = [await proxy.statements(each) for each in (user, other_user)]
        left = await waiting(proxy)

    assert (kept, formed, left) == ([], [[CAT], []], {})


async def test_what_waits_goes_with_its_chat_or_its_person_and_does_not_come_back_with_them(
    settings: ProxySettings, upstream: ScriptedUpstream, user: User, other_user: User
) -> None:
    OneServer(upstream, key=True)
    async with running_proxy(settings, forms=False) as before:
        for each in (user, other_user):
            await before.say(each, CAT)
            await before.say(each, DOG, chat="another")
        await before.settle()
    async with running_proxy(settings) as proxy:
        for each in (user, other_user):
            await proxy.formed(each)
        await proxy.api(b"DELETE", f"/users/{user.id}/sessions/chat-1")
        await proxy.api(b"DELETE", f"/users/{other_user.id}")
        left = await waiting(proxy)
        for each in (user, other_user):
            await proxy.say(each, HELLO, chat="third")
        formed = [await proxy.statements(each) for each in (user, other_user)]
        in_the_end = await waiting(proxy)

    assert (left, formed, in_the_end) == ({"key": 1}, [[DOG], []], {})


ODD = [
    "junk",
    "",
    "I can't help with that.",
    '{"memories": [',
    '{"memories": {}}',
    "<think>hm",
    '{"error": 1}',
    "42",
]


async def test_what_a_model_answers_oddly_waits_and_is_formed_once_it_answers_well(
    settings: ProxySettings, upstream: ScriptedUpstream, user: User
) -> None:
    server = OneServer(upstream)
    odd = dict(zip((f"I have {number} cats." for number in range(2, 99)), ODD, strict=False))

    def answer(request: Received) -> Answer:
        [said] = messages_shown(request) or [""]
        return completion(odd[said]) if said in odd else server.answer(request)

    upstream.otherwise = answer
    async with running_proxy(settings) as proxy:
        for number, said in enumerate(odd):
            await proxy.say(user, said, chat=str(number))
            await proxy.formed(user)
        kept, reasons = await contents(proxy, user), await waiting(proxy)
        expected = sorted(odd)
        odd.clear()
        await proxy.api(b"POST", "/formation/retry")
        formed = await proxy.statements(user)

    assert (kept, reasons) == ([], {"unreadable": len(ODD)})
    assert formed == expected


async def test_two_workers_form_what_waited_once(
    settings: ProxySettings, upstream: ScriptedUpstream, user: User
) -> None:
    server = OneServer(upstream, key=True)
    async with running_proxy(settings, forms=False) as before:
        for number in range(9):
            await before.say(user, f"I have {number} cats.", chat=str(number))
        await before.settle()
    server.key = False
    own_key = changed(settings, extraction_api_key="key")
    async with running_proxy(own_key) as one, running_proxy(own_key) as two:
        await asyncio.gather(one.engine.retry_failed(), two.engine.retry_failed())
        formed = await one.statements(user)

    assert formed == [f"I have {number} cats." for number in range(9)]
    assert len(server.asked) == len(formed)


async def test_those_with_long_backlogs_hold_up_nobody_who_has_just_said_something(
    settings: ProxySettings,
    upstream: ScriptedUpstream,
    user: User,
    other_user: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inbox, "RUN", 2)
    server, order = OneServer(upstream), list[str]()

    def answer(request: Received) -> Answer:
        order.extend(messages_shown(request))
        return server.answer(request)

    upstream.otherwise = answer
    async with running_proxy(settings, forms=False) as before:
        for number in range(9):
            await before.say(user, f"I have {number} cats.", chat=str(number))
        await before.say(other_user, DOG)
        await before.settle()
    one_at_a_time = changed(settings, formation_workers=1, extraction_api_key="key")
    async with running_proxy(one_at_a_time) as proxy:
        formed = [await proxy.statements(each) for each in (user, other_user)]

    assert [len(each) for each in formed] == [9, 1]
    assert order.index(DOG) <= 4, "behind the run that was under way, and the one that was taken already"
