"""A client's own questions about a chat are recognized by their quotes and their shape, and are not the person's words."""

import json
from typing import Any

from tests.recollect_proxy.chat.spoken import APIS, Api, replies
from tests.recollect_proxy.given import TEA, given_memory
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User, somebody
from tests.support.tables import table
from tests.support.waiting import until

SAID = "I moved to Leipzig last week, which tea should I buy there?"
ANSWERED = "In Leipzig there is a shop for Lapsang Souchong beside the station."
CHAT = [{"role": "user", "content": SAID}, {"role": "assistant", "content": ANSWERED}]
LINES = f"User: {SAID}\nAssistant: {ANSWERED}"
STREAM = {"stream": True}
QUIET = {"stream": False}


def said(content: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


def instructed(system: str, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "system", "content": system}, *messages]


# The fields of the chat's own requests, then the client's own request.
TASKS: list[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]] = [
    # Above the message alone, or above the whole exchange.
    ({}, {}, instructed("You name conversations. Answer with the name alone.", *said(SAID))),
    (STREAM, QUIET, instructed("You name conversations. Answer with the name alone.", *said(SAID))),
    (STREAM, {"max_tokens": 32}, instructed("Du vergibst Titel.", *said(LINES))),
    ({}, {}, instructed("用四个字以内给这段对话起个标题。", *said(f"用户: {SAID}\n助手: {ANSWERED}"))),
    (STREAM, {"stream": True}, instructed("You summarise chats for a side bar.", *said(LINES))),
    ({}, {"max_tokens": 20}, instructed("Summarise in one line.", *CHAT)),
    # Around it, in one message.
    (STREAM, QUIET, said(f"Name this conversation in three to seven words:\n\n{LINES}")),
    (
        STREAM,
        QUIET,
        said(f"```\nuser: {SAID}\n\nassistant: {ANSWERED}\n```\nGib dem Gespr\u00e4ch einen Namen."),
    ),
    (STREAM, QUIET, said(f"Generate a title for: \u201c{SAID}\u201d")),
    ({}, {"max_tokens": 16}, said(f"<message>{SAID}</message>\nTitle, please.")),
    ({}, {"response_format": {"type": "json_object"}}, said(f"{LINES}\n\nTags as JSON.")),
    # As JSON.
    ({}, {}, instructed("Return a title.", *said(json.dumps(CHAT)))),
    (
        STREAM,
        QUIET,
        said("Titre : " + json.dumps([{"from": "human", "text": SAID}, {"from": "ai", "text": ANSWERED}])),
    ),
    # Behind the chat itself.
    (
        STREAM,
        {"stream": False, "max_tokens": 30},
        [*CHAT, *said("Name this conversation in three to seven words.")],
    ),
    ({}, {"max_tokens": 30}, [*CHAT, *said("Wie hei\u00dft dieses Gespr\u00e4ch?")]),
    (
        STREAM,
        {"stream": False, "response_format": {"type": "json_schema"}},
        [*CHAT, *said("Suggest three questions.")],
    ),
]

# All of them in one API, and one of each kind in the others.
IN_EACH_API = [
    *(("completions", *each) for each in TASKS),
    *((name, *TASKS[at]) for name in ("responses", "messages") for at in (0, 6, 11, 13)),
]

# A person's own messages, however similar they are to earlier ones.
PERSONS: list[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]] = [
    ({}, {}, said("I have a dog called Fips.")),
    ({}, {}, said(SAID)),
    (STREAM, STREAM, said(f"Go on from here, I also have a dog:\n{LINES}")),
    (STREAM, STREAM, instructed("You are a pirate.", *said(SAID))),
    ({}, {}, said(f'I asked "{SAID}" and got no answer. I have a dog, too.')),
    ({}, {}, [*CHAT, *said("Name this conversation in three to seven words.")]),
    (STREAM, QUIET, [*CHAT, *said("I have a dog called Fips.")]),
    ({"max_tokens": 50}, {"max_tokens": 50}, [*CHAT, *said("I have a dog called Fips.")]),
    (
        STREAM,
        {"stream": True, "model": "another"},
        instructed("You are a pirate.", *CHAT, *said("Who am I?")),
    ),
    (STREAM, STREAM, CHAT),
    # Pasted, or tried once more by a client that never streams.
    ({}, {}, said(LINES)),
    ({}, {}, said(f"{LINES}\n\nI also have a dog called Fips.")),
    ({}, {}, instructed("You are a pirate.", *said(f"我有一只狗\n{LINES}"))),
    ({}, {}, instructed("You are a pirate.", *said(f"{LINES} I have a dog, too."))),
    (STREAM, STREAM, instructed("You are a pirate.", *said(f"{SAID} You did not say."))),
    (STREAM, QUIET, said(SAID)),
]


async def send(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    person: User,
    messages: list[dict[str, Any]],
    api: Api,
    reply: str,
    **fields: Any,
) -> tuple[str, str]:
    """Send a request without ids, and return the reason why it had no memory, and the sent body."""
    listed, body = messages, {"model": "scripted", **fields}
    if api.instructs and messages[0]["role"] == "system":
        body[api.instructs] = messages[0]["content"]
        listed = messages[1:]
    upstream.otherwise = replies(reply)
    headers = [each for each in person.headers() if each[0] != b"X-OpenWebUI-Chat-Id"]
    sent = json.dumps(body | {api.listed: listed}).encode()
    answer = await proxy.fetch(b"POST", api.path, headers, sent)
    assert answer.status == 200, answer.body
    await proxy.settle()
    return (answer.header(b"x-recollect-skipped") or b"").decode(), upstream.last.body.decode()


@table("name, chats, fields, messages", IN_EACH_API)
async def test_a_task_gets_no_memory_and_is_nobodys_words(
    listening_proxy: RunningProxy,
    upstream: ScriptedUpstream,
    name: str,
    chats: dict[str, Any],
    fields: dict[str, Any],
    messages: list[dict[str, Any]],
) -> None:
    person = await given_memory(listening_proxy, somebody(), TEA)
    await send(listening_proxy, upstream, person, said(SAID), APIS[name], ANSWERED, **chats)

    skipped, sent = await send(
        listening_proxy, upstream, person, messages, APIS[name], "Tea in Leipzig", **fields
    )

    assert (skipped, TEA in sent) == ("task", False)
    assert await listening_proxy.logged(person) == [("user", SAID), ("assistant", ANSWERED)]


@table("chats, fields, messages", PERSONS)
async def test_what_a_person_says_next_is_no_task(
    listening_proxy: RunningProxy,
    upstream: ScriptedUpstream,
    chats: dict[str, Any],
    fields: dict[str, Any],
    messages: list[dict[str, Any]],
) -> None:
    person = await given_memory(listening_proxy, somebody(), TEA)
    await send(listening_proxy, upstream, person, said(SAID), APIS["completions"], ANSWERED, **chats)

    skipped, _ = await send(
        listening_proxy, upstream, person, messages, APIS["completions"], "Ahoy!", **fields
    )

    assert skipped != "task"
    last = next(each["content"] for each in reversed(messages) if each["role"] == "user")
    assert ("user", last) in await listening_proxy.logged(person)


@table("whole, here", [(True, True), (True, False), (False, True), (False, False)])
async def test_what_is_erased_here_or_by_another_proxy_is_forgotten_here(
    listening_proxies: ListeningProxies, upstream: ScriptedUpstream, *, whole: bool, here: bool
) -> None:
    person, bystander = somebody(), somebody()
    async with listening_proxies.serve() as proxy, listening_proxies.serve() as other:
        for each in (person, bystander):
            await send(proxy, upstream, each, said(SAID), APIS["completions"], ANSWERED)
        recent = proxy.app.engine.recent
        chat = next(each for each in recent.scopes if each.user_id == person.known_as)
        engine = proxy.engine if here else other.engine

        await (engine.erase(person.known_as) if whole else engine.erase_session(chat))

        assert not here or chat not in recent.scopes, "at once"
        await until(lambda: chat not in recent.scopes)
        assert {each.user_id for each in recent.scopes} == {bystander.known_as}
