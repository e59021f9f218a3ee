"""Compares the memories that questions are given with a frozen file.

    python -m bench golden record|compare --lives LIVES.jsonl --conversations LOCOMO.jsonl [--cache DIR] [--show N]

``record`` writes the file, `bench/golden/given.jsonl`; ``compare`` prints what differs from it, by kind, and exits with 1 if
anything does. The stores are made of exports in the cache folder, which the first run fills within minutes: an export holds neither
embeddings nor an index, so that a change of these, or of the schema, takes effect with the same exports.
"""

import asyncio
import sys
import tempfile
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.engines import Bench, open_bench
from bench.files import read_lines
from bench.golden.people import GoldenQuestion, Person, of_conversation, of_life
from bench.lives.life import Life
from bench.lives.reading import read_lives
from bench.lives.recall import open_lives
from bench.recall.conversations import read_conversations
from bench.report import parser_of, progress
from recollect.engine import Prepared
from recollect.model import Drop, Recollection
from recollect_proxy.takeout.export_file import export_document, restore_file

_LEFT = 5
"""The best items that are not given, and are noted."""
_NEAR = 0.015
"""Scores that differ by at most this much are the same but for rounding."""


class Entry(NamedTuple):
    """An item that a question was given, or that was left out.

    Attributes:
        label: Its label in the data set.
        why: ``standing``, ``found``, or the reason for which it was left out.
    """

    label: str
    why: str
    score: float


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The memories that a question is given.

    Attributes:
        question: The name of the question.
        given: The items in the prompt, in order.
        left: The best that are not.
        tokens: The size of everything added to the prompt.
        degraded: The stages that failed or were late; such an answer says nothing.
    """

    question: str
    given: tuple[Entry, ...] = ()
    left: tuple[Entry, ...] = ()
    tokens: int = 0
    skipped: str | None = None
    degraded: tuple[str, ...] = ()


async def ask(bench: Bench, person: Person, question: GoldenQuestion) -> Answer:
    """Ask a question in a new chat, without a trace."""
    prepared = await bench.ask(person.id, question.name, question.messages, question.at)
    if not isinstance(prepared, Prepared):
        return Answer(question.name, skipped=prepared)
    included = {_key(each) for each in prepared.included}
    left = [each for each in prepared.recall.ranked if _key(each) not in included]
    return Answer(
        question.name,
        tuple(_entry(person, each, "standing" if each.standing else "found") for each in prepared.included),
        tuple(_entry(person, each, each.dropped or Drop.BUDGET) for each in left[:_LEFT]),
        prepared.placed.tokens,
        prepared.recall.skipped,
        prepared.recall.degraded,
    )


def _key(each: Recollection) -> tuple[object, ...]:
    return each.item.id, getattr(each.item, "part", 0)


def _entry(person: Person, each: Recollection, why: str) -> Entry:
    return Entry(person.label(each.item), str(why), round(float(each.score), 2))


def differences(before: Answer, now: Answer) -> Iterator[tuple[str, str]]:
    """Yield each kind of difference between two answers to a question, and what differs, on one line."""
    was, is_ = _labels(before.given), _labels(now.given)
    if sorted(was) != sorted(is_):
        lost, new = [each for each in was if each not in is_], [each for each in is_ if each not in was]
        reasons = {each.label: each.why for each in now.left}
        told = " ".join(f"{each} ({reasons.get(each, '?')})" for each in lost)
        yield "other items", f"lacks {told or '-'}; has {' '.join(new) or '-'}"
    elif was != is_:
        yield "other order", f"{' '.join(was)} -> {' '.join(is_)}"
    reasons_before = {each.label: each.why for each in (*before.left, *before.given)}
    changed = [
        f"{each.label} {reasons_before[each.label]} -> {each.why}"
        for each in (*now.given, *now.left)
        if each.label in was + _labels(before.left) and each.why != reasons_before[each.label]
    ]
    if before.skipped != now.skipped:
        changed.append(f"skipped: {before.skipped} -> {now.skipped}")
    if changed:
        yield "other reason", "; ".join(changed)
    if _labels(before.left) != _labels(now.left):
        yield "others left out", f"{' '.join(_labels(before.left))} -> {' '.join(_labels(now.left))}"
    scores = {each.label: each.score for each in (*before.left, *before.given)}
    moved = [
        f"{each.label} {scores[each.label]} -> {each.score}"
        for each in (*now.given, *now.left)
        if abs(scores.get(each.label, each.score) - each.score) > _NEAR
    ]
    if moved:
        yield "other score", "; ".join(moved)
    if before.tokens != now.tokens and was == is_:
        yield "other size", f"{before.tokens} -> {now.tokens} tokens"


def _labels(entries: Sequence[Entry]) -> list[str]:
    return [each.label for each in entries]


FILE = Path(__file__).with_name("given.jsonl")
_CACHE = Path(tempfile.gettempdir()) / "recollect-golden"


async def _asked(options: Namespace) -> list[Answer]:
    """Return the answers to all questions."""
    lives = read_lives(options.lives)
    people = [*map(of_life, lives), *map(of_conversation, read_conversations(options.conversations))]
    async with open_people(people, lives, options.cache) as bench:
        progress("stores opened")
        return [await ask(bench, person, each) for person in people for each in person.questions]


@asynccontextmanager
async def open_people(people: Sequence[Person], lives: Sequence[Life], cache: Path) -> AsyncIterator[Bench]:
    """Open a store with everything that these people said, indexed and embedded by today's code."""
    exports = {
        each.id: cache / f"{each.id}-{sha256(each.told.encode()).hexdigest()[:12]}.json" for each in people
    }
    if missing := [each for each in people if not exports[each.id].is_file()]:
        async with open_lives(lives, None) as bench:
            for each in missing:
                await each.tell(bench)
                await _write(bench, each.id, exports[each.id])
    async with open_bench() as bench:
        for each in people:
            bench.clock.restart()
            bench.clock.move_to(each.last)
            await restore_file(bench.engine, exports[each.id], each.id)
            await bench.form(each.id)
        yield bench


async def _write(bench: Bench, person: str, path: Path) -> None:
    partly = path.with_suffix(".part")
    with partly.open("wb") as file:
        async for piece in export_document(bench.engine, person, at=bench.clock()):
            file.write(piece)
    partly.rename(path)
    progress(f"{path.name} written")


def _show(before: Mapping[str, Answer], now: Sequence[Answer], most: int) -> bool:
    """Print what differs, grouped by kind; return whether anything does."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in now:
        if each.degraded:
            found["degraded: the machine is too busy"].append(f"{each.question}: {' '.join(each.degraded)}")
        elif each.question not in before:
            found["new question"].append(each.question)
        else:
            for kind, what in differences(before[each.question], each):
                found[kind].append(f"{each.question}: {what}")
    found["question gone"] += sorted(before.keys() - {each.question for each in now})
    same = Counter(each.question in before and before[each.question].given == each.given for each in now)
    print(f"{len(now)} questions; given the same, with reasons and scores: {same[True]}")
    for kind, told in found.items():
        if told:
            print("\n".join([f"\n{kind}: {len(told)}", *(f"  {each}" for each in told[:most])]))
    return any(found.values())


def main() -> None:
    """Run the command."""
    parser = parser_of(__doc__)
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("--lives", type=Path, action="append", required=True)
    parser.add_argument("--conversations", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=_CACHE, help="folder of the exports")
    parser.add_argument("--show", type=int, default=10, help="print the first N differences of each kind")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    answers = asyncio.run(_asked(options))
    if options.action == "record":
        FILE.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in answers))
        print(f"{FILE.name}: {len(answers)} questions")
        return
    before = {each.question: each for each in read_lines([FILE], Answer)}
    sys.exit(_show(before, answers, options.show))
