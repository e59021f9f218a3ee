"""Parses a model's answer, event by event.

Never: raises, bytes of a wire, more text than its bound.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from recollect.text.attribution.thoughts import shortened_data, without_data, without_thoughts
from recollect.wire.body import ChatMessage
from recollect.wire.raw_json import decode_with

_MOST_CHARACTERS = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer.

    Attributes:
        text: Its words: the first choice's text. Thoughts and refusals are no text, and a mark stands for an image.
        has_tool_calls: Whether it called tools.
        finish_reason: Why it ended, in the API's words, or None if it never said.
        model: The model that answered, if the answer names it.
        prompt_tokens: The prompt's tokens, if the answer says.
        completion_tokens: The answer's tokens, if it says.
        failed: Whether the answer is, or holds, an error.
        complete: Whether it was read to its end.
        truncated: Whether it was too large to be read whole, so that its end is missing.
        answer_id: The id under which the server keeps it, by which a later request names it; "" if it keeps none.
        awaited: Whether the server still works on it, and keeps it until it is fetched.
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
    answer_id: str = ""
    awaited: bool = False


class Answer(msgspec.Struct):
    """An answer, or an event of one, in any of the APIs; any field may hold any JSON."""

    type: Any = None
    id: Any = None  # responses, not streamed
    error: Any = None
    model: Any = None
    usage: Any = None
    choices: Any = None  # chat completions
    delta: Any = None  # responses: text; messages: an object
    response: Any = None  # responses: the whole, at its beginning and its end; Ollama's completions: text
    item: Any = None  # responses: one part of the output
    output: Any = None  # responses, not streamed
    status: Any = None  # responses
    message: Any = None  # messages: the whole, at its beginning; Ollama's chats: a piece, or the whole
    content: Any = None  # messages, not streamed
    content_block: Any = None  # messages
    stop_reason: Any = None  # messages
    done: Any = None  # Ollama
    done_reason: Any = None  # Ollama
    prompt_eval_count: Any = None  # Ollama
    eval_count: Any = None  # Ollama


_ANSWER = msgspec.json.Decoder(Answer)


class ReplyParser(ABC):
    """The part of an answer that was read so far; each API has a subclass."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self.truncated = False
        self._texts: list[str] = []
        self._room = _MOST_CHARACTERS
        self._may_shorten = True
        self.has_tool_calls = False
        self.finish_reason: str | None = None
        self.model: str | None = None
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self.failed = False
        self.complete = False
        self.answer_id = ""
        self.awaited = False

    @abstractmethod
    def read_answer(self, answer: Answer) -> None:
        """Take in an answer, or an event of one."""

    def reply(self, *, truncated: bool) -> Reply:
        """Return the reply as far as it was read."""
        text = without_thoughts(without_data("".join(self._texts)))
        noted = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return Reply(text, **noted | {"truncated": self.truncated or truncated})

    def parse_whole(self, body: bytes) -> None:
        """Read an answer that is not a stream."""
        if self._parse(body):
            self.complete = True

    def parse_event(self, name: bytes, data: Sequence[bytes]) -> None:
        """Read one event of a stream: its name, and its lines of data."""
        if name == b"error":
            self.failed = True
        if not self._parse(b"\n".join(data)) and len(data) > 1:
            # Some servers leave the blank lines out: then each line is an event of its own.
            for line in data:
                self._parse(line)

    def _parse(self, data: bytes) -> bool:
        if data.strip() == b"[DONE]":
            self.complete = True
            return True
        answer: Answer | None = decode_with(_ANSWER, data)
        if answer is None:
            return False
        if answer.error:
            self.failed = True
        self.note_usage(answer.model, answer.usage)
        self.read_answer(answer)
        return True

    def note_usage(self, model: object, usage: object) -> None:
        """Note the model and the token usage, if the answer states them."""
        if isinstance(model, str) and model:
            self.model = model
        if isinstance(usage, dict):
            self.prompt_tokens = _count(usage, "prompt_tokens", "input_tokens", before=self.prompt_tokens)
            self.completion_tokens = _count(
                usage, "completion_tokens", "output_tokens", before=self.completion_tokens
            )

    def note_finish(self, reason: object) -> None:
        """Note why the answer ended, if it did."""
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
            self.complete = True

    def keep(self, text: object) -> None:
        """Append a piece of the reply, if it is text."""
        if not isinstance(text, str):
            return
        if len(text) > self._room and self._may_shorten:
            text = shortened_data("".join((*self._texts, text)))
            self._texts, self._room = [], _MOST_CHARACTERS
            self._may_shorten = len(text) < _MOST_CHARACTERS // 2  # else each piece would have all read again
        self.truncated |= len(text) > self._room
        kept = text[: self._room]
        self._room -= len(kept)
        self._texts.append(kept)

    def keep_instead(self, texts: Sequence[object]) -> None:
        """Take the texts of the whole answer in place of its pieces. Nothing changes where the whole has no text."""
        if any(isinstance(text, str) and text for text in texts):
            self._texts, self._room, self._may_shorten = [], _MOST_CHARACTERS, True
            for text in texts:
                self.keep(text)


class CompletionParser(ReplyParser):
    """Parses chat completions and their chunks; only the first choice counts."""

    def read_answer(self, answer: Answer) -> None:
        """Take in a completion or a chunk."""
        for position, choice in enumerate(objects(answer.choices)):
            if choice.get("index", position) == 0:
                self._read_choice(choice)

    def _read_choice(self, choice: dict[str, Any]) -> None:
        said = choice.get("delta") or choice.get("message")
        if isinstance(said, dict):
            for text in ChatMessage(content=said.get("content")).texts:
                self.keep(text)
            if isinstance(audio := said.get("audio"), dict):  # the words of an answer in sound
                self.keep(audio.get("transcript"))
            if said.get("tool_calls") or said.get("function_call"):
                self.has_tool_calls = True
        self.note_finish(choice.get("finish_reason"))


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a JSON list; of anything else none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _count(usage: dict[str, Any], *names: str, before: int | None) -> int | None:
    # Not `isinstance`, to which True is an int.
    return next((usage[name] for name in names if type(usage.get(name)) is int), before)
