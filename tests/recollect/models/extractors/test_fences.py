from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.models.extractors import completions_server

from recollect.models.extractors.prompts import FENCE, cut, fenced, one_line, sendable, shares

texts = st.text(st.characters(codec=None))


@given(st.lists(st.integers(0, 100)), st.integers(0, 500))
def test_room_is_shared_by_need(lengths: list[int], total: int) -> None:
    given_room = shares(lengths, total)

    assert len(given_room) == len(lengths)
    assert sum(given_room) == min(sum(lengths), total)
    assert all(room <= length for room, length in zip(given_room, lengths, strict=True))
    short = [room for room, length in zip(given_room, lengths, strict=True) if room < length]
    assert not short or max(given_room) - min(short) <= 1


@given(texts, st.integers(0, 50))
def test_what_is_cut_keeps_its_beginning_and_its_end(text: str, length: int) -> None:
    shown = cut(text, length)

    assert len(shown) <= length + len(" [...] ") or shown == text
    assert text.startswith(shown.partition(" [...] ")[0].rstrip()) or shown == text
    assert len(one_line(text, length).splitlines()) <= 1


@given(texts)
def test_what_is_sent_can_be(text: str) -> None:
    assert "\0" not in sendable(text)
    sendable(text).encode("utf-8")


@given(st.dictionaries(st.sampled_from("ABCD"), st.text(st.sampled_from("ab=\n")), min_size=1))
def test_fenced_texts_can_be_told_apart(parts: dict[str, str]) -> None:
    shown = fenced(list(parts.items()))
    kept = {title: _unruled(text) for title, text in parts.items() if text.strip()}

    told_apart = completions_server.fenced(shown) if shown else {}
    assert {title: _unruled(text) for title, text in told_apart.items()} == kept
    assert all(FENCE not in text for text in told_apart.values())


def _unruled(text: str) -> str:
    """A text but for what a line of it may have been changed to that would have been a fence."""
    return text.replace("=", "").replace(" ", "")


def test_a_text_without_a_fence_in_it_is_shown_as_it_is() -> None:
    assert fenced([("A", "1 == 1\n====")]) == f"A:\n{FENCE}\n1 == 1\n====\n{FENCE}"
