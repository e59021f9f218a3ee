"""Reads the reply out of a model's answer while it is relayed, event by event.

It never raises, neither changes nor delays a byte, and holds no more of an answer, or of its text, than its bounds say.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from recollect.text.attribution.thoughts import shortened_data, without_data, without_thoughts
from recollect.wire.encodings import DECODING_ERRORS, Sink, decoding
from recollect.wire.raw_json import decode_with
from recollect.wire.request_body import ChatMessage

_MOST_CHARACTERS = 1024 * 1024  # held for each running answer


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

    def append(self, text: object) -> None:
        """Append a piece of the reply, if it is text; if there is no room for it, the files in the reply are left out."""
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
                self.append(text)


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
                self.append(text)
            if isinstance(audio := said.get("audio"), dict):  # the words of an answer in sound
                self.append(audio.get("transcript"))
            if said.get("tool_calls") or said.get("function_call"):
                self.has_tool_calls = True
        self.note_finish(choice.get("finish_reason"))


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a JSON list; of anything else none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _count(usage: dict[str, Any], *names: str, before: int | None) -> int | None:
    # Not `isinstance`, to which True is an int.
    return next((usage[name] for name in names if type(usage.get(name)) is int), before)


_SLAB = 16 * 1024  # a fraction of a millisecond's reading: the event loop waits for it
_MOST_BYTES = 64 * 1024 * 1024  # unpacked: a few bytes may unpack to any number
_LARGEST_BODY = _LARGEST_EVENT = 16 * 1024 * 1024  # held whole until its end
_MOST_LINES = 1 << 20
"""How many lines are read: half a million events. Lines cost time, whatever their size."""

_MARK = b"\xef\xbb\xbf"


class ReplyReader:
    """Reads one answer."""

    def __init__(
        self, content_type: str, content_encoding: str = "", said: ReplyParser | None = None
    ) -> None:
        """Prepare to read an answer; ``said`` is of chat completions by default, each header "" if absent."""
        self._said = said or CompletionParser()
        self._body: _Lines | _Whole
        kind = content_type.lower()
        if "text/event-stream" in kind:
            self._body = _EventStream(self._said.parse_event)
        elif "ndjson" in kind:
            self._body = _JsonLines(self._said.parse_event)
        else:
            self._body = _Whole(self._said.parse_whole)
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
        """Return the reply. Later bytes are ignored."""
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
        except OverflowError:  # the relay goes on; only our copy is cut
            self._deaf = self._said.truncated = True
        except DECODING_ERRORS:  # the client gets the same bytes, and has to tell
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


class _Lines(ABC):
    """Splits a stream into lines, and has a subclass read them.

    Attributes:
        truncated: Whether a part of the stream was left out.
    """

    def __init__(self, tell: Callable[[bytes, Sequence[bytes]], None]) -> None:
        """Call ``tell`` for each event, with its name (empty if it has none) and its lines of data."""
        self.truncated = False
        self._tell = tell
        self._lines_left = _MOST_LINES
        self._after_return = False
        self._rest: list[bytes] = []
        self._rest_size = 0

    def write(self, data: bytes, /) -> None:
        """Take the next bytes."""
        if not data:
            return
        if self._after_return:
            data = data.removeprefix(b"\n")  # the other half of a line end
        self._after_return = data.endswith(b"\r")
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if end:
            # Bytes are split at CR and LF alone, where text is split at eight more signs.
            lines = b"".join((*self._rest, data[:end])).splitlines()
            self._rest, self._rest_size = [], 0
            self._read_bounded(lines)
        self._hold(data[end:])

    def finish(self) -> None:
        """Read what no line end closed."""
        # The empty line closes an event whose own blank line is missing.
        self._read_bounded([b"".join(self._rest), b""])
        self._rest, self._rest_size = [], 0

    def _hold(self, rest: bytes) -> None:
        self._rest_size += len(rest)
        if self._rest_size <= _LARGEST_EVENT:
            self._rest.append(rest)
        else:
            self._rest.clear()
            self._leave_out()

    def _read_bounded(self, lines: list[bytes]) -> None:
        # A byte order mark may only stand at the beginning.
        if self._lines_left == _MOST_LINES:
            lines[0] = lines[0].removeprefix(_MARK)
        if len(lines) > self._lines_left:
            self.truncated = True
            del lines[self._lines_left :]
        self._lines_left -= len(lines)
        self._read_lines(lines)

    @abstractmethod
    def _read_lines(self, lines: list[bytes]) -> None:
        """Read whole lines; a line that no line end closed is followed by an empty one."""

    @abstractmethod
    def _leave_out(self) -> None:
        """Take note that a line is too large to be read."""


class _JsonLines(_Lines):
    """A stream of JSON objects, a line each (NDJSON), as Ollama sends it."""

    def _read_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if len(line) > _LARGEST_EVENT:
                self._leave_out()
            elif line.strip():
                self._tell(b"", [line])

    def _leave_out(self) -> None:
        self.truncated = True


class _EventStream(_Lines):
    """Splits a stream of server-sent events, and reports each event with data.

    The format: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

    It reports a last event even if the blank line after it is missing. If an event is left out, ``truncated`` is set.
    """

    def __init__(self, tell: Callable[[bytes, Sequence[bytes]], None]) -> None:
        super().__init__(tell)
        self._forget_event()

    def _read_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if not line:
                self._close_event()
            elif len(line) > _LARGEST_EVENT:
                self._leave_out()
            elif line.startswith(b"data:"):
                self._add(line[6:] if line[5:6] == b" " else line[5:])
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()

    def _leave_out(self) -> None:
        self._spoiled = True

    def _add(self, data: bytes) -> None:
        self._data.append(data)
        self._size += len(data) + 1
        if self._size > _LARGEST_EVENT:
            self._data.clear()
            self._spoiled = True

    def _close_event(self) -> None:
        if self._spoiled:
            self.truncated = True
        elif self._data:
            self._tell(self._name, self._data)
        self._forget_event()

    def _forget_event(self) -> None:
        self._name = b""
        self._data: list[bytes] = []
        self._size = 0
        self._spoiled = False
