"""Summarizes chats in the background, as often as is due. Never: SQL, how a summary is written."""

import asyncio
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from functools import partial
from uuid import UUID

import structlog
from cachetools import LRUCache
from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.engine.background.counts import FormationCounts
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
from recollect.formation import CallGuard
from recollect.model import Conversation, Kind, Material, Memory, Outline, Provenance, Source, Vector
from recollect.models.attempts import Step, Steps
from recollect.models.yielding import Yielding
from recollect.ports import Asker, Clock, Summarized, Summarizer
from recollect.text.secrets import mask, mask_exchange_texts

SUMMARY_IMPORTANCE = 0.5

_CHATS_AT_ONCE = 3
_TRIES = 3
_SHARE_OF_SLOW = 0.5
_FAILURES_KEPT = 10_000
_AGAIN = timedelta(minutes=1)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Summaries:
    """Keeps the summaries of chats up to date.

    Attributes:
        backends: The stores, the embedder and the summarizer.
        guard: Guards the model calls.
        clock: Tells the time.
        credential: Finds a credential by an exchange's id, user and upstream, while this process has one.
        counts: Counts the summaries.
        steps: Counts each attempt in the database before it begins.
        attempts: How many workers may die of the same summary. After that, the chat gets no summary of these turns.
        yielding: Makes the work wait for chats.
        failures: How often a summary failed, by user, chat and last turn.
        slow: The summaries that took a model too long. The next attempt asks for half as much; if that is too slow, none follows.
    """

    backends: Backends
    guard: CallGuard
    clock: Clock
    credential: Callable[[UUID, str, str], str | None]
    counts: FormationCounts
    steps: Steps
    attempts: int
    yielding: Yielding = field(default_factory=Yielding)
    failures: MutableMapping[tuple[str, str, int], int] = field(
        default_factory=lambda: LRUCache(_FAILURES_KEPT)
    )
    slow: MutableMapping[tuple[str, str, int], None] = field(default_factory=lambda: LRUCache(_FAILURES_KEPT))

    async def keep(self, user_id: str, due: Summarizing) -> timedelta | None:
        """Summarize the user's chats that are due or asked for, a few at once; return after how long to come again for more.

        A failed summary is tried again with its user's next turn. Raises YieldedError when a chat comes first.
        """
        summarizer, inbox = self.backends.summarizer, self.backends.inbox
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
                return None  # it would not be otherwise a minute later: the chat's next turn tries again
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
            self.credential(conversation.exchange_id, user_id, conversation.upstream),
            _SHARE_OF_SLOW if _key(user_id, conversation) in self.slow else 1.0,
            conversation.upstream,
        )
        material = await asyncio.to_thread(_masked, conversation.material)
        summarize = partial(summarizer.summarize, material, asker)
        return await self._memory(user_id, conversation, await self.guard.call(user_id, summarize))

    def _is_given_up(self, user_id: str, conversation: Conversation, error: ExtractorError) -> bool:
        """Return whether a chat is left without a summary of these turns: no one can read the answer, or none comes."""
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
        except EmbedderError as error:
            log.warning("summary_saved_without_embedding", error=type(error).__name__, detail=str(error))
            return None
        return vector


def _key(user_id: str, conversation: Conversation) -> tuple[str, str, int]:
    return (user_id, conversation.session_id, conversation.last_turn)


def _told_where(conversation: Conversation, due: Summarizing) -> Conversation:
    at = conversation.material.at
    told = None if at is None else at.astimezone(due.zone)
    return replace(conversation, material=replace(conversation.material, at=told, guidance=due.guidance))


def _masked(material: Material) -> Material:
    """Return the material without its secrets: the log may have them in clear."""
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
