"""Fuzzes what reads a chat, guided by coverage: `make fuzz` runs it with atheris, in an environment of its own.

The default run has hypothesis for this.
"""

import sys
from datetime import UTC, datetime

import atheris  # type: ignore[import-untyped]  # in an environment of its own

with atheris.instrument_imports(include=["recollect"]):
    from recollect.wire import COMPLETIONS, MESSAGES, RESPONSES, Additions, SystemStyle, detect_turn

_AT = datetime(2026, 3, 1, tzinfo=UTC)
_DIALECTS = (COMPLETIONS, RESPONSES, MESSAGES)
_TYPES = ("text/event-stream", "application/json")
_CODINGS = ("", "", "gzip", "br", "zstd", "deflate")


def read(data: bytes) -> None:
    """Read bytes as a request and as an answer: nothing raises, and how an answer is cut changes nothing.

    Raises:
        AssertionError: It does.
    """
    if not data:
        return
    kind, data = data[0], data[1:]
    dialect = _DIALECTS[kind % 3]
    chat = dialect.read(data)
    if chat is not None:
        added = dialect.compose(chat, Additions(system="MEMORY"), SystemStyle.ANY)
        assert added is None or b"MEMORY" in added
    detect_turn(data, user_id="u", session_id=None, message_id=None, at=_AT, dialect=dialect)
    whole, cut = (dialect.listen(_TYPES[kind % 2], _CODINGS[kind % 6]) for _ in range(2))
    whole.feed(data)
    for at in range(0, len(data), 1 + kind % 7):
        cut.feed(data[at : at + 1 + kind % 7])
    assert cut.finish() == whole.finish()


atheris.Setup(sys.argv, read)
atheris.Fuzz()
