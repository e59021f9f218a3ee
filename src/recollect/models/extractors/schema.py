"""The schemas of answers, as strict structured output requires them, and the hints in them as models write them."""

from dataclasses import replace
from functools import cache
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, create_model

from recollect.model import (
    MOST_QUESTIONS,
    MOST_TAGS,
    MOST_TOPICS,
    QUESTION_LENGTH,
    TOPIC_LENGTH,
    Asking,
    Hints,
    Kind,
    Lasting,
    Relation,
    Stance,
    Use,
)
from recollect.models.extractors.chat_model import AnswerSchema
from recollect.models.extractors.json_answers import lines_of, word
from recollect.text.secrets import mask


class _Form(BaseModel):
    # strict mode asks that no other field is allowed and, as there are no defaults, that each is there
    model_config = ConfigDict(extra="forbid")


class StatedMemory(_Form):
    """One statement.

    The order of the members matters, because a model conditions each on those before: it quotes the message first, then says
    whose words these are and how they are meant, and only then writes the statement. This saves a second call as a check.
    """

    evidence: str
    confirms: str | None
    subject: str | None
    stance: Stance
    steers: bool
    lasts: Lasting
    content: str
    kind: Literal[Kind.FACT, Kind.PREFERENCE, Kind.INSIGHT, Kind.DECISION, Kind.TODO, Kind.ENTITY]
    importance: float
    relation: Relation
    about: list[int]
    ends: list[int]
    affects: list[int]
    event_date: str | None
    valid_from: str | None
    valid_to: str | None
    use: Use
    topics: list[str]
    questions: list[str]


class StatedCommand(_Form):
    """A memory command: the request that a message makes of the memory."""

    asking: Asking
    evidence: str
    about: list[int]


class StatedMemories(_Form):
    """The answer of a model: whose words a message has, its memory commands, and then the statements to keep."""

    words: Literal["own", "pasted", "played", "mixed"]  # looked at first; others' words hold no commands
    wishes: list[StatedCommand]  # the prompt's word for memory commands
    memories: list[StatedMemory]


class StatedNeed(_Form):
    """When a memory will be needed."""

    number: int
    use: Use
    topics: list[str]
    questions: list[str]


class StatedNeeds(_Form):
    """When some memories will be needed."""

    needs: list[StatedNeed]


class ChosenNumbers(_Form):
    """The memories that are meant."""

    numbers: list[int]


class WrittenSummary(_Form):
    """A summary and its parts."""

    summary: str
    facts: list[str]
    preferences: list[str]
    decisions: list[str]
    todos: list[str]
    entities: list[str]


_HINT_LIMITS = {
    "topics": MOST_TOPICS,
    "topics[]": TOPIC_LENGTH,
    "questions": MOST_QUESTIONS,
    "questions[]": QUESTION_LENGTH,
}

EXTRACTION = AnswerSchema(
    "memories",
    StatedMemories,
    '{"words": "own", "wishes": [], "memories": [{"evidence": "...", "confirms": null, "subject": null, "stance": "stated", '
    '"steers": false, "lasts": "years", "content": "...", "kind": "fact", "importance": 0.5, "relation": "new", '
    '"about": [], "ends": [], "affects": [], "event_date": null, "valid_from": null, "valid_to": null, '
    '"use": "topic", "topics": ["..."], "questions": ["..."]}]}',
    limits={
        "memories": 32,
        "wishes": 5,
        "about": 8,
        "ends": 8,
        "affects": 8,
        "evidence": 500,
        "confirms": 500,
        "subject": 80,
        "content": 400,
        "event_date": 20,
        "valid_from": 20,
        "valid_to": 20,
        **_HINT_LIMITS,
    },
)
"""Statements worth keeping."""


@cache
def extraction_schema(tags: tuple[str, ...]) -> AnswerSchema:
    """Return the schema of statements, each with those of the operator's tags that fit; without tags it is ``EXTRACTION``."""
    if not tags:
        return EXTRACTION
    one = create_model("TaggedMemory", __base__=StatedMemory, tags=(list[Literal[tags]], ...))  # type: ignore[valid-type]
    form = create_model("TaggedMemories", __base__=StatedMemories, memories=(list[one], ...))  # type: ignore[valid-type]
    example = EXTRACTION.example.replace("}]}", ', "tags": []}]}')
    return replace(EXTRACTION, form=form, example=example, limits={**EXTRACTION.limits, "tags": MOST_TAGS})


HINTS = AnswerSchema(
    "needs",
    StatedNeeds,
    '{"needs": [{"number": 0, "use": "topic", "topics": ["..."], "questions": ["..."]}]}',
    limits={"needs": 20, **_HINT_LIMITS},
)
"""When memories will be needed."""

CHOICE = AnswerSchema("choice", ChosenNumbers, '{"numbers": []}')
"""Which memories are meant."""

SUMMARY = AnswerSchema(
    "summary",
    WrittenSummary,
    '{"summary": "...", "facts": ["..."], "preferences": [], "decisions": [], "todos": [], "entities": []}',
)
"""A summary of a chat."""


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
