"""The port of a chat model that answers in a given form: messages, schema, answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, TypeAlias

from pydantic import BaseModel

from recollect.ports import Asker

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

        Args:
            messages: The messages.
            schema: The form of the answer.
            asker: On whose behalf it is asked.
            most_tokens: The most tokens the answer may take; None, and never more: as the model is set up.

        Raises:
            ExtractorUnusableError: No model is named, no credential is left or it is refused, or
                the server refuses the call in every form.
            InvalidExtractionError: The answer is too large.
            ExtractorError: The server can't be reached, is too slow, too busy or broken. No
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
