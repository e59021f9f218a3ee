"""How a request asks for its answer, in whatever API: by that a client's own questions differ from its people's. Never: raises."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from recollect.wire.raw_json import decode_members, decode_with, decoder_of

LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
FORMATS = ("response_format", "text", "output_config", "output_format")
_EMPTY = 9
"""Bytes of a list in which an empty one ends."""

_NUMBER = decoder_of(int)
_TINY = 200
"""Tokens of an answer: a title, a list of tags or of questions fits into them, and people are rarely given so few."""


class RequestShape(NamedTuple):
    """How a request asks for its answer.

    Attributes:
        stream: Whether the answer is to come as a stream.
        most_tokens: How long it may be at most; 0: that is not said.
        is_formatted: Whether it is to be JSON, or to call a named tool, as clients ask for JSON where models take no schema.
        has_tools: Whether the model may call tools of the client.
    """

    stream: bool = False
    most_tokens: int = 0
    is_formatted: bool = False
    has_tools: bool = False

    @property
    def is_tiny(self) -> bool:
        """Whether the answer may have a few words at most."""
        return 0 < self.most_tokens <= _TINY


UNSHAPED = RequestShape()


def shape_of(members: Mapping[str, msgspec.Raw]) -> RequestShape:
    """Return the shape of a request with these members."""
    given = (decode_with(_NUMBER, members[name]) for name in LIMITS if name in members)
    most = next((each for each in given if each is not None and each > 0), 0)
    formats = (decode_members(members[name]) or {} for name in FORMATS if name in members)
    # The Responses API and Anthropic have it one object further in.
    inner = (decode_members(each["format"]) or {} if "format" in each else each for each in formats)
    named_tool = (decode_members(members.get("tool_choice", b"")) or {}).keys() & {"function", "name"}
    is_formatted = bool(named_tool) or any(bytes(each.get("type", b'"text"')) != b'"text"' for each in inner)
    tools = bytes(memoryview(members.get("tools", b""))[:_EMPTY]).replace(b" ", b"")
    has_tools = tools.startswith(b"[") and tools != b"[]"
    return RequestShape(bytes(members.get("stream", b"")) == b"true", most, is_formatted, has_tools)
