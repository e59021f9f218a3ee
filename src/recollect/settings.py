"""The engine's settings, from `RECOLLECT_*` variables or arguments. Imported by assembly and hosts only."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from recollect.indexing import Embedded
from recollect.model import Placement, Strategy


class ExtractionSdk(StrEnum):
    """How the extraction model is spoken with."""

    OPENAI = "openai"
    MISTRAL = "mistral"


class Worker(StrEnum):
    """Who works in the background."""

    OWN = "own"
    ELSEWHERE = "elsewhere"
    WITHIN = "within"


class ChatsFirst(StrEnum):
    """To which chats the background yields."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Precision(StrEnum):
    """The arithmetic of the local embedder."""

    INT8 = "int8"
    FP32 = "fp32"


IN_MEMORY = "memory:"
"""The database URL of one that is in memory."""

NOWHERE = Path(":memory:")
"""The data folder of who keeps nothing."""

_EITHER = frozenset({IN_MEMORY, str(NOWHERE)})  # who writes the one for the other means the same

_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def default_data_dir() -> Path:
    """Return the data folder of the user who runs us; of root the system's, /var/lib/recollect.

    Postgres refuses to run as root, so root's database runs as another account, which can't enter
    root's home.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/recollect")
    return platformdirs.user_data_path("recollect", appauthor=False)


class EngineSettings(BaseSettings):
    """What the engine can be told. Each field is also the variable `RECOLLECT_<FIELD>`."""

    model_config = SettingsConfigDict(
        env_prefix="RECOLLECT_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    data_dir: Path = Field(
        default_factory=default_data_dir,
        description="Folder for the embedded database and the caches; :memory:, and nothing outlives the process.",
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="A Postgres with pgvector, as postgresql://...; empty: the embedded one in the data folder; "
        "memory:, an embedded one that is gone with the process.",
    )
    spool_mb: int = Field(
        default=256,
        ge=1,
        description="Megabytes of the data folder that what is said may take while the store is away.",
    )
    pool_size: int = Field(default=10, ge=2, description="Database connections at most.")

    embedder: str = Field(
        default="local:all-MiniLM-L6-v2",
        description="local:all-MiniLM-L6-v2, local:/path/to/a/model, openai:MODEL, or mistral:mistral-embed.",
    )
    embedder_precision: Precision = Field(
        default=Precision.INT8, description="Of a local embedder: int8 or fp32."
    )
    embedder_base_url: str | None = Field(
        default=None,
        description="For openai:MODEL: the base URL that has /embeddings; for mistral:MODEL where it is not Mistral's own.",
    )
    embedder_api_key: SecretStr | None = Field(
        default=None, description="For openai:MODEL and mistral:MODEL: its key."
    )
    second_embedder: str = Field(
        default="local:multilingual-e5-small",
        description="Of statements, in any language, beside the other: local:multilingual-e5-small, or off.",
    )
    embedder_cache_size: int = Field(default=10_000, ge=0, description="Embeddings kept in memory.")
    embedder_cache_seconds: float = Field(default=3600, gt=0, description="How long they are kept.")

    recall_deadline_ms: int = Field(
        default=300,
        gt=0,
        description="A chat never waits longer for its memories, nor for what it says to be written.",
    )
    recall_embedding_ms: int = Field(
        default=150,
        gt=0,
        description="Of that, what the embedding may take; then words alone are searched for.",
    )
    recall_lexical_ms: int = Field(
        default=100, gt=0, description="The same of the words' lookup; then the meaning alone is searched by."
    )
    recall_limit: int = Field(
        default=7,
        ge=1,
        le=100,
        description="Memories recalled for a turn at most; four where its chat was given some before.",
    )
    recall_candidates: int = Field(
        default=100, ge=10, le=1000, description="Memories looked at by meaning, and by words, for a turn."
    )
    recall_gate: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="Cosine of a best match that means nothing; empty: the embedder's own.",
    )
    recall_gate_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="How sure the gate must be that a turn asks for anything remembered; empty: as measured; 0: always open.",
    )
    recall_weights: Annotated[dict[str, _Weight], NoDecode] = Field(
        default={},
        description="What each signal of ranking counts, as NAME=NUMBER with commas, where not as measured: "
        "dense=0.6,lexical=0.25 (`python -m bench tune` finds some).",
    )
    recall_cliff: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Share of the best score below which nothing is taken, 0.75 behind the fourth; 0: no cliff.",
    )
    hybrid: bool = Field(default=True, description="Search by words too, not by meaning alone.")
    chunking: bool = Field(
        default=True, description="Index the message log in chunks, and search it beside the memories."
    )
    embed: Embedded = Field(
        default=Embedded.ALL,
        description="What gets embeddings: memories, memories+summaries, marked (messages somebody marked too), or all.",
    )
    placement: Placement = Field(
        default=Placement.STABLE,
        description="Where memories go: stable (so that prompt caches hold), system, user, or off.",
    )
    memory_tokens: int = Field(default=1000, ge=50, description="Tokens the memories of a turn may take.")
    later_memory_tokens: int = Field(
        default=300, ge=50, description="The same where the chat was given some before, which stay with it."
    )
    chat_memory_tokens: int = Field(
        default=8000,
        ge=50,
        description="Tokens that all blocks of a chat may take; the oldest half goes when they pass it.",
    )
    standing_tokens: int = Field(
        default=120,
        ge=0,
        description="Tokens for what stands in every chat whatever is asked: the most important statements; 0: none.",
    )
    history_tokens: int = Field(
        default=800,
        ge=0,
        description="Tokens for what was said earlier in a conversation and the request lacks; 0: none.",
    )

    record: bool = Field(
        default=True,
        description="Keep what is said in the message log, whatever is made of it; off: it is not even logged.",
    )
    formation: Strategy = Field(
        default=Strategy.EXTRACT,
        description="extract (by the model, qa_turn where there is none), qa_turn, both, or off: logged, and nothing formed.",
    )
    formation_quiet_seconds: float | None = Field(
        default=None,
        ge=0,
        le=600,
        description="How long a chat is quiet before its last turns are formed together, and, where formation yields to "
        "chats, how long none runs. Empty: a second; and five times what the LLM took lately, 60 at first, 120 at most.",
    )
    formation_yields: ChatsFirst = Field(
        default=ChatsFirst.AUTO,
        description="Let chats come first where their LLM extracts: nothing begins while one runs, what runs is given up "
        "for it and done later; auto (where that LLM is on this machine or its network), always, or never.",
    )
    formation_batch_turns: int = Field(
        default=4,
        ge=1,
        le=20,
        description="Turns formed by one call at most; so many wait no longer. Twice as many, but for 1, where they waited for chats.",
    )
    extraction_model: str | None = Field(
        default=None,
        description="The model that extracts; empty: the chat's own, where its own LLM extracts.",
    )
    extraction_base_url: str | None = Field(
        default=None, description="Its base URL; empty: the chat's upstream."
    )
    extraction_api_key: SecretStr | None = Field(
        default=None,
        description="Its key; empty: the request's own, while the process lives; never sent to another server.",
    )
    extraction_sdk: ExtractionSdk = Field(
        default=ExtractionSdk.OPENAI,
        description="openai (any compatible server) or mistral (Mistral's own SDK).",
    )
    extraction_instructions: Path | None = Field(
        default=None, description="A TOML file with instructions of your own, for all models or some."
    )
    extraction_timeout_seconds: float = Field(
        default=120, gt=0, description="How long an extraction may take."
    )
    minimum_importance: float = Field(
        default=0.3, ge=0, le=1, description="Less important facts are not kept."
    )
    memories_per_hour: int = Field(
        default=60, ge=0, description="Memories formed for a user within an hour at most; 0: any number."
    )
    session_cap: int = Field(default=50, ge=0, description="Memories that one chat may leave; 0: any number.")
    user_cap: int = Field(
        default=200,
        ge=0,
        description="Memories a user may have; what is old, unimportant and long unused goes first; 0: any number.",
    )
    summary_turns: int = Field(
        default=5, ge=0, description="A chat is summarized every so many turns; 0: not for their number."
    )
    summary_tokens: int = Field(
        default=4000, ge=0, description="It is, too, every so many tokens; 0: not for these."
    )
    user_tokens_per_day: int = Field(
        default=0, ge=0, description="Tokens models may take in the background for one user; 0: any number."
    )
    tokens_per_day: int = Field(default=0, ge=0, description="The same for all users together.")
    global_memories: Path | None = Field(
        default=None,
        description="A text file, one memory a line, that serves users who have fewer than five of their own.",
    )
    formation_tries: int = Field(
        default=3, ge=1, le=20, description="Tries before an exchange falls back or is held as failed."
    )
    worker: Worker = Field(
        default=Worker.OWN,
        description="Who forms memories: own (a process that is started and watched), elsewhere (`recollect worker`, on "
        "this machine or others), or within (this process: a text that takes long then holds up every chat).",
    )
    formation_workers: int = Field(default=4, ge=1, description="Users formed for at the same time.")
    job_heartbeat_seconds: float = Field(
        default=10, ge=1, description="After how long the jobs of a killed process are taken up again."
    )

    @field_validator("recall_weights", mode="before")
    @classmethod
    def _weighed(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [pair.partition("=") for pair in filter(None, map(str.strip, value.split(",")))]
        weights = {name.strip(): number.strip() for name, _, number in pairs}
        if not all(weights) or not all(map(_is_number, weights.values())):
            raise ValueError("must be NAME=NUMBER, with commas: dense=0.6,lexical=0.25")
        if len(weights) < len(pairs):
            raise ValueError("names a weight twice")
        return weights

    @field_validator("data_dir")
    @classmethod
    def _whole_path(cls, value: Path) -> Path:
        return NOWHERE if str(value) in _EITHER else value.expanduser().absolute()

    @field_validator("database_url")
    @classmethod
    def _kept_or_not(cls, value: SecretStr | None, others: ValidationInfo) -> SecretStr | None:
        if value and value.get_secret_value() not in _EITHER and others.data.get("data_dir") == NOWHERE:
            raise ValueError(
                "names a database, and the data folder :memory: keeps nothing; leave one of them out"
            )
        return value

    @property
    def in_memory(self) -> bool:
        """Whether the database is gone with the process."""
        if self.database_url is None:
            return self.data_dir == NOWHERE
        return self.database_url.get_secret_value() in _EITHER

    log_secrets: bool = Field(
        default=False,
        description="Keep secrets in clear in the message log. Memories, summaries and what models are sent never have them.",
    )
    log_memory_text: bool = Field(
        default=False, description="Write the text of memories into the log line of each decision."
    )
