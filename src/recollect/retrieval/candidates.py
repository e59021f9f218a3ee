"""Searches the store for candidates by vectors and by terms, each within its own time limit."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

import structlog

from recollect.deadline import within
from recollect.errors import EmbedderError, StoreError
from recollect.model import Hit, Lexicon, Scope, Stage, Vector
from recollect.ports import ONLY_TODAYS, Embedder, Generations, MemoryStore
from recollect.retrieval.generations import (
    EarlierQuestion,
    earlier_questions,
    is_of_none,
    search_earlier,
    together,
)
from recollect.retrieval.query import RecallQuery
from recollect.retrieval.relevance import contextual_vector
from recollect.retrieval.terms import TermScores, score_terms
from recollect.text.lexical import correction_prefixes, corrections

T = TypeVar("T")

_CORRECTED_AT_MOST = 3

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SearchReach:
    """The limits of a search.

    Attributes:
        limit: The most candidates that each channel (vectors, terms) returns.
        lexical: Whether to search by terms.
        log: Whether to search the message log.
        verbatim: Whether to search whole exchanges (`qa_turn`) as well; needed if the log has no embeddings.
        embedding_seconds: Time limit of the embedding. Without it, the search uses terms alone.
        second_seconds: Time limit of the second embedding. Without it, statements are found by the first alone.
        lexical_seconds: Time limit of the term lookup. Without it, the search uses vectors alone.
    """

    limit: int = 40
    lexical: bool = True
    log: bool = True
    verbatim: bool = False
    embedding_seconds: float = 0.15
    second_seconds: float = 0.2
    lexical_seconds: float = 0.1


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results of a search, before ranking.

    Attributes:
        hits: Memories and passages, unordered.
        terms: The BM25 scores of the documents that hold any of the query's terms.
        has_vector: Whether the query has an embedding.
        has_terms: Whether the term lookup succeeded.
        second_question: The second embedder's vector of the user's words alone, unit length; None without one.
        corrected: Whether spelling corrections replaced any terms.
        degraded: The stages that failed or exceeded their time limit.
        stages: The duration of each stage, in milliseconds.
    """

    hits: list[Hit]
    terms: TermScores
    has_vector: bool
    has_terms: bool = True
    second_question: Vector | None = None
    corrected: bool = False
    degraded: tuple[Stage, ...] = ()
    stages: dict[Stage, float] = field(default_factory=dict)


async def find_candidates(
    scope: Scope,
    query: RecallQuery,
    *,
    embedder: Embedder,
    store: MemoryStore,
    reach: SearchReach,
    second_embedder: Embedder | None = None,
    generations: Generations = ONLY_TODAYS,
) -> SearchResults:
    """Find memories and passages that are near to the query's vectors or hold its terms.

    The embeddings and the term lookup run concurrently. One round trip to the store then returns memories and passages
    together. Without the second embedding, statements are found by the first alone. While the store holds embeddings that an
    earlier embedder made, the search compares these with that embedder's vector of the query.

    Raises:
        EmbedderError: There is no embedding, and the search by terms is off.
        StoreError: The search in the store failed.
    """
    watch = _Watch()
    vector, lexicon, second, asked = await asyncio.gather(
        watch.timed(Stage.EMBEDDING, partial(_embedded, query, embedder), reach.embedding_seconds),
        watch.timed(
            Stage.LEXICAL, partial(_looked_up, scope, query, store, reach, watch), reach.lexical_seconds
        ),
        _embedded_again(query, second_embedder, watch, reach),
        earlier_questions(scope, query, generations, seconds=reach.second_seconds),
    )
    if vector is None and not asked and not reach.lexical:
        raise EmbedderError("There is no embedding to search by.")
    terms, began = _scored(query, lexicon, reach), time.perf_counter()
    limits = _limits(terms, reach)
    # Before today's: what is embedded again between the two searches is found by the later one.
    earlier = await _of_earlier(scope, asked, embedder, store, generations, limits)
    of_second = _second_of(second, second_embedder)
    hits = await store.search(scope, vector, embedder.name, **of_second, **limits)
    watch.stages[Stage.SEARCH] = (time.perf_counter() - began) * 1000
    return SearchResults(
        together(hits, earlier),
        terms,
        has_vector=vector is not None or any(hit.cosine is not None for hit in earlier),
        has_terms=reach.lexical and lexicon is not None,
        second_question=second and second.asked,
        corrected=bool(lexicon and lexicon[1]),
        degraded=tuple(watch.degraded),
        stages=watch.stages,
    )


def _limits(terms: TermScores, reach: SearchReach) -> dict[str, Any]:
    """Return the arguments of a search that say how far, and for which documents, it looks."""
    return {
        "documents": terms.best(reach.limit),
        "limit": reach.limit,
        "log": reach.log,
        "verbatim": reach.verbatim,
    }


def _second_of(second: "_Second | None", embedder: Embedder | None) -> dict[str, Any]:
    return {"second": second and second.searched, "second_model": embedder.name if embedder else ""}


async def _of_earlier(
    scope: Scope,
    asked: Sequence[EarlierQuestion],
    embedder: Embedder,
    store: MemoryStore,
    generations: Generations,
    limits: Mapping[str, Any],
) -> list[Hit]:
    """Return what is found among the embeddings of earlier generations; where nothing is left of one, note that."""
    found: list[Hit] = []
    for each in asked:
        hits = await search_earlier(scope, each, store, today=embedder, limits=limits)
        if limits["log"] and is_of_none(each, hits):
            generations.none_of(scope.user_id, each.generation)
        found += hits
    return found


def _scored(
    query: RecallQuery, lexicon: tuple[Lexicon, dict[str, str]] | None, reach: SearchReach
) -> TermScores:
    known, meant = lexicon or (Lexicon(), {})
    return score_terms(known, query.terms if reach.lexical else (), meant)


async def _embedded(query: RecallQuery, embedder: Embedder) -> Vector:
    return await embedder.embed_question(query.text)


class _Second(NamedTuple):
    """The question's vectors by the second embedder, unit length.

    Attributes:
        asked: The vector of the user's words alone.
        searched: The same, shifted towards the vector of the user's message before; for the search.
    """

    asked: Vector
    searched: Vector


async def _embedded_again(
    query: RecallQuery, embedder: Embedder | None, watch: "_Watch", reach: SearchReach
) -> _Second | None:
    if embedder is None:
        return None
    return await watch.timed(
        Stage.SECOND_EMBEDDING,
        partial(_in_second_space, query, embedder),
        max(reach.second_seconds, reach.embedding_seconds),
    )


async def _in_second_space(query: RecallQuery, embedder: Embedder) -> _Second:
    asked = await embedder.embed_question(query.asked)
    if not query.before:
        return _Second(asked, asked)
    return _Second(asked, contextual_vector(asked, await embedder.embed_question(query.before)))


async def _looked_up(
    scope: Scope, query: RecallQuery, store: MemoryStore, reach: SearchReach, watch: "_Watch"
) -> tuple[Lexicon, dict[str, str]]:
    """Look up the terms; for terms that the user never used, look up spelling corrections in a second round trip.

    Corrections have half of the time that the terms left: where they are late or fail, the terms that were found serve without.
    """
    if not reach.lexical or not query.terms:
        return Lexicon(), {}
    began = time.perf_counter()
    lexicon = await store.lexicon(scope.user_id, query.terms)
    unheard = [term for term in query.terms if term not in lexicon.occurrences and correction_prefixes(term)][
        :_CORRECTED_AT_MOST
    ]
    if not unheard or not lexicon.documents:
        return lexicon, {}
    left = reach.lexical_seconds - (time.perf_counter() - began)
    corrected = await watch.timed(Stage.CORRECTION, partial(_corrected, scope, unheard, store), left / 2)
    if corrected is None:
        return lexicon, {}
    meant, found = corrected
    occurrences = {**lexicon.occurrences, **found.occurrences}
    return Lexicon(lexicon.documents, lexicon.mean_length, occurrences), meant


async def _corrected(scope: Scope, unheard: list[str], store: MemoryStore) -> tuple[dict[str, str], Lexicon]:
    """Return the corrections of terms that the user never used, and what the lexical index has of the corrections."""
    meant = await _meant(scope, unheard, store)
    if not meant:
        return {}, Lexicon()
    return meant, await store.lexicon(scope.user_id, sorted(set(meant.values())))


async def _meant(scope: Scope, unheard: list[str], store: MemoryStore) -> dict[str, str]:
    prefixes = sorted({prefix for term in unheard for prefix in correction_prefixes(term)})
    sizes = [len(term) for term in unheard]
    vocabulary = await store.vocabulary(
        scope.user_id, prefixes, lengths=range(min(sizes) - 2, max(sizes) + 3)
    )
    found = {term: corrections(term, vocabulary) for term in unheard}
    return {term: best[0] for term, best in found.items() if best}


@dataclass(slots=True)
class _Watch:
    """Times the stages, and turns failures and timeouts into missing results."""

    degraded: list[Stage] = field(default_factory=list)
    stages: dict[Stage, float] = field(default_factory=dict)

    async def timed(
        self, stage: Stage, work: Callable[[], Coroutine[Any, Any, T]], seconds: float
    ) -> T | None:
        began = time.perf_counter()
        try:
            return await within(seconds, work())
        except (TimeoutError, EmbedderError, StoreError) as error:
            self.degraded.append(stage)
            # To be late is what a deadline is for, and the line of the recall names the stage.
            say = log.debug if isinstance(error, TimeoutError) else log.warning
            say("recall_degraded", stage=stage, error=type(error).__name__)
            return None
        finally:
            self.stages[stage] = (time.perf_counter() - began) * 1000
