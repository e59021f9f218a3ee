"""Asks chat models: to extract statements and commands, to choose memories to forget, to write hints and summaries.

``chat_model`` is the port, ``openai_compatible`` and ``models.mistral`` implement it. ``extractor`` and ``memory_questions`` write
the prompts and read the answers. Read ``extractor`` first.
"""

from recollect.models.extractors.chat_model import (
    ANSWER_WITHIN,
    ANSWER_WITHIN_OF_NEAR,
    AnswerSchema,
    ChatModel,
    Messages,
    ModelAnswer,
    ModelOfUpstream,
    Tells,
    tell_all,
)
from recollect.models.extractors.extractor import ModelExtractor
from recollect.models.extractors.memory_questions import ModelHinter, ModelJudge, ModelSummarizer
from recollect.models.extractors.openai_compatible import OpenAICompatibleModel
from recollect.models.extractors.prompt_files import Instructions
