"""The proxy's settings, on top of the engine's, and the values that its code decides. No default depends on a request."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from recollect.model import SystemStyle
from recollect.settings.engine_settings import EngineSettings
from recollect.settings.upstream_policies import (
    UpstreamSettings,
    checked_upstreams,
    http_url,
    parse_upstreams,
)
from recollect_proxy.settings.shown_urls import CHAT


class ProxyInternals(BaseModel):
    """Values that replace the code's own, as in the engine's settings; None: the code's own."""

    base_path: ClassVar[str] = "/v1"
    """Stands for the upstream's base URL: the path that OpenAI's clients and all frontends know."""

    api_keys: Path | None = None
    """None: ``api-keys`` of the data folder."""

    recall_in_temporary: bool = False
    """Whether temporary chats recall, against what people expect; benches use it to ask without a growing store."""

    connect_timeout_seconds: float | None = Field(default=None, gt=0)
    """None: as in ``upstream.timeouts``, like the next."""

    read_timeout_seconds: float | None = Field(default=None, gt=0)

    memory_body_limit: int | None = Field(default=None, ge=1024)
    """None: as in ``web.request_limits``."""

    shutdown_seconds: float | None = Field(default=None, ge=0)
    """See ``serving.server``."""


class IdentityMode(StrEnum):
    """A way to tell who is speaking."""

    HEADER = "header"
    OPENWEBUI_JWT = "openwebui-jwt"
    API_KEY = "api-key"
    OIDC = "oidc"


class LogLevel(StrEnum):
    """The least level of a logged event."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


API_KEYS = "api-keys"
ACCESS_KEYS = "access-keys"
JWKS = "jwks.json"
"""The files' names in the data folder."""


class ProxySettings(ProxyInternals, EngineSettings):
    """The settings of `recollect serve`. Each field is also the variable `RECOLLECT_<FIELD>`."""

    upstream: str = Field(
        description="LLM server, as http://127.0.0.1:11434 with its APIs below /v1 and /api, as Ollama's are; or the base URL of an "
        "OpenAI-compatible API alone, as https://api.example.org/v1.",
    )
    upstreams: Annotated[tuple[UpstreamSettings, ...], NoDecode] = Field(
        default=(),
        description="Further LLMs by model or path, and which memories each may be sent and learn from, as a JSON list: "
        "docs/reference/upstreams.md.",
    )
    host: str = Field(default="127.0.0.1", description="Address to serve on.")
    port: int = Field(default=8787, ge=0, le=65535, description="Port to serve on; 0: any free one.")
    admin_token: SecretStr | None = Field(
        default=None,
        description="Bearer token of the memory API, which opens everybody's memories. Empty: one is made at the first start and kept in "
        "the data folder.",
    )

    log_level: LogLevel = Field(
        default=LogLevel.INFO,
        description="Least level of the events that are logged: debug, info, warning or error.",
    )
    metrics_public: bool = Field(
        default=False, description="Whether /memory/metrics can be read without the admin token."
    )

    public_url: str | None = Field(
        default=None,
        description="Address at which people's browsers reach Recollect, as https://memory.example.org. Empty: the address that a request "
        "for a link was sent to.",
    )

    chat_link: str | None = Field(
        default=None,
        description="Address of a chat in the frontend, as https://chat.example.org/c/{chat}; the pages link to it. Empty: they don't.",
    )

    identity: Annotated[tuple[IdentityMode, ...], NoDecode] = Field(
        default=(IdentityMode.HEADER,),
        description="How a request proves who is speaking: header, openwebui-jwt, api-key or oidc, or several with commas; the first that "
        "applies to a request decides.",
    )
    openwebui_jwt_secret: SecretStr | None = Field(
        default=None,
        description="Secret with which OpenWebUI signs who is speaking, the same as its FORWARD_USER_INFO_HEADER_JWT_SECRET; for the "
        "identity openwebui-jwt.",
    )
    trusted_networks: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Networks whose user header is believed, as CIDR with commas: 10.0.0.0/8,fd00::/8; for RECOLLECT_IDENTITY=header.",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Host names, besides localhost and IP addresses, under which web pages may send chats, with commas; for RECOLLECT_IDENTITY="
        "header without a shared secret.",
    )
    shared_secret: SecretStr | None = Field(
        default=None,
        description="Secret that the frontend sends as X-Recollect-Secret with each request; for RECOLLECT_IDENTITY=header.",
    )
    oidc_issuer: str | None = Field(
        default=None,
        description="Issuer of the OpenID provider, exactly as it names itself: https://id.example.org/realms/home. For the sign-in to the "
        "pages, and for RECOLLECT_IDENTITY=oidc.",
    )
    oidc_audience: str | None = Field(
        default=None, description="Audience that a token must name; for RECOLLECT_IDENTITY=oidc."
    )
    oidc_client_id: str | None = Field(
        default=None,
        description="Client id of the pages at the OpenID provider: people sign in there. Needs RECOLLECT_PUBLIC_URL. Empty: the pages have no "
        "such sign-in.",
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None,
        description="Client secret of the pages at the OpenID provider. Empty: a public client, which proves itself by PKCE alone.",
    )
    oidc_label: str | None = Field(
        default=None, description="Name of the OpenID provider on the sign-in page. Empty: its host."
    )
    oidc_scopes: str = Field(
        default="openid profile email",
        description="Scopes that the sign-in asks the OpenID provider for, with spaces; some give groups only for `groups`.",
    )
    oidc_user_claim: str | None = Field(
        default=None,
        description="Claim of the OpenID provider that is the user's id; email counts only if it is verified. Empty: sub, but for the sign-in not "
        "one of fewer than 16 characters, which may be another user's id at a frontend.",
    )
    oidc_admin: str | None = Field(
        default=None,
        description="Claim and value that make an administrator at the OpenID provider, as groups=recollect-admins. Empty: nobody signs in as one.",
    )
    upstream_api_key: SecretStr | None = Field(
        default=None,
        description="API key of the LLM, sent in place of the client's own. Empty: the client's key is passed on.",
    )

    require_identity: bool = Field(
        default=False,
        description="Whether requests without a known user are refused with 401, but for the list of models. false: they pass without "
        "memory.",
    )

    user_header: str = Field(
        default="x-openwebui-user-id", description="Name of the header that holds the user's id."
    )
    session_header: str = Field(
        default="x-openwebui-chat-id", description="Name of the header that holds the chat's id."
    )
    forward_identity: bool = Field(
        default=False,
        description="Whether the headers that name the user are passed on to the LLM; secrets never are.",
    )
    system_styles: Annotated[dict[str, SystemStyle], NoDecode] = Field(
        default={"o1-mini*": SystemStyle.NONE, "o1-preview*": SystemStyle.NONE},
        description="Which system messages a model takes, as PATTERN=STYLE with commas, of which the first match counts: any, first (only "
        "as the first message), developer, or none (the text goes next to the user's first message).",
    )
    openwebui_status: bool = Field(
        default=True,
        description="Whether OpenWebUI shows in the chat which memories were recalled and remembered. Other clients never see it.",
    )

    @property
    def default_upstream(self) -> UpstreamSettings:
        """The policy of the upstream that all goes to that no other takes."""
        return next((each for each in self.upstreams if each.url is None), UpstreamSettings())

    @property
    def upstream_api(self) -> str:
        """The base URL of the default upstream's API: below /v1 where all paths of the server are served."""
        serves_all = self.default_upstream.base == "" and not urlsplit(self.upstream).path
        return f"{self.upstream}{self.base_path}" if serves_all or self.is_whole_server else self.upstream

    @property
    def path_of_api(self) -> str:
        """The path of the default upstream's API below its URL; "" if the URL names it."""
        return self.upstream_api.removeprefix(self.upstream)

    @property
    def is_whole_server(self) -> bool:
        """Whether the default upstream is named without a path, and so serves OpenAI's API below /v1 and Ollama's below /api."""
        return self.default_upstream.base is None and not urlsplit(self.upstream).path

    @property
    def further_upstreams(self) -> tuple[UpstreamSettings, ...]:
        """The other upstreams, in the order they were written in."""
        return tuple(each for each in self.upstreams if each.url is not None)

    @property
    def api_key_file(self) -> Path:
        """The file of API keys and their users."""
        return self.api_keys or self.data_dir / API_KEYS

    @property
    def access_key_file(self) -> Path:
        """The file of the memory API's keys: of integrations and of further administrators."""
        return self.data_dir / ACCESS_KEYS

    @property
    def jwks_file(self) -> Path:
        """The key set of the identity provider."""
        return self.data_dir / JWKS

    @property
    def administrators_claim(self) -> tuple[str, str] | None:
        """The claim of an OpenID provider's administrators, and its value."""
        claim, _, value = (self.oidc_admin or "").partition("=")
        return (claim.strip(), value.strip()) if self.oidc_admin else None

    @property
    def for_engine(self) -> Self:
        """The settings of the engine: with the chats' upstreams, and the default's key to extract with if no other is set."""
        further = {"chat_upstreams": self.upstreams}
        if self.extraction_api_key or self.extraction_base_url or not self.upstream_api_key:
            return self.model_copy(update=further)
        return self.model_copy(update=further | {"extraction_api_key": self.upstream_api_key})

    @field_validator("admin_token")
    @classmethod
    def _not_blank(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().strip():
            raise ValueError("a blank token would let everybody in")
        return value

    @field_validator("oidc_admin")
    @classmethod
    def _claim_and_value(cls, value: str | None) -> str | None:
        if value and not all(map(str.strip, value.partition("="))):
            raise ValueError("not a claim and its value, as groups=recollect-admins")
        return value or None

    @field_validator("oidc_scopes")
    @classmethod
    def _with_openid(cls, value: str) -> str:
        if "openid" not in value.split():
            raise ValueError("lacks openid, without which no provider says who signs in")
        return " ".join(value.split())

    @field_validator("log_level", mode="before")
    @classmethod
    def _in_small_letters(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("upstream")
    @classmethod
    def _http_url(cls, value: str) -> str:
        return http_url(value)

    @field_validator("upstreams", mode="before")
    @classmethod
    def _parsed(cls, value: object) -> object:
        return parse_upstreams(value)

    @field_validator("upstreams")
    @classmethod
    def _told_apart(cls, value: tuple[UpstreamSettings, ...]) -> tuple[UpstreamSettings, ...]:
        return checked_upstreams(value)

    @field_validator("public_url")
    @classmethod
    def _origin(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "http://localhost")
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or parts.path not in {"", "/"}
            or parts.query
        ):
            raise ValueError("not an origin, as https://memory.example.org")
        return value.rstrip("/") if value else None

    @field_validator("chat_link")
    @classmethod
    def _chat_address(cls, value: str | None) -> str | None:
        before, place, behind = (value or "").partition(CHAT)
        parts = urlsplit(before)
        is_address = parts.scheme in {"http", "https"} and parts.hostname and parts.username is None
        if value and not (is_address and parts.path and place and CHAT not in behind):
            raise ValueError(f"not the address of a chat, as https://chat.example.org/c/{CHAT}")
        return value or None

    @field_validator("system_styles", mode="before")
    @classmethod
    def _mapped(cls, value: object) -> object:
        if isinstance(value, dict):  # a table of the file
            return {str(pattern).strip().lower(): style for pattern, style in value.items()}
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

    @field_validator("user_header", "session_header")
    @classmethod
    def _header_name(cls, value: str) -> str:
        name = value.strip().lower()
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ValueError("not a header name")
        return name
