"""The port of a chat model that answers in a given form: messages, schema, answer.

It is asked again if its answer can't be read. Policies say what of a person's memory may be sent to its server.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel

from recollect.errors import ExtractorError, InvalidExtractionError, UpstreamPolicyError
from recollect.model import ALL_TOLD, Disclosure
from recollect.models.extractors.prompt_files import cut, one_line, read_prompt, sendable
from recollect.ports import Asker
from recollect.text.attribution.thoughts import without_thoughts

ANSWER_WITHIN = timedelta(minutes=2)
ANSWER_WITHIN_OF_NEAR = timedelta(minutes=10)
"""How long an answer may take. A processor without a GPU may write for minutes, and what runs on this machine or its
network is given up for a chat anyway (decision 0031)."""


Messages: TypeAlias = Sequence[Mapping[str, str]]
"""A system prompt, then messages of both sides in turn; each with ``role`` and ``content``, as the wire has them."""


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """The form that an answer must have.

    Attributes:
        form: Its fields: no defaults, no others allowed, as strict structured output wants them.
        example: An answer in this form, as a model is shown it.
        limits: By a field's name, the most characters of its text, or the most items of its list; by ``name[]``, the most
            characters of each text in its list.
    """

    name: str
    form: type[BaseModel]
    example: str
    limits: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def json_schema(self) -> dict[str, Any]:
        """The form as a JSON schema, in the subset that OpenAI's strict mode takes."""
        return _json_schema(self.form)

    @property
    def limited_json_schema(self) -> dict[str, Any]:
        """The same with ``limits``, so that a server which is held to them cuts off a model that repeats itself.

        OpenAI's strict mode documents ``maxItems`` but not ``maxLength``; llama.cpp and vLLM take both, llama.cpp
        each below 2,000.
        """
        return dict(_limited(self.json_schema, self.limits))


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer, and its cost.

    Attributes:
        tokens: The tokens of the call, prompt and answer: as the server counts them, else estimated.
        is_cut: Whether it was not done when it had written as much as it may.
    """

    text: str = field(repr=False)
    tokens: int
    model: str
    is_cut: bool = False


class ChatModel(Protocol):
    """A chat model that answers in a given form, as nearly as its server can hold it to one."""

    async def ask(
        self, messages: Messages, schema: AnswerSchema, asker: Asker, most_tokens: int | None = None
    ) -> ModelAnswer:
        """Return the model's answer to ``messages``, for the caller to read leniently.

        It takes ``most_tokens`` at most; None, and never more: as the model is set up.

        Raises:
            ExtractorUnusableError: No model is named, no credential is left or it is refused, or
                the server refuses the call in every form.
            InvalidExtractionError: The answer is too large.
            ExtractorTimeoutError: The server is too slow.
            ExtractorError: The server can't be reached, is too busy or broken. No
                error ever quotes the messages, the answer or a credential.
        """
        ...

    async def aclose(self) -> None:
        """Free the model's resources; more than once does no harm."""
        ...


@cache
def _json_schema(form: type[BaseModel]) -> dict[str, Any]:
    whole = form.model_json_schema()
    return dict(_simple_schema(whole, whole.get("$defs", {})))


def _simple_schema(part: Any, definitions: Mapping[str, Any]) -> Any:
    """Inline references and leave out titles and descriptions: not every server takes them, and they cost."""
    if isinstance(part, list):
        return [_simple_schema(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _simple_schema(definitions[part["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in part:
        return {"type": [choice["type"] for choice in part["anyOf"]]}
    return {
        name: {field: _simple_schema(inner, definitions) for field, inner in value.items()}
        if name == "properties"
        else _simple_schema(value, definitions)
        for name, value in part.items()
        if name not in {"$defs", "title", "description"}
    }


def _limited(part: Mapping[str, Any], limits: Mapping[str, int]) -> Mapping[str, Any]:
    """Return a schema whose fields of these names have these limits."""
    if "items" in part:
        return {**part, "items": _limited(part["items"], limits)}
    if "properties" not in part:
        return part
    fields = {}
    for name, form in part["properties"].items():
        inner = _limited(form, limits)
        word = "maxItems" if form.get("type") == "array" else "maxLength"
        if f"{name}[]" in limits:
            inner = {**inner, "items": {**inner["items"], "maxLength": limits[f"{name}[]"]}}
        fields[name] = {**inner, word: limits[name]} if name in limits else inner
    return {**part, "properties": fields}


Tells: TypeAlias = Callable[[Asker], Disclosure]
"""Returns what of a person's memory may be sent on that person's behalf."""


def tell_all(_asker: Asker) -> Disclosure:
    """Return that everything may be sent."""
    return ALL_TOLD


def require_all(tells: Tells, asker: Asker) -> None:
    """Refuse a call that needs all of a person's memory, unless all of it may be sent.

    Raises:
        UpstreamPolicyError: Some of it may not be sent.
    """
    if not tells(asker).is_whole:
        raise UpstreamPolicyError("The policy of the chat's upstream does not let it be sent there.")


class ModelOfUpstream:
    """A ChatModel that asks the LLM server that the exchange was with, out of several."""

    def __init__(self, models: Mapping[str, ChatModel]) -> None:
        """Take one model for each server, by the server's name; the default server's is ""."""
        self._models = models

    async def ask(
        self, messages: Messages, schema: AnswerSchema, asker: Asker, most_tokens: int | None = None
    ) -> ModelAnswer:
        """Return the answer of the model on the asker's server.

        Raises:
            UpstreamPolicyError: The settings no longer name that server, or do not let memories be formed from it.
            ExtractorError: The model failed, as its own ``ask`` says.
        """
        model = self._models.get(asker.upstream)
        if model is None:
            raise UpstreamPolicyError("The upstream that it was said to is none that is learned from.")
        return await model.ask(messages, schema, asker, most_tokens)

    async def aclose(self) -> None:
        """Free the resources of the models."""
        for model in self._models.values():
            await model.aclose()


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
    that an answer can have. If it had that already, the error is raised. Where a content is not whole, its rest is asked for
    once, with all the room there is, and joined to it. ``read`` runs in a thread, as twenty statements with hints take 15 ms;
    it raises InvalidExtractionError if it can't.

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
