"""JSON as bytes: what a value says, and at which bytes it stands.

Never: raises, re-serialises, or knows what a chat is. JSON as in RFC 8259; what ``msgspec`` can't
decode (a byte order mark, UTF-16, NaN, lone surrogates, nesting past Python's recursion limit)
counts as not JSON.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

_UNREADABLE = (ValueError, RecursionError)  # msgspec.DecodeError and UnicodeDecodeError are ValueErrors

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)

# Each of these matches everywhere, if need be the empty string.
_SPACE = re.compile(rb"[ \t\n\r]*")
_COLON = re.compile(rb"[ \t\n\r]*:?[ \t\n\r]*")
_COMMA = re.compile(rb"[ \t\n\r]*,?[ \t\n\r]*")
_STRING = re.compile(rb'"?[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_SCALAR = re.compile(rb"[^ \t\n\r,\]}]*")
_BRACKET = re.compile(rb'[\[\]{}]|"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class Span(NamedTuple):
    """Where a value stands: from ``start`` up to ``end``, which is not part of it."""

    start: int
    end: int


def decode_members(source: bytes | msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    """Return an object's members, of equal keys the last; None if it isn't a JSON object."""
    try:
        return _MEMBERS.decode(source)
    except _UNREADABLE:
        return None


def decode_text(source: bytes | msgspec.Raw) -> str | None:
    """Return a string's text, or None if it isn't a JSON string."""
    try:
        return _TEXT.decode(source)
    except _UNREADABLE:
        return None


def decoder_of(kind: Any) -> "msgspec.json.Decoder[Any]":
    """Return what decodes that type; a number that no float holds, of no interest to us, does not stop it."""
    return msgspec.json.Decoder(kind, float_hook=str)


def decode_with(decoder: "msgspec.json.Decoder[Any]", source: bytes | msgspec.Raw) -> Any:
    """Return what the decoder makes of the source, or None if it can't."""
    try:
        return decoder.decode(source)
    except _UNREADABLE:
        return None


def encode_text(text: str) -> bytes:
    """Return the text as a JSON string in UTF-8; lone surrogates become question marks."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return msgspec.json.encode(text.encode(errors="replace").decode())


def find_member(source: bytes, start: int, members: Mapping[str, msgspec.Raw], name: str) -> Span | None:
    """Find where the value of a member stands.

    Args:
        source: Holds the object.
        start: Where in ``source`` the object's opening brace stands.
        members: What ``decode_members`` made of that object.
        name: The member's key.

    Returns:
        The value's span in ``source``; None if the key stands there twice or not at all.
    """
    found: Span | None = None
    at = _past(_SPACE, source, start + 1)
    while source[at : at + 1] != b"}":
        key_end = _past(_STRING, source, at)
        key = decode_text(source[at:key_end]) or ""
        at = _past(_COLON, source, key_end)
        end = _value_end(source, at, bytes(members[key]))
        if key == name:
            if found is not None:
                return None
            found = Span(at, end)
        at = _past(_COMMA, source, end)
    return found


def find_object(source: bytes, start: int, position: int) -> Span:
    """Find where one object of an array of objects stands; what is behind it is not looked at.

    Args:
        source: Holds the array, which has been decoded before.
        start: Where in ``source`` the array's opening bracket stands.
        position: Which object; there are as many before it.
    """
    at = end = start + 1
    for _ in range(position + 1):
        at = _past(_COMMA, source, end)
        end = _container_end(source, at)
    return Span(at, end)


def _past(pattern: re.Pattern[bytes], source: bytes, at: int) -> int:
    match = pattern.match(source, at)
    return match.end() if match else at


def _value_end(source: bytes, at: int, guess: bytes) -> int:
    """Return where the value that begins at ``at`` ends.

    The guess is the last value of that key, so it is wrong only before a repeated key. A JSON
    value followed by a comma or a brace can't be the beginning of another one.
    """
    end = at + len(guess)
    after = _past(_SPACE, source, end)
    if source.startswith(guess, at) and source[after : after + 1] in {b",", b"}"}:
        return end
    if source.startswith((b"{", b"["), at):
        return _container_end(source, at)
    return _past(_STRING if source.startswith(b'"', at) else _SCALAR, source, at)


def _container_end(source: bytes, at: int) -> int:
    tokens = _BRACKET.finditer(source, at)
    depth = 0
    while True:
        token = next(tokens)
        opening = token.group()[:1]
        depth += (opening in b"[{") - (opening in b"]}")
        if depth == 0:
            return token.end()
