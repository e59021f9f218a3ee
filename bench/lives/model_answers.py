"""What formation makes of a capable model's recorded answers.

    python -m bench model-answers --data ANSWERS.jsonl --chats CHATS.jsonl [--only NUMBER] [--json OUT]

Each recorded prompt is brought about again: the person's chat up to its messages, and the memories it shows. Then formation
is given the recorded answer, and what it does is compared with each statement's label: ``w`` worth keeping, ``t`` trivial,
``x`` wrong. What the recorded prompts lack, as the person's words were cut before they were asked, is taken from the chats.
What is asked to be forgotten both models tell as ``COMMANDS`` says; with ``--without-commands`` none does, and there is no second one.
Never: a live model, summaries.
"""

import argparse
import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from bench.lives.formed import Bench, Event, Numbers, be_quiet, open_bench
from bench.lives.life import is_alike, plain
from recollect.model import Asking, Exchange, ExtractedCommand, Kind, Memory, Provenance, Source

_MESSAGE = re.compile(
    r"^Message \d{1,3}, \w{1,20} (\d{4}-\d\d-\d\d \d\d:\d\d):\n(=====\w{1,40})\n(.*?)\n\2$",
    re.DOTALL | re.MULTILINE,
)
_KNOWN = re.compile(r"^Existing memories, numbered:\n(=====\w{1,40})\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^\[\d{1,4}\] \((\w{1,20}), (\d{4}-\d\d-\d\d)[^)]{0,40}\) (.{1,2000})$")
_EARLIER = timedelta(hours=1)
_MOST_SECONDS = 600.0

COMMANDS: Mapping[str, tuple[Asking, str, tuple[str, ...]]] = {
    "0049": (
        Asking.FORGET,
        "Vergiss bitte, was ich dir über mein Herzrasen gesagt habe.",
        ("Verträgt keinen Kaffee, bekommt davon Herzrasen",),
    ),
    "0072": (
        Asking.FORGET,
        "please forget what I told you about Tomás being lactose intolerant",
        ("Partner Tomás is lactose intolerant",),
    ),
}
"""By the prompt's number: what the person asks, in which words, and which statements are meant."""


@dataclass(frozen=True, slots=True)
class Said:
    """An exchange of a chat, and what was said before it there."""

    chat: str
    name: str
    user: str
    assistant: str
    before: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that a prompt shows."""

    kind: Kind
    day: str
    content: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A prompt, what a model answered, and what its statements are worth.

    Attributes:
        at: When the first message was said.
        items: The answer's statements, as its JSON has them.
        worth: Of each, its label and a note.
    """

    number: str
    user: str
    at: datetime
    said: tuple[Said, ...]
    known: tuple[Known, ...]
    items: tuple[Mapping[str, Any], ...]
    worth: tuple[tuple[str, str], ...]


def read_recorded(answers: Sequence[str], chats: Sequence[str]) -> list[Recorded]:
    """Read recorded prompts and answers, a JSON object a line, with the chats that they are about.

    Raises:
        ValueError: A prompt's messages are not in the chats.
    """
    left: dict[str, list[Said]] = {}
    for user, told in _told(json.loads(line) for line in chats):
        left.setdefault(user, []).append(told)
    found = []
    for row in map(json.loads, answers):
        if row["kind"] != "memories":
            continue
        messages = _MESSAGE.findall(row["prompt"])
        said = tuple(_taken(left.get(row["user"], []), text) for _, _, text in messages)
        answer = row["answer"]["memories"]
        worth = {each["content"]: (each["label"], each.get("note", "")) for each in row["candidates"]}
        found.append(
            Recorded(
                row["n"],
                row["user"],
                datetime.strptime(messages[0][0], "%Y-%m-%d %H:%M").replace(tzinfo=UTC),
                said,
                tuple(_known(row["prompt"])),
                tuple(answer),
                tuple(worth[each["content"]] for each in answer),
            )
        )
    return found


def _told(rows: Iterator[dict[str, Any]]) -> Iterator[tuple[str, Said]]:
    before: dict[str, tuple[Mapping[str, str], ...]] = {}
    for row in rows:
        earlier = before.get(row["chat"], ())
        said = Said(row["chat"], row["name"], row["user_says"], row["assistant_says"], earlier)
        yield row["user"], said
        before[row["chat"]] = (
            *earlier,
            {"role": "user", "content": said.user},
            {"role": "assistant", "content": said.assistant},
        )


def _taken(left: list[Said], text: str) -> Said:
    """Take the exchange whose message a prompt shows, or what was left of that message."""
    for number, each in enumerate(left):
        if set(text.split()) <= set(each.user.split()) or plain(text) in plain(each.user):
            return left.pop(number)
    raise ValueError("the chats lack a prompt's message")


def _known(prompt: str) -> Iterator[Known]:
    listed = _KNOWN.search(prompt)
    for line in listed[2].splitlines() if listed else []:
        read = _LINE.match(line)
        if read is None:
            raise ValueError("a known memory can't be read")
        yield Known(Kind(read[1]), read[2], read[3])


class RecordedScript:
    """Implements ``Script``: answers as was recorded, by the numbers under which the same memories are shown now."""

    def __init__(self, recorded: Recorded, command: tuple[Asking, str, tuple[str, ...]] | None) -> None:
        self._recorded = recorded
        self._command = command

    def items(
        self, exchanges: Sequence[Exchange], known: Sequence[Memory], numbers: Numbers
    ) -> list[dict[str, Any]]:
        """Return the recorded statements, but those that quote another message of the prompt than these."""
        shown = {each.content: numbers[each.id] for each in known if each.id in numbers}
        asked = {each.turn.key for each in exchanges}
        others = [
            plain(said.user)
            for number, said in enumerate(self._recorded.said)
            if f"{self._recorded.number}-{number}" not in asked
        ]
        return [
            self._item(each, shown)
            for each in self._recorded.items
            if not any(plain(each["evidence"]) in words for words in others)
        ]

    def commands(
        self,
        exchanges: Sequence[Exchange],  # noqa: ARG002 -- the protocol's
        known: Sequence[Memory],
    ) -> tuple[ExtractedCommand, ...]:
        """Return what the person asks of the memory."""
        if self._command is None:
            return ()
        asking, words, contents = self._command
        about = tuple(number for number, each in enumerate(known) if each.content in contents)
        return (ExtractedCommand(asking, words, about),)

    def chosen(self, command: str, known: Sequence[Memory]) -> tuple[int, ...]:  # noqa: ARG002 -- the protocol's
        """Return which memories are to be forgotten."""
        contents = self._command[2] if self._command is not None else ()
        return tuple(number for number, each in enumerate(known) if each.content in contents)

    def _item(self, item: Mapping[str, Any], shown: Mapping[str, int]) -> dict[str, Any]:
        about = self._number(item["about"], shown)
        affects = [number for each in item["affects"] if (number := self._number(each, shown)) is not None]
        relation = item["relation"] if about is not None else "new"
        return {**item, "about": about, "affects": affects, "relation": relation}

    def _number(self, recorded: int | None, shown: Mapping[str, int]) -> int | None:
        if recorded is None or recorded >= len(self._recorded.known):
            return None
        return shown.get(self._recorded.known[recorded].content)


@dataclass(slots=True)
class Outcome:
    """What became of one statement of an answer.

    Attributes:
        kept: Whether it is in the store, or what is known already says it.
        happened: What was decided.
        date: What the store's date is, where that is not the answer's: invented, lost or overridden.
        relation: What the model said it is to a known one.
        honoured: Whether that was done; None where it said nothing.
    """

    number: str
    content: str
    worth: str
    note: str
    kept: bool
    happened: str
    date: str = ""
    relation: str = "new"
    honoured: bool | None = None
    dated: bool = False


@dataclass(slots=True)
class Result:
    """What became of recorded answers.

    Attributes:
        commands: Of each command to forget: which of the statements meant are still there, and which others went.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    commands: list[tuple[str, list[str], list[str]]] = field(default_factory=list)


async def replay(bench: Bench, recorded: Recorded, result: Result, *, commands: bool = True) -> None:
    """Bring a prompt about again, for a person of its own, and note what became of the answer."""
    person = f"{recorded.user}-{recorded.number}"
    bench.clock.restart()
    bench.clock.move_to(recorded.at - _EARLIER)
    bench.inbox.forget()
    command = COMMANDS.get(recorded.number) if commands else None
    bench.scripts[person] = RecordedScript(recorded, command)
    had = [_memory(person, each, recorded.at) for each in (*recorded.known, *_to_forget(recorded))]
    await bench.keep(person, had, recorded.at - _EARLIER)
    for number, said in enumerate(recorded.said):
        await bench.say(
            person,
            said.chat,
            f"{recorded.number}-{number}",
            said.before,
            said.user,
            said.assistant,
            recorded.at + timedelta(seconds=number),
            name=said.name,
        )
    await bench.form(person)
    stored, events = await bench.stored(person), bench.events()
    result.outcomes += [
        _outcome(recorded, number, had, stored, events) for number in range(len(recorded.items))
    ]
    if recorded.number in COMMANDS:
        meant = COMMANDS[recorded.number][2]
        left = {each.content for each in stored}
        gone = [each.content for each in had if each.content not in left]
        result.commands.append(
            (
                COMMANDS[recorded.number][1],
                [each for each in meant if each in left],
                [each for each in gone if each not in meant],
            )
        )


def _to_forget(recorded: Recorded) -> list[Known]:
    """Return what the person asks to be forgotten: no prompt shows it."""
    contents = COMMANDS[recorded.number][2] if recorded.number in COMMANDS else ()
    return [Known(Kind.FACT, recorded.at.date().isoformat(), each) for each in contents]


def _memory(person: str, known: Known, at: datetime) -> Memory:
    """Return a memory as a prompt shows it; its date is its event's where it is not the day it was said."""
    day = datetime.fromisoformat(known.day).replace(tzinfo=at.tzinfo)
    return Memory(
        id=uuid7(),
        owner=person,
        kind=known.kind,
        source=Source.EXTRACTED,
        content=known.content,
        importance=0.5,
        observed_at=at - _EARLIER,
        created_at=at - _EARLIER,
        event_at=None if day.date() == at.date() else day,
        provenance=Provenance("an earlier chat", (), None),
    )


def _outcome(
    recorded: Recorded, number: int, had: Sequence[Memory], stored: Sequence[Memory], events: Sequence[Event]
) -> Outcome:
    item = recorded.items[number]
    content, (worth, note) = item["content"], recorded.worth[number]
    repeated = had[item["about"]].id if item["relation"] == "repeats" and item["about"] is not None else None
    own = [
        each
        for each in events
        if (each.content and is_alike(each.content, content))
        or (each.action == "reinforce" and each.target == repeated)
    ]
    ids = {each.id for each in stored}
    memory = next((each for each in stored if is_alike(each.content, content)), None)
    stands_for = [each for each in own if each.action in {"ignore", "reinforce"} and _is_known(each, ids)]
    happened = "; ".join(f"{each.action} ({each.reason})" for each in own) or "nothing was decided"
    outcome = Outcome(recorded.number, content, worth, note, memory is not None or bool(stands_for), happened)
    if memory is not None and all(memory.id != each.id for each in had):
        kept = memory.event_at.date().isoformat() if memory.event_at else None
        outcome.dated = True
        if kept != item["event_date"]:
            what = "invented" if item["event_date"] is None else "lost" if kept is None else "overridden"
            outcome.date = f"{what}: {kept}, answered {item['event_date']}; said: {item['evidence']}"
    if item["relation"] != "new" and item["about"] is not None:
        about = had[item["about"]].id
        outcome.relation = item["relation"]
        outcome.honoured = _is_honoured(item["relation"], about, ids, own, events)
    return outcome


def _is_known(event: Event, stored: set[UUID]) -> bool:
    """Whether what is known says what was ignored."""
    return event.target in stored and event.reason in {
        "equal_content",
        "repeats",
        "refines",
        "not_newer",
        "asked",
    }


def _is_honoured(
    relation: str, about: UUID, stored: set[UUID], own: Sequence[Event], events: Sequence[Event]
) -> bool:
    """Whether a statement was taken for what the model said: a repetition adds nothing, the others end the known one."""
    if relation == "repeats":
        made = {each.memory_id for each in own if each.memory_id in stored}
        return about not in stored or not made
    ended = {each.target for each in events if each.action in {"replace", "retire"}}
    said = any(each.action in {"add", "replace", "reinforce"} or _is_known(each, stored) for each in own)
    return said and (about in ended or about not in stored)


def show(result: Result) -> None:
    """Print what is not as it should be, and the figures."""
    outcomes = result.outcomes
    worth = [each for each in outcomes if each.worth == "w"]
    lost = [each for each in worth if not each.kept]
    twice = [each for each in worth if each.note == "dup" and "add" in each.happened]
    others = [each for each in outcomes if each.worth != "w"]
    related = [each for each in outcomes if each.honoured is not None]
    dated = [each for each in outcomes if each.dated]
    for title, found in (
        ("worth keeping, refused", lost),
        ("known already, kept twice", twice),
        ("trivial or wrong, kept", [each for each in others if each.kept]),
        ("relation not honoured", [each for each in related if not each.honoured]),
        ("date not the model's", [each for each in dated if each.date]),
    ):
        print(f"\n{title}:")
        for each in found:
            print(f"  {each.number} [{each.worth}{' ' + each.note if each.note else ''}] {each.content}")
            print(f"       {each.relation}: {each.happened}{'; ' + each.date if each.date else ''}")
    print("\nwishes to forget:")
    for words, left, gone in result.commands:
        print(f"  {words}\n       still there: {left}; gone though not meant: {gone}")
    changes = [each for each in related if each.relation == "contradicts"]
    same = [each for each in related if each.relation != "contradicts"]
    print(
        f"\nworth keeping, refused or kept twice: {len(lost) + len(twice)} of {len(worth)} = {_percent(len(lost) + len(twice), len(worth))}"
    )
    print(f"trivial or wrong, kept:               {sum(each.kept for each in others)} of {len(others)}")
    print(f"dates invented, lost or overridden:   {sum(bool(each.date) for each in dated)} of {len(dated)}")
    print(
        f"updates and corrections done:         {sum(bool(each.honoured) for each in changes)} of {len(changes)}"
    )
    print(f"repeats and refines honoured:         {sum(bool(each.honoured) for each in same)} of {len(same)}")
    right = sum(not left and not gone for _, left, gone in result.commands)
    print(f"commands to forget done:              {right} of {len(result.commands)}")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


async def bench_answers(recorded: Sequence[Recorded], *, commands: bool) -> Result:
    """Bring recorded prompts about, one after another, over one store."""
    result = Result()
    async with open_bench(batches=True, judges=commands) as bench:
        for each in recorded:
            await replay(bench, each, result, commands=commands)
    return result


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--chats", type=Path, help="the chats; as given: chats-dev.jsonl beside the data")
    parser.add_argument("--only", help="only this prompt, by its number")
    parser.add_argument(
        "--without-commands", action="store_true", help="no model tells what is to be forgotten"
    )
    parser.add_argument("--json", type=Path, help="write the outcomes there as well")
    options = parser.parse_args()
    be_quiet()
    chats = options.chats or options.data.with_name("chats-dev.jsonl")
    recorded = read_recorded(_lines(options.data), _lines(chats))
    chosen = [each for each in recorded if options.only in {None, each.number}]
    running = bench_answers(chosen, commands=not options.without_commands)
    result = asyncio.run(asyncio.wait_for(running, _MOST_SECONDS))
    show(result)
    if options.json:
        options.json.write_text(json.dumps(asdict(result), ensure_ascii=False, indent=1))


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line.strip()]
