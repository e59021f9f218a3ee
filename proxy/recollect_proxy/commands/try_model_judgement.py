"""Forty labelled messages, and how the changes after each compare with its labels, worded for a terminal of 80 columns. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import mean
from uuid import UUID

import msgspec

from recollect.model import Add, Change, Erase, Memory, Replace, Retire, Turn
from recollect.text.normalization import normalize
from recollect.wire.turn import detect_turn
from recollect_proxy.store_commands.printing import on_a_terminal

_FILE = Path(__file__).with_name("try_model_turns.jsonl")


class ExpectedStatement(msgspec.Struct, frozen=True):
    """A statement that must be kept.

    Attributes:
        content: The statement as a faultless model words it.
        words: Parts that any wording has; `|` separates alternatives.
    """

    content: str
    words: tuple[str, ...]


class LabelledTurn(msgspec.Struct, frozen=True):
    """A message, with the right decisions about it.

    Attributes:
        id: Its name, which begins with its language.
        sort: The group it is counted in.
        said: The message.
        asked: The assistant's message before it; "" for a chat's first message.
        known: The memories that the person has.
        expect: The statements that must be kept.
        may: Words of further statements that do no harm.
        gone: Numbers of the known memories that must be replaced or forgotten.
        never: Texts that no kept statement may have.
    """

    id: str
    sort: str
    said: str
    asked: str = ""
    known: tuple[str, ...] = ()
    expect: tuple[ExpectedStatement, ...] = ()
    may: tuple[tuple[str, ...], ...] = ()
    gone: tuple[int, ...] = ()
    never: tuple[str, ...] = ()


def labelled_turns() -> list[LabelledTurn]:
    """Return all of them, sort by sort."""
    return [msgspec.json.decode(line, type=LabelledTurn) for line in _FILE.read_text("utf-8").splitlines()]


def turn_of(labelled: LabelledTurn, at: datetime) -> Turn:
    """Return a message as the proxy reads it from a chat request; each has a person of its own."""
    before = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": labelled.asked}]
    messages = [*(before if labelled.asked else []), {"role": "user", "content": labelled.said}]
    body = msgspec.json.encode({"model": "", "messages": messages})
    detected = detect_turn(body, user_id=labelled.id, session_id="trial", message_id=labelled.id, at=at)
    if detected.turn is None:
        raise ValueError(f"{labelled.id} is no message of a person: {detected.skip}")
    return detected.turn


@dataclass(frozen=True, slots=True)
class Judgement:
    """The changes after one message, compared with its labels.

    Attributes:
        labelled: The message.
        kept: The labelled statements that were kept, and the labelled memories that were forgotten.
        missed: The labelled ones that were not kept, or not forgotten.
        invented: Statements that were kept without a label, and memories that were forgotten without one.
        seconds: How long it took.
        is_readable: Whether the answer could be read.
    """

    labelled: LabelledTurn
    kept: tuple[str, ...]
    missed: tuple[str, ...]
    invented: tuple[str, ...]
    seconds: float
    is_readable: bool = True

    @property
    def is_right(self) -> bool:
        """Whether nothing was missed, and nothing invented."""
        return self.is_readable and not self.missed and not self.invented


def judge(
    labelled: LabelledTurn, known: Sequence[UUID], changes: Sequence[Change], seconds: float
) -> Judgement:
    """Compare the decisions of formation with the labels of a message, which took so many seconds.

    ``known`` are the ids of the memories that the person had, in the order of the labels.
    """
    new = [each.memory for each in changes if isinstance(each, Add | Replace)]
    found = {each.content: any(_says(memory, each.words) for memory in new) for each in labelled.expect}
    gone = {number for number, each in enumerate(known) if each in _ended(changes)}
    right = {*labelled.gone}
    kept = [content for content, is_there in found.items() if is_there]
    missed = [content for content, is_there in found.items() if not is_there]
    kept += [f"no longer: {labelled.known[each]}" for each in sorted(gone & right)]
    missed += [f"still: {labelled.known[each]}" for each in sorted(right - gone)]
    invented = [memory.content for memory in new if not _is_fine(memory, labelled)]
    invented += [f"no longer: {labelled.known[each]}" for each in sorted(gone - right)]
    return Judgement(labelled, tuple(kept), tuple(missed), tuple(invented), seconds)


def unreadable(labelled: LabelledTurn, seconds: float) -> Judgement:
    """Return the judgement of an answer that no statement can be read from."""
    missed = [each.content for each in labelled.expect]
    missed += [f"still: {labelled.known[each]}" for each in labelled.gone]
    return Judgement(labelled, (), tuple(missed), (), seconds, is_readable=False)


def _ended(changes: Sequence[Change]) -> set[UUID]:
    ended = {each.old for each in changes if isinstance(each, Replace)}
    ended |= {each.target for each in changes if isinstance(each, Retire)}
    return ended | {each for change in changes if isinstance(change, Erase) for each in change.memories}


def _is_fine(memory: Memory, labelled: LabelledTurn) -> bool:
    quoted = f"{memory.content}\n{memory.provenance.evidence or ''}"
    if any(secret in quoted for secret in labelled.never):
        return False
    return any(_says(memory, words) for words in (*(each.words for each in labelled.expect), *labelled.may))


def _says(memory: Memory, words: Sequence[str]) -> bool:
    text = normalize(memory.content)
    return all(any(normalize(form) in text for form in word.split("|")) for word in words)


FAULTLESS, SILENT, CARELESS = 40, 15, 11
"""How many messages come out right if a model answers without a fault, finds nothing, or takes each sentence for a statement."""

GOOD, USABLE = 34, 26
_WIDTH = 80
_HEADINGS = ("", "turns", "right", "kept", "missed", "invented", "seconds a turn")
_WIDTHS = (16, 6, 6, 8, 7, 9, 15)


def report(judgements: Sequence[Judgement]) -> Iterator[str]:
    """Yield the lines: a table by sort, the faults, and one line of advice."""
    yield _row(_HEADINGS)
    for sort in dict.fromkeys(each.labelled.sort for each in judgements):
        yield _row(_figures(sort, [each for each in judgements if each.labelled.sort == sort]))
    yield _row(_figures("all", judgements))
    yield from _faults(judgements)
    yield ""
    yield _advice(sum(each.is_right for each in judgements), len(judgements))


def _figures(name: str, judgements: Sequence[Judgement]) -> tuple[str, ...]:
    kept = sum(len(each.kept) for each in judgements)
    missed = sum(len(each.missed) for each in judgements)
    return (
        name,
        str(len(judgements)),
        str(sum(each.is_right for each in judgements)),
        f"{kept}/{kept + missed}",
        str(missed),
        str(sum(len(each.invented) for each in judgements)),
        f"{mean(each.seconds for each in judgements):.1f}",
    )


def _faults(judgements: Sequence[Judgement]) -> Iterator[str]:
    faulty = [each for each in judgements if not each.is_right]
    if faulty:
        yield ""
    for each in faulty:
        rows = [] if each.is_readable else [("unreadable", "the answer has no form that can be read")]
        rows += [("missed", text) for text in each.missed] + [("invented", text) for text in each.invented]
        for verb, text in rows:
            yield _cut(f"{each.labelled.id:<16}  {verb:<10}  {on_a_terminal(' '.join(text.split()))}")


def _advice(right: int, turns: int) -> str:
    if right >= GOOD:
        advice = "this model extracts well enough."
    elif right >= USABLE:
        advice = "usable; people will correct it often."
    else:
        advice = "name a larger model."
    return f"{right} of {turns} right (faultless {FAULTLESS}, silent {SILENT}, careless {CARELESS}): {advice}"


def _row(cells: Sequence[str]) -> str:
    first, *others = zip(cells, _WIDTHS, strict=True)
    return f"{first[0]:<{first[1]}}" + "".join(f"{cell:>{width}}" for cell, width in others)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
