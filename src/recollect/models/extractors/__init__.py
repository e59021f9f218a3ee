"""Models that extract, choose and summarize; one module per backend."""

from recollect.models.extractors.chat_model import AnswerSchema, ChatModel, Messages, ModelAnswer
from recollect.models.extractors.extractor import ModelExtractor
from recollect.models.extractors.hinter import ModelHinter
from recollect.models.extractors.instructions import Instructions
from recollect.models.extractors.judge import ModelJudge
from recollect.models.extractors.openai_compatible import OpenAICompatibleModel
from recollect.models.extractors.summarizer import ModelSummarizer
from recollect.models.extractors.tells import ModelOfUpstream, Tells, tell_all
