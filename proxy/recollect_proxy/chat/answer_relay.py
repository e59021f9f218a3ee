"""Forwards a prepared chat request, and relays the answer with a report on its memories. Never: the engine.

It recognizes an upstream's error about a prompt that is too long for the model. Servers agree on no form: OpenAI and its followers
send a code; vLLM, SGLang, TGI, Mistral, Anthropic and Gemini each send a sentence in another member. An unclear answer counts as
any other error.
"""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any
from uuid import UUID

import msgspec

from recollect.engine.turns.prompt_content import Prepared
from recollect.model import Memory, Recall, Recollection, Skip
from recollect.text.patterns import linear
from recollect.wire import add_memories, decoded
from recollect_proxy.chat.byte_relay import Passthrough, is_json, relay, relay_whole
from recollect_proxy.chat.openwebui_status import has_room
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.chat.request_preparer import OutboundRequest
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Headers, Scope, Send, content_encodings
from recollect_proxy.web.headers import forwardable, rewritable

_PREVIEW_CHARACTERS = 160
_HEADER_BYTES = 6_000
"""The most bytes that memories take in a header: most clients and gateways take 8 kB for all of them."""


class RecallReports:
    """Makes the headers about recall, and counts why requests had no memory.

    Attributes:
        skipped: How many had none, by reason, since the start.
    """

    def __init__(self) -> None:
        self.skipped: Counter[Skip] = Counter()

    def skip(self, reason: Skip | None) -> Headers:
        """Return the headers of a request that had no turn to recall for, and count it."""
        return self.about(Prepared(Recall(skipped=reason)))

    def about(self, prepared: Prepared, request_id: UUID | None = None, *, listed: bool = False) -> Headers:
        """Return the headers about a prompt's additions, and count them; if ``listed``, one lists the memories themselves."""
        recall, placed = prepared.recall, prepared.placed
        if recall.skipped is not None:
            self.skipped[recall.skipped] += 1
        included = prepared.included
        headers = [(b"x-recollect-memories", b"%d" % (len(placed.own.items) if placed.own else 0))]
        if prepared.in_place:
            headers.append((b"x-recollect-memories-in-place", b"%d" % len(prepared.in_place)))
        if recall.skipped is not None:
            headers.append((b"x-recollect-skipped", recall.skipped.encode()))
        if request_id is None:
            return headers
        headers += [
            (b"x-recollect-request-id", str(request_id).encode()),
            (b"x-recollect-memory-tokens", b"%d" % (placed.own.tokens if placed.own else 0)),
            (b"x-recollect-standing-tokens", b"%d" % (placed.block.standing_tokens if placed.block else 0)),
            (b"x-recollect-chat-memory-tokens", b"%d" % placed.tokens),
            (b"x-recollect-history-tokens", b"%d" % placed.history_tokens),
            (b"x-recollect-milliseconds", b"%.1f" % recall.milliseconds),
        ]
        if recall.degraded:
            headers.append((b"x-recollect-degraded", ",".join(recall.degraded).encode()))
        return [*headers, (b"x-recollect-memory-list", memory_list_header(included))] if listed else headers


def listed_memories(recollections: Sequence[Recollection]) -> list[dict[str, object]]:
    """Return recollections as an answer shows them: id, kind, source, preview (160 characters at most), score.

    Items of the standing part are marked.
    """
    return [
        {
            "id": str(each.item.id),
            "kind": each.item.kind.value if isinstance(each.item, Memory) else "message",
            "source": each.item.source.value if isinstance(each.item, Memory) else "log",
            "preview": preview(each.item.content),
            "score": round(each.score, 4),
            **({"standing": True} if each.standing else {}),
        }
        for each in recollections
    ]


def memory_list_header(recollections: Sequence[Recollection]) -> bytes:
    """Return recollections as a JSON list in ASCII, best first, as many as a header holds."""
    listed: list[dict[str, object]] = []
    for each in listed_memories(recollections):
        if len(json.dumps([*listed, each])) > _HEADER_BYTES:
            break
        listed.append(each)
    return json.dumps(listed).encode("ascii")


def preview(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _PREVIEW_CHARACTERS else line[: _PREVIEW_CHARACTERS - 1] + "\u2026"


_ANSWERED = range(200, 300)


@dataclass(frozen=True, slots=True)
class AnswerRelay:
    """Relays the answers to chat requests."""

    passthrough: Passthrough
    reports: RecallReports

    async def __call__(
        self, scope: Scope, send: Send, request: OutboundRequest, recorder: ReplyRecorder
    ) -> None:
        """Forward a request and relay its answer, every byte of which the recorder gets."""
        lists = request.options.includes_memories
        in_stream = nullcontext() if request.status is None else request.status()
        async with in_stream as status, self._forwarded(scope, request) as answer:
            recorder.start(answer)
            prepared = request.prepared

            def feed(chunk: bytes) -> None:
                recorder.feed(chunk)
                if answer.status < HTTPStatus.BAD_REQUEST:
                    request.note_behind_chunk()

            in_body = lists and is_json(answer)
            extra = self.reports.about(prepared, request.id, listed=lists and not in_body)
            if in_body:
                memories, history = listed_memories(prepared.included), prepared.placed.history_tokens
                add = partial(add_memories, memories=memories, used_history_tokens=history)
                await relay_whole(answer, send, rewrite=add, extra=extra, listen=feed)
            elif status is None or not has_room(answer):
                await relay(answer, send, extra=extra, listen=feed)
            else:
                is_off = not (request.options.recall.recall or request.options.remember)
                await status.relay(answer, send, prepared, is_off=is_off, extra=extra, listen=feed)

    @asynccontextmanager
    async def _forwarded(self, scope: Scope, request: OutboundRequest) -> AsyncIterator[Answer]:
        """Yield the upstream's answer; it is asked once more without memories if the prompt is too long with them."""
        headers = forwardable(scope["headers"], without=self.passthrough.strip)
        lists = request.options.includes_memories
        ask = partial(self.passthrough.upstream.forward, scope["method"], self.passthrough.target(scope))
        async with ask(rewritable(headers, body=request.is_changed, answer=lists), request.body) as answer:
            if request.plain is None or not await _refuses_length(answer):
                yield answer
                return
        # Only now, as the first answer has given its connection back.
        request.goes_without_memories()
        headers = rewritable(headers, body=request.plain_is_changed, answer=lists)
        async with ask(headers, request.plain) as answer:
            if answer.status in _ANSWERED:  # else the refusal may have been for something else
                request.note_length()
            yield answer


_STATUSES = (400, 413, 422)
_LARGEST = 65_536
"""Bytes of an error that are read. A longer one is relayed unread."""
_READ = 2_000
_DEEPEST = 4

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


async def _refuses_length(answer: Answer) -> bool:
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
