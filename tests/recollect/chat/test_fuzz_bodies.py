"""A text that is added to a request changes no byte beside it, whatever JSON the request is."""

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.chat.fuzzing import dialects, fuzzed, names, values, words

from recollect.chat import Dialect, hear

AT = datetime(2026, 3, 1, tzinfo=UTC)
ADDED = 'What is known: \u00e4 "quoted" \\ </x>\n'

contents = (
    words | st.none() | st.lists(st.fixed_dictionaries({"type": words, "text": words}), max_size=3) | values
)
spoken = st.fixed_dictionaries({"role": words, "content": contents})
chats = st.dictionaries(names, values, max_size=4).flatmap(
    lambda beside: st.fixed_dictionaries(
        {"messages": st.lists(spoken, max_size=4) | values, "input": words | st.lists(spoken) | values},
        optional={"system": contents, "instructions": contents},
    ).map(lambda own: beside | own)
)


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """Write a request as some client might: any order, any space, any escapes, keys given twice."""
    chat = draw(chats)
    members = draw(st.permutations(list(chat.items())))
    space = st.sampled_from(["", " ", "\n", "\t \r\n"])
    separators = (draw(space) + "," + draw(space), draw(space) + ":" + draw(space))
    ascii_only = draw(st.booleans())
    pairs = [
        json.dumps(name, ensure_ascii=ascii_only)
        + separators[1]
        + json.dumps(value, ensure_ascii=ascii_only, separators=separators)
        for name, value in members
    ]
    if draw(st.booleans()):
        pairs.insert(draw(st.integers(0, len(pairs))), '"n":1e400')
    if draw(st.integers(0, 9)) == 0:
        pairs.append(draw(st.sampled_from(pairs)))
    text = draw(space) + "{" + draw(space) + separators[0].join(pairs) + draw(space) + "}" + draw(space)
    return text.encode(errors="surrogatepass")


def insertions(before: bytes, after: bytes) -> bytes | None:
    """Return what one insertion, or one replacement of a null, put into ``before``; None if it was more."""
    start = 0
    while start < len(before) and start < len(after) and before[start] == after[start]:
        start += 1
    for at in range(start, -1, -1):
        for removed in (b"", b"null"):
            end = len(before) - at - len(removed)
            if end >= 0 and before.startswith(removed, at) and after.endswith(before[len(before) - end :]):
                return after[at : len(after) - end]
    return None


@fuzzed
@given(dialect=dialects, body=written())
def test_nothing_but_the_added_text_is_changed(dialect: Dialect, body: bytes) -> None:
    chat = dialect.read(body)
    if chat is None:
        return

    composed = dialect.add_to_system(chat, ADDED)

    assert chat.raw == body
    if composed != body:
        added = insertions(body, composed)
        assert added is not None
        assert json.dumps(ADDED, ensure_ascii=False)[1:-1].encode() in added
        assert _without(json.loads(composed), ADDED) == _without(json.loads(body), ADDED)


def _without(value: Any, added: str) -> Any:
    """Return the JSON without the added text and all that exists for its sake."""
    if isinstance(value, dict):
        kept = {name: _without(inner, added) for name, inner in value.items()}
        return {name: inner for name, inner in kept.items() if inner not in (None, "", [], {})}
    if isinstance(value, list):
        kept_items = [_without(inner, added) for inner in value]
        empty: tuple[Any, ...] = (None, "", [], {}, {"type": "text"}, {"role": "system"})
        return [inner for inner in kept_items if inner not in empty]
    return value.removesuffix(added).removesuffix("\n\n") if isinstance(value, str) else value


@fuzzed
@given(dialect=dialects, body=written() | st.binary(max_size=300))
def test_reading_raises_nothing(dialect: Dialect, body: bytes) -> None:
    for cut in (body, body[: len(body) // 2], b"\xef\xbb\xbf" + body):
        heard = hear(cut, user_id="u", session_id=None, message_id=None, at=AT, dialect=dialect)

        assert (heard.turn is None) == (heard.skip is not None)
        assert heard.turn is None or heard.turn.text.strip()
