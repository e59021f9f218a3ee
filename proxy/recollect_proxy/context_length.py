"""Tells from an upstream's error whether the prompt was too long for its model. Never: sends anything.

There is no common form: OpenAI and those who follow it name a code, vLLM, SGLang, TGI, Mistral, Anthropic and Gemini say it in words, each
in a place of its own. An answer that does not say so clearly is any other error.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from recollect.chat import decoded
from recollect.text.patterns import linear
from recollect_proxy.asgi import values
from recollect_proxy.upstream import Answer

_STATUSES = (400, 413, 422)
_LARGEST = 65_536
"""Bytes of an error that are read. What is longer is relayed as it comes."""
_READ = 2_000
_DEEPEST = 4

_CODE = linear(
    r"context_(?:length|window|size)|exceeds?_context|context_(?:too|overflow|exceed)|(?:prompt|input)_too_(?:long|large)"
    r"|max_prompt_tokens",
    re.IGNORECASE,
    captures=False,
)
_LENGTH = r"context (?:length|window|size|limit)|(?:maximum|max) (?:prompt|input|sequence|model) length|max_model_len"
_BEYOND = r"exceed|longer|larger|greater|beyond|too (?:long|large|many|big)|overflow|maximum|at most|reduce"
_WORDS = linear(
    rf"(?s)(?:{_LENGTH}).{{0,60}}(?:{_BEYOND})|(?:{_BEYOND}).{{0,60}}(?:{_LENGTH})|(?:{_LENGTH}) is [0-9]"
    r"|\b(?:prompt|input|conversation)(?: tokens| text)?(?: is| was| are)?(?: [0-9]+ tokens)? ?too long"
    r"|\b(?:input|prompt)(?: token count| tokens| length)?(?: \([0-9]+\))? exceeds? .{0,60}(?:tokens?|length|context)\b"
    r"|tokens \+ .max_new_tokens. must be|.inputs. must have less than [0-9]+ tokens|range of input length"
    r"|too many tokens: (?:size|total)|reduce the length of the (?:messages|prompt|input)(?:[ ,]|[.]?$)|context.{0,20}overflow",
    re.IGNORECASE,
    captures=False,
)
_ELSE = linear(
    r"\b(?:quota|rate|per (?:second|minute|hour|day|month)|images?|policy|files?)\b",
    re.IGNORECASE,
    captures=False,
)
"""A sentence with one of these is about another limit."""
_SENTENCE_END = linear(r"[.!?;]\s", captures=False)
_TEXTS = ("message", "error", "detail", "details", "msg", "raw")
_CODES = ("code", "type", "error_type", "status", "reason")
_NESTED = (*_TEXTS, "metadata", "innererror")


async def refuses_length(answer: Answer) -> bool:
    """Return whether an answer says that the prompt was too long; what was read of it is still relayed."""
    if answer.status not in _STATUSES:
        return False
    body = await answer.peek(_LARGEST)
    encoding = b",".join(values(answer.headers, b"content-encoding")).decode("latin-1")
    plain = None if body is None else decoded(body, encoding, _LARGEST)
    return plain is not None and says_too_long(plain)


def says_too_long(error: bytes) -> bool:
    """Return whether the JSON of an error says so, by a code or in words."""
    try:
        told = msgspec.json.decode(error)
    except (ValueError, RecursionError):
        return False
    return any(
        _CODE.search(text[:_READ]) is not None if is_code else _tells_length(text[:_READ])
        for is_code, text in _told(told, _DEEPEST)
    )


def _tells_length(text: str) -> bool:
    """Return whether a sentence says so, and speaks of no other limit."""
    return any(
        _WORDS.search(sentence) is not None and _ELSE.search(sentence) is None
        for sentence in _SENTENCE_END.split(text)
    )


def _told(value: Any, depth: int) -> Iterator[tuple[bool, str]]:
    """Yield the codes and the texts of an error, wherever a server puts them."""
    if isinstance(value, str):
        yield False, value
    elif isinstance(value, list) and depth:
        for each in value[:_DEEPEST]:
            yield from _told(each, depth - 1)
    elif isinstance(value, dict) and depth:
        for name in _CODES:
            if isinstance(value.get(name), str):
                yield True, value[name]
        for name in _NESTED:
            yield from _told(value.get(name), depth - 1)
