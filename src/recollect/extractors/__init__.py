"""Extraction models, one module a backend. Never: the store."""

from recollect.extractors.openai_compatible import OpenAIExtractor

__all__ = ["OpenAIExtractor"]
