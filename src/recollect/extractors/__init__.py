"""Models that extract, choose and summarize; one module a backend. Never: the store."""

from recollect.extractors.asking import Answer, Messages, Model, Schema
from recollect.extractors.extraction import ModelExtractor
from recollect.extractors.instructions import Instructions
from recollect.extractors.judging import ModelJudge
from recollect.extractors.openai_compatible import OpenAICompatibleModel
from recollect.extractors.summarizing import ModelSummarizer

__all__ = [
    "Answer",
    "Instructions",
    "Messages",
    "Model",
    "ModelExtractor",
    "ModelJudge",
    "ModelSummarizer",
    "OpenAICompatibleModel",
    "Schema",
]
