"""What trivial policies over the labelled statements that hold would give: anchors for whatever is cleverer. Never: the engine.

Each is given the right statements, in the labels' words, without a gate: what a policy lacks, it ranked behind; what it
has too much, it has no way to leave out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from bench.lives.life import Label, Life, LifeQuestion
from recollect.ports import Embedder

_DENSE = (5, 7)
_IMPORTANT = 6
_CHARACTERS_A_TOKEN = 4
_TOKENS_A_LINE = 6


@dataclass(slots=True)
class _Reached:
    """What a policy reached over the questions so far."""

    whole: int = 0
    needing: int = 0
    found: int = 0
    needed: int = 0
    noise: int = 0
    lines: int = 0
    noisy: int = 0
    others: int = 0
    tokens: list[float] = field(default_factory=list)

    def add(self, question: LifeQuestion, given: Sequence[str], labels: Mapping[str, Label]) -> None:
        allowed = {*question.must, *question.may}
        noise = sum(each not in allowed for each in given)
        found = sum(each in given for each in question.must)
        self.needing += bool(question.must)
        self.whole += bool(question.must) and found == len(question.must)
        self.found += found
        self.needed += len(question.must)
        self.others += not question.must
        self.noisy += not question.must and noise > 0
        self.noise += noise
        self.lines += len(given)
        self.tokens.append(
            sum(len(labels[each].content) / _CHARACTERS_A_TOKEN + _TOKENS_A_LINE for each in given)
        )


def current(life: Life) -> list[Label]:
    """Return the statements that hold in the end, each once."""
    gone = {each.id for each in life.superseded}
    return [each for each in life.labels if each.id not in gone and each.relation != "repeats"]


async def anchors(lives: Sequence[Life], embedder: Embedder) -> str:
    """Return the figures of each policy as a Markdown table."""
    reached: dict[str, _Reached] = {}
    for life in lives:
        labels = {each.id: each for each in current(life)}
        vectors = np.array(await embedder.embed([each.content for each in labels.values()]))
        important = sorted(labels, key=lambda each: -labels[each].importance)
        for question in life.questions:
            [asked] = await embedder.embed([question.ask])
            nearest = np.argsort(-(vectors @ np.array(asked)), kind="stable")
            dense = [list(labels)[each] for each in nearest]
            for name, given in _policies(dense, important):
                reached.setdefault(name, _Reached()).add(question, given, labels)
    heads = (
        "anchors",
        "all needed there",
        "needed items",
        "noise lines",
        "nothing needed, noise given",
        "tokens p50",
    )
    rows = [" | ".join((name, *_cells(each))) for name, each in reached.items()]
    return "\n".join([f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *(f"| {row} |" for row in rows)])


def _policies(dense: Sequence[str], important: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    both = list(dict.fromkeys([*important[:_IMPORTANT], *dense[: _DENSE[0]]]))
    return [
        *((f"dense top {depth}", dense[:depth]) for depth in _DENSE),
        (f"{_IMPORTANT} most important + dense top {_DENSE[0]}", both),
        ("all that hold", important),
    ]


def _cells(reached: _Reached) -> list[str]:
    return [
        f"{reached.whole}/{reached.needing} = {_percent(reached.whole, reached.needing)}",
        _percent(reached.found, reached.needed),
        _percent(reached.noise, reached.lines),
        f"{reached.noisy}/{reached.others}",
        f"{median(reached.tokens):.0f}",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
