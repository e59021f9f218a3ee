"""What is held of a stream's end is what nobody could read yet, and nothing is lost, added or moved by it."""

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect_proxy.held_end import HeldEnd

SAID = b'data: {"choices": [{"delta": {"content": "data: [DONE]"}}]}'
ENDS = {
    "[DONE]": (SAID + b"\n\n", b"data: [DONE]\n\n"),
    "[DONE] with no space": (SAID + b"\n\n", b"data:[DONE]\n\n"),
    "[DONE] in CRLF": (SAID + b"\r\n\r\n", b"data: [DONE]\r\n\r\n"),
    "[DONE] in CR": (SAID + b"\r\r", b"data: [DONE]\r\r"),
    "[DONE] between line ends of two kinds": (SAID + b"\n\r\n", b"data: [DONE]\n\r\n"),
    "[DONE] without a line end": (SAID + b"\n\n", b"data: [DONE]"),
    "[DONE] with one line end": (SAID + b"\n\n", b"data: [DONE]\n"),
    "[DONE] with spaces and more line ends": (SAID + b"\n\n", b"data:  [DONE]  \n\n\n\n"),
    "nothing but [DONE]": (b"", b"data: [DONE]\n\n"),
    "[DONE] behind a comment": (SAID + b"\n\n: ping\n\n", b"data: [DONE]\n\n"),
    "two of them": (b"data: [DONE]\n\n", b"data: [DONE]\n\n"),
    "the beginning of one": (SAID + b"\n\n", b"data: [DO"),
    "no [DONE]": (SAID + b"\n\n", b""),
    "nothing at all": (b"", b""),
}
OPEN = {
    "an event without its empty line": SAID + b"\n",
    "an event without a line end": SAID,
    "an event in CRLF without its empty line": SAID + b"\r\n",
    "[DONE] within an event": b"id: 1\ndata: [DONE]\n",
    "[DONE] behind one line end": SAID + b"\ndata: [DONE]",
    "[DONE] and more in one line": b"data: [DONE] and on",
    "[DONE] behind half an event of CRLF": SAID + b"\r\ndata: [DONE]\r\n",
}


def taken(end: HeldEnd, *pieces: bytes) -> bytes:
    """Return what goes of these pieces."""
    return b"".join(map(end.take, pieces))


@table(("said", "last"), ENDS.values())
def test_the_last_event_is_held_wherever_the_stream_is_cut(said: bytes, last: bytes) -> None:
    stream = said + last
    cuts = [[stream[:at], stream[at:]] for at in range(len(stream) + 1)]
    for pieces in [*cuts, [stream[at : at + 1] for at in range(len(stream))]]:
        end = HeldEnd()

        assert taken(end, *pieces) == said
        assert end.held == last
        assert end.is_between_events


@table("stream", OPEN.values())
def test_an_event_that_is_not_closed_is_let_go_and_nothing_fits_behind_it(stream: bytes) -> None:
    for at in range(len(stream) + 1):
        end = HeldEnd()

        assert taken(end, stream[:at], stream[at:]) == stream
        assert end.held == b""
        assert not end.is_between_events


def test_what_follows_on_the_end_takes_it_along() -> None:
    end = HeldEnd()

    assert taken(end, SAID + b"\n\n", b"data: [DONE]\n\n") == SAID + b"\n\n"
    assert end.take(SAID) == b"data: [DONE]\n\n" + SAID
    assert end.held == b""


def test_a_flood_of_empty_lines_is_not_kept() -> None:
    end = HeldEnd()
    flood = b"\n" * 100_000

    assert taken(end, b"data: [DONE]", flood) == b"data: [DONE]" + flood
    assert end.held == b""


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [b"data: [DONE]", b"\n", b"\r\n", b"\r", b"\n\n", b"data:", b" ", b"d", b": ping"]
            ),
            st.binary(max_size=12),
        ),
        max_size=40,
    )
)
def test_of_any_stream_every_byte_goes_in_order_and_nothing_that_can_be_read_waits(
    pieces: list[bytes],
) -> None:
    end, gone = HeldEnd(), b""
    for piece in pieces:
        gone += end.take(piece)

        assert b"".join(pieces).startswith(gone + end.held)
        assert end.held.split() in ([], [b"data:", b"[DONE]"], [b"data:[DONE]"]) or (
            b"data:[DONE]".startswith(end.held.replace(b" ", b""))
        )
        if end.held:
            assert end.is_between_events

    assert gone + end.held == b"".join(pieces)
