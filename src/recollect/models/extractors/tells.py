"""What of a person's memory a model's server may be told in the background; and a model for each of several servers."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from recollect.errors import ExtractorUnusableError, UpstreamPolicyError
from recollect.model import ALL_TOLD, Disclosure
from recollect.models.extractors.chat_model import AnswerSchema, ChatModel, Messages, ModelAnswer
from recollect.ports import Asker

Tells: TypeAlias = Callable[[Asker], Disclosure]
"""Returns what may be told on somebody's behalf."""


def tell_all(_asker: Asker) -> Disclosure:
    """Return that all may be told."""
    return ALL_TOLD


def require_all(tells: Tells, asker: Asker) -> None:
    """Refuse to ask with what rests on all of a person's memory where not all may be told.

    Raises:
        UpstreamPolicyError: Not all may be.
    """
    if not tells(asker).is_whole:
        raise UpstreamPolicyError("The policy of the chat's upstream does not let it be sent there.")


class ModelOfUpstream:
    """A ChatModel that asks, of several LLM servers, the one that the exchange was with."""

    def __init__(self, models: Mapping[str, ChatModel]) -> None:
        """Take the models by the names of their servers; the default's is ""."""
        self._models = models

    async def ask(
        self, messages: Messages, schema: AnswerSchema, asker: Asker, most_tokens: int | None = None
    ) -> ModelAnswer:
        """Return what the model of the asker's server answers.

        Raises:
            ExtractorUnusableError: That server is not known any more, or not learned from.
            ExtractorError: As of the model.
        """
        model = self._models.get(asker.upstream)
        if model is None:
            raise ExtractorUnusableError("The upstream that it was said to is none that is learned from.")
        return await model.ask(messages, schema, asker, most_tokens)

    async def aclose(self) -> None:
        """Let go of what the models hold."""
        for model in self._models.values():
            await model.aclose()
