"""A model of the background as a test teaches it: it extracts, chooses what is to be forgotten, and summarizes."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.scripted.answers import Answer, completion
from tests.support.received import Received

_PART = re.compile(r"^([^\n]+):\n(=+)\n(.*?)\n\2$", re.MULTILINE | re.DOTALL)
_NUMBERED = re.compile(r"^\[(\d+)\] \(([^)]*)\) (.*)$", re.MULTILINE)


def asked_for(request: Received) -> str:
    """Return which form a request wants: memories, choice, summary or needs; "" of a chat's own."""
    form: str = request.json.get("response_format", {}).get("json_schema", {}).get("name", "")
    return form


def shown(request: Received, title: str) -> list[str]:
    """Return the texts that a request shows under titles that begin so."""
    content: str = request.json["messages"][-1]["content"]
    return [text for name, _, text in _PART.findall(content) if name.startswith(title)]


def messages_shown(request: Received) -> list[str]:
    """Return the person's words that an extraction request shows, message by message."""
    return shown(request, "Message ")


def memories_shown(request: Received) -> list[str]:
    listed = "\n".join(shown(request, "Existing memories") + shown(request, "Memories"))
    return [content for _, _, content in _NUMBERED.findall(listed)]


def statement(evidence: str, content: str = "", **fields: Any) -> dict[str, Any]:
    """Return a statement as a model tells it; without content it says what its evidence says."""
    plain: dict[str, Any] = {
        "evidence": evidence,
        "confirms": None,
        "subject": None,
        "stance": "stated",
        "steers": False,
        "lasts": "years",
        "content": content or evidence,
        "kind": "fact",
        "importance": 0.7,
        "relation": "new",
        "about": [],
        "ends": [],
        "affects": [],
        "event_date": None,
        "valid_from": None,
        "valid_to": None,
        "use": "topic",
        "topics": [content or evidence],
        "questions": [],
    }
    return plain | fields


@dataclass(frozen=True)
class Lesson:
    """What the model understands where it reads certain words.

    Attributes:
        words: As they stand in a message.
        content: What it makes of them; "" for the words themselves.
        relation: What that is to a known memory.
        about: A part of that memory's text; where none is shown that has it, the statement is new.
        affects: Parts of the texts of memories that may no longer hold.
        ends: Parts of the texts of memories that are over with it.
        importance: How much it takes it to matter.
    """

    words: str
    content: str = ""
    relation: str = "new"
    about: str = ""
    affects: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    importance: float = 0.7

    def told(self, known: list[str]) -> dict[str, Any]:
        """Return the statement, in view of the memories that are known."""
        number = _place(self.about, known) if self.about else None
        return statement(
            self.words,
            self.content,
            relation="new" if number is None else self.relation,
            about=[] if number is None else [number],
            importance=self.importance,
            affects=_places(self.affects, known),
            ends=_places(self.ends, known),
        )


def _place(part: str, known: list[str]) -> int | None:
    return next((number for number, content in enumerate(known) if part in content), None)


def _places(parts: Iterable[str], known: list[str]) -> list[int]:
    found = (_place(part, known) for part in parts)
    return [each for each in found if each is not None]


def command(asking: str, evidence: str, *about: int) -> dict[str, Any]:
    """Return something asked of the memory, as a model tells it."""
    return {"asking": asking, "evidence": evidence, "about": list(about)}


@dataclass
class Pupil:
    """The model. Call it with a request for its answer.

    Attributes:
        lessons: What it understands.
        extracts: What it answers to an extraction instead, if anything.
        means: Parts of the memories that it chooses where somebody wants something forgotten.
        commands: Returns the memory commands of its answer, which the answer calls wishes; None: those in ``wishes``.
        wishes: What it takes for a wish where a message holds the words: what for, the words, and parts of the memories meant.
        summary: What it writes of every chat.
        outline: The parts of that.
        asked: What it was asked, in order.
    """

    lessons: list[Lesson] = field(default_factory=list)
    extracts: Callable[[Received], list[dict[str, Any]]] | None = None
    means: list[str] = field(default_factory=list)
    commands: Callable[[Received], list[dict[str, Any]]] | None = None
    wishes: list[tuple[str, ...]] = field(default_factory=list)
    summary: str = ""
    outline: dict[str, list[str]] = field(default_factory=dict)
    asked: list[Received] = field(default_factory=list)

    def __call__(self, request: Received) -> Answer:
        self.asked.append(request)
        answers: dict[str, Callable[[Received], dict[str, Any]]] = {
            "memories": self._extraction,
            "choice": self._choice,
            "summary": self._summary,
            "needs": self._needs,
        }
        return completion(json.dumps(answers[asked_for(request)](request)))

    def extractions(self, words: str = "") -> list[Received]:
        """Return the extraction requests that show a message with these words."""
        return [
            request
            for request in self.asked
            if asked_for(request) == "memories" and any(words in each for each in messages_shown(request))
        ]

    def _extraction(self, request: Received) -> dict[str, Any]:
        said, known = "\n".join(messages_shown(request)), memories_shown(request)
        if self.extracts is not None:
            memories = self.extracts(request)
        else:
            memories = [lesson.told(known) for lesson in self.lessons if lesson.words in said]
        wishes = [
            command(asking, words, *_places(parts, known))
            for asking, words, *parts in self.wishes
            if words in said
        ]
        commands = wishes if self.commands is None else self.commands(request)
        return {"words": "own", "wishes": commands, "memories": memories}

    def _choice(self, request: Received) -> dict[str, Any]:
        known = memories_shown(request)
        return {"numbers": [n for n, content in enumerate(known) if any(p in content for p in self.means)]}

    def _needs(self, request: Received) -> dict[str, Any]:
        needs = [
            {"number": number, "use": "topic", "topics": [content], "questions": []}
            for number, content in enumerate(memories_shown(request))
        ]
        return {"needs": needs}

    def _summary(self, _request: Received) -> dict[str, Any]:
        parts = ("facts", "preferences", "decisions", "todos", "entities")
        return {"summary": self.summary, **{part: self.outline.get(part, []) for part in parts}}
