"""The first figure anyone looks at: what a person's later questions are given of what they told, in daily chats.

    python -m bench lives --data LIVES.jsonl [--data MORE.jsonl] [--keep DIR | --reuse DIR]
        [--hints HINTS.jsonl] [--grown] [--person ID] [--anchors] [--worst N] [--json OUT]

People's chats are formed as by ``bench.lives.formation``, with chats' summaries. Then each question is asked of the real
engine, as a new chat's first turn or after that chat's earlier ones, at its own time; and the lines of the block it is
given are compared with the statements an answer needs. ``--keep`` leaves what was formed in a folder, with its
database; ``--reuse`` asks there again, once what changed since has been indexed. With ``--hints`` the model answers when each
statement will be needed; ``--grown`` joins ten people each into one, who has told 150 statements and more.
Never: what a model would make of it.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from bench.lives.anchors import anchors
from bench.lives.formation import Score, figures, replay
from bench.lives.formed import Bench, be_quiet, open_bench
from bench.lives.life import Life, LifeHints, LifeSummarizer
from bench.lives.reading import read_lives
from bench.lives.scoring import Block, Given, Scoring, bullets, table
from bench.recall.clock import ReplayClock
from recollect.engine import Engine, Prepared
from recollect.model import Skip
from recollect.models.extractors import ModelHinter
from recollect.text.tokens import token_counter
from recollect.wire.turn_detection import detect_turn
from recollect_proxy.settings.proxy_settings import ProxySettings

_MODEL = "m"
_FORMED = "formed.txt"
_TRIES = 5
_MOST_SECONDS = 3000.0


@asynccontextmanager
async def open_lives(lives: Sequence[Life], folder: Path | None, **changes: Any) -> AsyncIterator[Bench]:
    """Open a bench that summarizes chats as often as is usual; its database is in ``folder``, or in memory."""
    fields = ProxySettings.model_fields
    usual = {name: fields[name].default for name in ("summary_turns", "summary_tokens")}
    kept = {} if folder is None else {"data_dir": folder, "database_url": None}
    hinter = ModelHinter(LifeHints(lives))
    async with open_bench(summarizer=LifeSummarizer(lives), hinter=hinter, **usual | kept | changes) as bench:
        yield bench


async def form(bench: Bench, lives: Sequence[Life]) -> list[Score]:
    """Let people live, one after another."""
    scores = []
    for life in lives:
        began = time.monotonic()
        scores.append(await replay(bench, life))
        _tell(f"{life.person} formed in {time.monotonic() - began:.0f} s")
    return scores


async def index(bench: Bench, life: Life) -> None:
    """Index what changed since a person was formed."""
    bench.clock.restart()
    bench.clock.move_to(datetime.fromisoformat(life.chats[-1]["at"]))
    await bench.form(life.person)


async def ask(bench: Bench, lives: Sequence[Life]) -> list[Given]:
    """Ask all that people ask; what changed since they were formed is indexed before."""
    given = []
    began = time.monotonic()
    for life in lives:
        await index(bench, life)
        scoring = Scoring(life)
        for number, question in enumerate(life.questions):
            messages = [*question.before, {"role": "user", "content": question.ask}]
            block = await ask_anew(
                bench.engine, bench.clock, life.person, f"q{number}", messages, question.at
            )
            given.append(scoring.score(question, block))
    _tell(f"{len(given)} questions in {time.monotonic() - began:.0f} s")
    return given


async def prepare_anew(
    engine: Engine,
    clock: ReplayClock,
    person: str,
    chat: str,
    messages: Sequence[Mapping[str, str]],
    at: datetime,
) -> Prepared | Skip | None:
    """Prepare the prompt of a new chat, and leave no trace of it; on a busy machine try several times.

    Returns:
        What the prompt is given, or why the request is no turn.
    """
    for _ in range(_TRIES):
        clock.restart()
        clock.move_to(at)
        heard = detect_turn(
            msgspec.json.encode({"model": _MODEL, "messages": messages}),
            user_id=person,
            session_id=chat,
            message_id=None,
            at=clock(),
        )
        if heard.turn is None:
            return heard.skip
        prepared = await engine.prepare(heard.turn, count=token_counter(_MODEL))
        if not prepared.recall.degraded:
            break
    return prepared


async def ask_anew(
    engine: Engine,
    clock: ReplayClock,
    person: str,
    chat: str,
    messages: Sequence[Mapping[str, str]],
    at: datetime,
) -> Block:
    """Return the block that a new chat's prompt is given; see ``prepare_anew``."""
    prepared = await prepare_anew(engine, clock, person, chat, messages, at)
    if not isinstance(prepared, Prepared):
        return Block(skipped=prepared)
    count = token_counter(_MODEL)
    placed, recall = prepared.placed, prepared.recall
    added = "\n".join((placed.system, *placed.beside.values()))
    lines = tuple(bullets(added, [each["content"] for each in messages]))
    return Block(
        lines,
        tuple(each.item.content for each in prepared.included if each.standing),
        placed.own.tokens if placed.own else 0,
        tuple(count(f"- {line}") for line in lines),
        recall.skipped,
        recall.degraded,
        recall.gate_score,
    )


async def bench_lives(lives: Sequence[Life], options: argparse.Namespace) -> tuple[list[Given], str]:
    """Form and ask, or ask alone.

    Returns:
        What was given, and the figures to print.
    """
    folder = options.keep or options.reuse
    async with open_lives(lives, folder) as bench:
        if options.reuse:
            formed = (folder / _FORMED).read_text("utf-8").strip()
        else:
            formed = figures(await form(bench, lives))
            if folder is not None:
                (folder / _FORMED).write_text(formed + "\n", "utf-8")
        given = await ask(bench, lives)
        beside = await anchors(bench, lives, given) if options.anchors else {}
    return given, f"{table(given, beside)}\n\nformation: {formed}"


def worst(given: Sequence[Given], people: int) -> str:
    """Tell of those people whose questions lack most what they lacked, and what else they were given."""

    def missed(person: str) -> float:
        own = [each for each in given if each.person == person and each.must]
        return sum(each.is_whole for each in own) / max(1, len(own))

    told = []
    for person in sorted({each.person for each in given}, key=missed)[:people]:
        told.append(f"\n{person}: all needed there {100 * missed(person):.0f} %")
        for each in given:
            if each.person == person and (not each.is_whole or each.stale):
                gate = "-" if each.gate is None else f"{each.gate:.2f}"
                told.append(f"  {each.type}: {each.ask}  (gate {gate}, skipped: {each.skipped})")
                told += [f"      missing: {content}" for content in each.missing]
                told += [f"      given: {line}" for line in each.block]
    return "\n".join(told)


def whole_path(name: str) -> Path:
    """Return a path that holds wherever one is."""
    return Path(name).resolve()


def _tell(progress: str) -> None:
    print(progress, file=sys.stderr, flush=True)


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument(
        "--hints", type=Path, action="append", default=[], help="what the model answers of needs"
    )
    parser.add_argument("--grown", action="store_true", help="join ten people each into one")
    parser.add_argument("--person", help="only this one")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--keep", type=whole_path, help="leave what was formed in this new folder")
    kept.add_argument(
        "--reuse", type=whole_path, help="ask of what was formed in this folder; one bench at a time"
    )
    parser.add_argument("--anchors", action="store_true", help="add what policies of ten lines would reach")
    parser.add_argument("--worst", type=int, default=0, help="print what the N worst people lacked, too")
    parser.add_argument("--json", type=Path, help="write what each question was given there as well")
    options = parser.parse_args()
    if options.keep is not None and options.keep.is_dir() and any(options.keep.iterdir()):
        parser.error(f"{options.keep} is not empty")
    if options.reuse is not None and not (options.reuse / _FORMED).is_file():
        parser.error(f"nothing was formed in {options.reuse}")
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    be_quiet()
    lives = read_lives(options.data, options.person, hints=options.hints, grown=options.grown)
    given, figures_of_it = asyncio.run(asyncio.wait_for(bench_lives(lives, options), _MOST_SECONDS))
    print(figures_of_it)
    if degraded := sum(bool(each.degraded) for each in given):
        print(f"asked of a busy machine, and not recalled for by all there is: {degraded} questions")
    if options.worst:
        print(worst(given, options.worst))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in given], ensure_ascii=False, indent=1))
