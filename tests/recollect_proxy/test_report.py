from uuid import UUID

from tests.recollections import recollection

from recollect.composition import Block
from recollect.model import Recall, Skip
from recollect_proxy.report import preview, report, shown, wants_memories


def test_the_headers_count_what_went_into_the_prompt() -> None:
    told = (recollection("tea"), recollection("cake"))

    assert report(Recall(told), Block("...", told[:1], tokens=9)) == [(b"x-recollect-memories", b"1")]


def test_the_headers_say_why_nothing_did() -> None:
    assert report(Recall(skipped=Skip.DEADLINE), None) == [
        (b"x-recollect-memories", b"0"),
        (b"x-recollect-skipped", b"deadline"),
    ]


def test_memories_are_wanted_only_when_asked_for() -> None:
    assert wants_memories([(b"x-recollect-include", b"usage, Memories")])
    assert wants_memories([(b"x-recollect-include", b"usage"), (b"X-Recollect-Include", b"memories")])
    assert not wants_memories([(b"x-recollect-include", b"all-memories")])
    assert not wants_memories([])


def test_a_memory_is_shown_with_id_kind_preview_and_score() -> None:
    [memory] = shown([recollection("Likes  tea\nat five", score=0.123456)])

    assert UUID(str(memory.pop("id"))).version == 7
    assert memory == {"kind": "fact", "preview": "Likes tea at five", "score": 0.1235}


def test_a_preview_has_160_characters_at_most() -> None:
    assert preview("x" * 160) == "x" * 160
    assert preview("x" * 161) == "x" * 159 + "\u2026"
