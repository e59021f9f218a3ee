"""Asks a model, and asks again if its answer can't be read."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from recollect.errors import ExtractorError, InvalidExtractionError
from recollect.models.extractors.chat_model import AnswerSchema, ChatModel, Messages
from recollect.models.extractors.json_answers import without_thoughts
from recollect.models.extractors.prompts import cut, one_line, read_prompt, sendable
from recollect.ports import Asker

SHOWN_LENGTH = 2_000
"""The most characters shown of an unreadable answer."""

_MODEL_LENGTH = 100
_BROKEN_OFF = "It breaks off, or something in it is incomplete."

_Content = TypeVar("_Content")


@dataclass(frozen=True, slots=True)
class ParsedAnswer(Generic[_Content]):
    """The parsed content of an answer.

    Attributes:
        thinks: Whether it had to be asked again because its thoughts filled its whole answer.
    """

    content: _Content
    tokens: int
    model: str
    thinks: bool = False

    def by(self, prompt: str) -> str:
        """Say which model it was, by which version of the prompt."""
        return sendable(f"{_model_name(self.model)} {prompt}-{read_prompt(prompt).version}")


async def ask_and_read(
    model: ChatModel,
    messages: Messages,
    schema: AnswerSchema,
    asker: Asker,
    read: Callable[[str], _Content],
    most_tokens: int | None = None,
    is_whole: Callable[[_Content], bool] = lambda _: True,
    join: Callable[[_Content, _Content], _Content] | None = None,
) -> ParsedAnswer[_Content]:
    """Return the answer as ``read`` reads it; an unreadable one is shown to the model, to repair it.

    One that was cut off before anything in it was whole is not shown: the same is asked once more, with all the room
    that an answer can have. If it had that already, the error is raised.

    Args:
        model: The model to ask.
        messages: The messages.
        schema: The form of the answer.
        asker: The person for whom the model is asked.
        read: Reads the answer, in a thread: twenty statements with hints take 15 ms. It raises InvalidExtractionError if it can't.
        most_tokens: As ``Model.ask`` takes it.
        is_whole: Returns whether a content lacks nothing; else the rest is asked for once, with all the room there is.
        join: Joins a content and its rest.

    Raises:
        InvalidExtractionError: It is unreadable also after that; its ``model`` says whose it was.
        ExtractorError: As ``Model.ask``. The error's ``tokens`` are those that it cost all the same.
    """
    first = await model.ask(messages, schema, asker, most_tokens)
    thinks = first.is_cut and not without_thoughts(first.text)
    found: _Content | None = None
    try:
        found = await asyncio.to_thread(read, first.text)
        if is_whole(found):
            return ParsedAnswer(found, first.tokens, first.model)
        messages = repair_messages(messages, schema, first.text, _BROKEN_OFF)
    except InvalidExtractionError as problem:
        if first.is_cut and most_tokens is None:
            problem.tokens += first.tokens
            problem.model = _model_name(first.model)
            raise
        if not first.is_cut:
            messages = repair_messages(messages, schema, first.text, str(problem))
    has_all_room = first.is_cut or found is not None
    spent = first.tokens
    try:
        second = await model.ask(messages, schema, asker, None if has_all_room else most_tokens)
        spent += second.tokens
        rest = await asyncio.to_thread(read, second.text)
    except ExtractorError as error:
        if found is not None and isinstance(error, InvalidExtractionError):
            return ParsedAnswer(found, spent, first.model)
        error.tokens += spent
        if isinstance(error, InvalidExtractionError):
            error.model = _model_name(first.model)
        raise
    content = rest if found is None or join is None else join(found, rest)
    return ParsedAnswer(content, spent, second.model, thinks)


def _model_name(model: str) -> str:
    """Return a model's name as it may be kept and told: in one line, and cut."""
    return one_line(model[:_MODEL_LENGTH], _MODEL_LENGTH)


def repair_messages(asked: Messages, schema: AnswerSchema, answer: str, problem: str) -> Messages:
    """Return the messages that show the model its unreadable ``answer`` and ask for a readable one."""
    shown = sendable(cut(answer, SHOWN_LENGTH)).strip() or "(no text)"
    request = read_prompt("repair").filled(form=schema.example).replace("{problem}", problem)
    return [*asked, {"role": "assistant", "content": shown}, {"role": "user", "content": request}]
