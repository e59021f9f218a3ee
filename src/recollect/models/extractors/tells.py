"""Limits what background calls send to a model's server, and chooses among several servers."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from recollect.errors import UpstreamPolicyError
from recollect.model import ALL_TOLD, Disclosure
from recollect.models.extractors.chat_model import AnswerSchema, ChatModel, Messages, ModelAnswer
from recollect.ports import Asker

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
