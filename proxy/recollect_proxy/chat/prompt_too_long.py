"""Recognizes an upstream's error about a prompt that is too long for the model. An unclear answer counts as any other error.

Servers agree on no form: OpenAI and its followers send a code; vLLM, SGLang, TGI, Mistral, Anthropic and Gemini each send a
sentence in another member.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from recollect.text.patterns import linear
from recollect.wire import decoded
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import content_encodings

_STATUSES = (400, 413, 422)  # by which servers refuse a prompt for its length
_LARGEST = 65_536
"""Bytes of an error that are read. A longer one is relayed unread."""
_READ = 2_000  # a server may quote the whole prompt, which says anything
_DEEPEST = 4
"""The deepest nesting of an error that is read, and the most items of each list in it."""

_CODE = linear(
    r"context_(?:length|window|size)|exceeds?_context|context_(?:too|overflow|exceed)|(?:prompt|input)_too_(?:long|large)"
    r"|max_prompt_tokens",
    re.IGNORECASE,
    captures=False,
)
_OTHER_CODE = linear(r"rate_?limit|quota", re.IGNORECASE, captures=False)
_COUNTED = ("n_prompt_tokens", "n_ctx")
"""The counts that llama.cpp adds to such an error, and to no other."""

_CONTEXT = (
    r"context[ _](?:length|window|size|limit)|(?:maximum|max) (?:prompt|input|sequence|model) length"
    r"|max_(?:model|seq|session)_len(?:gth)?|\bn_ctx\b"
)
_BEYOND = r"exceed|longer|larger|greater|less than|beyond|too (?:long|large|many|big)|overflow|maximum|at most|reduce|<="
_NAMES_CONTEXT = linear(
    rf"(?s)(?:{_CONTEXT}).{{0,60}}(?:{_BEYOND})|(?:{_BEYOND}).{{0,60}}(?:{_CONTEXT})|(?:{_CONTEXT}) is [0-9]|context.{{0,20}}overflow"
    r"|\b(?:prompt|input|conversation)(?: tokens| text)?(?: is| was| are)?(?: [0-9]+ tokens)? ?too long"
    r"|\bprompt exceeds? (?:the )?max|too many tokens: (?:size|total)|range of input length|reduce the length of the (?:messages|prompt|input)(?:[ ,]|[.]?$)",
    re.IGNORECASE,
    captures=False,
)
_PROMPT = r"\b(?:prompt|inputs?|messages?|request(?:ed)?|conversation)\b"
_WHOLE = linear(_PROMPT, re.IGNORECASE, captures=False)
_SUBJECT = linear(
    r"""(?:^|[,:"'({\[-]|\b(?:because|since|as|that|but|and|ensure)\s)[\s`'*]*"""
    r"(?:(?:the|your|this|total|combined|requested|multimodal|provided|given|entire|whole|current|model|estimated|too many"
    r"|number of|count of|length of|size of)\s)*"
    r"(?:tokens\b|(?:prompt|inputs?|messages?|request|conversation)\b[^a-z0-9(+]*(?:[0-9(+]|exceed|(?:tokens?|length|size|text|count"
    r"|and|plus|in total|of|with|is|was|are|has|have|had|can|cannot|must|should|would|too|contains?|consists|uses?|larger|longer|greater)\b))",
    re.IGNORECASE,
    captures=False,
)
"""The prompt as a sentence's subject: "request input" at its end, or "input image" at its beginning, is something else."""

_TOKENS = linear(r"\btokens?\b", re.IGNORECASE, captures=False)
_TOO_MUCH = linear(_BEYOND, re.IGNORECASE, captures=False)
_AT_LEAST = linear(
    r"(?:must|should|has to|needs? to) (?:be|have) (?:greater|larger|longer|more)|(?:less|fewer|shorter|smaller) than.{0,20}minimum",
    re.IGNORECASE,
    captures=False,
)
"""A prompt that is too long offends no lower bound."""

_MOST_OF_PROMPT = linear(
    r"\bmax_(?:prompt|inputs?|context|total|message)_tokens\b", re.IGNORECASE, captures=False
)
_OF_PROMPT = linear(r"\b(?:[a-z]+_)?(prompt|inputs?|context|total|message)_tokens\b", re.IGNORECASE)
_FIELD = linear(r"\b[a-z_]+_tokens\b", re.IGNORECASE, captures=False)
_LIMITS_FIELD = linear(r"[`'\"]*[a-z_]+_tokens\b", captures=False)
_OF_FIELD = linear(r"[`'\"]*[a-z][a-z0-9_]*(?:[.\[][a-z0-9_\]]+)+[`'\"]*:\s", captures=False)
"""A validation that names its field, as in `thinking.budget: ...`; a class of errors has capitals."""

_WHOLE_FIELDS = linear(
    r"(?:model|body|messages?|prompt|inputs?|contents?|(?:[a-z]+_)*tokens)?", re.IGNORECASE, captures=False
)
"""The fields that hold a prompt or limit it; none may be named as well."""
_RATE = linear(r"\b(?:quota|rate|tpm|per (?:second|minute|hour|day|month))\b", re.IGNORECASE, captures=False)
"""A sentence with one of these is about how much may be asked in a time."""
_CHARACTERS = linear(r"\b(?:characters|chars|bytes|[km]i?b)\b", re.IGNORECASE, captures=False)
_SENTENCE_END = linear(r"[.!?;]\s", captures=False)
_TEXTS = ("message", "error", "detail", "details", "msg", "raw")
_CODES = ("code", "type", "error_type", "status", "reason")
_NESTED = (*_TEXTS, "metadata", "innererror")


async def refuses_length(answer: Answer) -> bool:
    """Return whether an answer says that the prompt was too long; the part read here is still relayed."""
    if answer.status not in _STATUSES:
        return False
    body = await answer.peek(_LARGEST)
    plain = None if body is None else decoded(body, content_encodings(answer.headers), _LARGEST)
    return plain is not None and says_too_long(plain)


def says_too_long(error: bytes) -> bool:
    """Return whether the JSON of an error says so: by a code or a count, else in words."""
    try:
        objects = list(_objects(msgspec.json.decode(error), _DEEPEST))
    except (ValueError, RecursionError):
        return False
    codes = [code for each in objects for name in _CODES if isinstance(code := _of(each, name), str)]
    if any(_OTHER_CODE.search(code[:_READ]) for code in codes):
        return False
    if any(_CODE.search(code[:_READ]) for code in codes):
        return True
    return any(
        # Not `isinstance`: True is an int to that.
        all(type(_of(each, name)) is int for name in _COUNTED)
        or (isinstance(each, str) and _tells_length(each[:_READ]))
        for each in objects
    )


def _tells_length(text: str) -> bool:
    return _OF_FIELD.match(text) is None and any(map(_is_of_length, _SENTENCE_END.split(text)))


def _spelt_out(sentence: str) -> str:
    """Return a sentence that counts the prompt in words, and names no field and no lower bound."""
    counted = _OF_PROMPT.sub(r"\1 tokens", _MOST_OF_PROMPT.sub("tokens", sentence))
    return _AT_LEAST.sub("", _FIELD.sub("", counted))


def _is_of_length(sentence: str) -> bool:
    plain = _spelt_out(sentence)
    is_of_prompt = _WHOLE.search(plain) is not None
    if _LIMITS_FIELD.match(sentence) is not None and not is_of_prompt:
        return False
    in_tokens = _TOKENS.search(plain) is not None
    if _RATE.search(sentence) is not None or (_CHARACTERS.search(sentence) is not None and not in_tokens):
        return False
    if _NAMES_CONTEXT.search(plain) is not None:
        return True
    return (
        in_tokens and is_of_prompt and all(each.search(plain) is not None for each in (_SUBJECT, _TOO_MUCH))
    )


def _of(told: Any, name: str) -> Any:
    return told.get(name) if isinstance(told, dict) else None


def _fields(told: dict[str, Any]) -> Iterator[str]:
    """Yield the name of the field that an error is about, and the last step of the path to it."""
    path = told.get("loc")
    for field in (told.get("param"), path[-1] if isinstance(path, list) and path else None):
        if isinstance(field, str):
            yield field[:_READ]


def _objects(value: Any, depth: int) -> Iterator[Any]:
    """Yield the objects and the texts of an error, wherever a server puts them; no text if it names one field of many."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        for each in value[:_DEEPEST]:
            yield from _objects(each, depth - 1)
    elif isinstance(value, dict) and depth:
        yield value
        is_of_one = any(_WHOLE_FIELDS.fullmatch(field) is None for field in _fields(value))
        for name in _NESTED:
            if not (is_of_one and isinstance(value.get(name), str)):
                yield from _objects(value.get(name), depth - 1)
