"""The engine's settings, which operators set; and values in place of the code's own, which tests and benches give by keyword."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from recollect.model import TAG_LENGTH, EmbeddingScope, Lifetimes, Placement, Strategy, tags_named
from recollect.settings.upstream_policies import UpstreamSettings
from recollect.settings.variables_and_file import PREFIX, FileOfSettings, Variables, default_data_dir


class EngineInternals(BaseModel):
    """Overrides of constants, which the code defines at their use, each with its reason; None: the constant.

    Tests and benches set them, by keyword. No variable, operator or frontend does.
    """

    embedder_cache_size: int | None = Field(default=None, ge=0)
    """See ``embedders.cache``. Benches keep one embedding, as their users ask alike."""

    chat_upstreams: tuple[UpstreamSettings, ...] = ()
    """The LLM servers that chats go to besides the one, with their policies; a host that stands before them tells."""

    recall_limit: int | None = Field(default=None, ge=1, le=100)
    """See ``SelectionLimits``."""

    recall_gate_threshold: float | None = Field(default=None, ge=0, le=1)
    """The threshold of the gate. None: the learned one, see ``Gate``. 0: always open, for tests."""

    chat_memory_tokens: int | None = Field(default=None, ge=50)
    """See ``composition.placement``."""

    formation_quiet_seconds: float | None = Field(default=None, ge=0, le=600)
    formation_batch_turns: int | None = Field(default=None, ge=1, le=20)
    """See ``engine.policy``. One turn alone in tests of single turns."""

    extraction_timeout_seconds: float | None = Field(default=None, gt=0)
    """See ``models.extractors.chat_model``."""

    minimum_importance: float | None = Field(default=None, ge=0, le=1)
    """See ``FormationRules``. Operators change it while it runs: ``PATCH /memory/settings``."""

    session_cap: int | None = Field(default=None, ge=0)
    """See ``Caps``. Operators change it while it runs: ``PATCH /memory/settings``."""

    summary_turns: int | None = Field(default=None, ge=0)
    summary_tokens: int | None = Field(default=None, ge=0)
    """See ``engine.policy``. Operators switch summaries off while it runs."""

    formation_attempts: int | None = Field(default=None, ge=1, le=20)
    """See ``Policy``."""

    formation_workers: int | None = Field(default=None, ge=1)
    job_heartbeat_seconds: float | None = Field(default=None, ge=1)
    """See ``store.jobs``."""


class WorkerPlace(StrEnum):
    """The process that works in the background."""

    OWN = "own"
    ELSEWHERE = "elsewhere"
    WITHIN = "within"


class ChatsFirst(StrEnum):
    """To which chats the background yields."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


IN_MEMORY = "memory:"
"""The database URL of one that is in memory."""

NOWHERE = Path(":memory:")
"""The data folder of who keeps nothing."""

_EITHER = frozenset({IN_MEMORY, str(NOWHERE)})  # people confuse the two, and mean the same

_MOST_TAGS = 30


class EngineSettings(EngineInternals, BaseSettings):
    """The engine's settings. Each field is also the variable `RECOLLECT_<FIELD>`, and a key of the file.

    Raises:
        ValidationError: A value makes no sense.
        ConfigurationError: The settings file cannot be read.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", env_ignore_empty=True)

    data_dir: Path = Field(
        default_factory=default_data_dir,
        description="Folder for the embedded database, caches, keys and other files; with `:memory:` nothing outlives the process.",
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="URL of your own Postgres with pgvector, as postgresql://..., with one host or several. Empty: an embedded Postgres in "
        "the data folder; `memory:`: an embedded one that keeps nothing.",
    )

    embedder: str = Field(
        default="local:multilingual-e5-small",
        description="Embedding model of the message log: local:multilingual-e5-small, which embeds memories in any case, or openai:MODEL or "
        "mistral:mistral-embed on a server.",
    )
    embedder_base_url: str | None = Field(
        default=None,
        description="Base URL of the embedding server, which has /embeddings: for openai:MODEL, and for mistral:MODEL if the server is not "
        "Mistral's own.",
    )
    embedder_api_key: SecretStr | None = Field(
        default=None, description="API key of the embedding server, for openai:MODEL and mistral:MODEL."
    )
    previous_embedder_api_key: SecretStr | None = Field(
        default=None,
        description="API key of the previous embedding server, which is asked until a new embedder has embedded everything again. Empty: "
        "the current key, if it is the same server.",
    )

    memory_cache_mb: int = Field(
        default=256,
        ge=0,
        description="MiB that each process may use for the memories of recently active people, a quarter of it for one person's message "
        "log; a larger log is searched in the database, by meaning alone. 0: nothing is kept between turns.",
    )
    recall_deadline_ms: int = Field(
        default=300,
        gt=0,
        description="Milliseconds that a chat waits at most for its memories, and for its message to be written.",
    )
    recall_gate: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="Cosine similarity that unrelated texts reach with the embedder, so that it means nothing; `recollect reembed` measures "
        "it. Empty: the embedder's own figure.",
    )
    embed: EmbeddingScope = Field(
        default=EmbeddingScope.ALL,
        description="Which texts get embeddings: memories, memories+summaries, marked (these, and messages marked as valuable) or all.",
    )
    placement: Placement = Field(
        default=Placement.STABLE,
        description="Where memories go in the prompt: stable (prompt caches stay valid), system, user or off.",
    )
    memory_tokens: int = Field(
        default=1000, ge=50, description="Most tokens that the memories of one turn may take."
    )
    standing_tokens: int = Field(
        default=120,
        ge=0,
        description="Most tokens of the important memories that every chat gets, whatever it asks; 0: none.",
    )
    history_tokens: int = Field(
        default=800,
        ge=0,
        description="Most tokens of earlier conversation that are given back if a request lacks it; 0: none.",
    )

    record: bool = Field(
        default=True,
        description="Whether messages are kept in the message log. false: nothing is logged, and nothing is learned.",
    )
    formation: Strategy = Field(
        default=Strategy.EXTRACT,
        description="How memories are formed: extract (by a model), qa_turn (each question with its answer, without a model), both, or off "
        "(messages are logged, and nothing is formed).",
    )
    formation_yields: ChatsFirst = Field(
        default=ChatsFirst.AUTO,
        description="Whether the forming of memories waits while chats run, because both need the same LLM: auto (if that LLM is on this "
        "machine or its network), always or never. A call that is stopped for a chat is made again later.",
    )
    extraction_model: str | None = Field(
        default=None,
        description="Model that extracts memories from chats. Empty: the model of each chat, if the chats' own LLM server extracts.",
    )
    extraction_base_url: str | None = Field(
        default=None,
        description="Base URL of the LLM server that extracts memories. Empty: the upstream of the chat. https://api.mistral.ai is called "
        "through Mistral's own SDK.",
    )
    extraction_api_key: SecretStr | None = Field(
        default=None,
        description="API key of the LLM server that extracts memories. Empty: RECOLLECT_UPSTREAM_API_KEY, or else the key of the chat's "
        "request, which is held in memory only; neither is sent to another server.",
    )
    tags: Annotated[tuple[Annotated[str, Field(max_length=TAG_LENGTH)], ...], NoDecode] = Field(
        default=(),
        max_length=_MOST_TAGS,
        description="Tags that the extraction model may give memories, with commas: work,family,health; 30 at most. Empty: it gives none.",
    )
    lifetimes: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="For how many days memories are kept, by kind or by #tag, with commas: todo:90,#work:365. A memory with a day of its own "
        "goes on that day. Empty: for ever.",
    )
    log_days: int = Field(
        default=0,
        ge=0,
        le=36_500,
        description="For how many days messages are kept from when they were said; memories stay. A message that is still to be formed waits "
        "for that, but not one that failed. 0: for ever.",
    )
    memories_per_hour: int = Field(
        default=60,
        ge=0,
        description="Most memories that are formed for one user within an hour; 0: no limit, as for the time of an import.",
    )
    user_cap: int = Field(
        default=200,
        ge=0,
        description="Most memories that one user may have; beyond it old, unimportant and long unused ones are retired. 0: no limit.",
    )
    user_tokens_per_day: int = Field(
        default=0,
        ge=0,
        description="Most tokens a day that background models may use for one user; 0: no limit.",
    )
    tokens_per_day: int = Field(
        default=0,
        ge=0,
        description="Most tokens a day that background models may use for all users together; 0: no limit.",
    )
    worker: WorkerPlace = Field(
        default=WorkerPlace.OWN,
        description="Which process forms memories: own (a worker that the proxy starts and watches), elsewhere (`recollect worker`, on this "
        "machine or others) or within (the proxy itself, where a long text holds up every chat).",
    )

    webhook_url: str | None = Field(
        default=None,
        description="URL to which each change of a memory is sent, signed as Standard Webhooks says. Empty: none.",
    )
    webhook_secret: SecretStr | None = Field(
        default=None,
        description="Secret of the webhook's signatures: whsec_ and 24 to 64 bytes in base64. Needed with RECOLLECT_WEBHOOK_URL.",
    )
    webhook_text: bool = Field(
        default=False,
        description="Whether the webhook is sent the texts of memories, too, and not only ids.",
    )

    log_secrets: bool = Field(
        default=False,
        description="Whether the message log keeps passwords and keys readable instead of masked. Memories, summaries and the prompts of "
        "background models never have them.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return where values come from: arguments, then the variables of settings, then the file."""
        del env_settings, dotenv_settings, file_secret_settings  # `Variables` replaces the first
        return init_settings, Variables(settings_cls), FileOfSettings(settings_cls)

    @field_validator("data_dir")
    @classmethod
    def _whole_path(cls, value: Path) -> Path:
        return NOWHERE if str(value) in _EITHER else value.expanduser().absolute()

    @field_validator("tags", mode="before")
    @classmethod
    def _named(cls, value: object) -> object:
        listed = value.split(",") if isinstance(value, str) else value
        return tags_named(listed, longest=None) if isinstance(listed, list | tuple) else listed

    @field_validator("lifetimes", mode="before")
    @classmethod
    def _in_days(cls, value: object) -> object:
        listed = [each for each in value.split(",") if each.strip()] if isinstance(value, str) else value
        if isinstance(listed, list | tuple):
            try:
                Lifetimes.from_texts(map(str, listed))
            except ValueError:
                raise ValueError("not kinds and #tags with days, as todo:90,#work:365") from None
        return listed

    @field_validator("database_url")
    @classmethod
    def _kept_or_not(cls, value: SecretStr | None, others: ValidationInfo) -> SecretStr | None:
        if value and value.get_secret_value() not in _EITHER and others.data.get("data_dir") == NOWHERE:
            raise ValueError(
                "names a database, and the data folder :memory: keeps nothing; leave one of them out"
            )
        return value

    def file(self, name: str) -> Path | None:
        """Return the file of that name in the data folder; None where there is none."""
        path = self.data_dir / name
        return path if self.data_dir != NOWHERE and path.is_file() else None

    @property
    def in_memory(self) -> bool:
        """Whether the database is gone with the process."""
        if self.database_url is None:
            return self.data_dir == NOWHERE
        return self.database_url.get_secret_value() in _EITHER
