"""Listens to a model's answer while it is relayed: the reply.

Never: raises, changes or delays a byte, or holds more of an answer than its bounds say.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from recollect.chat.body import ChatMessage
from recollect.chat.encodings import DECODING_ERRORS, Sink, decoding
from recollect.chat.events import EventStream
from recollect.chat.raw_json import decode_with

_SLAB = 16 * 1024  # a fraction of a millisecond's reading: the event loop waits for it
_MOST_CHARACTERS = 1024 * 1024
_MOST_BYTES = 64 * 1024 * 1024
_LARGEST_BODY = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        text: What it said: the first choice's text. Reasoning and refusals are no text.
        has_tool_calls: Whether it called tools.
        finish_reason: Why it ended, in the API's words, or None if it never said.
        model: The model that answered, if the answer names it.
        prompt_tokens: What the prompt took, if the answer says.
        completion_tokens: What the answer took, if it says.
        failed: Whether the answer is, or holds, an error.
        complete: Whether it was heard to its end.
        truncated: Whether it was larger than what is listened to, so that something is missing.
    """

    text: str = ""
    has_tool_calls: bool = False
    finish_reason: str | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    failed: bool = False
    complete: bool = False
    truncated: bool = False


class ReplyReader:
    """Listens to one answer.

    ``feed`` only keeps the bytes; they are read in slabs of 16 KiB. It listens to at most 64 MiB
    unpacked, to 16 MiB of an event (or of a body that isn't a stream), to 2**20 characters.
    """

    def __init__(self, content_type: str, content_encoding: str = "") -> None:
        """Take the answer's ``Content-Type`` and ``Content-Encoding``, "" where it has none."""
        self._said = _Said()
        self._body: EventStream | _Whole
        if "text/event-stream" in content_type.lower():
            self._body = EventStream(self._said.hear_event)
        else:
            self._body = _Whole(self._said.hear_whole)
        self._encoding = content_encoding
        self._decoding: Sink | None = None
        self._deaf = False
        self._slab: list[bytes] = []
        self._slab_size = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the answer, as they came over the wire."""
        if self._deaf:
            return
        self._slab.append(chunk)
        self._slab_size += len(chunk)
        if self._slab_size >= _SLAB:
            self._read_slab()

    def finish(self) -> Reply:
        """Return what was heard. What is fed afterwards is not heard."""
        self._read_slab()
        self._deaf = True
        self._body.finish()
        return self._said.reply(truncated=self._body.truncated)

    def _read_slab(self) -> None:
        slab = b"".join(self._slab)
        self._slab, self._slab_size = [], 0
        if self._decoding is None:
            self._decoding = decoding(self._encoding, self._body, _MOST_BYTES)
        if self._decoding is None or self._deaf:
            self._deaf = True
            return
        try:
            self._decoding.write(slab)
        except OverflowError:
            self._deaf = self._said.truncated = True
        except DECODING_ERRORS:
            self._deaf = True


class _Whole:
    """A body that isn't a stream: one JSON object."""

    def __init__(self, tell: Callable[[bytes], None]) -> None:
        self.truncated = False
        self._tell = tell
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes, /) -> None:
        self._size += len(data)
        if self._size <= _LARGEST_BODY:
            self._pieces.append(data)
        else:
            self._pieces.clear()
            self.truncated = True

    def finish(self) -> None:
        self._tell(b"".join(self._pieces))
        self._pieces.clear()


class _Answer(msgspec.Struct):
    """A chat completion, or a chunk of one; any field may hold any JSON."""

    choices: Any = None
    model: Any = None
    usage: Any = None
    error: Any = None


_ANSWER = msgspec.json.Decoder(_Answer)


class _Said:
    """What was heard so far."""

    def __init__(self) -> None:
        self.truncated = False
        self._texts: list[str] = []
        self._room = _MOST_CHARACTERS
        self._has_tool_calls = False
        self._finish_reason: str | None = None
        self._model: str | None = None
        self._prompt_tokens: int | None = None
        self._completion_tokens: int | None = None
        self._failed = False
        self._complete = False

    def reply(self, *, truncated: bool) -> Reply:
        return Reply(
            text="".join(self._texts),
            has_tool_calls=self._has_tool_calls,
            finish_reason=self._finish_reason,
            model=self._model,
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            failed=self._failed,
            complete=self._complete,
            truncated=self.truncated or truncated,
        )

    def hear_whole(self, body: bytes) -> None:
        if self._hear(body):
            self._complete = True

    def hear_event(self, name: bytes, data: Sequence[bytes]) -> None:
        if name == b"error":
            self._failed = True
        if not self._hear(b"\n".join(data)) and len(data) > 1:
            # Some servers leave the blank lines out: then each line is an event of its own.
            for line in data:
                self._hear(line)

    def _hear(self, data: bytes) -> bool:
        if data.strip() == b"[DONE]":
            self._complete = True
            return True
        answer: _Answer | None = decode_with(_ANSWER, data)
        if answer is None:
            return False
        if answer.error:
            self._failed = True
        if isinstance(answer.model, str) and answer.model:
            self._model = answer.model
        if isinstance(answer.usage, dict):
            self._prompt_tokens = _count(answer.usage.get("prompt_tokens"), self._prompt_tokens)
            self._completion_tokens = _count(answer.usage.get("completion_tokens"), self._completion_tokens)
        if isinstance(answer.choices, list):
            for position, choice in enumerate(answer.choices):
                if isinstance(choice, dict) and choice.get("index", position) == 0:
                    self._hear_choice(choice)
        return True

    def _hear_choice(self, choice: dict[str, Any]) -> None:
        said = choice.get("delta") or choice.get("message")
        if isinstance(said, dict):
            for text in ChatMessage(content=said.get("content")).texts:
                self._keep(text)
            if said.get("tool_calls") or said.get("function_call"):
                self._has_tool_calls = True
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish_reason = reason
            self._complete = True

    def _keep(self, text: str) -> None:
        self.truncated |= len(text) > self._room
        kept = text[: self._room]
        self._room -= len(kept)
        self._texts.append(kept)


def _count(said: object, before: int | None) -> int | None:
    return said if type(said) is int else before
