"""Words the notices to a person about their memory, in one of five languages, as events of Open WebUI. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import msgspec

from recollect.engine.turns.prompt_content import Prepared
from recollect.model import (
    WAITING,
    Action,
    CarriedOut,
    Memory,
    Reason,
    Recollection,
    Role,
    Skip,
    Turn,
    Update,
)
from recollect.text.word_analysis import analyze_words

LANGUAGES = ("en", "de", "fr", "es", "zh")
"""Codes of the languages (BCP 47). Speakers of any other get the first."""

_NAMED = {"german": "de", "french": "fr", "spanish": "es"}
_HAN = range(0x4E00, 0x9FFF)
_SPANISH_MARKS = frozenset("\u00bf\u00a1")
_READ = 2_000
"""Characters of a person's words that are read at most."""

_FEW = 3
"""The most words of a text whose language is not certain."""

_OF_PAGE = ("page.", "kind.")
_OF_NOTICES = ("remembered", "replaced", "forgot")


def language_of(told: Any, texts: Iterable[str] = ()) -> str:
    """Return the code of a person's language.

    Args:
        told: The language that their frontend names, such as "de-DE"; anything else counts as none.
        texts: Their own words, the newest first, then memories: they tell the language where the frontend does not.
    """
    named = told.partition("-")[0].lower() if isinstance(told, str) else ""
    if named in LANGUAGES:
        return named
    if named:
        return LANGUAGES[0]
    first, *others = *texts, ""
    if (found := _told_by(first)) != LANGUAGES[0] or len(first.split()) > _FEW:
        return found  # a question says it more surely than older texts
    return _told_by(" ".join((first, *others)))


def _told_by(text: str) -> str:
    read = text[:_READ]
    han = sum(ord(each) in _HAN for each in read)
    if han >= max(1, sum(word.isascii() for word in read.split())) and not any(
        "\u3040" <= each <= "\u30ff" for each in read
    ):
        return "zh"
    language = analyze_words(read).language
    if language == "french" and not _SPANISH_MARKS.isdisjoint(read):
        language = "spanish"  # they share so many small words that a vote of these is often a tie
    return _NAMED.get(language, LANGUAGES[0])


@cache
def words_in(language: str) -> Mapping[str, str]:
    """Return the words of a language of ``LANGUAGES`` by their keys."""
    read = files("recollect_openwebui").joinpath("words", f"{language}.json").read_bytes()
    return msgspec.json.decode(read, type=dict[str, str])


@cache
def my_memories_page(language: str) -> str:
    """Return the page in a language of ``LANGUAGES``.

    The caller replaces ``NONCE`` by a nonce, and ``THEME`` by ``light`` or ``dark``.
    """
    folder, words = files("recollect_openwebui").joinpath("page"), words_in(language)
    parts = {
        "LANGUAGE": language,
        "TITLE": escape(words["page.title"]),
        "STYLE": folder.joinpath("page.css").read_text("utf-8"),
        "WORDS_AS_JSON": json.dumps(
            {
                key.removeprefix("page."): text
                for key, text in words.items()
                if key.startswith(_OF_PAGE) or key in _OF_NOTICES
            }
        ),
        "SCRIPT": folder.joinpath("page.js").read_text("utf-8"),
    }
    page = folder.joinpath("page.html").read_text("utf-8")
    for place, text in parts.items():
        page = page.replace(place, text, 1)
    return page


_LINE = 300
"""Characters of a status at most. About a hundred are shown, the others once it is opened."""

_STATEMENT, _STATEMENTS = 100, 60
"""The most characters of a single statement in a status, and of each of several."""

_TITLE = 60
"""Characters at most of the words that a source is named by."""

NEWS_AGE = timedelta(days=1)
"""Changes in other chats are shown for so long after they were said."""

Event = dict[str, Any]


def status(description: str) -> Event:
    """Return a line over an answer. It is always done: one that is not shimmers for ever."""
    return {"type": "status", "data": {"description": description, "done": True}}


def notification(content: str, *, kind: str = "info") -> Event:
    """Return a message that goes by: of kind success, info or error."""
    return {"type": "notification", "data": {"type": kind, "content": content}}


@dataclass(frozen=True, slots=True)
class Notices:
    """The notices in one language.

    Attributes:
        language: Its code, one of ``LANGUAGES``.
    """

    language: str = "en"

    def __call__(self, key: str, **values: Any) -> str:
        """Return the words for a key, with ``values`` in their places."""
        return words_in(self.language)[key].format(**values)

    def before_answer(self, prepared: Prepared, turn: Turn) -> list[Event]:
        """Return the lines over an answer before its first word, the most important last: only that one is unfolded.

        They give the number of statements for every chat, at its begin; whether memory is off, there too; the number
        of recalled memories; and the outcome of a request to the memory, such as the text of a forgotten memory.
        """
        known = off = recalled = ""
        if not turn.history:
            every = standing(prepared)
            known = self._counted("knows", every) if every else ""
            # A request to the memory recalls nothing.
            off = "" if prepared.carried_out else self.off(prepared)
        if prepared.found or prepared.in_place:
            # Both counts in the line that is unfolded.
            recalled, known = (
                self.recalled(prepared.found, prepared.in_place) + (known and f" \u00b7 {known}"),
                "",
            )
        lines = [known, off, recalled]
        if (done := prepared.carried_out) is not None:
            lines.append(self._done(done))
        return [status(each) for each in lines if each]

    def _done(self, done: CarriedOut) -> str:
        if done.switched:
            return self(f"did.{done.switched}")
        is_undo = any(each.undoes for each in done.updates)
        return self.undone(done.updates) if is_undo else self.changes(done.updates)

    def off(self, prepared: Prepared) -> str:
        """Return the line that says what of the memory is switched off; "" if nothing is."""
        if prepared.recall.skipped is Skip.NOT_IN_TEAM:
            return self("off.team")
        recalls = prepared.recall.skipped is not Skip.OFF
        if prepared.records:
            return "" if recalls else self("off.recall")
        return self("off.record" if recalls else "off.all")

    def recalled(self, found: Sequence[Recollection], in_place: Sequence[Recollection] = ()) -> str:
        """Return the number of recalled memories; or, if none is new, the number already in the prompt."""
        if found or not in_place:
            return self._counted("recalled", found)
        return self._counted("in_place", in_place)

    def citations(self, included: Iterable[Recollection], *, hides_standing: bool) -> list[Event]:
        """Return the recollections in a prompt as sources of its answer; a shared chat shows its sources to others."""
        return [self.citation(each) for each in included if each.is_found or not hides_standing]

    def citation(self, recollection: Recollection) -> Event:
        """Return a memory as a source of an answer, named by its first words; one source for each, even if two have the same name."""
        item = recollection.item
        part = "" if isinstance(item, Memory) else f"/{item.part}"
        named = f"{_cut(item.content, _TITLE)} ({self._kind(recollection)}, {item.dated.date().isoformat()})"
        return {
            "type": "source",
            "data": {
                "source": {"name": named},
                "document": [item.content],
                "metadata": [{"source": f"recollect:{item.id}{part}"}],
            },
        }

    def changes(self, updates: Sequence[Update]) -> str:
        """Return a line with the changes, in order; "" if there is none that a person would recognize.

        A verbatim copy is no news; the page has it.
        """
        lines = [each for each in map(self._change, updates) if each is not None]
        waiting = [each for each in updates if each.action is Action.QUARANTINE and each.reason in WAITING]
        count = [self._counted("approval", waiting)] if waiting else []
        return _cut("; ".join([*count, *self._grouped(lines)]), _LINE)

    def meanwhile(self, updates: Sequence[Update]) -> str:
        """Return the same for changes by earlier turns since the last notice."""
        line = self.changes(updates)
        return _cut(self("meanwhile", line=f"{line[0].lower()}{line[1:]}"), _LINE) if line else ""

    def undone(self, updates: Sequence[Update]) -> str:
        """Return a line with the undone changes, in order; "" if only the words are no longer recalled."""
        line = self.changes(updates)
        return _cut(self("undone", line=line), _LINE) if line else ""

    def _counted(self, key: str, items: Sequence[object]) -> str:
        return self(f"{key}.one" if len(items) == 1 else f"{key}.many", count=len(items))

    def _kind(self, recollection: Recollection) -> str:
        item = recollection.item
        if isinstance(item, Memory):
            return self(f"kind.{item.kind.value}")
        return self("said.user" if item.role is Role.USER else "said.assistant")

    def _change(self, update: Update) -> tuple[str, tuple[str, ...]] | None:
        """Return a change's verb and its text; None if it is not shown: said again, doubted, held back, kept verbatim."""
        before, after = update.before or "", update.after or ""
        change: tuple[str, tuple[str, ...]] | None
        match update.action:
            case _ if update.reason is Reason.KEPT_VERBATIM:
                change = None
            case Action.ADD:
                change = "remembered", (after,)
            case Action.REPLACE | Action.EDIT | Action.RESTORE if before and after and before != after:
                change = "replaced", (before, after)
            case Action.REPLACE | Action.RESTORE if after and not before:
                change = "remembered", (after,)
            case Action.RETIRE:
                change = "over" if "heir" in update.details else "forgot", (before,)
            case Action.ERASE:
                change = "erased", (self("erased.what"),)
            case _:  # said again, doubted, held back
                change = None
        return change

    def _grouped(self, told: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
        """Return each verb once with all its texts, and their number if there are several."""
        verbs: dict[str, list[tuple[str, ...]]] = {}
        for verb, words in told:
            verbs.setdefault(self(verb), []).append(words)
        if len(told) == 1:
            return [f"{verb}: {_arrow(words, _STATEMENT)}" for verb, [words] in verbs.items()]
        return [
            f"{verb if len(each) == 1 else self('several', verb=verb, count=len(each))}: "
            + " \u00b7 ".join(_arrow([word.rstrip(". ") for word in words], _STATEMENTS) for words in each)
            for verb, each in verbs.items()
        ]


def notices_of(turn: Turn, told: Any = None, texts: Iterable[str] = ()) -> Notices:
    """Return the notices in the language that the frontend names, else that of the turn's words, the texts, and the words before."""
    said = (each.text for each in reversed(turn.history) if each.role is Role.USER)
    return Notices(language_of(told, (turn.text, *texts, *said)))


def standing(prepared: Prepared) -> tuple[Recollection, ...]:
    """Return the memories for every chat in a turn's own block, without the ones that the turn found."""
    return tuple(each for each in prepared.included if not each.is_found)


def _arrow(words: Sequence[str], length: int) -> str:
    return " \u2192 ".join(_cut(each, length) for each in words)


def _cut(text: str, length: int) -> str:
    """Return a text in one line, of so many characters at most."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length and len(text) <= 4 * length else f"{line[: length - 1]}\u2026"
