"""Models that extract, choose and summarize; one module a backend. Never: the store."""

from recollect.models.extractors.asking import Answer, Messages, Model, Schema
from recollect.models.extractors.extraction import ModelExtractor
from recollect.models.extractors.instructions import Instructions
from recollect.models.extractors.judging import ModelJudge
from recollect.models.extractors.openai_compatible import OpenAICompatibleModel
from recollect.models.extractors.summarizing import ModelSummarizer

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
