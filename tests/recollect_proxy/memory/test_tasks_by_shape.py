"""A client's own question about a chat gets no memory and is nobody's words, in each API."""

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


def said(content: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


NAME = "Name this conversation in three to seven words."
IN_EACH_API = [
    ("completions", {}, {}, [{"role": "system", "content": "Answer with a title."}, *said(SAID)]),
    (
        "responses",
        {"stream": True},
        {"stream": False},
        said(f"{NAME}\n\nUser: {SAID}\nAssistant: {ANSWERED}"),
    ),
    ("messages", {"stream": True}, {"stream": False, "max_tokens": 30}, [*CHAT, *said(NAME)]),
]
"""An API, the fields of the chat's own request, and the client's."""


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


@table("whole, here", [(True, False), (False, True)])
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
