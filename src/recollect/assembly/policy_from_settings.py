"""Makes the engine's policy (how it behaves) from the settings."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import TypeVar

from recollect.assembly.models_from_settings import yields_to_chats
from recollect.composition import Bounds
from recollect.composition.placement import BLOCKS_OF_A_CHAT
from recollect.engine.policy import (
    GROWN_BATCH,
    QUIET,
    SUMMARY_TOKENS,
    SUMMARY_TURNS,
    TURNS_OF_A_BATCH,
    Batching,
    Policy,
    Summarizing,
    Yields,
)
from recollect.formation import FormationRules, TokenBudget
from recollect.model import Caps, EmbeddingScope, Lifetimes
from recollect.model.change import SESSION_CAP
from recollect.model.local_time import server_zone
from recollect.models.extractors.prompt_files import read_prompt
from recollect.recall import Gate, Reach, SelectionLimits
from recollect.settings.engine_settings import EngineSettings

# The deadline's milliseconds for each second of a part, which leave the database its time: of 300, 150.
_OF_EMBEDDING = 2_000
_EMBEDDING_SECONDS = Reach().embedding_seconds

T = TypeVar("T")


def make_policy(settings: EngineSettings, *, upstream: str | None = None) -> Policy:
    """Return how the engine is to behave."""
    seconds = settings.recall_deadline_ms / _OF_EMBEDDING
    return Policy(
        records=settings.record,
        stands=settings.standing_tokens > 0,
        deadline=settings.recall_deadline_ms / 1000,
        reach=Reach(
            verbatim=settings.embed is not EmbeddingScope.ALL,
            embedding_seconds=max(_EMBEDDING_SECONDS, seconds),
            log_embedding_seconds=seconds,
        ),
        gate=_make_gate(settings),
        selecting=SelectionLimits(limit=_given(settings.recall_limit, SelectionLimits().limit)),
        bounds=_make_bounds(settings),
        embedded=settings.embed,
        extraction_model=settings.extraction_model or "",
        reader=_reader(settings, upstream),
        strategy=settings.formation,
        rules=FormationRules(
            minimum_importance=_given(settings.minimum_importance, FormationRules().minimum_importance),
            hourly=settings.memories_per_hour,
        ),
        batching=_make_batching(settings),
        yields=Yields(_yields(settings, upstream), settings.formation_quiet_seconds),
        caps=Caps(_given(settings.session_cap, SESSION_CAP), settings.user_cap),
        lifetimes=Lifetimes.from_texts(settings.lifetimes),
        log_days=settings.log_days,
        summarizing=Summarizing(
            _given(settings.summary_turns, SUMMARY_TURNS), _given(settings.summary_tokens, SUMMARY_TOKENS)
        ),
        budget=TokenBudget(settings.user_tokens_per_day, settings.tokens_per_day),
        attempts=settings.formation_attempts or Policy().attempts,
        log_secrets=settings.log_secrets,
        zone=server_zone(),
    )


def _given(value: T | None, own: T) -> T:
    """Return the value that a test or a bench gives; without one the code's own."""
    return own if value is None else value


def _yields(settings: EngineSettings, upstream: str | None) -> bool:
    """Return whether the background yields to chats, as the LLM of any of them may be the extraction model."""
    further = [each.url for each in settings.chat_upstreams if each.url is not None and each.learn]
    return any(yields_to_chats(settings, each) for each in (upstream, *further))


def _reader(settings: EngineSettings, upstream: str | None) -> str:
    """Return a hash of the settings that, besides the model's name, influence its answers."""
    server = settings.extraction_base_url or upstream
    influences = (server, read_prompt("extraction").version)
    return sha256(repr(influences).encode()).hexdigest()[:8]


def _make_batching(settings: EngineSettings) -> Batching:
    turns, quiet = settings.formation_batch_turns or TURNS_OF_A_BATCH, settings.formation_quiet_seconds
    grown = GROWN_BATCH * turns if turns > 1 else 1  # each turn alone stays alone
    return Batching(turns, QUIET if quiet is None else timedelta(seconds=quiet), grown)


def _make_bounds(settings: EngineSettings) -> Bounds:
    of_a_turn = settings.memory_tokens
    of_a_chat = settings.chat_memory_tokens or BLOCKS_OF_A_CHAT * of_a_turn
    return Bounds(
        placement=settings.placement,
        memory_tokens=of_a_turn,
        chat_memory_tokens=max(of_a_chat, of_a_turn),
        history_tokens=settings.history_tokens,
        standing_tokens=settings.standing_tokens or Bounds().standing_tokens,
    )


def _make_gate(settings: EngineSettings) -> Gate:
    gate = Gate(cosine=settings.recall_gate)
    threshold = settings.recall_gate_threshold
    return gate if threshold is None else replace(gate, threshold=threshold)
