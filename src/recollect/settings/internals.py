"""Values that the engine's code decides, each with its reason; tests and benches give others by keyword.

Never: read from the environment, shown to an operator, sent by a frontend.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from recollect.settings.upstreams import UpstreamSettings


class ExtractionSdk(StrEnum):
    """How the extraction model is spoken with."""

    OPENAI = "openai"
    MISTRAL = "mistral"


_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class EngineInternals(BaseModel):
    """Numbers that were measured or follow from how the engine works; no variable sets them."""

    embedder_cache_size: int = Field(default=10_000, ge=0)
    """Embeddings kept in memory: some 15 MB at 384 dimensions. Benches keep one, as their users ask alike."""

    chat_upstreams: tuple[UpstreamSettings, ...] = ()
    """The LLM servers that chats go to besides the one, with their policies; a host that stands before them tells."""

    recall_limit: int = Field(default=20, ge=1, le=100)
    """Memories of a turn at most; six where its chat was given some before. ``memory_tokens``
    limits their cost; a client asks for another number with ``x-recollect-top-k-memories``."""

    recall_gate_threshold: float | None = Field(default=None, ge=0, le=1)
    """The threshold of the gate. None: the learned one, see ``Gate``. 0: always open, for tests."""

    recall_weights: dict[str, _Weight] = {}
    """Weights that replace the learned ones, by their names."""

    hybrid: bool = True
    """Whether words are searched for too. Without them names, codes and typos are lost: only benches compare that."""

    chunking: bool = True
    """Whether the message log is searched where statements do not serve (decision 0035)."""

    chat_memory_tokens: int | None = Field(default=None, ge=50)
    """Tokens of all blocks of a chat; None: eight times ``memory_tokens``, as 8,000 are of 1,000."""

    formation_quiet_seconds: float | None = Field(default=None, ge=0, le=600)
    """How long a chat is quiet before its last turns are formed together. None: a second; and where formation yields
    to chats, as long as is learned from how long its LLM takes (decision 0031)."""

    formation_batch_turns: int = Field(default=4, ge=1, le=20)
    """Turns formed by one call at most; so many wait no longer. Twice as many, but for 1, after waiting for chats
    (decision 0031). One alone in tests of single turns."""

    extraction_sdk: ExtractionSdk | None = None
    """None: Mistral's own SDK for Mistral's own server, and OpenAI's protocol for any other (decision 0016)."""

    extraction_timeout_seconds: float | None = Field(default=None, gt=0)
    """How long an extraction may take. None: 120; 600 of a server that is near, as a processor without a GPU may write
    for minutes, and what runs there is given up for a chat anyway (decision 0031)."""

    minimum_importance: float = Field(default=0.3, ge=0, le=1)
    """Less important facts are not kept. Operators change it while it runs: ``PATCH /memory/settings``."""

    session_cap: int = Field(default=50, ge=0)
    """Memories that one chat may leave. Operators change it while it runs: ``PATCH /memory/settings``."""

    summary_turns: int = Field(default=5, ge=0)
    """A chat is summarized every so many turns. Operators switch summaries off while it runs."""

    summary_tokens: int = Field(default=4000, ge=0)
    """And every so many tokens: half of a context of 8,192, the least of most local models."""

    global_memories: Path | None = None
    """Memories for who has few; None: ``global-memories.txt`` of the data folder, if there is one."""

    formation_attempts: int = Field(default=3, ge=1, le=20)
    """Attempts before an exchange falls back or is held as failed; one that gave way to a chat is none of them."""

    formation_workers: int = Field(default=4, ge=1)
    """Users formed for at the same time. They share a model's server; `recollect worker` adds more on any machine."""

    job_heartbeat_seconds: float = Field(default=10, ge=1)
    """Seconds until the jobs of a killed process are taken up again: soon for a person who waits for a memory, and rare
    enough for a write to the database each."""

    log_memory_text: bool = False
    """Whether the log line of a decision has the memory's text: only for who develops this, as logs have no user text."""
