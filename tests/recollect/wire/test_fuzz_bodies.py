"""What is added to a request changes no byte beside it, whatever JSON the request is."""

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.wire.fuzzing import dialects, names, values, words

from recollect.model import Message, Role
from recollect.wire import COMPLETIONS, Additions, ChatBody, Dialect, SystemStyle, anchors, detect_turn
from recollect.wire.insertion import restorable

AT = datetime(2026, 3, 1, tzinfo=UTC)
ADDED = 'What is known: \u00e4 "quoted" \\ </x>\n'

contents = (
    words | st.none() | st.lists(st.fixed_dictionaries({"type": words, "text": words}), max_size=3) | values
)
spoken = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]) | words, "content": contents})
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


@given(dialect=dialects, body=written())
def test_nothing_but_the_added_text_is_changed(dialect: Dialect, body: bytes) -> None:
    chat = dialect.read(body)
    if chat is None:
        return

    composed = dialect.compose(chat, Additions(system=ADDED), SystemStyle.ANY)

    assert chat.raw == body
    if composed is not None:
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


fenced = st.text(st.characters(exclude_characters="<"), max_size=9).map(
    lambda text: f"<recollect_memories>\n- {text}\n</recollect_memories>"
)
restored = st.lists(st.builds(Message, st.sampled_from(list(Role)), words), max_size=3).map(tuple)


@st.composite
def additions_to(draw: st.DrawFn, chat: ChatBody) -> Additions:
    """Draw what could be added to that request, and now and then what could not."""
    own = [anchor.position for anchor in anchors(chat)]
    any_position = st.integers(-1, 5)
    positions = st.sampled_from(own) if own and draw(any_position) >= 0 else any_position
    beside = st.dictionaries(positions, st.just("") | fenced, max_size=3)
    return Additions(draw(st.just("") | fenced), draw(beside), draw(st.just(()) | restored))


def listed(chat: ChatBody) -> list[bytes]:
    spans = chat.message_spans()
    assert spans is not None
    return [chat.raw[slice(*span)] for span in spans if span]


@given(dialect=dialects, body=written(), style=st.sampled_from(list(SystemStyle)), data=st.data())
def test_composing_changes_no_message_but_those_it_is_told_to(
    dialect: Dialect, body: bytes, style: SystemStyle, data: st.DataObject
) -> None:
    chat = dialect.read(body)
    if chat is None:
        return
    additions = data.draw(additions_to(chat))

    composed = dialect.compose(chat, additions, style)

    if composed is None:
        return
    json.loads(composed)
    after = dialect.read(composed)
    assert after is not None
    before, found = _told_apart(chat, additions, style), listed(after)
    restored_here = restorable(chat, additions.earlier)
    assert len(found) - len(listed(chat)) in {len(restored_here), len(restored_here) + 1}
    rest = iter(found)
    assert all(message in rest for message in before)
    if dialect is COMPLETIONS or style is SystemStyle.NONE or not additions.system:
        span, span_after = chat.messages_span, after.messages_span
        assert composed[: span_after.start] == body[: span.start]
        assert composed[span_after.end :] == body[span.end :]
    keys = [anchor.key for anchor in anchors(chat)]
    if not restored_here:
        assert [anchor.key for anchor in anchors(after)] == keys
    assert len(anchors(after)) == len(keys) + len(restored_here) - len(restored_here) // 2


def _told_apart(chat: ChatBody, additions: Additions, style: SystemStyle) -> list[bytes]:
    """Return the messages of the list that no addition goes to."""
    roles = [message.role for message in chat.messages]
    told = {position for position, text in additions.beside.items() if text}
    if additions.system and style is SystemStyle.NONE:
        told |= {roles.index("user")} if "user" in roles else set()
    elif additions.system:
        told |= {roles.index(role) for role in ("system", "developer") if role in roles}
    wrapped = chat.raw.startswith(b'"', chat.messages_span.start) and restorable(chat, additions.earlier)
    spans = chat.message_spans()
    assert spans is not None
    kept = [span for n, span in enumerate(spans) if span and n not in told and not wrapped]
    return [chat.raw[slice(*span)] for span in kept]


@given(dialect=dialects, body=written() | st.binary(max_size=300))
def test_reading_raises_nothing(dialect: Dialect, body: bytes) -> None:
    for cut in (body, body[: len(body) // 2], b"\xef\xbb\xbf" + body):
        heard = detect_turn(cut, user_id="u", session_id=None, message_id=None, at=AT, dialect=dialect)

        assert (heard.turn is None) == (heard.skip is not None)
        assert heard.turn is None or heard.turn.text == heard.turn.text.strip()
