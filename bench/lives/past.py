"""Whether questions get the past statements, the changes and the to-dos that they ask for, and present questions none of the past.

    python -m bench past [--dates-alone] [--misses]

`past.jsonl` has small lives in ten languages. They are formed as by `bench lives`, by a scripted extraction model, and asked in new
chats. A question is met if all it needs is in its block: of the past marked as such; of what is due only to-dos were recalled, none
done, dropped or long past. A present question is met if nothing past is in its block. `--dates-alone` is the baseline: a
question that means a time before today asks for the past, and no other does.
Never: what a model would make of it.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from bench.lives.formed import Bench, be_quiet
from bench.lives.life import Life, LifeQuestion, is_alike
from bench.lives.reading import read_lives
from bench.lives.recall import form, index, open_lives, prepare_anew
from recollect.engine import Prepared
from recollect.model import Kind, Memory
from recollect.recall import past
from recollect.recall.query import RecallQuery
from recollect.recall.question import StatementVectors

_DATA = Path(__file__).with_suffix(".jsonl")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and why it is not met; "" if it is."""

    life: Life
    question: LifeQuestion
    fault: str


async def ask(bench: Bench, lives: Sequence[Life]) -> list[Asked]:
    """Ask all that people ask."""
    asked = []
    for life in lives:
        await index(bench, life)
        for number, each in enumerate(life.questions):
            said = [{"role": "user", "content": each.ask}]
            prepared = await prepare_anew(bench.engine, bench.clock, life.person, f"q{number}", said, each.at)
            asked.append(Asked(life, each, _fault(life, each, prepared)))
    return asked


def _fault(life: Life, question: LifeQuestion, prepared: object) -> str:
    given = prepared.included if isinstance(prepared, Prepared) else ()
    memories = [(each.item, each.standing) for each in given if isinstance(each.item, Memory)]
    content = {each.id: each.content for each in life.labels}
    there = {
        id_: memory
        for memory, _ in memories
        for id_, said in content.items()
        if is_alike(said, memory.content)
    }
    if question.type == "present":
        gone = [memory.content for memory, _ in memories if memory.past is not None]
        return f"past: {gone}" if gone else ""
    if missing := [content[each] for each in question.must if each not in there]:
        return f"missing: {missing}"
    if question.type == "past" and (unmarked := [each for each in question.must if there[each].past is None]):
        return f"not marked: {unmarked}"
    if question.type == "due":
        more = [
            memory.content for memory, standing in memories if not standing and memory.kind is not Kind.TODO
        ]
        more += [
            memory.content
            for id_, memory in there.items()
            if id_ in question.stale and memory.kind is Kind.TODO
        ]
        return f"more: {more}" if more else ""
    return ""


async def run(lives: Sequence[Life]) -> list[Asked]:
    """Form the lives, and ask."""
    async with open_lives(lives, None) as bench:
        await form(bench, lives)
        return await ask(bench, lives)


def _by_dates(query: RecallQuery, vectors: StatementVectors) -> str | None:  # noqa: ARG001 -- in the place of another
    today = query.now.replace(hour=0, minute=0, second=0, microsecond=0)
    return "past" if any(each.end <= today for each in query.periods) else None


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dates-alone", action="store_true", help="the baseline, without heads")
    parser.add_argument("--misses", action="store_true", help="print the questions that are not met")
    options = parser.parse_args()
    be_quiet()
    with patch.object(past, "asked_for", _by_dates if options.dates_alone else past.asked_for):
        asked = asyncio.run(run(read_lives([_DATA])))
    every, met = (
        Counter(each.question.type for each in asked),
        Counter(each.question.type for each in asked if not each.fault),
    )
    for name, count in every.items():
        print(f"{name}: {met[name]} of {count}")
    for each in asked if options.misses else ():
        if each.fault:
            print(f"  {each.life.language} {each.question.type}: {each.question.ask} -- {each.fault}")


if __name__ == "__main__":
    main()
