"""Asks a model when statements will be needed that have no hints."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BeforeValidator, ValidationError

from recollect.errors import InvalidExtractionError
from recollect.model import Disclosure, Hints, Memory
from recollect.models.extractors.answer_repair import ask_and_read
from recollect.models.extractors.chat_model import ChatModel, Messages
from recollect.models.extractors.hints_answer import HintFields
from recollect.models.extractors.json_answers import find, index, values_within
from recollect.models.extractors.prompts import fenced, memory_line, read_prompt, sendable
from recollect.models.extractors.schema import NEEDS
from recollect.models.extractors.tells import Tells, tell_all
from recollect.ports import Asker, Hinted


class ModelHinter:
    """A Hinter: one call for some statements, and one more if the answer can't be read."""

    def __init__(self, model: ChatModel, tells: Tells = tell_all) -> None:
        self._model = model
        self._tells = tells

    def told(self, asker: Asker) -> Disclosure:
        """Return which statements may be sent to the model."""
        return self._tells(asker)

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
        read = await ask_and_read(self._model, messages, NEEDS, asker, read_needs)
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
    items = find(text, _needs_of)
    if items is None:
        items = [each for each in values_within(text) if isinstance(each, dict) and "number" in each]
        if not items:
            raise InvalidExtractionError('It holds no JSON object with a list "needs".')
    needs = [need for item in items if (need := _need(item)) is not None]
    return {each.number: each.hints for each in needs if each.hints is not None}


def _needs_of(value: object) -> list[object] | None:
    inner = value.get("needs") if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else None


def _need(item: object) -> _Need | None:
    try:
        return _Need.model_validate(item)
    except ValidationError:
        return None
