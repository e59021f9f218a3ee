"""Responses and Anthropic's messages are answered with memory, and remembered, like chat completions."""

from typing import Any

from tests.recollect_proxy.chat.spoken import MESSAGES, RESPONSES, Api
from tests.recollect_proxy.given import given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.scripted.upstream import ScriptedUpstream, streamed, whole
from tests.servers.running_proxy import RunningProxy, User
from tests.support.raw_client import Fields, Response

CAT = "I have a cat called Minka."
IN_BOTH = in_turn("api", [RESPONSES, MESSAGES])


async def ask(
    proxy: RunningProxy, api: Api, user: User, body: bytes, *, chat: str = "chat-1", extra: Fields = ()
) -> Response:
    return await proxy.fetch(b"POST", api.path, user.headers(chat=chat, extra=extra), body)


# -- remembering -----------------------------------------------------------------------------------


@IN_BOTH
@in_turn("as_stream", [False, True])
async def test_an_answer_is_relayed_byte_for_byte_and_a_memory_formed_from_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Api, *, as_stream: bool
) -> None:
    stream = b"".join(api.stream("What a ", "nice n", "\u00e4me."))
    cuts = [stream[at : at + 7] for at in range(0, len(stream), 7)]
    upstream.answers.append(streamed(*cuts) if as_stream else whole(api.whole("What a nice n\u00e4me.")))

    answer = await ask(proxy, api, user, api.body(CAT, stream=as_stream))

    assert answer.body == (stream if as_stream else api.whole("What a nice n\u00e4me."))
    assert await proxy.logged(user) == [("user", CAT), ("assistant", "What a nice n\u00e4me.")]
    [memory] = await proxy.memories(user)
    assert memory.content == CAT


# -- no turn of a person ----------------------------------------------------------------------------

OTHERS: dict[str, tuple[str, dict[str, Any], str, Fields, bytes]] = {
    "a task that says so": (CAT, {}, "chat-1", [(b"X-Recollect-Task", b"title")], b"task"),
    "a temporary chat": (CAT, {}, "temporary:1", [], b"temporary"),
    "two identities": (CAT, {}, "chat-1", [(b"X-OpenWebUI-User-Id", b"mallory")], b"bad-identity"),
    "no chat": (CAT, {"input": 7, "messages": 7}, "chat-1", [], b"unreadable"),
}


@IN_BOTH
@in_turn(("words", "fields", "chat", "extra", "why"), OTHERS.values())
async def test_what_is_no_persons_turn_passes_as_it_is_and_is_not_remembered(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    other_user: User,
    api: Api,
    words: str,
    fields: dict[str, Any],
    chat: str,
    extra: Fields,
    why: bytes,
) -> None:
    await given_memory(proxy, other_user, CAT)
    upstream.answers.append(whole(api.whole("All right.")))
    body = api.body(words, **fields)

    answer = await proxy.fetch(b"POST", api.path, other_user.headers(chat=chat, extra=extra), body)

    assert answer.header(b"x-recollect-skipped") == why
    assert answer.header(b"x-recollect-memories") == b"0"
    assert answer.body == api.whole("All right.")
    assert upstream.last.body == body
    assert await proxy.logged(other_user) == []
