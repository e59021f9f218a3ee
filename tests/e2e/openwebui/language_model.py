"""The LLM behind Open WebUI: it chats, names chats, embeds, and extracts each statement it is shown."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.scripted.answers import DONE, Answer, completion, completion_stream, event, streamed, whole
from tests.scripted.embeddings import embedded
from tests.scripted.extraction import Pupil, asked_for, messages_shown, statement
from tests.scripted.upstream import ScriptedUpstream
from tests.support.received import Received

MODELS = ("scripted", "scripted-too")
REPLY = "All right, noted."
MARKS = {"X-Test-Task": "{{TASK}}", "X-Test-Chat": "{{CHAT_ID}}"}
"""A header of a connection, by which a test tells its requests from others."""

_NDJSON = [(b"Content-Type", b"application/x-ndjson")]
_LISTED: dict[bytes, Any] = {
    b"/models": {
        "object": "list",
        "data": [{"id": name, "object": "model", "owned_by": "scripted"} for name in MODELS],
    },
    b"/api/tags": {"models": [{"name": name, "model": name, "details": {}} for name in MODELS]},
    b"/api/ps": {"models": []},
    b"/api/version": {"version": "0.20.0"},
}
"""What is asked besides chats, by OpenAI's API and by Ollama's."""

TOOL = "get_current_timestamp"
_CALL = {"index": 0, "id": "call-1", "type": "function", "function": {"name": TOOL, "arguments": "{}"}}
_BROODING_SECONDS = 60.0
_THINKING_SECONDS = 0.3
"""Before its first word, as with any model: time enough to look up what was remembered meanwhile."""

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")


class LanguageModel:
    """What the model was asked, and how it answers.

    Attributes:
        upstream: The server it is reached at.
        pupil: How it answers as a model of the background.
        looks_up: Words of a person at which it first asks for the time, by a tool.
        broods: Words of a person at which it says a word, and then nothing for a minute.
        replies: How it answers a chat.
        title: The name it finds for one.
        follow_up: The question it offers after an answer.
    """

    def __init__(self) -> None:
        self.looks_up: set[str] = set()
        self.broods: set[str] = set()
        self._use_own_words()
        self.upstream = ScriptedUpstream(self._answer)
        self.pupil = Pupil(extracts=_statements)

    @property
    def ollama_url(self) -> str:
        """Where it speaks Ollama's API."""
        return self.upstream.base_url.removesuffix("/v1")

    def forget(self) -> None:
        """Forget what it was asked, and when to look things up."""
        self.upstream.begun.clear()
        self.upstream.received.clear()
        self.pupil.asked.clear()
        self.looks_up.clear()
        self.broods.clear()
        self._use_own_words()

    def _use_own_words(self) -> None:
        self.replies: Callable[[Received], str] = lambda _: REPLY
        self.title, self.follow_up = "A scripted title", "What else?"

    def chats(self, words: str) -> list[Received]:
        """Return the requests of people whose last message has these words, in the order of their coming."""
        return [each for each in self._asked() if not _task(each) and words in last_message(each)]

    def of_chat(self, chat_id: str) -> list[Received]:
        """Return the requests of one saved chat in the order of their coming, without its tasks."""
        return [each for each in self.chats("") if each.values(b"X-Test-Chat") == [chat_id.encode()]]

    def tasks(self, chat_id: str) -> dict[str, list[Received]]:
        """Return what was asked in the background of a chat, by the name of the task."""
        found: dict[str, list[Received]] = {}
        for each in self._asked():
            if _task(each) and each.values(b"X-Test-Chat") == [chat_id.encode()]:
                found.setdefault(_task(each), []).append(each)
        return found

    def _asked(self) -> list[Received]:
        return [
            each
            for each in self.upstream.received
            if each.target.endswith((b"/chat/completions", b"/api/chat")) and not asked_for(each)
        ]

    def _answer(self, request: Received) -> Answer:
        listed = next((each for path, each in _LISTED.items() if request.target.endswith(path)), None)
        if listed is not None:
            return whole(json.dumps(listed).encode())
        if request.target.endswith(b"/embeddings"):
            return embedded(request)
        if asked_for(request):
            return self.pupil(request)
        if not _task(request) and last_message(request) in self.looks_up:
            calls = event({"role": "assistant", "tool_calls": [_CALL]}), event({}, finish="tool_calls"), DONE
            return (_THINKING_SECONDS, *streamed(*calls))
        if not _task(request) and last_message(request) in self.broods:
            return streamed(event({"role": "assistant", "content": "Well"}), _BROODING_SECONDS, DONE)
        said = self._task_done() if _task(request) else self.replies(request)
        answer = _spoken(request, said)
        return answer if _task(request) else (_THINKING_SECONDS, *answer)

    def _task_done(self) -> str:
        """Return what answers any task of Open WebUI: it looks for the part that it asked for."""
        named = {"title": self.title, "follow_ups": [self.follow_up]}
        return json.dumps(named | {"tags": ["scripted"], "queries": ["scripted"]})


def _spoken(request: Received, said: str) -> Answer:
    """Return an answer in the API, and in the way, that a request asks for."""
    is_streamed = request.json.get("stream")
    if request.target == b"/api/chat":
        ended = {"message": {"role": "assistant", "content": said}, "done": True, "done_reason": "stop"}
        line = json.dumps({"model": MODELS[0], **ended}).encode() + b"\n"
        return streamed(line, headers=_NDJSON) if is_streamed else whole(line)
    return completion_stream(said) if is_streamed else completion(said)


def prompt(request: Received) -> str:
    """Return all that a chat request says, whoever says it."""
    return "\n".join(_text(message.get("content")) for message in request.json["messages"])


def last_message(request: Received) -> str:
    return _text(request.json["messages"][-1].get("content"))


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def _task(request: Received) -> str:
    return b"".join(request.values(b"X-Test-Task")).decode()


def _statements(request: Received) -> list[dict[str, Any]]:
    sentences = (found[0].strip() for shown in messages_shown(request) for found in _SENTENCE.finditer(shown))
    return [statement(each) for each in sentences if each and not each.endswith("?")]
