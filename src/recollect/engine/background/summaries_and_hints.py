"""Summarizes chats when they are due, and adds hints to statements without any: those added by hand, imported or edited."""

import asyncio
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from functools import partial

import structlog
from cachetools import LRUCache, TTLCache
from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.engine.counters import FormationCounts
from recollect.engine.kept_credentials import Credentials
from recollect.engine.policy import Summarizing
from recollect.errors import (
    BudgetSpentError,
    EmbedderError,
    ExtractorError,
    ExtractorPausedError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
    UpstreamPolicyError,
    WorkerStoppedError,
)
from recollect.formation import CallGuard, plausible_hints
from recollect.model import (
    STATEMENTS,
    Conversation,
    Hints,
    Kind,
    Material,
    Memory,
    Outline,
    Provenance,
    Source,
    Vector,
)
from recollect.models.background_limits import Step, Steps, Yielding
from recollect.models.memory_embedding import embedded_if_possible
from recollect.ports import Asker, Clock, Hinted, Hinter, Summarized, Summarizer
from recollect.text.secrets import mask, mask_exchange_texts

SUMMARY_IMPORTANCE = 0.5

_CHATS_AT_ONCE = 3  # then other users' inboxes have their turn
_TRIES = 3
_SHARE_OF_SLOW = 0.5  # a timeout is never repeated unchanged (decision 0031)
_FAILURES_KEPT = 10_000  # a process that runs for months must not keep every chat
_AGAIN = timedelta(minutes=1)

AT_ONCE = 20
"""How many statements a model is asked about in one call."""

_NEXT_RUN = timedelta(seconds=1)  # other users' inboxes have their turn
_EMBEDDER_REST = timedelta(minutes=10)
"""How long no model is asked for hints after the embedder failed: hints need embeddings."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelWork:
    """Holds the parts that ask a model after memories are formed.

    Attributes:
        credentials: Finds an exchange's or a person's credential, while this process has one.
        attempts: How many workers may die over the same work. After that, it counts as done.
    """

    backends: Backends
    guard: CallGuard
    credentials: Credentials
    counts: FormationCounts
    steps: Steps
    attempts: int
    yielding: Yielding


@dataclass(frozen=True, slots=True)
class Summaries(ModelWork):
    """Keeps the summaries of chats up to date.

    Attributes:
        failures: How often a summary failed, by user, chat and last turn.
        slow: The summaries that took a model too long. The next attempt asks for half as much; if that is too slow, none follows.
    """

    clock: Clock
    failures: MutableMapping[tuple[str, str, int], int] = field(
        default_factory=lambda: LRUCache(_FAILURES_KEPT)
    )
    slow: MutableMapping[tuple[str, str, int], None] = field(default_factory=lambda: LRUCache(_FAILURES_KEPT))

    async def keep(self, user_id: str, due: Summarizing) -> timedelta | None:
        """Summarize the user's chats that are due or asked for, a few at once; return after how long to come again for more.

        A failed summary is tried again with its user's next turn. Raises YieldedError when a chat comes first.
        """
        summarizer, inbox = self.backends.summarizer, self.backends.store.inbox
        if summarizer is None:
            return None
        left_out: set[str] = set()
        for _ in range(_CHATS_AT_ONCE):
            conversation = await inbox.to_summarize(
                user_id, turns=due.turns, tokens=due.tokens, without=left_out
            )
            if conversation is None:
                return None
            conversation = _told_where(conversation, due)
            try:
                with self.yielding.turn(user_id):
                    memory = await self._tried(user_id, conversation, summarizer)
            except BudgetSpentError as error:
                _warn_of(error)
                return None  # a minute later it would fail again: the chat's next turn tries
            except UpstreamPolicyError:
                memory = None  # these turns may not be sent there, now or later
            except ExtractorError as error:
                _warn_of(error)
                if not self._is_given_up(user_id, conversation, error):
                    left_out.add(conversation.session_id)
                    continue
                memory = None  # not asked again with every turn: it would cost as much, and say as little
            self.counts.summarized(await inbox.summarized(user_id, conversation, memory, at=self.clock()))
        return _AGAIN

    async def _tried(self, user_id: str, conversation: Conversation, summarizer: Summarizer) -> Memory | None:
        async with self.steps.step(user_id, Step.SUMMARIZE, conversation.session_id) as begun:
            if begun > self.attempts:
                log.error("summary_abandoned", error=WorkerStoppedError.__name__, attempts=begun - 1)
                return None
            return await self._summary(user_id, conversation, summarizer)

    async def _summary(
        self, user_id: str, conversation: Conversation, summarizer: Summarizer
    ) -> Memory | None:
        asker = Asker(
            user_id,
            conversation.model,
            conversation.authorized,
            self.credentials.find(conversation.exchange_id, user_id, conversation.upstream),
            _SHARE_OF_SLOW if _key(user_id, conversation) in self.slow else 1.0,
            conversation.upstream,
        )
        material = await asyncio.to_thread(_masked, conversation.material)
        summarize = partial(summarizer.summarize, material, asker)
        return await self._memory(user_id, conversation, await self.guard.call(user_id, summarize))

    def _is_given_up(self, user_id: str, conversation: Conversation, error: ExtractorError) -> bool:
        """Return whether these turns get no summary: the answer is unreadable, or none comes."""
        if isinstance(error, InvalidExtractionError):
            return True
        if isinstance(error, ExtractorUnusableError | ExtractorPausedError):
            return False
        key = _key(user_id, conversation)
        if isinstance(error, ExtractorTimeoutError):
            if key in self.slow:
                return True
            self.slow[key] = None
        self.failures[key] = self.failures.get(key, 0) + 1
        return self.failures[key] >= _TRIES

    async def _memory(
        self, user_id: str, conversation: Conversation, summarized: Summarized
    ) -> Memory | None:
        text = mask(summarized.text).text
        if not text.strip():
            return None
        vector = await self._vector(text)
        now = self.clock()
        return Memory(
            id=uuid7(),
            owner=user_id,
            kind=Kind.SUMMARY,
            source=Source.SUMMARY,
            content=text,
            importance=SUMMARY_IMPORTANCE,
            observed_at=now,
            created_at=now,
            provenance=Provenance(conversation.session_id, conversation.message_ids, extractor=summarized.by),
            outline=_without_secrets(summarized.outline),
            embedding=vector,
            embedding_model=None if vector is None else self.backends.embedder.name,
        )

    async def _vector(self, text: str) -> Vector | None:
        try:
            [vector] = await self.backends.embedder.embed([text])
        except EmbedderError as error:  # words find it until it is embedded
            log.warning("summary_saved_without_embedding", error=type(error).__name__, detail=str(error))
            return None
        return vector


def _key(user_id: str, conversation: Conversation) -> tuple[str, str, int]:
    return (user_id, conversation.session_id, conversation.last_turn)


def _told_where(conversation: Conversation, due: Summarizing) -> Conversation:
    at = conversation.material.at
    local = None if at is None else at.astimezone(due.zone)
    return replace(conversation, material=replace(conversation.material, at=local, guidance=due.guidance))


def _masked(material: Material) -> Material:
    """Return the material without its secrets: the log may hold them unmasked."""
    return replace(
        material,
        before=mask(material.before).text,
        outline=_without_secrets(material.outline),
        messages=tuple(
            replace(each, text=said)
            for each, said in zip(
                material.messages,
                mask_exchange_texts(*(each.text for each in material.messages)),
                strict=True,
            )
        ),
    )


def _without_secrets(outline: Outline) -> Outline:
    return Outline(
        **{
            each.name: tuple(mask(item).text for item in getattr(outline, each.name))
            for each in fields(outline)
        }
    )


def _warn_of(error: ExtractorError) -> None:
    log.warning("summary_failed", error=type(error).__name__, detail=str(error))


@dataclass(frozen=True, slots=True)
class Hinting(ModelWork):
    """Asks the model that the person chatted with last, or the operator's own, about the person's own statements.

    Nothing waits for it, and a failure schedules nothing: the person's next job tries again. If the operator
    ``names_model``, hints are also made for people who never chatted.
    """

    names_model: bool
    _rest: TTLCache[str, None] = field(
        default_factory=lambda: TTLCache(1, _EMBEDDER_REST.total_seconds()), init=False
    )

    async def give_hints(self, user_id: str) -> timedelta | None:
        """Give hints to the user's next statements without any; return after how long to come again for more.

        Raises YieldedError when a chat comes first.
        """
        hinter = self.backends.hinter
        if hinter is None or self._rest or (asker := await self._asker(user_id)) is None:
            return None
        told = hinter.told(asker).kinds
        kinds = STATEMENTS if told is None else STATEMENTS & told
        statements = await self.backends.store.memories.unhinted(user_id, kinds, limit=AT_ONCE)
        if not statements:
            return None
        with self.yielding.turn(user_id):
            found = await self._ask_model(hinter, statements, asker)
        if found is None:
            return None
        await self._give(user_id, statements, found)
        return _NEXT_RUN if len(statements) == AT_ONCE and not self._rest else None

    async def _asker(self, user_id: str) -> Asker | None:
        spoken = await self.backends.store.inbox.spoken_with(user_id)
        if spoken is not None:
            credential = self.credentials.of_person(user_id, spoken.upstream)
            return Asker(user_id, spoken.model, spoken.authorized, credential, upstream=spoken.upstream)
        return Asker(user_id, "") if self.names_model else None

    async def _ask_model(self, hinter: Hinter, statements: Sequence[Memory], asker: Asker) -> Hinted | None:
        """Return the model's answer, empty if it could not be read or came too late; None if no model was asked."""
        async with self.steps.step(asker.user_id, Step.HINT, str(statements[0].id)) as begun:
            if begun > self.attempts:
                log.error("hints_abandoned", attempts=begun - 1)
                return Hinted()
            try:
                return await self.guard.call(asker.user_id, partial(hinter.hints, statements, asker))
            except ExtractorError as error:
                log.info("hints_failed", error=type(error).__name__, detail=str(error))
                is_answer = isinstance(error, InvalidExtractionError | ExtractorTimeoutError)
                return Hinted() if is_answer else None

    async def _give(self, user_id: str, statements: Sequence[Memory], found: Hinted) -> None:
        hinted = [
            replace(each, hints=_plausible(each, found.hints[place]))
            for place, each in enumerate(statements)
            if place in found.hints
        ]
        embedded = await embedded_if_possible(hinted, self.backends.embedder)
        # A statement that has an embedding keeps it, rather than take hints without one.
        bare = {each.id for each in statements if each.embedding_model is None}
        made = [each for each in embedded if each.embedding is not None or each.id in bare]
        await self.backends.store.memories.give_hints(user_id, made)
        if any(each.embedding is None for each in embedded):
            self._rest["embedder"] = None
        given = {each.id for each in hinted}
        without = [each.id for each in statements if each.id not in given]
        await self.backends.store.memories.count_hints_asked(user_id, without)
        self.counts.hinted += len(made)
        if found.tokens:
            log.debug("hints_made", statements=len(statements), hinted=len(made), tokens=found.tokens)


def _plausible(statement: Memory, hints: Hints) -> Hints | None:
    return plausible_hints(hints, statement.kind, statement.importance, is_general=statement.event_at is None)
