"""A line has all of an entry that the log needs, and shows whether it is whole."""

from dataclasses import replace

from tests.recollect.spool.spools import NOON, entry
from uuid_utils.compat import uuid7

from recollect.engine.recording.exchanges import new_exchange
from recollect.model import LogEntry, Message, Phase, Role, Scope, Turn
from recollect.spool.records import decode, encode


def test_an_entry_comes_back_as_it_was_but_for_its_credential() -> None:
    turn = Turn(
        Scope("anna", "chat 1"),
        "Line one\nline two \u2028 \U0001f375",
        "key",
        NOON,
        "scripted",
        history=(Message(Role.USER, "secret history"),) * 3,
        speaker="Anna",
        anchors=((3, "anchor"),),
        marked=True,
        parent="parent",
    )
    exchange = new_exchange(turn, credential="Bearer secret-key")
    given = LogEntry(Phase.ENDED, replace(exchange, reply="Good."), (uuid7(),))

    line = encode(given)
    read = decode(line)

    assert read is not None
    assert b"secret" not in line
    assert read.exchange == replace(given.exchange, turn=read.exchange.turn)
    assert len(read.exchange.turn.history) == 3
    assert replace(read.exchange.turn, history=turn.history) == turn
    assert (read.phase, read.recalled) == (given.phase, given.recalled)
    assert read.exchange.credential is None


def test_what_can_not_be_stored_is_mended_in_the_file_too() -> None:
    read = decode(encode(entry("a\x00b\ud800")))

    assert read is not None
    assert read.exchange.turn.text == "a\ufffdb\ufffd"


def test_what_no_key_can_be_is_no_parent_in_the_file_and_spoils_no_line() -> None:
    given = entry()
    turn = replace(given.exchange.turn, parent="a\ud800", anchors=((0, "b\ud800"),))

    read = decode(encode(replace(given, exchange=replace(given.exchange, turn=turn))))

    assert read is not None
    assert (read.exchange.turn.parent, read.exchange.turn.anchor) == (None, "b\ufffd")


def test_a_line_that_is_cut_or_changed_anywhere_is_known() -> None:
    line = encode(entry())

    assert all(decode(line[:end]) is None for end in range(len(line)))
    assert all(decode(line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]) is None for at in range(len(line)))
