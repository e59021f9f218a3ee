"""The proxy's settings, on top of the engine's. Never: defaults that depend on a request."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from recollect.chat import SystemStyle
from recollect.settings import EngineSettings


class IdentityMode(StrEnum):
    """A way to tell who is speaking."""

    HEADER = "header"
    OPENWEBUI_JWT = "openwebui-jwt"
    API_KEY = "api-key"
    OIDC = "oidc"


class ProxySettings(EngineSettings):
    """What `recollect serve` can be told. Each field is also the variable `RECOLLECT_<FIELD>`."""

    upstream: str = Field(description="Base URL of the OpenAI-compatible LLM, as http://127.0.0.1:11434/v1.")
    host: str = Field(default="127.0.0.1", description="Address to serve on.")
    port: int = Field(default=8787, ge=0, le=65535, description="Port to serve on; 0: any free one.")
    base_path: str = Field(default="/v1", description="Path that stands for the upstream's base URL.")
    admin_token: SecretStr | None = Field(
        default=None,
        description="Bearer token of the memory API; empty: one is made and kept in the data folder.",
    )

    metrics_public: bool = Field(
        default=False, description="Let /memory/metrics be read without the admin token."
    )

    identity: Annotated[tuple[IdentityMode, ...], NoDecode] = Field(
        default=(IdentityMode.HEADER,),
        description="How to tell who is speaking: openwebui-jwt, header, api-key, oidc, or several with commas; "
        "the first that applies to a request decides.",
    )
    openwebui_jwt_secret: SecretStr | None = Field(
        default=None, description="For openwebui-jwt: OpenWebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET."
    )
    openwebui_jwt_header: str = Field(
        default="x-openwebui-user-jwt", description="For openwebui-jwt: the header with the token."
    )
    jwt_leeway_seconds: float = Field(
        default=30, ge=0, le=300, description="How far the clock of who signs may be off."
    )
    trusted_networks: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="For header: whom to believe, as CIDR with commas: 10.0.0.0/8,fd00::/8."
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="For header, without a secret: under which names beside localhost and addresses web pages may ask, with commas.",
    )
    shared_secret: SecretStr | None = Field(
        default=None, description="For header: the secret that the frontend sends along."
    )
    shared_secret_header: str = Field(
        default="x-recollect-secret", description="For header: the header that carries the secret."
    )
    api_keys: Path | None = Field(
        default=None,
        description="For api-key: a file with a line a key, `sha256:HEX USER` (`recollect key USER` adds one).",
    )
    oidc_jwks: Path | None = Field(default=None, description="For oidc: the provider's key set, a JWKS file.")
    oidc_issuer: str | None = Field(default=None, description="For oidc: who must have made the token.")
    oidc_audience: str | None = Field(default=None, description="For oidc: whom it must be made for.")
    oidc_header: str = Field(default="authorization", description="For oidc: the header with the token.")
    oidc_user_claim: str = Field(default="sub", description="For oidc: the claim that names the user.")
    upstream_api_key: SecretStr | None = Field(
        default=None, description="The upstream's key, sent in place of the client's own."
    )

    user_header: str = Field(default="x-openwebui-user-id", description="Header that names the user.")
    session_header: str = Field(default="x-openwebui-chat-id", description="Header that names the chat.")
    message_header: str = Field(
        default="x-recollect-message", description="Header with the frontend's id of the user message."
    )
    task_header: str = Field(
        default="x-recollect-task", description="Header that names a frontend's background task."
    )
    forward_identity: bool = Field(default=False, description="Send the identity headers on to the upstream.")
    system_styles: Annotated[dict[str, SystemStyle], NoDecode] = Field(
        default={"o1-mini*": SystemStyle.NONE, "o1-preview*": SystemStyle.NONE},
        description="What models take from the system, as PATTERN=STYLE with commas, the first that fits counts; "
        "styles: any, first (message only), developer, none (beside the user's first message).",
    )
    recall_in_temporary: bool = Field(
        default=False, description="Recall in temporary chats too (they never form memories)."
    )
    openwebui_status: bool = Field(
        default=True,
        description="Show people of OpenWebUI, and no other client, in the chat what was recalled and, as soon as it is known, remembered.",
    )

    connect_timeout_seconds: float = Field(default=10, gt=0, description="To connect to the upstream.")
    read_timeout_seconds: float = Field(
        default=600,
        gt=0,
        description="Silence of the upstream before it is given up; a model may think long.",
    )
    first_byte_timeout_seconds: float | None = Field(
        default=None,
        gt=0,
        description="Silence of the upstream before its answer; empty: as within it, read_timeout_seconds.",
    )
    memory_body_limit: int = Field(
        default=32 * 1024 * 1024,
        ge=1024,
        description="Bytes of a chat request up to which it is read for memory; larger ones just pass.",
    )
    drain_delay_seconds: float = Field(
        default=0,
        ge=0,
        description="How long requests are still taken after a SIGTERM, /memory/ready being 503 already.",
    )
    shutdown_seconds: float = Field(
        default=30, ge=0, description="How long running answers may take to finish on shutdown."
    )

    @field_validator("admin_token")
    @classmethod
    def _not_blank(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().strip():
            raise ValueError("a blank token would let everybody in")
        return value

    @field_validator("upstream")
    @classmethod
    def _http_url(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("not an http(s) URL, as http://127.0.0.1:11434/v1")
        if parts.username or parts.password:
            raise ValueError("no user and password in the URL; clients send their own key")
        if parts.query or parts.fragment:
            raise ValueError("a base URL has no query and no fragment")
        _ = parts.port, parts.hostname.encode("idna")  # both raise ValueError where they make no sense
        return value.rstrip("/")

    @field_validator("base_path")
    @classmethod
    def _absolute_path(cls, value: str) -> str:
        path = "/" + value.strip("/")
        if path in {"/", "/memory"} or path.startswith("/memory/"):
            raise ValueError("the base path must not be / and not lie under /memory, which is ours")
        return path

    @field_validator("system_styles", mode="before")
    @classmethod
    def _mapped(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [pair.partition("=") for pair in filter(None, map(str.strip, value.split(",")))]
        if not all(pattern.strip() and equals for pattern, equals, _ in pairs):
            raise ValueError("must be PATTERN=STYLE, with commas: gemma*=none,o1*=developer")
        return {pattern.strip().lower(): style.strip() for pattern, _, style in pairs}

    @field_validator("identity", "trusted_networks", "allowed_hosts", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value

    @field_validator(
        "user_header",
        "session_header",
        "message_header",
        "task_header",
        "openwebui_jwt_header",
        "shared_secret_header",
        "oidc_header",
    )
    @classmethod
    def _header_name(cls, value: str) -> str:
        name = value.strip().lower()
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ValueError("not a header name")
        return name
