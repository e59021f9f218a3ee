"""What formation makes of people's lives when a live model answers: each decision beside the labels of its turn, for a reader.

    python -m bench live-answers --data LIVES.jsonl --upstream URL [--model NAME] [--person ID] [--json OUT]

The model may be a person who writes answers into files. Its words are not the labels', so nothing is scored but what a quote
shows: a decision is put beside the label whose quote it shares most of. Whether it says the same is for the reader to tell.
Never: a verdict.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from bench.lives.formed import Bench, Event, be_quiet, open_bench
from bench.lives.life import Label, Life, plain, read_life

_BETWEEN_TURNS = timedelta(seconds=90)
_SHARED = 0.6
_ANSWER_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, and the label it may be about.

    Attributes:
        nearest: The label's id; None where no label of the turn has a quote like it.
    """

    person: str
    turn: str
    said: str
    action: str
    reason: str
    content: str
    evidence: str
    event_date: str | None
    target: str | None
    nearest: str | None
    worth: str | None


def nearest_label(event: Event, labels: Sequence[Label]) -> Label | None:
    """Return the label of the same turn whose quote shares most with the decision's; None if none shares enough."""
    of_turn = [each for each in labels if each.turn == event.key]
    shared = [(_shared(each, event), each) for each in of_turn]
    best, label = max(shared, key=lambda pair: pair[0], default=(0.0, None))
    return label if best >= _SHARED else None


def _shared(label: Label, event: Event) -> float:
    """Tell how alike quote and words are, 0 to 2: labels of one quote differ in what they say."""
    wanted, given = plain(label.evidence), plain(event.evidence)
    size = SequenceMatcher(None, wanted, given, autojunk=False).find_longest_match().size
    quotes = size / max(1, min(len(wanted), len(given)))
    return (
        quotes + SequenceMatcher(None, plain(label.content), plain(event.content)).ratio()
        if quotes >= _SHARED
        else 0.0
    )


async def replay(bench: Bench, life: Life) -> list[Decided]:
    """Let a person live, and return what was decided."""
    bench.clock.restart()
    bench.inbox.forget()
    texts: dict[str, str] = {}
    for chat in life.chats:
        before: list[dict[str, str]] = []
        for number, turn in enumerate(chat["turns"]):
            key = f"{chat['chat']}-{number}"
            texts[key] = turn["user"]
            at = datetime.fromisoformat(chat["at"]) + number * _BETWEEN_TURNS
            await bench.say(life.person, chat["chat"], key, before, turn["user"], turn["assistant"], at)
            before += [
                {"role": "user", "content": turn["user"]},
                {"role": "assistant", "content": turn["assistant"]},
            ]
            await bench.form(life.person)
    events = bench.events()
    made = {each.memory_id: each.content for each in events}
    return [
        _decided(life, each, texts[each.key], made.get(each.target) if each.target else None)
        for each in events
    ]


def _decided(life: Life, event: Event, said: str, target: str | None) -> Decided:
    label = nearest_label(event, life.labels)
    return Decided(
        life.person,
        event.key,
        said,
        event.action,
        event.reason,
        event.content,
        event.evidence,
        event.event_at.date().isoformat() if event.event_at else None,
        target,
        label.id if label else None,
        label.worth if label else None,
    )


def show(lives: Sequence[Life], decided: Sequence[Decided]) -> None:
    """Print each turn with its labels and what was decided."""
    for life in lives:
        own = [each for each in decided if each.person == life.person]
        keys = [f"{chat['chat']}-{number}" for chat in life.chats for number in range(len(chat["turns"]))]
        for key in keys:
            labels = [each for each in life.labels if each.turn == key]
            of_turn = [each for each in own if each.turn == key]
            if labels or of_turn or key in life.forgets:
                print(f"\n{life.person} {key}")
            for label in labels:
                print(
                    f"  label {label.worth} {label.id} {label.relation} {label.event_date or ''}: {label.content}"
                )
            for forgotten in life.forgets.get(key, ()):
                print(f"  label: {forgotten} is to be forgotten")
            for each in of_turn:
                about = f" <- {each.target}" if each.target else ""
                print(
                    f"    {each.action} ({each.reason}) {each.event_date or ''}: {each.content}{about} [{each.nearest}]"
                )


async def bench_live(lives: Sequence[Life], upstream: str, model: str, **changed: Any) -> list[Decided]:
    """Replay people's lives, one after another, with a live model; ``changed`` are settings that differ."""
    changes: dict[str, Any] = {
        "extraction_base_url": upstream,
        "extraction_model": model,
        "extraction_timeout_seconds": _ANSWER_SECONDS,
    }
    async with open_bench(live=True, **changes | changed) as bench:
        return [each for life in lives for each in await replay(bench, life)]


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--upstream", required=True, help="the base URL of the model's server, with its /v1")
    parser.add_argument("--model", default="by-hand")
    parser.add_argument("--person", help="only this one")
    parser.add_argument("--json", type=Path, help="write the decisions there as well")
    options = parser.parse_args()
    be_quiet()
    lines = [line for line in options.data.read_text("utf-8").splitlines() if line.strip()]
    lives = [life for life in map(read_life, lines) if options.person in {None, life.person}]
    decided = asyncio.run(bench_live(lives, options.upstream, options.model))
    show(lives, decided)
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in decided], ensure_ascii=False, indent=1))
