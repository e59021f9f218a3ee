"""Responses and Anthropic's messages are answered with memory, and remembered, like chat completions."""

import json
from typing import Any

from tests.raw_client import Fields, Response
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.spoken import MESSAGES, RESPONSES, Spoken
from tests.running_proxy import RunningProxy, User
from tests.scripted_upstream import EVENT_STREAM, ScriptedUpstream, compressed, failure, streamed, whole

CAT = "I have a cat called Minka."
IN_BOTH = in_turn("api", [RESPONSES, MESSAGES])


async def ask(
    proxy: RunningProxy, api: Spoken, user: User, body: bytes, *, chat: str = "chat-1", extra: Fields = ()
) -> Response:
    return await proxy.fetch(b"POST", api.path, user.headers(chat=chat, extra=extra), body)


def spliced(sent: bytes, body: bytes) -> tuple[int, bytes]:
    """Return where the one insertion stands that makes ``sent`` of ``body``, and what was inserted."""
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
async def test_a_member_that_is_null_is_replaced(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Spoken
) -> None:
    await given_memory(proxy, user)
    body = api.body(WHICH_TEA, **{api.instructs: None})

    await ask(proxy, api, user, body)

    before, _, behind = body.partition(b"null")
    assert upstream.last.body.startswith(before)
    assert upstream.last.body.endswith(behind)
    assert TEA in json.loads(upstream.last.body)[api.instructs]


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


async def test_a_response_that_follows_another_recalls_and_keeps_its_id(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    body = RESPONSES.body(WHICH_TEA, previous_response_id="resp_7", store=True)

    await ask(proxy, RESPONSES, user, body)

    assert json.loads(upstream.last.body)["previous_response_id"] == "resp_7"
    assert TEA in json.loads(upstream.last.body)["instructions"]


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


@IN_BOTH
@in_turn("encoding", ["gzip", "br", "zstd"])
async def test_a_compressed_stream_is_relayed_untouched_and_remembered(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Spoken, encoding: str
) -> None:
    packed = compressed(b"".join(api.stream("Min", "ka!")), encoding)
    upstream.answers.append(whole(packed, headers=[*EVENT_STREAM, (b"Content-Encoding", encoding.encode())]))

    answer = await ask(proxy, api, user, api.body(CAT, stream=True))

    assert answer.body == packed
    assert (await proxy.logged(user))[1] == ("assistant", "Minka!")


@IN_BOTH
async def test_what_was_cut_off_at_the_most_tokens_is_remembered_as_far_as_it_came(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Spoken
) -> None:
    upstream.answers.append(streamed(*api.cut()))

    await ask(proxy, api, user, api.body(CAT, stream=True))

    assert await proxy.logged(user) == [("user", CAT), ("assistant", "Minka is")]


@IN_BOTH
@in_turn("how", ["calls", "fails", "an error", "a status"])
async def test_an_answer_that_calls_a_tool_or_fails_is_relayed_and_no_reply_and_what_was_said_is_kept(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Spoken, how: str
) -> None:
    error = b'event: error\ndata: {"type":"error","code":"x","message":"No."}\n\n'
    kinds = {"calls": [*api.calls()], "fails": [*api.fails()], "an error": [error]}
    events = kinds.get(how)
    upstream.answers.append(streamed(*events) if events else failure(529))

    answer = await ask(proxy, api, user, api.body(CAT, stream=True))

    assert answer.status == (200 if events else 529)
    if events:
        assert answer.body == b"".join(events)
    assert await proxy.logged(user) == [("user", CAT)]
    # Where the server keeps the chat, the user's words may not come again with the reply.
    state = "pending" if api.instructs == "instructions" else "open"
    rows = await proxy.rows("SELECT state FROM recollect.exchanges WHERE user_id = $1", user.known_as)
    ended = {
        "calls": {state, "formed"},
        "fails": {"pending", "formed"},
    }  # with words before the error it is over
    assert {row["state"] for row in rows} <= ended.get(how, {"open"})


@IN_BOTH
@in_turn("as_stream", [False, True])
async def test_a_chat_completion_at_their_path_is_relayed_and_the_question_remembered(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Spoken, *, as_stream: bool
) -> None:
    """A server that speaks another API than its path says."""
    nonsense = b"data: [1, 2]\n\ndata: nonsense\n\n" if as_stream else b'"text"'
    upstream.answers.append(whole(nonsense, headers=EVENT_STREAM) if as_stream else whole(nonsense))

    answer = await ask(proxy, api, user, api.body(CAT))

    assert answer.body == nonsense
    assert await proxy.logged(user) == [("user", CAT)]
