"""Asks a model about memories: which a person wants forgotten, and when those without hints will be needed."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, ValidationError

from recollect.errors import InvalidExtractionError
from recollect.model import Disclosure, Hints, Memory
from recollect.models.extractors.chat_model import (
    ChatModel,
    Messages,
    Tells,
    ask_and_read,
    require_all,
    tell_all,
)
from recollect.models.extractors.json_answers import find, index, list_in, values_within
from recollect.models.extractors.prompts import fenced, memory_line, one_line, read_prompt, sendable
from recollect.models.extractors.schema import CHOICE, NEEDS, HintFields
from recollect.ports import Asker, Chosen, Hinted

CHOICE_LIMIT = 200
"""The most memories one call chooses from; the others are not chosen."""

COMMAND_LENGTH = 2_000
"""The most characters shown of a command."""


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A Judge: one call a question, and one more where the answer can't be read."""

    model: ChatModel
    tells: Tells = tell_all

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        """Return which memories a person means who asks, in these words, to forget something.

        Raises:
            ExtractorError: As ``Extractor.extract``; or the memories may not be sent to the model's server.
        """
        offered = known[:CHOICE_LIMIT]
        if not offered or not command.strip():
            return Chosen()
        require_all(self.tells, asker)
        read = await ask_and_read(
            self.model,
            choice_messages(command, offered),
            CHOICE,
            asker,
            lambda text: read_numbers(text, len(offered)),
        )
        return Chosen(read.content, read.tokens)


def choice_messages(command: str, known: Sequence[Memory]) -> Messages:
    """Return the messages that ask which memories are to be forgotten."""
    lines = [f"[{number}] {memory_line(memory)}" for number, memory in enumerate(known)]
    parts = [("Memories", "\n".join(lines)), ("The wish", one_line(command, COMMAND_LENGTH))]
    return [
        {"role": "system", "content": read_prompt("forgetting").filled(form=CHOICE.example)},
        {"role": "user", "content": sendable(fenced(parts))},
    ]


def read_numbers(text: str, count: int) -> tuple[int, ...]:
    """Return the numbers chosen out of ``count``, in rising order.

    Chosen memories are forgotten, so only a plain number counts: 2, "2" or "[2]".

    Raises:
        InvalidExtractionError: It holds no list of numbers.
    """
    items = find(text, lambda value: list_in(value, "numbers"))
    if items is None:
        raise InvalidExtractionError('It holds no JSON object with a list "numbers".')
    numbers = {_plain_number(item) for item in items}
    return tuple(number for number in range(count) if number in numbers)


def _plain_number(item: object) -> int | None:
    if isinstance(item, str):
        digits = item.strip().removeprefix("[").removesuffix("]")
        return (
            int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= len("999999") else None
        )
    return item if isinstance(item, int) and not isinstance(item, bool) else None


@dataclass(frozen=True, slots=True)
class ModelHinter:
    """A Hinter: one call for some statements, and one more if the answer can't be read."""

    model: ChatModel
    tells: Tells = tell_all

    def told(self, asker: Asker) -> Disclosure:
        """Return which statements may be sent to the model."""
        return self.tells(asker)

    async def hints(self, statements: Sequence[Memory], asker: Asker) -> Hinted:
        """Return the hints of statements, by their place; without those that may not be sent, or that the model left out.

        Raises:
            ExtractorError: As ``Extractor.extract``.
        """
        told = self.told(asker)
        places = [place for place, each in enumerate(statements) if told.allows(each)]
        if not places:
            return Hinted()
        # Masking twenty statements takes longer than the event loop may stand still.
        messages = await asyncio.to_thread(needs_messages, [statements[place] for place in places])
        read = await ask_and_read(self.model, messages, NEEDS, asker, read_needs)
        found = {places[number]: hints for number, hints in read.content.items() if number < len(places)}
        return Hinted(found, read.tokens)


def needs_messages(statements: Sequence[Memory]) -> Messages:
    """Return the messages that ask when statements will be needed."""
    lines = [f"[{number}] {memory_line(each)}" for number, each in enumerate(statements)]
    return [
        {"role": "system", "content": read_prompt("needs").filled(form=NEEDS.example)},
        {"role": "user", "content": sendable(fenced([("Memories", "\n".join(lines))]))},
    ]


class _Need(HintFields):
    number: Annotated[int, BeforeValidator(index)]


def read_needs(text: str) -> Mapping[int, Hints]:
    """Return the hints in an answer, by number, also in one that breaks off.

    Raises:
        InvalidExtractionError: It holds none.
    """
    items = find(text, lambda value: list_in(value, "needs"))
    if items is None:
        items = [each for each in values_within(text) if isinstance(each, dict) and "number" in each]
        if not items:
            raise InvalidExtractionError('It holds no JSON object with a list "needs".')
    needs = [need for item in items if (need := _need(item)) is not None]
    return {each.number: each.hints for each in needs if each.hints is not None}


def _need(item: object) -> _Need | None:
    try:
        return _Need.model_validate(item)
    except ValidationError:
        return None
