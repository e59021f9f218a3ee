"""What is heard in an answer, which answers are JSON to be rewritten, and what its headers tell of memories."""

import json
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.scripted.dialects import named_event
from tests.scripted.upstream import DONE, completion_body, event, events
from tests.support.recollections import NOON, recollection
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.composition.block import Block
from recollect.engine.turns.prompt_content import Prepared
from recollect.model import Injection, Passage, Place, Recall, Recollection, Role, Skip, Stage
from recollect.wire import COMPLETIONS, RESPONSES, Dialect
from recollect_proxy.chat.passthrough import is_json
from recollect_proxy.chat.recall_headers import RecallReports, listed_memories, memory_list_header, preview
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.upstream.connection import Response
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Headers

STREAM = [(b"Content-Type", b"text/event-stream")]
JSON = [(b"Content-Type", b"application/json")]
RESPONSE = object.__new__(Response)  # it is never looked at
CALL = event({"content": "Let me see.", "tool_calls": [{"index": 0}]}, finish="tool_calls")
CALL_OF_RESPONSES = {
    "type": "response.output_item.done",
    "item": {"type": "function_call", "name": "weather"},
}


def heard(
    dialect: Dialect, status: int, headers: Headers, chunks: list[bytes], **ended: bool
) -> ReplyRecorder:
    recorder = ReplyRecorder(dialect)
    recorder.start(Answer(status, headers, RESPONSE))
    for chunk in chunks:
        recorder.feed(chunk)
    for how, is_so in ended.items():
        setattr(recorder, how, is_so)
    return recorder


@table(
    ("status", "headers", "chunks", "ended", "reply"),
    [
        (200, JSON, [completion_body("Tea.")], {}, "Tea."),
        (200, STREAM, list(events("Te", "a.")), {}, "Tea."),
        (200, STREAM, [event({}, finish="stop"), DONE], {}, ""),
        # as far as it came
        (200, STREAM, [event({"content": "Te"})], {}, "Te"),
        (200, STREAM, [], {}, ""),
        (200, STREAM, [event({"content": "Te"})], {"broke_off": True}, "Te"),
        (200, STREAM, [event({"role": "assistant"})], {"broke_off": True}, None),
        # none
        (200, STREAM, [CALL, DONE], {}, None),
        *((status, JSON, [completion_body("Tea.")], {}, None) for status in (201, 400, 500)),
        (500, JSON, [b"{}"], {"client_left": True}, None),
    ],
)
def test_the_reply_is_what_was_said_as_far_as_it_came(
    status: int, headers: Headers, chunks: list[bytes], ended: dict[str, Any], reply: str | None
) -> None:
    assert heard(COMPLETIONS, status, headers, chunks, **ended).reply() == reply


def test_where_the_server_keeps_the_chat_an_answer_that_calls_tools_is_an_empty_reply() -> None:
    assert heard(RESPONSES, 200, STREAM, [named_event(CALL_OF_RESPONSES)]).reply() == ""


def test_a_user_who_left_before_any_answer_has_said_something_all_the_same() -> None:
    recorder = ReplyRecorder(COMPLETIONS)
    assert recorder.reply() is None

    recorder.client_left = True

    assert recorder.reply() == ""


@table(
    ("headers", "expected"),
    [
        ([(b"content-type", b"application/json")], True),
        ([(b"Content-Type", b"Application/JSON; charset=utf-8")], True),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"identity")], True),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"gzip")], False),
        ([(b"content-type", b"text/event-stream")], False),
        ([(b"content-type", b"application/jsonl")], False),
        ([], False),
    ],
)
def test_json_is_what_says_so_and_is_not_compressed(headers: Headers, *, expected: bool) -> None:
    assert is_json(Answer(200, headers, RESPONSE)) is expected


REQUEST = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")


def test_the_headers_say_what_went_into_the_prompt() -> None:
    told = (recollection("tea"), recollection("cake"))
    own = Injection("a:1", Place.SYSTEM, "...", (told[0].item.id,), 9, NOON)
    placed = Placed(block=Block("...", told[:1], tokens=9), own=own, tokens=20, history_tokens=7)
    recall = Recall(told, degraded=(Stage.EMBEDDING, Stage.CHAT), milliseconds=1.25)

    assert RecallReports().about(Prepared(recall, placed), REQUEST) == [
        (b"x-recollect-memories", b"1"),
        (b"x-recollect-request-id", b"01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"),
        (b"x-recollect-memory-tokens", b"9"),
        (b"x-recollect-standing-tokens", b"0"),
        (b"x-recollect-chat-memory-tokens", b"20"),
        (b"x-recollect-history-tokens", b"7"),
        (b"x-recollect-milliseconds", b"1.2"),
        (b"x-recollect-degraded", b"embedding,chat"),
    ]


def test_a_turn_that_comes_again_counts_what_it_was_given_before() -> None:
    own = Injection("a:1", Place.BESIDE, "...", (uuid7(), uuid7()), 9, NOON)

    told = dict(RecallReports().about(Prepared(Recall(), Placed(own=own)), REQUEST))

    assert (told[b"x-recollect-memories"], told[b"x-recollect-memory-tokens"]) == (b"2", b"9")


def test_the_headers_say_why_nothing_did_and_it_is_counted() -> None:
    reports = RecallReports()

    assert reports.skip(Skip.DEADLINE) == [
        (b"x-recollect-memories", b"0"),
        (b"x-recollect-skipped", b"deadline"),
    ]
    reports.about(Prepared(Recall(skipped=Skip.DEADLINE)), REQUEST)
    reports.about(Prepared(Recall()), REQUEST)

    assert reports.skipped == {Skip.DEADLINE: 2}


def test_a_list_of_memories_is_told_only_when_it_is_asked_for() -> None:
    told = (recollection("tea"),)
    prepared = Prepared(Recall(told), Placed(block=Block("...", told, tokens=9)))

    assert b"x-recollect-memory-list" not in dict(RecallReports().about(prepared, REQUEST))
    [listed] = json.loads(
        dict(RecallReports().about(prepared, REQUEST, listed=True))[b"x-recollect-memory-list"]
    )
    assert listed["preview"] == "tea"


def test_a_memory_is_shown_with_id_kind_source_preview_and_score() -> None:
    [memory] = listed_memories([recollection("Likes  tea\nat five", score=0.123456)])

    assert UUID(str(memory.pop("id"))).version == 7
    assert memory == {"kind": "fact", "source": "extracted", "preview": "Likes tea at five", "score": 0.1235}


def test_a_passage_of_the_log_is_shown_as_a_message() -> None:
    message_id = uuid7()
    passage = Passage(message_id, uuid7(), "chat-1", 0, 0, Role.USER, "I drink tea", NOON)

    assert listed_memories([Recollection(passage, 0.5)]) == [
        {"id": str(message_id), "kind": "message", "source": "log", "preview": "I drink tea", "score": 0.5}
    ]


def test_a_preview_has_160_characters_at_most() -> None:
    assert preview("x" * 160) == "x" * 160
    assert preview("x" * 161) == "x" * 159 + "\u2026"


@table("count", [0, 1, 100])
def test_a_header_holds_the_best_as_many_as_have_room(count: int) -> None:
    told = [recollection("\u00e9" * 200, score=1 - number / 1000) for number in range(count)]

    header = memory_list_header(told)

    listed = json.loads(header)
    assert [each["id"] for each in listed] == [str(each.item.id) for each in told[: len(listed)]]
    assert len(listed) == count or 4 <= len(listed) < count


@given(st.lists(st.text(), max_size=60))
def test_a_header_is_short_ascii_json_whatever_the_memories_say(contents: list[str]) -> None:
    header = memory_list_header([recollection(content) for content in contents])

    assert len(header) <= 6000
    assert header.isascii()
    assert b"\n" not in header
    assert b"\r" not in header
    assert isinstance(json.loads(header), list)
