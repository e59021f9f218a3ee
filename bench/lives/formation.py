"""What formation makes of people's lives, told in chats, when the model's answers are right.

    python -m bench lives-formation --data LIVES.jsonl [--data MORE.jsonl] [--person ID] [--batch] [--json OUT]

One person a line: their chats with labelled memories, which are the extraction model's answers here. What a label says of an
earlier memory the model can say only where it was shown that memory. In the end what should be kept is looked for in the store, by
its content (a memory told again also in its earlier or later wording), and what was superseded should be gone.
Never: questions and recall, what a real model would answer.
"""

import argparse
import asyncio
import difflib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from bench.lives.formed import Bench, Event, be_quiet, open_bench
from bench.lives.life import ALIKE, Label, Life, LifeScript, is_alike, plain, read_life
from recollect.model import Memory

_BETWEEN_TURNS = timedelta(seconds=90)
_MOST_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be: which label, what it says, and what happened."""

    id: str
    content: str
    happened: str


@dataclass(slots=True)
class Score:
    """What became of a person's labels.

    Attributes:
        wanted: How many should be there in the end; ``lost`` are not.
        superseded: How many should be gone as something took their place; ``stayed`` are there.
        trivial: How many are not worth keeping, or wrong; ``trivial_kept`` are there.
        forgotten: How many should be gone as the person said so; ``remembered`` are there.
        dated: How many stored statements were compared by their dates; ``wrong_dates`` differ.
        stored: How many statements there are.
    """

    person: str
    wanted: int = 0
    lost: list[Finding] = field(default_factory=list)
    superseded: int = 0
    stayed: list[Finding] = field(default_factory=list)
    trivial: int = 0
    trivial_kept: list[Finding] = field(default_factory=list)
    forgotten: int = 0
    remembered: list[Finding] = field(default_factory=list)
    dated: int = 0
    wrong_dates: list[Finding] = field(default_factory=list)
    stored: int = 0
    calls: int = 0
    characters: int = 0


def score(life: Life, stored: Sequence[Memory], events: Sequence[Event], script: LifeScript) -> Score:
    """Compare what is stored with what should be."""
    contents = [each.content for each in stored]

    def is_there(label: Label) -> bool:
        return any(is_alike(label.content, content) for content in contents)

    def is_kept(label: Label) -> bool:
        return any(is_alike(wording, content) for wording in life.wordings(label) for content in contents)

    trivial = [each for each in life.labels if each.worth != "w"]
    lost = [each for each in life.wanted if not is_kept(each)]
    stayed = filter(is_there, life.superseded)
    wrong, dated = _wrong_dates(life, stored)
    return Score(
        life.person,
        wanted=len(life.wanted),
        lost=[Finding(each.id, each.content, _happened(each, events, script)) for each in lost],
        superseded=len(life.superseded),
        stayed=[Finding(each.id, each.content, _stayed(life, each, events, script)) for each in stayed],
        trivial=len(trivial),
        trivial_kept=[Finding(each.id, each.content, each.worth) for each in filter(is_there, trivial)],
        forgotten=len(life.forgotten),
        remembered=[
            Finding(each.id, each.content, "still there") for each in filter(is_there, life.forgotten)
        ],
        dated=dated,
        wrong_dates=wrong,
        stored=len(stored),
    )


def _wrong_dates(life: Life, stored: Sequence[Memory]) -> tuple[list[Finding], int]:
    """Return whose dates differ from their labels', and how many were compared."""
    wrong: list[Finding] = []
    compared = 0
    for memory in stored:
        label = _of(memory.content, life.labels)
        if label is None:
            continue
        compared += 1
        kept = memory.event_at.date().isoformat() if memory.event_at else None
        if kept == label.event_date:
            continue
        what = "invented" if label.event_date is None else "lost" if kept is None else "overridden"
        happened = f"{what}: {kept}, should be {label.event_date}; said: {label.evidence}"
        wrong.append(Finding(label.id, label.content, happened))
    return wrong, compared


def _of(content: str, labels: Sequence[Label]) -> Label | None:
    """Return the label that a stored statement comes from: the one of that content, else the one most alike."""
    told = plain(content)
    same = [each for each in labels if plain(each.content) == told]
    if same:
        return same[-1]
    alike = [(difflib.SequenceMatcher(None, told, plain(each.content)).ratio(), each) for each in labels]
    ratio, best = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    return best if ratio >= ALIKE else None


def _happened(label: Label, events: Sequence[Event], script: LifeScript) -> str:
    """Tell what became of a statement's memory, from its making on."""
    if label.id not in script.given:
        return "no model was asked"
    own = [each for each in events if is_alike(each.content, label.content)] if label.content else []
    made = {each.memory_id for each in own if each.memory_id is not None}
    told = [f"{each.action} ({each.reason})" + _by(each, events) for each in own]
    told += [f"later {each.action} ({each.reason}) by: {each.content}" for each in _done_to(made, events)]
    return "; ".join(told) or "nothing was decided"


def _by(event: Event, events: Sequence[Event]) -> str:
    """Tell what something was ignored for."""
    if event.target is None or event.memory_id is not None:
        return ""
    known = next((each.content for each in events if each.memory_id == event.target), "?")
    return f" for: {known}"


def _done_to(memories: set[UUID], events: Sequence[Event]) -> list[Event]:
    return [
        each
        for each in events
        if each.target in memories
        and each.memory_id not in memories
        and each.action not in {"ignore", "reinforce"}
    ]


def _stayed(life: Life, old: Label, events: Sequence[Event], script: LifeScript) -> str:
    """Tell what the statements did that should have ended another."""
    told = []
    for new in life.labels:
        if old.id in new.ended:
            unshown = " [the old was not shown]" if new.id in script.unshown else ""
            alike = " [the new wording is as alike]" if is_alike(old.content, new.content) else ""
            told.append(
                f"{new.relation} {new.id} ({new.content}): {_happened(new, events, script)}{unshown}{alike}"
            )
    return "; ".join(told)


async def replay(bench: Bench, life: Life, *, batches: bool = False) -> Score:
    """Let a person live, and score what is kept."""
    bench.clock.restart()
    bench.inbox.forget()
    script = LifeScript(life)
    bench.scripts[life.person] = script
    calls, characters = bench.asked.calls, bench.asked.characters
    for chat in life.chats:
        at = datetime.fromisoformat(chat["at"])
        before: list[dict[str, str]] = []
        for number, turn in enumerate(chat["turns"]):
            key = f"{chat['chat']}-{number}"
            said_at = at + number * _BETWEEN_TURNS
            await bench.say(life.person, chat["chat"], key, before, turn["user"], turn["assistant"], said_at)
            before += [
                {"role": "user", "content": turn["user"]},
                {"role": "assistant", "content": turn["assistant"]},
            ]
            if not batches:
                await bench.form(life.person)
        await bench.form(life.person)
    result = score(life, await bench.stored(life.person), bench.events(), script)
    result.calls, result.characters = bench.asked.calls - calls, bench.asked.characters - characters
    return result


def show(scores: Sequence[Score]) -> None:
    """Print what is not as it should be, and the figures."""
    lists = ("lost", "stayed", "trivial_kept", "remembered", "wrong_dates")
    for each in scores:
        print(f"\n{each.person}: {figures([each])}")
        for name in lists:
            for finding in getattr(each, name):
                print(f"  {name.upper():12} {finding.id:6} {finding.content}\n{'':22}{finding.happened}")
    print("\nall:", figures(scores))


def figures(scores: Sequence[Score]) -> str:
    """Return how much of what should be kept was kept, over all of these people."""

    def all_of(name: str) -> int:
        return sum(value if isinstance(value := getattr(each, name), int) else len(value) for each in scores)

    wanted, superseded = all_of("wanted"), all_of("superseded")
    kept, gone = wanted - all_of("lost"), superseded - all_of("stayed")
    parts = [
        f"kept {kept}/{wanted} = {_percent(kept, wanted)}",
        f"superseded gone {gone}/{superseded} = {_percent(gone, superseded)}",
        f"dates wrong {all_of('wrong_dates')}/{all_of('dated')}",
        f"stored {all_of('stored')}",
        f"calls {all_of('calls')}, {all_of('characters')} characters",
    ]
    if all_of("trivial"):
        parts.append(f"trivial or wrong kept {all_of('trivial_kept')}/{all_of('trivial')}")
    if all_of("forgotten"):
        parts.append(f"to be forgotten, still there {all_of('remembered')}/{all_of('forgotten')}")
    return "; ".join(parts)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


async def bench_lives(lives: Sequence[Life], *, batches: bool) -> list[Score]:
    """Replay people's lives, one after another, over one store."""
    scores = []
    async with open_bench(batches=batches) as bench:
        for life in lives:
            began = time.monotonic()
            scores.append(await replay(bench, life, batches=batches))
            print(f"{life.person} {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return scores


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument("--person", help="only this one")
    parser.add_argument("--batch", action="store_true", help="form a chat's turns together")
    parser.add_argument("--json", type=Path, help="write the scores there as well")
    options = parser.parse_args()
    be_quiet()
    lines = [line for path in options.data for line in path.read_text("utf-8").splitlines() if line.strip()]
    lives = [life for life in map(read_life, lines) if options.person in {None, life.person}]
    scores = asyncio.run(asyncio.wait_for(bench_lives(lives, batches=options.batch), _MOST_SECONDS))
    show(scores)
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in scores], ensure_ascii=False, indent=1))
