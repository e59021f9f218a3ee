"""How many good memories `recollect audit-store` flags, and how many planted faults it finds.

    python -m bench store-audit --data LIVES.jsonl [--data MORE.jsonl] [--answers ANSWERS.jsonl] [--output OUT.md]

Three stores without a fault are audited: people's lives as they are formed, a capable model's recorded answers as they are formed,
and the statements of those lives as another product's file brings them. Whatever is flagged there is a false alarm. Then
faults of each kind are planted among the lives (`bench/lives/planted.py`), and looked for: by the rules alone, and beside them by a
model that answers what the labels say of the memories it is shown.
"""

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from bench.lives import formation, model_answers
from bench.lives.formed import Bench, Numbers, be_quiet, open_bench
from bench.lives.life import Life, LifeScript, plain, read_life
from bench.lives.planted import Planted, Planting, imported
from recollect.engine.asked_pairs import AskedPairs
from recollect.engine.store_audit import StoreAudit
from recollect.formation import FormationRules, TokenBudget
from recollect.model import (
    Action,
    Actor,
    Add,
    Change,
    Exchange,
    Fault,
    Finding,
    Memory,
    Reason,
    Replace,
    Scope,
)

_MOST_SECONDS = 1_800.0
_SEED = 7


@dataclass
class Alarms:
    """What was flagged in a store without a fault.

    Attributes:
        memories: How many memories it has.
        flagged: Of each fault, how many of them were flagged.
        told: Which, in words.
    """

    memories: int = 0
    flagged: Counter[Fault] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass
class Finds:
    """What was found of what was planted: by fault and how it was planted.

    Attributes:
        planted: How many.
        found: How many were found as what they are.
        asked: How many were found with a model beside the rules.
        otherwise: How many were flagged for another fault alone.
        beside: How many of the other memories were flagged, which have no fault.
    """

    planted: Counter[tuple[Fault, str]] = field(default_factory=Counter)
    found: Counter[tuple[Fault, str]] = field(default_factory=Counter)
    asked: Counter[tuple[Fault, str]] = field(default_factory=Counter)
    otherwise: Counter[tuple[Fault, str]] = field(default_factory=Counter)
    beside: list[str] = field(default_factory=list)


class PairScript(LifeScript):
    """Answers, of a statement that somebody told, what its label says that it is to earlier ones."""

    def items(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory], numbers: Numbers
    ) -> list[dict[str, Any]]:
        """Return the labelled statements of these words."""
        said = {plain(each.turn.text) for each in exchanges}
        shown = {plain(each.content): numbers[each.id] for each in known if each.id in numbers}
        return [self._item(each, shown) for each in self._life.labels if plain(each.content) in said]


async def audited(bench: Bench, person: str, *, asks: bool = False) -> list[Finding]:
    """Return all that is found of somebody; where it ``asks``, also by a model whose answers are right."""
    asked = AskedPairs(bench.backends, TokenBudget(), bench.clock) if asks else None
    subject = StoreAudit(bench.backends, FormationRules(), bench.clock, asked=asked)
    return [each async for each in subject.findings(person, frozenset(Fault))]


async def look(bench: Bench, person: str, alarms: Alarms, *, without: Sequence[Memory] = ()) -> None:
    """Count what is flagged of somebody who has no fault.

    Args:
        bench: Where.
        person: Who.
        alarms: What is counted in.
        without: Memories that nobody formed: they were put there for a chat to be shown them.
    """
    began = time.perf_counter()
    findings = await audited(bench, person)
    alarms.seconds += time.perf_counter() - began
    ids = {each.id for each in without}
    alarms.memories += sum(each.id not in ids for each in await bench.stored(person))
    for each in findings:
        if each.memory.id not in ids and (each.other is None or each.other.id not in ids):
            alarms.flagged[each.fault] += 1
            alarms.told.append(f"{person}: {each.fault} ({each.reason}): {each.memory.content}")


async def sow(bench: Bench, life: Life, lives: Sequence[Life], finds: Finds) -> None:
    """Plant faults among somebody's memories, and look for them."""
    stored = await bench.stored(life.person)
    messages = [each for memory in stored for each in memory.provenance.message_ids]
    said = await bench.backends.repairs.said(life.person, messages)
    others = [label.evidence for other in lives if other is not life for label in other.labels]
    chance = Random(f"{_SEED} {life.person}")  # noqa: S311 -- the same choices each time
    planted = await _embedded(bench, list(Planting(life, stored, said, others, chance).all()))
    changes: list[Change] = [
        Add(each.memory) if each.old is None else Replace(each.old.id, each.memory, Reason.REFINES)
        for each in planted
    ]
    scope = Scope(life.person, "planted")
    done = await bench.backends.memories.apply(scope, changes, actor=Actor.IMPORT, at=bench.clock())
    kept = [each for each, change in zip(planted, done, strict=True) if isinstance(change, Add | Replace)]
    by_rules = await audited(bench, life.person)
    bench.scripts[life.person] = PairScript(life)
    _score(life, kept, by_rules, await audited(bench, life.person, asks=True), finds)


async def _embedded(bench: Bench, planted: Sequence[Planted]) -> list[Planted]:
    """Return what is planted with its embeddings, as a worker makes them of what was brought."""
    embedder = bench.backends.embedder
    vectors = await embedder.embed([each.memory.content for each in planted])
    return [
        replace(each, memory=replace(each.memory, embedding=vector, embedding_model=embedder.name))
        for each, vector in zip(planted, vectors, strict=True)
    ]


def _flagged(findings: Sequence[Finding]) -> dict[UUID, set[Fault]]:
    flagged: dict[UUID, set[Fault]] = {}
    for each in findings:
        for memory in (each.memory, each.other):
            if memory is not None:
                flagged.setdefault(memory.id, set()).add(each.fault)
    return flagged


def _score(
    life: Life,
    planted: Sequence[Planted],
    findings: Sequence[Finding],
    asked: Sequence[Finding],
    finds: Finds,
) -> None:
    by_rules, by_both = _flagged(findings), _flagged(asked)
    for one in planted:
        key, flagged = (one.fault, one.how), by_rules.get(one.memory.id, set())
        finds.planted[key] += 1
        finds.found[key] += one.fault in flagged
        finds.asked[key] += one.fault in by_both.get(one.memory.id, set())
        finds.otherwise[key] += bool(flagged) and one.fault not in flagged
    ids = {each.memory.id for each in planted}
    finds.beside += [
        f"{life.person}: {each.fault} ({each.reason}): {each.memory.content}"
        for each in findings
        if each.memory.id not in ids and (each.other is None or each.other.id not in ids)
    ]


async def bench_lives(lives: Sequence[Life]) -> tuple[Alarms, Alarms, Finds]:
    """Return what is flagged of lives, of their statements as an import has them, and what is found of what is planted."""
    formed, brought, finds = Alarms(), Alarms(), Finds()
    async with open_bench() as bench:
        for life in lives:
            await formation.replay(bench, life)
            stored = await bench.stored(life.person)
            await look(bench, life.person, formed)
            copy = f"{life.person}-imported"
            changes = [Add(imported(copy, each.content, each.observed_at)) for each in stored]
            await bench.backends.memories.apply(
                Scope(copy, ""), changes, actor=Actor.IMPORT, at=bench.clock()
            )
            await look(bench, copy, brought)
            await sow(bench, life, lives, finds)
    return formed, brought, finds


async def bench_answers(recorded: Sequence[model_answers.Recorded]) -> Alarms:
    """Return what is flagged of what is formed of recorded answers."""
    alarms = Alarms()
    async with open_bench(batches=True) as bench:
        for each in recorded:
            await model_answers.replay(bench, each, model_answers.Result())
            person = f"{each.user}-{each.number}"
            history = await bench.backends.memories.history(person, limit=1_000)
            shown = {
                row.memory_id for row in history if row.action is Action.ADD and row.actor is Actor.IMPORT
            }
            without = [memory for memory in await bench.stored(person) if memory.id in shown]
            await look(bench, person, alarms, without=without)
    return alarms


def report(stores: Sequence[tuple[str, Alarms]], finds: Finds) -> Iterator[str]:
    """Yield the lines of the figures, as Markdown."""
    yield "## Good memories that are flagged"
    yield ""
    yield f"| store | memories | flagged | {' | '.join(Fault)} | ms a memory |"
    yield f"|---|---|---|{'---|' * len(Fault)}---|"
    for name, alarms in stores:
        counts = " | ".join(str(alarms.flagged[each]) for each in Fault)
        rate, took = _share(alarms.flagged.total(), alarms.memories), 1_000 * alarms.seconds / alarms.memories
        yield f"| {name} | {alarms.memories} | {rate} | {counts} | {took:.1f} |"
    yield ""
    yield "## Planted faults that are found"
    yield ""
    yield "| fault | planted as | found | with a right model | as another fault |"
    yield "|---|---|---|---|---|"
    for fault in Fault:
        for key in sorted(each for each in finds.planted if each[0] is fault):
            found, asked = (_share(each[key], finds.planted[key]) for each in (finds.found, finds.asked))
            yield f"| {fault} | {key[1]} | {found} | {asked} | {finds.otherwise[key]} |"
    yield ""
    yield f"Flagged beside them, without a fault: {len(finds.beside)}."


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {100 * part / whole:.1f} %" if whole else "-"


async def _measure(lives: Sequence[Life], answers: Path | None) -> tuple[list[tuple[str, Alarms]], Finds]:
    formed, brought, finds = await bench_lives(lives)
    stores = [("lives, formed", formed), ("lives, imported", brought)]
    if answers is not None:
        chats = answers.with_name("chats-dev.jsonl")
        recorded = model_answers.read_recorded(_lines(answers), _lines(chats))
        stores.insert(1, ("recorded answers, formed", await bench_answers(recorded)))
    return stores, finds


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument("--answers", type=Path, help="recorded answers, with chats-dev.jsonl beside them")
    parser.add_argument("--output", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    be_quiet()
    lives = [read_life(line) for path in options.data for line in _lines(path)]
    stores, finds = asyncio.run(asyncio.wait_for(_measure(lives, options.answers), _MOST_SECONDS))
    for name, alarms in stores:
        for told in alarms.told:
            print(f"{name}: {told}")
    for told in finds.beside:
        print(f"beside: {told}")
    figures = "\n".join(report(stores, finds))
    print(figures)
    if options.output:
        options.output.write_text(f"{figures}\n", "utf-8")


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
