"""Reads a turn's question to the memory from its words, and has it embedded, each vector within its time limit; a failure leaves one out."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Coroutine, Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any, NamedTuple, TypeVar

import structlog
from cachetools import TTLCache

from recollect.errors import EmbedderError, StoreError
from recollect.model import Role, Stage, Turn, Vector
from recollect.model.local_time import wall
from recollect.ports import Embedder
from recollect.recall.relevance_model import contextual_vector
from recollect.runtime.deadline import within
from recollect.text import cues
from recollect.text.attribution import asking_ends, pasted_in, question_in
from recollect.text.dates.date_finder import Period, dates_of_both
from recollect.text.lexical import identifiers, query_terms

_BEFORE = 200
"""Characters of the message before, and of its reply, that precede a question of a few words."""
_FEW_WORDS, _FEW_LETTERS = 4, 8
"""A question of at most so many words, or letters of a script without spaces, may have to be read with the message before."""
_DOCUMENT = 200
"""Characters of a message that are not its question, from which on they count as a document."""


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A turn as a query to the memory.

    Attributes:
        text: The text to embed: the user's words, in context preceded by the last exchange.
        asked: The user's words alone; of a long message its beginning and end.
        terms: The search terms.
        identifiers: The code identifiers in the words, case-folded.
        periods: The dates that the words mean.
        coming: The further ones that they mean if they speak of the future: the next Friday, and not the last.
        now: The time of the turn, by the person's clock.
        zone: The person's time zone; None: it is not known.
        is_about_oneself: Whether users speak of themselves.
        is_small_talk: Whether it is small talk, which needs no memories.
        seeks_advice: Whether it asks for a recommendation, so that tastes count.
        has_document: Whether a document stands next to the question. Most such questions are about the document.
        in_context: The same in context, if the words are few: "and the second one?" finds nothing alone.
    """

    text: str
    asked: str
    terms: tuple[str, ...]
    identifiers: frozenset[str]
    periods: tuple[Period, ...]
    now: datetime
    is_about_oneself: bool
    is_small_talk: bool
    seeks_advice: bool
    has_document: bool = False
    zone: tzinfo | None = None
    coming: tuple[Period, ...] = ()
    in_context: "RecallQuery | None" = None

    @property
    def any_periods(self) -> tuple[Period, ...]:
        """The dates that the words mean, whether they speak of the past or of the future."""
        return (*self.periods, *self.coming)

    @property
    def moments(self) -> list[tuple[float, float]]:
        """The beginning and the end of each period in the person's time zone, in seconds since 1970: in UTC the year 1 may not begin."""
        zone = self.zone or UTC
        ends = [(each.start.replace(tzinfo=zone), each.end.replace(tzinfo=zone)) for each in self.periods]
        return [(start.timestamp(), end.timestamp()) for start, end in ends]


def read_query(turn: Turn) -> RecallQuery:
    """Return the query of a turn."""
    question = question_in(turn.text)
    asked = asking_ends(question.strip())
    periods, coming = dates_of_both(asked, wall(turn.at))
    alone = RecallQuery(
        text=asked,
        asked=asked,
        terms=query_terms(asked),
        identifiers=identifiers(asked),
        periods=periods,
        coming=coming,
        now=wall(turn.at),
        zone=turn.at.tzinfo,
        is_about_oneself=cues.is_about_oneself(asked),
        is_small_talk=cues.is_small_talk(asked),
        seeks_advice=cues.seeks_advice(asked),
        has_document=turn.has_document or len(turn.text) - len(question) >= _DOCUMENT,
    )
    text = _with_what_it_refers_to(turn, asked) if _has_few_words(asked) else asked
    if text == asked:
        return alone
    return replace(alone, in_context=replace(alone, text=text, terms=query_terms(text)))


def read_of(turn: Turn) -> Hashable:
    """Return everything that ``read_query`` reads of a turn: two turns with the same have the same query."""
    # Equal questions of a moment share a query, and no words mean a time to the second.
    minute = turn.at.replace(second=0, microsecond=0)
    answer = turn.last_answer[:_BEFORE]
    # Python calls two moments equal whatever their zones, and the zone decides which day "today" is.
    return turn.text, said_before(turn), answer, turn.has_document, minute, minute.tzinfo


def asked_in(message: str) -> str:
    """Return the user's words in a message that ask for something; of a long message its beginning and end."""
    return asking_ends(question_in(message).strip())


def said_before(turn: Turn) -> str:
    """Return the user's whole message before a turn; "" if there is none."""
    return next((each.text for each in reversed(turn.history) if each.role is Role.USER), "")


def _has_few_words(asked: str) -> bool:
    # By spaces: combining marks part the words of Hindi and Thai for an expression.
    return len(asked.split()) <= _FEW_WORDS and cues.cue_text(asked).unparted <= _FEW_LETTERS


def _with_what_it_refers_to(turn: Turn, asked: str) -> str:
    """Prepend the beginnings of the user's message before and of its reply, for example to "and the second one?"."""
    parts = (question_in(said_before(turn))[:_BEFORE].strip(), turn.last_answer[:_BEFORE].strip(), asked)
    return "\n".join(part for part in parts if part)


T = TypeVar("T")

log = structlog.get_logger(__name__)

_KEPT, _KEPT_SECONDS = 1_000, 600.0
_READ_ON_LOOP = 2_000
"""Characters of a message that is read on the event loop."""


class Named(NamedTuple):
    """A question's vector in the space of one embedder.

    Attributes:
        model: The embedder's name.
        vector: The vector, unit length.
        gate: The cosine below which a match by this embedder means nothing.
    """

    model: str
    vector: Vector
    gate: float


class MessageVectors:
    """Vectors of messages by the hash of their text, for ten minutes. Keeps no text."""

    def __init__(self) -> None:
        # The message before a question is mostly a question of a moment ago: its vector is here.
        self._known: TTLCache[tuple[str, bytes], Vector] = TTLCache(_KEPT, _KEPT_SECONDS)

    @property
    def entries(self) -> int:
        """The number of messages whose vectors are kept."""
        return len(self._known)

    def clear(self) -> None:
        """Forget all of them."""
        self._known.clear()

    async def vector_of(self, text: str, embedder: Embedder) -> Vector:
        """Return the vector of a message's question, which is read only if the vector is not known.

        Raises:
            EmbedderError: It could not be embedded.
        """
        # JSON may carry half a surrogate pair, which no strict encoding takes.
        key = embedder.name, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        vector = self._known.get(key)
        if vector is None:
            # To find the question in a long text would hold up the streams of other chats.
            is_short = len(text) <= _READ_ON_LOOP
            asked = asked_in(text) if is_short else await asyncio.to_thread(asked_in, text)
            vector = self._known[key] = await embedder.embed_question(asked)
        return vector


class StatementVectors(NamedTuple):
    """A question's vectors for statements.

    Attributes:
        asked: The vector of the person's words alone, from which the intents are read; None: it failed, or was late.
        near: The vector to compare statements with, which the words before it shift; None as ``asked``.
        model: The name of the embedder of statements.
        pasted: The vector of a text by others that the question is about; None without one.
    """

    asked: Vector | None = None
    near: Named | None = None
    model: str = ""
    pasted: Vector | None = None


@dataclass(slots=True)
class Watch:
    """Times the stages of a recall, and turns failures and timeouts into missing results.

    Attributes:
        degraded: The stages that failed or exceeded their time limit.
        stages: The duration of each stage, in milliseconds.
    """

    degraded: list[Stage] = field(default_factory=list)
    stages: dict[Stage, float] = field(default_factory=dict)

    async def timed(
        self, stage: Stage, work: Callable[[], Coroutine[Any, Any, T]], seconds: float
    ) -> T | None:
        """Return the result of a stage; None if it fails or takes longer than ``seconds``."""
        began = time.perf_counter()
        try:
            return await within(seconds, work())
        except (TimeoutError, EmbedderError, StoreError) as error:
            self.degraded.append(stage)
            # A late stage is expected, and the recall's own log line names it.
            say = log.debug if isinstance(error, TimeoutError) else log.warning
            say("recall_degraded", stage=stage, error=type(error).__name__)
            return None
        finally:
            # A question may be embedded twice: for statements, and for the log.
            self.stages[stage] = self.stages.get(stage, 0.0) + (time.perf_counter() - began) * 1000


async def statement_vectors(
    said: str, before: str, embedder: Embedder, watch: Watch, *, known: MessageVectors, seconds: float
) -> StatementVectors:
    """Embed the question in a message, within ``seconds``, for its comparison with statements.

    The message ``before`` shifts it. ``known`` has the vectors of messages of a moment ago.
    """
    made = await watch.timed(Stage.EMBEDDING, partial(_in_context, said, before, embedder, known), seconds)
    if made is None:
        return StatementVectors(model=embedder.name)
    asked, near = made
    text = pasted_in(said) if len(said) <= _READ_ON_LOOP else await asyncio.to_thread(pasted_in, said)
    pasted = None
    if text:
        # In the rest of the time: a long text must not cost the question its vector.
        left = seconds - watch.stages[Stage.EMBEDDING] / 1000
        pasted = await watch.timed(Stage.EMBEDDING, partial(embedder.embed_question, text), left)
    return StatementVectors(asked, Named(embedder.name, near, embedder.gate), embedder.name, pasted)


async def log_vectors(
    query: RecallQuery,
    vectors: StatementVectors,
    embedder: Embedder,
    earlier: Sequence[Embedder],
    watch: Watch,
    *,
    seconds: float,
) -> tuple[Named, ...]:
    """Return a question's vectors for its comparison with the message log, by today's embedder and the ``earlier`` ones.

    Each is made within ``seconds``.
    """
    others = _of_earlier(earlier, query.text, seconds)
    # By the same embedder only a question in context has a second text. One that failed is not asked again.
    if vectors.model != embedder.name or (vectors.asked is not None and query.text != query.asked):
        embed = partial(embedder.embed_question, query.text)
        vector, of_others = await asyncio.gather(watch.timed(Stage.EMBEDDING, embed, seconds), others)
    else:
        vector, of_others = vectors.asked, await others
    near = [] if vector is None else [Named(embedder.name, vector, embedder.gate)]
    return (*near, *of_others)


async def _in_context(
    said: str, before: str, embedder: Embedder, known: MessageVectors
) -> tuple[Vector, Vector]:
    """Return the vector of the words alone, and the same shifted towards the message before."""
    asked = await known.vector_of(said, embedder)
    if not before.strip():
        return asked, asked
    return asked, contextual_vector(asked, await known.vector_of(before, embedder))


async def _of_earlier(embedders: Sequence[Embedder], text: str, seconds: float) -> list[Named]:
    """Return a question's vectors by earlier embedders, as far as they answer in time."""
    found = []
    for each in embedders:
        try:
            found.append(Named(each.name, await within(seconds, each.embed_question(text)), each.gate))
        except (TimeoutError, EmbedderError) as error:  # words still find the texts of its space
            log.warning("earlier_embedder_failed", error=type(error).__name__)
    return found
