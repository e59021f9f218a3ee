"""Finds what an embedder before today's embedded, and puts it beside what today's finds. Never: replaces an embedding."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

import structlog

from recollect.deadline import within
from recollect.errors import EmbedderError
from recollect.model import Hit, Scope, Vector
from recollect.ports import Embedder, Generation, Generations, MemoryStore
from recollect.retrieval.query import RecallQuery

_Key = tuple[UUID, int | None]

log = structlog.get_logger(__name__)


class EarlierQuestion(NamedTuple):
    """A question in the vector spaces of an earlier generation.

    Attributes:
        generation: Whose.
        first: By its first embedder; None where there is none, or it was late.
        second: By its second.
    """

    generation: Generation
    first: Vector | None
    second: Vector | None

    @property
    def is_asked(self) -> bool:
        """Whether there is anything to compare with."""
        return self.first is not None or self.second is not None


async def earlier_questions(
    scope: Scope, query: RecallQuery, generations: Generations, *, seconds: float
) -> list[EarlierQuestion]:
    """Return a question as the generations have it that the user's embeddings may still be of.

    One whose embedder fails, or is late, is left out: what it embedded is found by words meanwhile.
    """
    asked = await asyncio.gather(
        *(_asked(query, generation, seconds) for generation in generations.of(scope.user_id))
    )
    return [each for each in asked if each.is_asked]


async def search_earlier(
    scope: Scope,
    asked: EarlierQuestion,
    store: MemoryStore,
    *,
    today: Embedder,
    limits: Mapping[str, Any],
) -> list[Hit]:
    """Return what is nearest to a question among what an earlier generation embedded, cosines on the scale of today's.

    Args:
        scope: Whose.
        asked: The question.
        store: What is searched.
        today: The embedder whose scale counts.
        limits: The further arguments of ``MemoryStore.search``.

    Raises:
        StoreError: The store could not be asked.
    """
    first, second = asked.generation.first, asked.generation.second
    hits = await store.search(
        scope,
        asked.first,
        first.name if first else "",
        second=asked.second,
        second_model=second.name if second else "",
        **limits,
    )
    if first is None:
        return hits
    return [
        replace(
            hit,
            cosine=on_scale(hit.cosine, first.gate, today.gate),
            first_cosine=on_scale(hit.first_cosine, first.gate, today.gate),
        )
        for hit in hits
    ]


def on_scale(cosine: float | None, gate: float, todays_gate: float) -> float | None:
    """Return a cosine of an earlier embedder as today's would have it.

    What means nothing to the one means nothing to the other, and what is the same is the same; between them it is a line.
    """
    if cosine is None:
        return None
    return 1.0 - (1.0 - cosine) * (1.0 - todays_gate) / max(1.0 - gate, 1e-6)


def together(hits: Sequence[Hit], earlier: Sequence[Hit]) -> list[Hit]:
    """Return what was found, each memory and each part once, with the cosines that either search knows; today's first."""
    if not earlier:
        return list(hits)
    found: dict[_Key, Hit] = {_key(hit): hit for hit in hits}
    for hit in earlier:
        known = found.get(_key(hit))
        found[_key(hit)] = hit if known is None else _both(known, hit)
    return list(found.values())


def is_of_none(asked: EarlierQuestion, found: Sequence[Hit]) -> bool:
    """Tell whether nothing is left of a generation: a search measures all of a user's, and measured none."""
    generation = asked.generation
    is_whole = (generation.first is None) == (asked.first is None) and (generation.second is None) == (
        asked.second is None
    )
    return is_whole and all(hit.cosine is None and hit.second_cosine is None for hit in found)


def _both(known: Hit, earlier: Hit) -> Hit:
    return replace(
        known,
        cosine=earlier.cosine if known.cosine is None else known.cosine,
        first_cosine=earlier.first_cosine if known.first_cosine is None else known.first_cosine,
        second_cosine=earlier.second_cosine if known.second_cosine is None else known.second_cosine,
    )


def _key(hit: Hit) -> _Key:
    """Return what a hit is of: a memory has one document, and a message as many as it has parts."""
    return hit.item.id, hit.document


async def _asked(query: RecallQuery, generation: Generation, seconds: float) -> EarlierQuestion:
    first, second = await asyncio.gather(
        _in_time(generation.first, query.text, seconds, is_question=False),
        _in_time(generation.second, query.asked, seconds, is_question=True),
    )
    return EarlierQuestion(generation, first, second)


async def _in_time(
    embedder: Embedder | None, text: str, seconds: float, *, is_question: bool
) -> Vector | None:
    if embedder is None:
        return None
    try:
        if is_question:
            return await within(seconds, embedder.embed_question(text))
        [vector] = await within(seconds, embedder.embed([text]))
    except (TimeoutError, EmbedderError) as error:
        log.warning("earlier_embedder_failed", error=type(error).__name__)
        return None
    return vector
