"""Scores the lines that questions are given, by the labels of a person's life. Pure."""

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bench.figures import number, percent, percentiles
from bench.lives.life import Label, Life, LifeQuestion, plain
from bench.report import table

_COVERS = 0.82
_QUOTES = 0.6
_SHORTEST, _SHORTEST_PART = 6, 10
_CACHED = 200_000
_BULLET = ("- ", "* ", "• ")
_KIND = re.compile(r"^\w+ ")
_LISTED = 60
"""So many letters of a standing memory tell its line."""


@dataclass(frozen=True, slots=True)
class Block:
    """The lines that a prompt was given.

    Attributes:
        lines: The first line of each bullet.
        tokens: The size of the block.
        line_tokens: The size of each line.
    """

    lines: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    tokens: int = 0
    line_tokens: tuple[int, ...] = ()
    skipped: str | None = None
    degraded: tuple[str, ...] = ()
    gate: float | None = None

    @property
    def stands(self) -> tuple[bool, ...]:
        """For each line, whether it is of a standing memory."""
        listed = [start for start in (plain(each)[:_LISTED] for each in self.standing) if start]
        return tuple(any(start in plain(line) for start in listed) for line in self.lines)

    @property
    def standing_tokens(self) -> int:
        """The size of the lines of standing memories."""
        return sum(tokens for tokens, stands in zip(self.line_tokens, self.stands, strict=True) if stands)


@dataclass(frozen=True, slots=True)
class Given:
    """The block of a question, and its use.

    Attributes:
        must: How many statements it needs; ``found`` of them are there, ``missing`` are not, in their labels' words.
        noise: The lines beyond the standing ones that are neither needed nor allowed.
        dup: How many lines only repeat an earlier one.
        stale: The ids of superseded statements that are shown as if they held.
    """

    person: str
    language: str
    ask: str
    type: str
    must: int
    found: int
    missing: tuple[str, ...]
    noise: tuple[str, ...]
    dup: int
    stale: tuple[str, ...]
    block: Block

    @property
    def is_whole(self) -> bool:
        """Whether everything needed is there."""
        return self.found == self.must


def bullets(added: str, said: Sequence[str]) -> Iterator[str]:
    """Yield the first line of each bullet that was added to a request, unless the request says it itself."""
    for line in map(str.strip, added.splitlines()):
        if line.startswith(_BULLET) and not any(line in text for text in said):
            yield line[2:]


@lru_cache(_CACHED)
def covers(line: str, content: str, evidence: str) -> bool:
    """Whether a line says a statement: in its own words, or in most of the quoted ones."""
    told, wanted, words = plain(line), plain(content), plain(evidence)
    if wanted in told or _ratio_reaches(_KIND.sub("", told), wanted, _COVERS):
        return True
    if len(words) >= _SHORTEST and words in told:
        return True
    length = math.ceil(_QUOTES * len(words))
    parts = (words[start : start + length] for start in range(len(words) - length + 1))
    return len(words) >= _SHORTEST_PART and any(part in told for part in parts)


def _ratio_reaches(one: str, other: str, least: float) -> bool:
    compared = difflib.SequenceMatcher(None, one, other)
    return all(
        ratio() >= least for ratio in (compared.real_quick_ratio, compared.quick_ratio, compared.ratio)
    )


def score(life: Life, question: LifeQuestion, block: Block) -> Given:
    """Compare the block of a question with its labels."""
    known = {each.id: each for each in life.labels}
    found = {
        each: any(_covers(line, label) for line in block.lines for label in _same(life, known, each))
        for each in question.must
    }
    good = [
        label
        for each in (*question.must, *question.may)
        if each in known
        for label in _same(life, known, each)
    ]
    noise = [
        line
        for line, standing in zip(block.lines, block.stands, strict=True)
        if not standing and not any(_covers(line, label) for label in good)
    ]
    stale = [each for each in question.stale if each in known and _misleads(block.lines, known[each], good)]
    return Given(
        person=life.person,
        language=life.language,
        ask=question.ask,
        type=question.type,
        must=len(found),
        found=sum(found.values()),
        missing=tuple(known[each].content for each, there in found.items() if not there),
        noise=tuple(noise),
        dup=_said_twice(block.lines, good),
        stale=tuple(stale),
        block=block,
    )


def _same(life: Life, known: Mapping[str, Label], label_id: str) -> list[Label]:
    """Return a statement and those that say the same again, or that it says again."""
    ids = [label_id]
    ids += [each.id for each in life.labels if each.relation == "repeats" and label_id in each.about]
    if label_id in known and known[label_id].relation == "repeats":
        ids += known[label_id].about[:1]
    return [known[each] for each in ids if each in known]


def _covers(line: str, label: Label) -> bool:
    return covers(line, label.content, label.evidence)


def _misleads(lines: Sequence[str], old: Label, good: Sequence[Label]) -> bool:
    return any(_covers(line, old) and not any(_covers(line, label) for label in good) for line in lines)


def _said_twice(lines: Sequence[str], good: Sequence[Label]) -> int:
    seen: list[set[str]] = []
    twice = 0
    for line in lines:
        said = {label.id for label in good if _covers(line, label)}
        if said:
            twice += any(said <= before for before in seen)
            seen.append(said)
    return twice


_COLUMNS = (
    *("questions", "all needed there", "needed items", "noise lines", "said twice", "stale"),
    *("nothing needed, noise given", "tokens p50", "p95", "recalled lines", "standing lines"),
    "standing tokens p50",
)


def score_table(given: Sequence[Given]) -> str:
    """Return the figures of all questions as a Markdown table, then by type and by language."""
    types, languages = ({each.type for each in given}, {each.language for each in given})
    rows = [("all", list(given))]
    rows += [(name, [each for each in given if each.type == name]) for name in sorted(types)]
    rows += [
        (f"language {name}", [each for each in given if each.language == name]) for name in sorted(languages)
    ]
    return table(("", *_COLUMNS), [(name, *_cells(found)) for name, found in rows])


def _cells(given: Sequence[Given]) -> list[str]:
    needing = [each for each in given if each.must]
    others = [each for each in given if not each.must]
    blocks = [each.block for each in given]
    stands = [sum(each.stands) for each in blocks]
    whole, lines = (
        sum(each.is_whole for each in needing),
        sum(len(each.lines) for each in blocks) - sum(stands),
    )
    tokens = percentiles([each.tokens for each in blocks if each.lines], 50, 95)
    standing = percentiles([each.standing_tokens for each in blocks if any(each.stands)], 50)
    return [
        f"{len(given)}",
        f"{whole}/{len(needing)} = {percent(whole, len(needing))}",
        percent(sum(each.found for each in needing), sum(each.must for each in needing)),
        percent(sum(len(each.noise) for each in given), lines),
        percent(sum(each.dup for each in given), lines),
        f"{sum(bool(each.stale) for each in given)}",
        f"{sum(bool(each.noise) for each in others)}/{len(others)}",
        number(tokens.get("p50"), 0),
        number(tokens.get("p95"), 0),
        f"{lines / max(1, len(given)):.1f}",
        f"{sum(stands) / max(1, len(given)):.1f}",
        number(standing.get("p50"), 0),
    ]
