"""How many of a thousand short facts in 25 languages are lost between what people type and the store, by cause.

    python -m bench loss [--model right|hasty|URL] [--only LANGUAGE] [--every N]

A scripted model answers the label: ``right`` as it should, ``hasty`` like a small model that believes pastes and quotes loosely;
a URL names the server of a live one. Then the store is read, and the person asks for the facts that have a question, in new chats.
It knows no more of why a fact was lost than the reason that was recorded.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from uuid_utils.compat import uuid7

from bench.engines import Bench, open_bench
from bench.lives.life import exchanged, is_alike
from bench.lives.recall import ask_anew
from bench.loss.models import HastyModel, RightModel
from bench.loss.report import Became, Event, cause_of, report
from bench.loss.told import UNLOGGED, Told, read_told
from bench.report import options_of, publish
from recollect.model import (
    Add,
    Candidate,
    Change,
    Hide,
    Ignore,
    Kind,
    Mark,
    Memory,
    Provenance,
    Quarantine,
    Reinforce,
    Replace,
    Retire,
    Source,
)

_OF_STATEMENTS = (Add, Quarantine, Replace, Ignore, Reinforce, Retire, Mark)
_MODELS = {"right": RightModel, "hasty": HastyModel}
_BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)
_BETWEEN = timedelta(hours=3)
_PAUSE = timedelta(minutes=1)
_ANSWER = "All right."
_LATER = timedelta(days=60)
_AT_ONCE = 6
_MOST_SECONDS = 3600.0
_ANSWER_SECONDS = 3600.0


async def tell(bench: Bench, person: str, messages: Sequence[Told]) -> None:
    """Let a person type everything, and form it."""
    for number, told in enumerate(messages):
        at = _BEGAN + number * _BETWEEN
        if told.known:
            await bench.keep(person, [_imported(person, told.known, at)], at)
        before: list[dict[str, str]] = []
        for place, turn in enumerate(told.before):
            said, replied = exchanged(turn)
            if told.nasty != UNLOGGED:
                key = f"{told.key}-{place}"
                await bench.say(person, told.key, key, [*before, said], turn["assistant"], at)
            before += [said, replied]
        asked = [*before, {"role": "user", "content": told.say}]
        await bench.say(person, told.key, told.key, asked, _ANSWER, at + _PAUSE)
        await bench.form(person)


def _imported(person: str, content: str, at: datetime) -> Memory:
    """Return a memory as another product's file brings it."""
    told = Provenance(None, (), content, "another product")
    return Memory(uuid7(), person, Kind.FACT, Source.IMPORT, content, 0.5, at, at, provenance=told)


async def look(bench: Bench, person: str, messages: Sequence[Told]) -> list[Became]:
    """Return what became of everything that a person typed, and ask for each fact that is there."""
    stored = {each.provenance.session_id: each for each in await bench.stored(person)}
    completed, events = bench.inbox.completed, _events(bench)
    asked = {key for key, each in completed.items() if each.formed.extracted_count}
    hidden = {key for key, each in completed.items() if any(isinstance(done, Hide) for done in each.applied)}
    became = []
    for told in messages:
        if memory := stored.get(told.key):
            given = await _given(bench, person, told, memory) if told.ask else None
            became.append(Became(told, memory.content, given=given))
        elif told.empty:
            became.append(Became(told, None))
        else:
            event = events.get(told.key)
            cause = cause_of(event, asked=told.key in asked, hidden=told.key in hidden)
            became.append(Became(told, None, *cause))
    return became


def _events(bench: Bench) -> dict[str, Event]:
    """Return the last change for a statement of each turn, by the key of the turn."""
    return {
        key: Event(type(done).__name__.lower(), str(done.reason), _content(done) or _content(wanted))
        for key, completed in bench.inbox.completed.items()
        for wanted, done in completed.done
        if isinstance(done, _OF_STATEMENTS)
    }


def _content(change: Change) -> str:
    """Return the statement of a change; "" if it has none."""
    match change:
        case Add(memory) | Replace(_, memory) | Quarantine(memory):
            return memory.content
        case Ignore(candidate=Candidate() as candidate):
            return candidate.content
        case _:
            return ""


async def _given(bench: Bench, person: str, told: Told, memory: Memory) -> bool:
    """Return whether the prompt of a later question has the memory of a fact."""
    messages = [{"role": "user", "content": told.ask}]
    at = _BEGAN + 200 * _BETWEEN + _LATER
    block = await ask_anew(bench, person, f"ask-{told.key}", messages, at)
    return any(
        is_alike(line[-len(memory.content) :], memory.content) or memory.content in line
        for line in block.lines
    )


async def measure(messages: Sequence[Told], model: str) -> list[Became]:
    """Tell everything, several people at once, and look."""
    by_language: dict[str, list[Told]] = {}
    for each in messages:
        by_language.setdefault(each.language, []).append(each)
    live = model not in _MODELS
    server = {"extraction_base_url": model, "extraction_model": "live"}
    patient: dict[str, Any] = server | {"extraction_timeout_seconds": _ANSWER_SECONDS}
    gate = asyncio.Semaphore(len(by_language) if live else _AT_ONCE)
    async with open_bench(live=live, **patient if live else {}) as bench:
        script = _MODELS.get(model, RightModel)({each.key: each for each in messages})
        bench.scripts |= dict.fromkeys(by_language, script)

        async def tell_by_turns(language: str, own: Sequence[Told]) -> None:
            async with gate:
                await tell(bench, language, own)

        await asyncio.gather(*(tell_by_turns(*each) for each in by_language.items()))
        return [
            each for person, own in sorted(by_language.items()) for each in await look(bench, person, own)
        ]


def main() -> None:
    """Run the bench."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--model", default="right", help="right, hasty, or the base URL of a live model, with its /v1"
    )
    parser.add_argument("--only", help="only this language")
    parser.add_argument("--every", type=int, default=1, help="only every N-th message")
    options = parser.parse_args()
    messages = [each for each in read_told() if options.only in {None, each.language}][:: options.every]
    became = asyncio.run(asyncio.wait_for(measure(messages, options.model), _MOST_SECONDS))
    publish(options, f"Facts lost, {options.model} model", report(became), became)
