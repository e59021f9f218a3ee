"""A reader of replies hears the same however an answer is cut, and never raises, whatever it is fed."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.wire.fuzzing import dialects, values, words
from tests.scripted.answers import compressed

from recollect.wire import Dialect, Reply

TYPES = st.sampled_from(["text/event-stream", "application/json", "text/event-stream; charset=utf-8", ""])
CODINGS = st.sampled_from(["gzip", "br", "zstd"])


@pytest.fixture(scope="module", autouse=True)
def _no_slab() -> Iterator[None]:
    """Have each piece read when it comes, however small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("recollect.wire.reply._SLAB", 1)
        yield


def delta(text: str) -> dict[str, Any]:
    """Return an event that says something in every one of the APIs."""
    return {
        "type": "response.output_text.delta",
        "delta": text,
        "choices": [{"index": 0, "delta": {"content": text}}],
    }


events = st.lists(values | words.map(delta), max_size=8)
ends = st.sampled_from([b"\n", b"\r\n", b"\r"])
cuts = st.lists(st.integers(0, 100_000), max_size=12)


def stream(told: list[Any], end: bytes) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + end + end for event in told)


def heard(dialect: Dialect, data: bytes, at: list[int], content_type: str, encoding: str = "") -> Reply:
    """Listen to the data, cut at these places."""
    reader = dialect.listen(content_type, encoding)
    places = [0, *sorted(place % (len(data) + 1) for place in at), len(data)]
    for start, stop in pairwise(places):
        reader.feed(data[start:stop])
    return reader.finish()


@given(dialect=dialects, told=events, coding=CODINGS, at=cuts)
def test_a_compressed_answer_is_heard_alike_however_it_is_cut(
    dialect: Dialect, told: list[Any], coding: str, at: list[int]
) -> None:
    data = stream(told, b"\n")
    plain = heard(dialect, data, [], "text/event-stream")

    assert heard(dialect, compressed(data, coding), at, "text/event-stream", coding) == plain


@given(
    dialect=dialects,
    told=events,
    end=ends,
    garbage=st.just([]) | st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=20)), max_size=4),
    at=cuts,
    content_type=TYPES,
)
def test_an_answer_with_garbage_and_without_is_heard_alike_however_it_is_cut(
    dialect: Dialect,
    told: list[Any],
    end: bytes,
    garbage: list[tuple[int, bytes]],
    at: list[int],
    content_type: str,
) -> None:
    data = stream(told, end)
    for place, noise in garbage:
        where = place % (len(data) + 1)
        data = data[:where] + noise + data[where:]

    whole = heard(dialect, data, [], content_type)

    assert heard(dialect, data, at, content_type) == whole
    assert heard(dialect, data, [*range(len(data))], content_type) == whole


@given(
    dialect=dialects,
    told=events,
    coding=CODINGS,
    noise=st.binary(min_size=1, max_size=8),
    place=st.integers(0, 10_000),
    end=st.integers(0, 10_000),
    at=cuts,
)
def test_a_compressed_answer_that_is_corrupt_or_cut_off_raises_nothing(
    dialect: Dialect, told: list[Any], coding: str, noise: bytes, place: int, end: int, at: list[int]
) -> None:
    packed = compressed(stream(told, b"\n"), coding)
    where = place % len(packed)
    corrupt = (packed[:where] + noise + packed[where + len(noise) :])[: end % (2 * len(packed)) + 1]

    for pieces in ([], at):
        heard(dialect, corrupt, pieces, "text/event-stream", coding)


@given(dialect=dialects, data=st.binary(max_size=2000), encoding=st.text(max_size=20), content_type=st.text())
def test_bytes_of_no_sense_in_headers_and_body_raise_nothing(
    dialect: Dialect, data: bytes, encoding: str, content_type: str
) -> None:
    heard(dialect, data, [1, 2, 3], content_type, encoding)
    heard(dialect, data, [], "text/event-stream", "gzip, br, zstd, deflate")
