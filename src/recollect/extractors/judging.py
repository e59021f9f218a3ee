"""Asks a model to compare statements. Never: what becomes of them."""

from collections.abc import Sequence

from recollect.errors import InvalidExtractionError
from recollect.extractors.asking import Messages, Model
from recollect.extractors.fencing import MEMORY_LENGTH, described, fenced, one_line, sendable
from recollect.extractors.fields import index
from recollect.extractors.json_answers import find
from recollect.extractors.prompts import read_prompt
from recollect.extractors.repairing import ask_and_read
from recollect.extractors.schema import CHOICE, COMPARISON
from recollect.model import Memory, Relation
from recollect.ports import Asker, Chosen, Judged, Pair

PAIR_LIMIT = 50
"""The most pairs compared in one call; of the others nothing is said."""

CHOICE_LIMIT = 200
"""The most memories one call chooses from; the others are not chosen."""

WISH_LENGTH = 2_000
"""The most characters shown of a wish."""

_RELATIONS = {
    "repeats": Relation.REPEATS,
    "refines": Relation.REFINES,
    "contradicts": Relation.CONTRADICTS,
    "unrelated": Relation.NEW,
    "new": Relation.NEW,
}


class ModelJudge:
    """A Judge: one call a question, and one more where the answer can't be read."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def compare(self, pairs: Sequence[Pair], asker: Asker) -> Judged:
        """Return what the new statement of each pair is to the known one.

        Raises:
            ExtractorError: As ``Extractor.extract``.
        """
        asked = pairs[:PAIR_LIMIT]
        if not asked:
            return Judged()
        read = await ask_and_read(
            self._model,
            comparison_messages(asked),
            COMPARISON,
            asker,
            lambda text: read_relations(text, len(asked)),
        )
        return Judged(read.content + (None,) * (len(pairs) - len(asked)), read.tokens)

    async def choose(self, wish: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        """Return which memories somebody means who wishes, in these words, that something is forgotten.

        Raises:
            ExtractorError: As ``Extractor.extract``.
        """
        offered = known[:CHOICE_LIMIT]
        if not offered or not wish.strip():
            return Chosen()
        read = await ask_and_read(
            self._model,
            choice_messages(wish, offered),
            CHOICE,
            asker,
            lambda text: read_numbers(text, len(offered)),
        )
        return Chosen(read.content, read.tokens)


def comparison_messages(pairs: Sequence[Pair]) -> Messages:
    """Return the messages that ask what the new statement of each pair is to the known one."""
    lines = []
    for number, pair in enumerate(pairs):
        lines += [
            f"[{number}] known: {described(pair.known)}",
            f"    new: ({pair.new.kind}, told {one_line(pair.said, 40)}) {one_line(pair.new.content, MEMORY_LENGTH)}",
            f"    the person's words: {one_line(pair.new.evidence, MEMORY_LENGTH)}",
        ]
    return [
        {"role": "system", "content": read_prompt("conflict").filled(form=COMPARISON.example)},
        {"role": "user", "content": sendable(fenced([("Pairs", "\n".join(lines))]))},
    ]


def choice_messages(wish: str, known: Sequence[Memory]) -> Messages:
    """Return the messages that ask which memories are to be forgotten."""
    lines = [f"[{number}] {described(memory)}" for number, memory in enumerate(known)]
    parts = [("Memories", "\n".join(lines)), ("The wish", one_line(wish, WISH_LENGTH))]
    return [
        {"role": "system", "content": read_prompt("forgetting").filled(form=CHOICE.example)},
        {"role": "user", "content": sendable(fenced(parts))},
    ]


def read_relations(text: str, count: int) -> tuple[Relation | None, ...]:
    """Return the relation of each of ``count`` pairs; None where the answer gives none, or two.

    Raises:
        InvalidExtractionError: It holds no list of pairs, or of none of those asked about.
    """
    items = find(text, _pairs_of)
    if items is None:
        raise InvalidExtractionError('It holds no JSON object with a list "pairs".')
    given: dict[int, set[Relation]] = {}
    for place, item in enumerate(items[: 2 * PAIR_LIMIT]):
        number, word = (item.get("number"), item.get("relation")) if isinstance(item, dict) else (place, item)
        pair = index(number)
        relation = _RELATIONS.get(word.strip().casefold()) if isinstance(word, str) else None
        if pair is not None and pair < count and relation is not None:
            given.setdefault(pair, set()).add(relation)
    if not given:
        raise InvalidExtractionError("It holds a number and a relation of no pair.")
    sure = {pair: relations.pop() for pair, relations in given.items() if len(relations) == 1}
    return tuple(sure.get(pair) for pair in range(count))


def _pairs_of(value: object) -> list[object] | None:
    if isinstance(value, dict):
        inner = value.get("pairs", [value] if "relation" in value else None)
        return inner if isinstance(inner, list) else None
    # "[0]" and the like in prose are lists too
    return value if isinstance(value, list) and any(isinstance(item, dict) for item in value) else None


def read_numbers(text: str, count: int) -> tuple[int, ...]:
    """Return the numbers chosen out of ``count``, in rising order.

    What is chosen is forgotten, so a number counts only if it is plainly one: 2, "2" or "[2]".

    Raises:
        InvalidExtractionError: It holds no list of numbers.
    """
    items = find(text, _numbers_of)
    if items is None:
        raise InvalidExtractionError('It holds no JSON object with a list "numbers".')
    numbers = {_plain_number(item) for item in items}
    return tuple(number for number in range(count) if number in numbers)


def _numbers_of(value: object) -> list[object] | None:
    inner = value.get("numbers") if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else None


def _plain_number(item: object) -> int | None:
    if isinstance(item, str):
        digits = item.strip().removeprefix("[").removesuffix("]")
        return (
            int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= len("999999") else None
        )
    return item if isinstance(item, int) and not isinstance(item, bool) else None
