"""Counters of the LLM's answers to chats since the start, for metrics. Pure. Never: a user's id, a metrics library."""

from dataclasses import dataclass, field
from functools import partial

from recollect.model.statistics import ANSWER_SECONDS, TOKENS, Histogram

_seconds, _tokens = partial(Histogram.over, ANSWER_SECONDS), partial(Histogram.over, TOKENS)


@dataclass(slots=True)
class AnswerCounts:
    """How long the LLM took to answer chats, and the tokens that its answers name. A refused or failed request is not counted.

    Attributes:
        to_first_byte: Seconds until the first byte of an answer's body.
        to_end: Seconds until its end.
        prompt_tokens: Tokens of the prompts, memories included.
        answer_tokens: Tokens of the answers.
    """

    to_first_byte: Histogram = field(default_factory=_seconds)
    to_end: Histogram = field(default_factory=_seconds)
    prompt_tokens: Histogram = field(default_factory=_tokens)
    answer_tokens: Histogram = field(default_factory=_tokens)

    def count(
        self, first_byte: float, end: float, *, prompt_tokens: int | None, answer_tokens: int | None
    ) -> None:
        """Count an answer by its times in seconds, and by the tokens that it names."""
        self.to_first_byte.observe(first_byte)
        self.to_end.observe(end)
        if prompt_tokens is not None:
            self.prompt_tokens.observe(prompt_tokens)
        if answer_tokens is not None:
            self.answer_tokens.observe(answer_tokens)
