"""Reads a chat completion. Never: how it was asked for, what its words mean."""

import json

from recollect.errors import ExtractorError
from recollect.extractors.asking import Answer, Messages
from recollect.tokens import estimate_tokens

TOKENS_BELIEVED = 10_000_000
"""The most tokens a server's own count of a call is believed to."""


def read_completion(content: bytes, messages: Messages, model: str) -> Answer:
    """Return what the first choice of a chat completion says; "" when the model said nothing.

    Args:
        content: The response's body, as platform.openai.com/docs/api-reference/chat has it.
        messages: What was asked, to estimate the tokens where the server counts none.
        model: Which model was asked.

    Raises:
        ExtractorError: It is no chat completion.
    """
    try:
        completion = json.loads(content)
        choice = completion["choices"][0]
        said = choice["message"].get("content")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise ExtractorError("The extraction model's server answered with no chat completion.") from None
    if isinstance(said, list):
        parts = (part.get("text") for part in said if isinstance(part, dict) and part.get("type") == "text")
        said = "".join(part for part in parts if isinstance(part, str))
    text = said if isinstance(said, str) else ""
    usage = completion.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    if not isinstance(tokens, int) or isinstance(tokens, bool) or not 0 < tokens <= TOKENS_BELIEVED:
        tokens = sum(estimate_tokens(message["content"]) for message in messages) + estimate_tokens(text)
    return Answer(text, tokens, model, is_cut=choice.get("finish_reason") == "length")
