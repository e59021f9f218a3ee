"""Reads the hints that a model writes for a statement: when it will be needed."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from recollect.model import MOST_QUESTIONS, MOST_TOPICS, QUESTION_LENGTH, TOPIC_LENGTH, Hints, Use
from recollect.models.extractors.json_answers import lines_of, word
from recollect.text.secrets import mask

_READ_LENGTH = 1_000

_USES = {str(use): use for use in Use}


class HintFields(BaseModel):
    """The fields of an answer that say when a statement will be needed. None of them has to be there."""

    use: Annotated[Use, BeforeValidator(lambda value: _USES.get(word(value), Use.TOPIC))] = Use.TOPIC
    topics: Annotated[
        tuple[str, ...], BeforeValidator(lambda value: _texts(value, MOST_TOPICS, TOPIC_LENGTH))
    ] = ()
    questions: Annotated[
        tuple[str, ...], BeforeValidator(lambda value: _texts(value, MOST_QUESTIONS, QUESTION_LENGTH))
    ] = ()

    @property
    def hints(self) -> Hints | None:
        """The hints; None without a topic and a question, as ``use`` alone finds nothing."""
        return Hints(self.use, self.topics, self.questions) if self.topics or self.questions else None


def _texts(value: object, most: int, length: int) -> tuple[str, ...]:
    # A secret is masked before a cut could leave half of it.
    return tuple(mask(line).text[:length].rstrip() for line in lines_of(value, most, _READ_LENGTH))
