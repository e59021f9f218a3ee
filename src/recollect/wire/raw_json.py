"""JSON as bytes: values, and their places in bytes.

It never raises, does not serialize again, and knows no chats. JSON as in RFC 8259; what ``msgspec`` can't
decode (a byte order mark, UTF-16, NaN, lone surrogates, nesting past Python's recursion limit)
counts as not JSON.
"""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import re2

from recollect.wire import reading_limits


def linear_bytes(pattern: bytes) -> "re2._Regexp[bytes]":
    """Compile an expression in RE2's words, to which a byte is a character, whatever it encodes."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False  # they are raised
    return re2.compile(pattern, options)


_MOST_MEMBERS = 10_000
"""Members of an object whose places are looked for."""

_MUCH = 256 * 1024
_MANY_COMMAS = 200_000

_UNREADABLE = (ValueError, RecursionError)  # msgspec.DecodeError and UnicodeDecodeError are ValueErrors

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])

# Each of these matches everywhere, if need be the empty string. A possessive repetition never gives back.
_SPACE = re.compile(rb"[ \t\n\r]*+")
_BLANK, _COMMA_BYTE = b" \t\n\r", ord(",")
_COLON = re.compile(rb"[ \t\n\r]*+:?+[ \t\n\r]*+")
_COMMA = re.compile(rb"[ \t\n\r]*+,?+[ \t\n\r]*+")

_MOST_STEPS = 50_000  # each runs in Python, and everybody's chat waits meanwhile

_NEAR = 1024
"""Bytes of a string up to which Python's engine is the quicker. It lets no other thread run meanwhile."""

# A possessive repetition never gives back.
_SHORT_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_LONG_STRING = linear_bytes(rb'(?s)"(?:[^"\\]|\\.)*"')
_SCALAR = re.compile(rb"[^ \t\n\r,\]}]*+")
_MARK = re.compile(rb'[\[\]{}"]')


class Span(NamedTuple):
    """Where a value stands: from ``start`` up to ``end``, which is not part of it."""

    start: int
    end: int


def decode_members(source: bytes | msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    """Return an object's members, of equal keys the last; None if it isn't a JSON object."""
    members: dict[str, msgspec.Raw] | None = decode_with(_MEMBERS, source)
    return members


class KnownMembers:
    """Decodes an object of which some members are known, and which may have any number of others."""

    def __init__(self, *names: str) -> None:
        """Know the names."""
        fields = [(name, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET) for name in names]
        self._decoder = decoder_of(msgspec.defstruct("Known", fields))

    def decode(self, source: bytes | msgspec.Raw) -> dict[str, msgspec.Raw] | None:
        """Return its members, of equal keys the last; None if it isn't a JSON object.

        Where the others take much room and have many commas, only those that are known.
        """
        size = memoryview(source).nbytes
        if size <= _MUCH:
            return decode_members(source)
        known = decode_with(self._decoder, source)
        if known is None:
            return None
        given = ((name, getattr(known, name)) for name in known.__struct_fields__)
        members = {name: raw for name, raw in given if raw is not msgspec.UNSET}
        others = size - sum(memoryview(raw).nbytes for raw in members.values())
        if others <= _MUCH:
            return decode_members(source)
        commas = sum(reading_limits.count(memoryview(raw), b",") for raw in members.values())
        # A million members would cost a second.
        has_many = reading_limits.exceeds(memoryview(source), b",", commas + _MANY_COMMAS)
        return members if has_many else decode_members(source)


def decode_text(source: bytes | msgspec.Raw) -> str | None:
    """Return a string's text, or None if it isn't a JSON string."""
    text: str | None = decode_with(_TEXT, source)
    return text


def decoder_of(kind: Any) -> "msgspec.json.Decoder[Any]":
    """Return what decodes that type; a number that no float holds, of no interest to us, does not stop it."""
    return msgspec.json.Decoder(kind, float_hook=str)


def decode_with(decoder: "msgspec.json.Decoder[Any]", source: bytes | memoryview | msgspec.Raw) -> Any:
    """Return the decoded source, or None if it is invalid."""
    try:
        return decoder.decode(source)
    except _UNREADABLE:
        return None


def encode_text(text: str) -> bytes:
    """Return the text as a JSON string in UTF-8; lone surrogates become question marks."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 can't hold
        return msgspec.json.encode(text.encode(errors="replace").decode())


def find_member(source: bytes, start: int, members: Mapping[str, msgspec.Raw], name: str) -> Span | None:
    """Return the span of a member's value; None if the object has the key twice or not at all, or too much to walk through.

    Args:
        source: Holds the object.
        start: Where in ``source`` the object's opening brace stands.
        members: The decoded members of that object, which are skipped quickly; may be incomplete.
        name: The member's key.
    """
    found: Span | None = None
    try:
        for member in _walk(source, start, members):
            if member.key == name:
                if found is not None:
                    return None
                found = member.value
    except TooManyStepsError:
        return None
    return found


def without_member(source: bytes, start: int, members: Mapping[str, msgspec.Raw], name: str) -> bytes | None:
    """Return the source without all members of that key, each with one comma; None if there is too much to walk through.

    The arguments are ``find_member``'s.
    """
    cuts: list[Span] = []
    kept: _Member | None = None
    before_kept = 0
    try:
        for member in _walk(source, start, members):
            if member.key == name:
                cuts.append(Span(member.start, member.next))
            else:
                kept, before_kept = member, len(cuts)
    except TooManyStepsError:
        return None
    if kept is not None and len(cuts) > before_kept:
        # Nothing is left behind the last that is kept, so the comma behind that goes too.
        cuts.insert(before_kept, Span(kept.next - 1, kept.next))
    pieces: list[bytes] = []
    at = 0
    for cut in cuts:
        pieces.append(source[at : cut.start])
        at = cut.end
    return b"".join((*pieces, source[at:]))


class Places(Sequence[Span]):
    """The places of an array's items."""

    def __init__(self, starts: "array[int]", ends: "array[int]") -> None:
        """Take the places, in order."""
        # Numbers, since a span for each of a million would cost seconds.
        self._starts = starts
        self._ends = ends

    def __len__(self) -> int:
        """Return how many items there are."""
        return len(self._starts)

    def __getitem__(self, at: int) -> Span:  # type: ignore[override]  # no caller slices it
        """Return the place of an item."""
        return Span(self._starts[at], self._ends[at])


def find_items(source: bytes, span: Span) -> Places | None:
    """Find where each item of the array at ``span`` stands, brackets included; None if it isn't an array."""
    items = decode_with(_ITEMS, memoryview(source)[span.start : span.end])
    if items is None:
        return None
    starts, ends = array("q"), array("q")
    end = span.start + 1
    for item in items:
        # One comma, and at most one space behind it: nearly all clients write so.
        at = end + 1 + (source[end + 1] in _BLANK)
        if source[end] != _COMMA_BYTE or source[at] in _BLANK:
            at = past(_COMMA, source, end)
        end = at + len(item)
        starts.append(at)
        ends.append(end)
    return Places(starts, ends)


class _Member(NamedTuple):
    """A member of an object: its key, the places of key and value, and the place after it."""

    key: str
    start: int
    value: Span
    next: int


def _walk(source: bytes, start: int, members: Mapping[str, msgspec.Raw]) -> Iterator[_Member]:
    """Yield an object's members, or raise TooManyStepsError: it has more than ten thousand, or they hold too much."""
    at = past(_SPACE, source, start + 1)
    ends, number = Ends(), 0
    # A key that is repeated must not cost a copy of its value each time.
    guesses: dict[str, bytes | None] = {}
    while source[at : at + 1] != b"}":
        number += 1
        if number > _MOST_MEMBERS:
            raise TooManyStepsError
        key_start, key_end = at, ends.of_string(source, at)
        key = decode_text(source[at:key_end]) or ""
        at = past(_COLON, source, key_end)
        if key not in guesses:
            known = members.get(key)
            guesses[key] = None if known is None else bytes(known)
        end = _value_end(source, at, guesses[key], ends)
        comma = past(_SPACE, source, end)
        yield _Member(key, key_start, Span(at, end), comma + 1 if source[comma : comma + 1] == b"," else end)
        at = past(_COMMA, source, end)


def _value_end(source: bytes, at: int, guess: bytes | None, ends: "Ends") -> int:
    """Return where the value that begins at ``at`` ends; ``guess`` is the last value of that key."""
    # The guess is wrong only before a repeated key. A value followed by a comma or a brace can't be the beginning of another.
    if guess is not None and source.startswith(guess, at):
        end = at + len(guess)
        after = past(_SPACE, source, end)
        if source[after : after + 1] in {b",", b"}"}:
            return end
    return ends.of_value(source, at)


class TooManyStepsError(Exception):
    """An object holds more than is walked through."""


class Ends:
    """Finds where values end, in so many steps of Python's at most, else it raises; a step is a bracket, a brace or a string."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def of_value(self, source: bytes, at: int) -> int:
        """Return where the value that begins at ``at`` ends."""
        if source.startswith((b"{", b"["), at):
            return self._of_container(source, at)
        return self.of_string(source, at) if source.startswith(b'"', at) else past(_SCALAR, source, at)

    def of_string(self, source: bytes, at: int) -> int:
        """Return where the string that begins at ``at`` ends: behind the first quote that is not escaped."""
        self._step()
        found = _SHORT_STRING.match(source, at, at + _NEAR) or _LONG_STRING.match(source, at)
        return len(source) if found is None else found.end()

    def _of_container(self, source: bytes, at: int) -> int:
        depth = 0
        while (mark := _MARK.search(source, at)) is not None:
            if mark.group() == b'"':
                at = self.of_string(source, mark.start())
                continue
            self._step()
            at = mark.end()
            depth += 1 if mark.group() in b"[{" else -1
            if depth == 0:
                return at
        return len(source)

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooManyStepsError


def past(pattern: re.Pattern[bytes], source: bytes, at: int) -> int:
    """Return where what matches at ``at`` ends."""
    match = pattern.match(source, at)
    return match.end() if match else at
