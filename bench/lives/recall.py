"""Measures which memories of daily chats later questions are given: the figure to look at first.

    python -m bench lives --data LIVES.jsonl [--data MORE.jsonl] [--hints HINTS.jsonl] [--grown] [--person ID]
        [--keep DIR | --reuse DIR]

bench/README.md describes the options and the figures.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.engines import MODEL, Bench, open_bench
from bench.lives.formation import figures, replay
from bench.lives.life import Life, LifeHints, LifeSummarizer
from bench.lives.reading import read_lives
from bench.lives.scoring import Block, Given, bullets, score, score_table
from bench.report import options_of, progress, publish
from recollect.engine import Prepared
from recollect.models.extractors import ModelHinter
from recollect.text.tokens import token_counter

_FORMED = "formed.txt"
_MOST_SECONDS = 3000.0


@asynccontextmanager
async def open_lives(lives: Sequence[Life], folder: Path | None) -> AsyncIterator[Bench]:
    """Open a bench that summarizes chats as often as is usual; its database is in ``folder``, or in memory."""
    kept: dict[str, Any] = {} if folder is None else {"data_dir": folder, "database_url": None}
    models = {"summarizer": LifeSummarizer(lives), "hinter": ModelHinter(LifeHints(lives))}
    async with open_bench(models=models, summary_turns=None, summary_tokens=None, **kept) as bench:
        yield bench


async def form(bench: Bench, lives: Sequence[Life]) -> str:
    """Let people live, one after another, and return the figures of it."""
    scores = []
    for life in lives:
        scores.append(await replay(bench, life))
        progress(f"{life.person} formed")
    return figures(scores)


async def index(bench: Bench, life: Life) -> None:
    """Index what changed since a person was formed."""
    bench.clock.restart()
    bench.clock.move_to(datetime.fromisoformat(life.chats[-1]["at"]))
    await bench.form(life.person)


async def ask_anew(
    bench: Bench, person: str, chat: str, messages: Sequence[Mapping[str, str]], at: datetime
) -> Block:
    """Return the block that a new chat's prompt is given."""
    prepared = await bench.ask(person, chat, messages, at)
    if not isinstance(prepared, Prepared):
        return Block(skipped=prepared)
    count = token_counter(MODEL)
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


async def bench_lives(
    lives: Sequence[Life], keep: Path | None, reuse: Path | None
) -> tuple[list[Given], str]:
    """Form and ask, or only ask the store in the folder ``reuse``.

    Returns:
        The scores of the questions, and the figures of the formation.
    """
    given = []
    async with open_lives(lives, keep or reuse) as bench:
        formed = (reuse / _FORMED).read_text("utf-8").strip() if reuse else await form(bench, lives)
        if keep is not None:
            (keep / _FORMED).write_text(formed + "\n", "utf-8")
        for life in lives:
            await index(bench, life)
            for number, question in enumerate(life.questions):
                messages = [*question.before, {"role": "user", "content": question.ask}]
                block = await ask_anew(bench, life.person, f"q{number}", messages, question.at)
                given.append(score(life, question, block))
    return given, formed


def whole_path(name: str) -> Path:
    """Return a path that holds wherever one is."""
    return Path(name).resolve()


def _options() -> argparse.Namespace:
    parser = options_of(__doc__)
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument(
        "--hints", type=Path, action="append", default=[], help="what the model answers of needs"
    )
    parser.add_argument("--grown", action="store_true", help="join ten people each into one")
    parser.add_argument("--person", help="only this one")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--keep", type=whole_path, help="leave the store in this new folder")
    kept.add_argument("--reuse", type=whole_path, help="ask the store in this folder; one bench at a time")
    options = parser.parse_args()
    if options.keep is not None and options.keep.is_dir() and any(options.keep.iterdir()):
        parser.error(f"{options.keep} is not empty")
    if options.reuse is not None and not (options.reuse / _FORMED).is_file():
        parser.error(f"nothing was formed in {options.reuse}")
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    return options


def main() -> None:
    """Run the bench."""
    options = _options()
    lives = read_lives(options.data, options.person, hints=options.hints, grown=options.grown)
    work = bench_lives(lives, options.keep, options.reuse)
    given, formed = asyncio.run(asyncio.wait_for(work, _MOST_SECONDS))
    parts = [score_table(given), f"formation: {formed}"]
    if degraded := sum(bool(each.block.degraded) for each in given):
        parts.append(f"asked of a busy machine, and not recalled for by all there is: {degraded} questions")
    publish(options, "Lives, measured", "\n\n".join(parts), given)
