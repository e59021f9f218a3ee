"""Responses and Anthropic's messages are answered with memory, and remembered, like chat completions."""

import json
from typing import Any

from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.spoken import MESSAGES, RESPONSES, Spoken
from tests.scripted.upstream import ScriptedUpstream, streamed, whole
from tests.servers.running_proxy import RunningProxy, User
from tests.support.raw_client import Fields, Response

CAT = "I have a cat called Minka."
IN_BOTH = in_turn("api", [RESPONSES, MESSAGES])


async def ask(
    proxy: RunningProxy, api: Spoken, user: User, body: bytes, *, chat: str = "chat-1", extra: Fields = ()
) -> Response:
    return await proxy.fetch(b"POST", api.path, user.headers(chat=chat, extra=extra), body)


def spliced(sent: bytes, body: bytes) -> tuple[int, bytes]:
    """Return the position and the text of the one insertion that turns ``body`` into ``sent``."""
    inserted = len(sent) - len(body)
    same = next((at for at, (new, old) in enumerate(zip(sent, body, strict=False)) if new != old), len(body))
    for at in range(same, -1, -1):
        if sent[:at] + sent[at + inserted :] == body:
            return at, sent[at : at + inserted]
    raise AssertionError("more than one insertion")


# -- recalling -------------------------------------------------------------------------------------

SYSTEMS: dict[str, Any] = {
    "absent": None,
    "a text": "Be \u00e9 brief.",
    "empty": "",
    "blocks": [
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Be kind."},
    ],
}


@IN_BOTH
@in_turn("system", SYSTEMS.values())
@in_turn("as_parts", [False, True])
async def test_what_was_recalled_is_spliced_in_and_every_other_byte_stays(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    api: Spoken,
    system: Any,
    *,
    as_parts: bool,
) -> None:
    await given_memory(proxy, user)
    fields = {} if system is None else {api.instructs: system}
    words = [api.part(WHICH_TEA)] if as_parts else WHICH_TEA
    odd = b', "n":1.0, "seed": 12345678901234567890123, "x":1e400,\r\n "\\u00e9\\/" :null,"x-own":{"b":1,"a":2} }'
    body = b' {"a" : [ ],' + api.body(words, **fields)[1:-1] + odd

    answer = await ask(proxy, api, user, body, chat="chat-2")

    if isinstance(system, list) and api.instructs == "instructions":  # that is no list there
        assert answer.header(b"x-recollect-memories") == b"0"
        assert upstream.last.body == body
        return
    assert answer.header(b"x-recollect-memories") == b"1"
    assert answer.header(b"x-recollect-skipped") is None
    sent = upstream.last.body
    assert TEA.encode() in spliced(sent, body)[1]
    assert upstream.last.values(b"content-length") == [b"%d" % len(sent)]
    told = json.loads(sent)[api.instructs]
    if isinstance(system, list):
        assert told[: len(system)] == system
        assert TEA in told[-1]["text"]
        assert told[-1].keys() == {"type", "text"}
    else:
        assert told.startswith(system or "")
        assert TEA in told


@IN_BOTH
async def test_a_turn_that_recalls_nothing_goes_up_byte_for_byte(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Spoken
) -> None:
    await given_memory(proxy, user)
    body = b" " + api.body("sqrt(2)*sqrt(8)=") + b"\n"

    answer = await ask(proxy, api, user, body)

    assert answer.header(b"x-recollect-skipped") == b"nothing-relevant"
    assert upstream.last.body == body


@IN_BOTH
async def test_another_user_never_sees_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User, api: Spoken
) -> None:
    await given_memory(proxy, user)
    answer = await ask(proxy, api, other_user, api.body(WHICH_TEA))

    assert user.id != other_user.id
    assert answer.header(b"x-recollect-memories") == b"0"
    assert upstream.last.body == api.body(WHICH_TEA)


@IN_BOTH
async def test_memories_are_added_to_a_json_answer_when_they_are_asked_for(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Spoken
) -> None:
    await given_memory(proxy, user)
    upstream.answers.append(whole(api.whole("Souchong.")))

    answer = await ask(proxy, api, user, api.body(WHICH_TEA), extra=[(b"X-Recollect-Include", b"memories")])

    told = answer.json
    [memory] = told.pop("memories")
    assert memory["preview"] == TEA
    assert told.pop("used_history_tokens") == 0
    assert told == json.loads(api.whole("Souchong."))


# -- remembering -----------------------------------------------------------------------------------


@IN_BOTH
@in_turn("as_stream", [False, True])
async def test_an_answer_is_relayed_byte_for_byte_and_a_memory_formed_from_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Spoken, *, as_stream: bool
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
    api: Spoken,
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


@IN_BOTH
async def test_nobodys_chat_passes_as_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream, api: Spoken
) -> None:
    answer = await proxy.fetch(b"POST", api.path, [(b"X-Api-Key", b"sk-1")], api.body(WHICH_TEA))

    assert answer.header(b"x-recollect-skipped") == b"no-identity"
    assert upstream.last.body == api.body(WHICH_TEA)
    assert upstream.last.values(b"x-api-key") == [b"sk-1"]
