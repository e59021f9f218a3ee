"""Asks a model once, and once more where its answer can't be read. Never: what is asked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from recollect.errors import ExtractorError, InvalidExtractionError
from recollect.extractors.asking import Messages, Model, Schema
from recollect.extractors.fencing import cut, one_line, sendable
from recollect.extractors.prompts import read_prompt
from recollect.ports import Asker

SHOWN_LENGTH = 2_000
"""The most characters shown of an unreadable answer."""

_MODEL_LENGTH = 100

_Content = TypeVar("_Content")


@dataclass(frozen=True, slots=True)
class Read(Generic[_Content]):
    """What was read of an answer.

    Attributes:
        content: What it says.
        tokens: What all calls took.
        model: Which model was asked.
    """

    content: _Content
    tokens: int
    model: str

    def by(self, prompt: str) -> str:
        """Say which model it was, by which version of the prompt."""
        name = one_line(self.model[:_MODEL_LENGTH], _MODEL_LENGTH)
        return sendable(f"{name} {prompt}-{read_prompt(prompt).version}")


async def ask_and_read(
    model: Model, messages: Messages, schema: Schema, asker: Asker, read: Callable[[str], _Content]
) -> Read[_Content]:
    """Return what ``read`` makes of the answer; an unreadable one is shown to the model, to repair it.

    Raises:
        InvalidExtractionError: It is unreadable also after that.
        ExtractorError: As ``Model.ask``. What an error took all the same stands in its ``tokens``.
    """
    first = await model.ask(messages, schema, asker)
    try:
        return Read(read(first.text), first.tokens, first.model)
    except InvalidExtractionError as problem:
        messages = repair_messages(messages, schema, first.text, str(problem))
    spent = first.tokens
    try:
        second = await model.ask(messages, schema, asker)
        spent += second.tokens
        return Read(read(second.text), spent, second.model)
    except ExtractorError as error:
        error.tokens += spent
        raise


def repair_messages(asked: Messages, schema: Schema, answer: str, problem: str) -> Messages:
    """Return the messages that show the model its unreadable ``answer`` and ask for a readable one."""
    shown = sendable(cut(answer, SHOWN_LENGTH)).strip() or "(no text)"
    request = read_prompt("repair").filled(form=schema.example).replace("{problem}", problem)
    return [*asked, {"role": "assistant", "content": shown}, {"role": "user", "content": request}]
