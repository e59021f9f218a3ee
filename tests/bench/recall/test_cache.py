"""What two requests have in common is what they begin alike with, byte by byte."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.recall.cache import Reuse, common_prefix, reuse, summarize_reuse


def body(*contents: str, **members: Any) -> bytes:
    messages = [{"role": "user", "content": content} for content in contents]
    return msgspec.json.encode({"model": "m", "messages": messages} | members)


def test_a_chat_that_only_grows_is_reused_whole() -> None:
    found = reuse(body("One."), body("One.", "Two."))

    assert found.messages == 1.0
    assert found.length == len(b'[{"role":"user","content":"One."}')
    assert found.body == (len(body("One.")) - 2) / len(body("One.")), "but for the closing ]}"


def test_what_changes_at_the_head_costs_all_behind_it() -> None:
    found = reuse(body("Memory A.", "One."), body("Memory B.", "One.", "Two."))

    assert found.messages == len(b'[{"role":"user","content":"Memory ') / found.length


def test_what_is_no_message_does_not_touch_the_share_of_messages() -> None:
    found = reuse(body("One.", stream=True), body("One.", "Two.", stream=False))

    assert found.messages == 1.0
    assert found.body < 1.0


def test_a_request_without_messages_is_no_guess() -> None:
    with pytest.raises(msgspec.DecodeError):
        reuse(b"{}", body("One."))


@given(st.binary(), st.binary(), st.binary())
def test_the_common_prefix_is_as_long_as_can_be(start: bytes, one: bytes, other: bytes) -> None:
    length = common_prefix(start + one, start + other)

    assert length >= len(start)
    assert (start + one)[:length] == (start + other)[:length]
    assert one == other or (start + one)[length : length + 1] != (start + other)[length : length + 1]


def test_shares_are_summed_up_and_long_requests_count_for_their_bytes() -> None:
    figures = summarize_reuse([Reuse(1.0, 0.9, 100), Reuse(0.5, 0.4, 300)])

    assert figures["pairs"] == 2
    assert figures["messages"] == {"mean": 0.75, "p5": pytest.approx(0.525), "median": 0.75}
    assert figures["body"]["mean"] == pytest.approx(0.65)
    assert figures["bytes_reused"] == 250 / 400


def test_without_pairs_there_are_no_figures_and_no_crash() -> None:
    assert summarize_reuse([]) == {
        "pairs": 0,
        "messages": {"mean": None, "p5": None, "median": None},
        "body": {"mean": None, "p5": None, "median": None},
        "bytes_reused": None,
    }
