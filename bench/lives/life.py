"""People's lives, told in chats: the chats, the labelled statements, and a model that answers just these."""

import difflib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bench.scripted import Numbers
from recollect.model import Exchange, Material, Memory, Outline
from recollect.models.extractors.chat_model import Messages, ModelAnswer
from recollect.ports import Asker, Summarized

ALIKE = 0.9
_SHOWN_ALIKE = 0.85
_ENDING = {"contradicts", "refines"}
_HINTS = ("use", "topics", "questions")
_SUMMARIZED_FACTS = 10
_SUMMARIZED_CHARACTERS = 120
_NUMBERED = re.compile(r"^\[(\d{1,4})\] \([^)]{1,200}\) (.{1,2000})$", re.MULTILINE)
_NOT_WORD = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """Return a text's words alone, in lower case."""
    return _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def is_alike(one: str, other: str) -> bool:
    """Whether two statements are the same but for a few letters."""
    one, other = plain(one), plain(other)
    return one == other or difflib.SequenceMatcher(None, one, other).ratio() >= ALIKE


@dataclass(frozen=True, slots=True)
class Label:
    """A statement as it should be written down, and its relation to earlier ones.

    Attributes:
        turn: The key of the turn it was said in.
        hints: When it will be needed, as a model answers it; empty without hints.
    """

    id: str
    turn: str
    content: str
    kind: str
    evidence: str
    importance: float
    event_date: str | None
    relation: str
    about: tuple[str, ...]
    hints: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LifeQuestion:
    """A question in a later chat, and the statements that its answer needs.

    Attributes:
        at: The time of the question.
        before: The messages of this chat before it, as a request carries them.
        ask: The words of the question.
        type: The type of the question: ``oneself``, ``overview``, ``advice``, ``unrelated``, ...
        must: The ids of the statements an answer needs.
        may: The ids of harmless ones.
        stale: The ids of superseded ones that would mislead.
    """

    at: datetime
    before: tuple[Mapping[str, str], ...]
    ask: str
    type: str
    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Life:
    """A person, their chats, the statements that should be known of these, and their later questions."""

    person: str
    language: str
    chats: tuple[Mapping[str, Any], ...]
    labels: tuple[Label, ...]
    questions: tuple[LifeQuestion, ...] = ()

    @property
    def superseded(self) -> tuple[Label, ...]:
        """The statements that a later one should have replaced."""
        gone = {old for each in self.labels if each.relation in _ENDING for old in each.about}
        return tuple(each for each in self.labels if each.id in gone)

    @property
    def wanted(self) -> tuple[Label, ...]:
        """The statements that the store should have in the end."""
        gone = {each.id for each in self.superseded}
        return tuple(each for each in self.labels if each.id not in gone and each.relation != "repeats")

    def wordings(self, label: Label) -> list[str]:
        """Return the words that a statement may be kept in: its own, and those of its repetitions."""
        told_again = [
            each.content for each in self.labels if each.relation == "repeats" and label.id in each.about
        ]
        return [label.content, *told_again]


def read_life(told: Mapping[str, Any]) -> Life:
    """Read a person."""
    labels: list[Label] = []
    for chat in told["chats"]:
        for number, turn in enumerate(chat["turns"]):
            key = f"{chat['chat']}-{number}"
            labels += [_label(each, key) for each in turn.get("memories", [])]
    chats = tuple(told["chats"])
    questions = tuple(read_question(each, chats[-1]["at"]) for each in told.get("questions", ()))
    return Life(told["person"], told["language"], chats, tuple(labels), questions)


def read_question(told: Mapping[str, Any], last: str) -> LifeQuestion:
    """Read a question, which is asked at the last moment unless it says when."""
    before = [message for each in told.get("before") or () for message in exchanged(each)]
    named = [tuple(told.get(name) or ()) for name in ("must", "may", "stale")]
    at = datetime.fromisoformat(told.get("at") or last)
    return LifeQuestion(at, tuple(before), told["ask"], told["type"], *named)


def _label(told: Mapping[str, Any], turn: str) -> Label:
    about = told.get("about") or ()
    return Label(
        told["id"],
        turn,
        told["content"],
        told["kind"],
        told["evidence"],
        told.get("importance", 0.5),
        told.get("event_date"),
        told.get("relation") or "new",
        (about,) if isinstance(about, str) else tuple(about),
        {name: told[name] for name in _HINTS if name in told},
    )


def exchanged(turn: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the messages of a turn: the user's, and the assistant's."""
    return {"role": "user", "content": turn["user"]}, {"role": "assistant", "content": turn["assistant"]}


class LifeScript:
    """Implements ``Script``: answers with the labels of the turns it is asked about. These people ask nothing of the memory."""

    def __init__(self, life: Life) -> None:
        self._life = life

    def statements(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory], numbers: Numbers
    ) -> list[dict[str, Any]]:
        """Return the labelled statements of these turns."""
        keys = {each.turn.key for each in exchanges}
        shown = {plain(each.content): numbers[each.id] for each in known}
        return [self._item(each, shown) for each in self._life.labels if each.turn in keys]

    def wishes(self, _exchanges: Sequence[Exchange], _numbers: Numbers) -> list[dict[str, Any]]:
        """Find none."""
        return []

    def chosen(self, _known: Sequence[Memory]) -> tuple[int, ...]:
        """Choose nothing to forget."""
        return ()

    def _item(self, label: Label, shown: Mapping[str, int]) -> dict[str, Any]:
        about = self._shown(label.about, shown)
        return {
            "evidence": label.evidence,
            "content": label.content,
            "kind": label.kind,
            "importance": label.importance,
            "relation": label.relation if about else "new",
            "about": about,
            "event_date": label.event_date,
            **label.hints,
        }

    def _shown(self, ids: Sequence[str], shown: Mapping[str, int]) -> list[int]:
        """Return the numbers of the memories that labels were kept as, if they were shown."""
        told = [plain(each.content) for name in ids for each in self._life.labels if each.id == name]
        near = [difflib.get_close_matches(each, shown, 1, _SHOWN_ALIKE) for each in told]
        return [shown[each] for found in near for each in found]


class LifeSummarizer:
    """Implements ``Summarizer``: of a chat, its first words, and the statements it told so far."""

    def __init__(self, lives: Sequence[Life]) -> None:
        self._lives = {each.person: each for each in lives}

    async def summarize(self, material: Material, asker: Asker) -> Summarized:
        """Return how the chat began, and the statements that its turns so far are labelled with; "" of no known chat."""
        life = self._lives.get(asker.user_id)
        if life is None:
            return Summarized("", by="scripted")
        texts = {plain(each.text) for each in material.messages}
        for chat in life.chats:
            said = [plain(turn["user"]) for turn in chat["turns"]]
            if not texts.isdisjoint(said):
                last = max(number for number, each in enumerate(said) if each in texts)
                began = chat["turns"][0]["user"][:_SUMMARIZED_CHARACTERS]
                facts = [
                    each["content"] for turn in chat["turns"][: last + 1] for each in turn.get("memories", ())
                ]
                outline = Outline(facts=tuple(facts[:_SUMMARIZED_FACTS]))
                return Summarized(f"The chat began with: {began}", outline, tokens=1, by="scripted")
        return Summarized("", by="scripted")


class LifeHints:
    """Implements ``ChatModel``: answers when the statements shown will be needed, as their labels say."""

    def __init__(self, lives: Sequence[Life]) -> None:
        self._needs = {
            plain(each.content): {name: each.hints[name] for name in _HINTS}
            for life in lives
            for each in life.labels
            if each.hints
        }

    async def ask(self, messages: Messages, *_: object, **__: object) -> ModelAnswer:
        """Return the hints of the labels that have these contents."""
        shown = _NUMBERED.findall(messages[-1]["content"])
        needs = [
            {"number": int(number), **self._needs[plain(content)]}
            for number, content in shown
            if plain(content) in self._needs
        ]
        return ModelAnswer(json.dumps({"needs": needs}, ensure_ascii=False), 1, "scripted")

    async def aclose(self) -> None:
        """Let go of nothing."""
