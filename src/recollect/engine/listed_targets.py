"""Finds the listed memories that a person means by their numbers, if that is certain. Pure.

The assistant's list counts: the person saw it. It may have left something out or numbered it again, so its words
are compared with the memories'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from recollect.model import LISTED, KeptRequest, Memory, PointedAt, Role, Turn
from recollect.text.lexical import document_terms
from recollect.text.memory_requests import LAST
from recollect.text.patterns import bounded

_RECENT = 5
"""The most messages of the person after a list in which its numbers still count."""

_LONGEST_ANSWER = 20_000
_LEAST_SHARE = 0.5
"""The share of a memory's terms that an item has to have to mean it."""

_NUMBERED = bounded(r"^[ \t>*_-]{0,8}(?:#|\()?([0-9]{1,3})[.):][ \t*_]{1,6}([^\n]{1,300})")
_BULLET = bounded(r"^[ \t]{0,8}[-*\u2022][ \t]+([^\n]{1,300})")
_MARK = bounded(r"\([^()\n0-9]{0,20}([0-9]{1,3})\)")
"""How the block numbers a memory, "(number 2)"; a model may translate the word."""


class Unmet(StrEnum):
    """Why nothing is forgotten."""

    NO_LIST = "no_list"
    """Nothing was listed lately: it is no request to the memory."""
    OUT_OF_RANGE = "out_of_range"
    UNCLEAR = "unclear"
    """The list that the person saw is not the one that was given."""


@dataclass(frozen=True, slots=True)
class ShownList:
    """A list, and what of it the person saw.

    Attributes:
        listed: The memories, in the order of their numbers.
        seen: The items of the list in the last answer that has one, by their numbers; {} where the request carries none.
        is_answer: Whether that answer is the one to the question for the list.
        answered: Whether the request carries an answer since the list.
    """

    listed: tuple[UUID, ...]
    seen: Mapping[int, str]
    is_answer: bool
    answered: bool


def shown_list(turn: Turn, pointed_at: PointedAt) -> ShownList | None:
    """Return the list that a turn may point at; None if none was shown lately."""
    logged = [each.anchor for each in reversed(pointed_at.exchanges) if each.anchor]
    carried = [anchor for _, anchor in turn.anchors[:-1]]
    anchors = carried or logged
    newest = _newest(pointed_at, anchors)
    is_cut = newest is None and bool(carried)
    if is_cut:  # a client that sends the last few messages alone: the log knows what stood before the list
        anchors = logged
        newest = _newest(pointed_at, anchors)
    if newest is None:
        return None
    answers, is_all = _answers(turn, len(anchors) - anchors.index(newest.anchor))
    listed = len(newest.items)
    lists = [(number, seen) for number, text in enumerate(answers) if (seen := _items(text, listed))]
    if is_cut and not lists:
        return None
    number, seen = lists[-1] if lists else (0, {})
    is_answer = number == 0 and (not is_cut or (is_all and not turn.is_whole))
    return ShownList(newest.items, seen, is_answer, answered=any(each.strip() for each in answers))


def _newest(pointed_at: PointedAt, anchors: Sequence[str]) -> KeptRequest | None:
    """Return the newest list that one of the last of these messages asked for."""
    recent = anchors[-_RECENT:]
    return next(
        (each for each in pointed_at.requests if each.asking == LISTED and each.anchor in recent), None
    )


def targets(
    shown: ShownList, numbers: Sequence[int], memories: Mapping[UUID, Memory]
) -> tuple[UUID, ...] | Unmet:
    """Return the memories that are meant by ``numbers`` of a list; or why that is not certain of all of them."""
    if shown.answered and not shown.seen:
        return Unmet.UNCLEAR
    terms = {each: frozenset(document_terms(memory.content)) for each, memory in memories.items()}
    if not shown.is_answer and not any(_best(text, terms) for text in shown.seen.values()):
        return Unmet.NO_LIST  # another list was shown since
    last = max(shown.seen, default=len(shown.listed))
    meant: list[UUID] = []
    for number in numbers:
        of = last if number == LAST else number
        if not 1 <= of <= last or (shown.seen and of not in shown.seen):
            return Unmet.OUT_OF_RANGE
        found = _meant(shown, of, terms)
        if found is None:
            return Unmet.UNCLEAR
        meant.append(found)
    return tuple(dict.fromkeys(meant))


def _meant(shown: ShownList, number: int, terms: Mapping[UUID, frozenset[str]]) -> UUID | None:
    if not shown.seen:
        return shown.listed[number - 1]
    best = _best(shown.seen[number], terms)
    if best:
        return best[0] if len(best) == 1 else None
    # In other words, or in another language: then the numbers have to be those that were given.
    is_whole = len(shown.seen) == len(shown.listed) == max(shown.seen)
    own = shown.listed[number - 1] if is_whole else None
    others = [text for other, text in shown.seen.items() if other != number]
    is_anothers = own in terms and any(_best(text, terms) == [own] for text in others)
    return None if is_anothers else own


def _best(text: str, terms: Mapping[UUID, frozenset[str]]) -> list[UUID]:
    """Return the memories that share most terms with a text, if they share half of theirs."""
    said = frozenset(document_terms(text))
    shared = {
        each: len(said & of) for each, of in terms.items() if of and len(said & of) >= _LEAST_SHARE * len(of)
    }
    most = max(shared.values(), default=0)
    return [each for each, count in shared.items() if count == most]


def _answers(turn: Turn, since: int) -> tuple[list[str], bool]:
    """Return the assistant's answers since the person's message that is so many back, and whether the request has that."""
    back, answers = 0, []
    for message in reversed(turn.history):
        if message.role is Role.ASSISTANT:
            answers.append(message.text[:_LONGEST_ANSWER])
        back += message.role is Role.USER
        if back == since:
            break
    return answers[::-1], back == since


def _items(answer: str, listed: int) -> dict[int, str]:
    """Return the items of the list in an answer by their numbers; {} if it has none, or one whose numbers start again.

    ``listed`` is the number of items in the list: a higher number in brackets, such as an age, numbers no item.
    """
    lines = answer.splitlines()
    numbered = [(int(found[1]), found[2]) for line in lines if (found := _NUMBERED.match(line))]
    if not numbered:
        bullets = [found[1] for line in lines if (found := _BULLET.match(line))]
        marks = ((_MARK.findall(line), line) for line in lines)
        marked = [(int(own[0]), line) for own, line in marks if len(own) == 1 and int(own[0]) <= listed]
        # The numbers that the person reads count, and not the places: a model may leave bullets out.
        numbered = marked if len(marked) >= len(bullets) else [*enumerate(bullets, 1)]
    items = dict(numbered)
    return items if len(items) == len(numbered) else {}
