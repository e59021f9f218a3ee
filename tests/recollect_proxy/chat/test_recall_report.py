import json
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.support.recollections import NOON, recollection
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.composition.block import Block
from recollect.engine.turns.prepared import Prepared
from recollect.model import Injection, Passage, Place, Recall, Recollection, Role, Skip, Stage
from recollect_proxy.chat.answer_relay import RecallReports, listed_memories, memory_list_header, preview

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
    assert memory == {
        "kind": "fact",
        "source": "extracted",
        "preview": "Likes tea at five",
        "score": 0.1235,
    }


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
