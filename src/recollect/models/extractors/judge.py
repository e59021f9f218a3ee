"""Asks a model which memories a person wants forgotten."""

from collections.abc import Sequence

from recollect.errors import InvalidExtractionError
from recollect.model import Memory
from recollect.models.extractors.answer_repair import ask_and_read
from recollect.models.extractors.chat_model import ChatModel, Messages
from recollect.models.extractors.json_answers import find
from recollect.models.extractors.prompts import fenced, memory_line, one_line, read_prompt, sendable
from recollect.models.extractors.schema import CHOICE
from recollect.models.extractors.tells import Tells, require_all, tell_all
from recollect.ports import Asker, Chosen

CHOICE_LIMIT = 200
"""The most memories one call chooses from; the others are not chosen."""

COMMAND_LENGTH = 2_000
"""The most characters shown of a command."""


class ModelJudge:
    """A Judge: one call a question, and one more where the answer can't be read."""

    def __init__(self, model: ChatModel, tells: Tells = tell_all) -> None:
        self._model = model
        self._tells = tells

    async def choose(self, command: str, known: Sequence[Memory], asker: Asker) -> Chosen:
        """Return which memories a person means who asks, in these words, to forget something.

        Raises:
            ExtractorError: As ``Extractor.extract``; or the memories may not be sent to the model's server.
        """
        offered = known[:CHOICE_LIMIT]
        if not offered or not command.strip():
            return Chosen()
        require_all(self._tells, asker)
        read = await ask_and_read(
            self._model,
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
