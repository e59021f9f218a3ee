"""The settings of several LLM servers: which requests go to each, and the policy of each."""

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from recollect.model import ALL_TOLD, NOTHING_TOLD, Disclosure, Kind, person_of

DEFAULT = "default"
"""The name of the default upstream (RECOLLECT_UPSTREAM), unless its entry has another."""

_OURS = ("/memory", "/api/sessions")
"""Paths that the proxy itself serves."""

_ENDPOINTS = ("/completions", "/responses", "/embeddings", "/messages", "/api/chat", "/api/generate")
"""The ends of an endpoint's URL, which people copy in place of the base URL."""

_PATH = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")

_Told: TypeAlias = Literal["all", "none"] | Annotated[tuple[Kind, ...], Field(min_length=1)]


def http_url(value: str) -> str:
    """Return a base URL without a trailing slash.

    Raises:
        ValueError: Requests can't be sent to it.
    """
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("not an http(s) URL, as http://127.0.0.1:11434/v1")
    if parts.username or parts.password:
        raise ValueError("no user and password in the URL; clients send their own key")
    if parts.query or parts.fragment:
        raise ValueError("a base URL has no query and no fragment")
    if parts.path.rstrip("/").endswith(_ENDPOINTS):
        raise ValueError("an endpoint's URL; a base URL ends before it, as http://127.0.0.1:11434/v1")
    if parts.path.rstrip("/").endswith("/v1/v1"):
        raise ValueError("its path /v1 is there twice")
    _ = parts.port, parts.hostname.encode("idna")  # both raise ValueError if invalid
    return value.rstrip("/")


class UpstreamSettings(BaseModel):
    """One LLM server, and its policy.

    Attributes:
        name: The name in headers, explanations and logs.
        url: The base URL. None: the entry describes the default upstream (RECOLLECT_UPSTREAM), which gets all requests that no
            other upstream takes.
        models: Patterns of lower-case model names. A request that names such a model goes there.
        path: Requests below this path go there, whatever model they name. For the default upstream it replaces /v1.
        api_key: Replaces the client's API key.
        memories: The kinds of memories that may be sent there; or all, or none.
        history: Whether earlier messages may be sent there: from the log, from the same conversation, or summarized.
        shared: Whether shared and global memories may be sent there.
        users: Patterns of user ids. Of other users nothing is sent there, and nothing is learned.
        learn: Whether exchanges with it are logged and form memories.
        model_changes: Whether an Ollama server's models may be pulled, pushed, created, copied and deleted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(default=DEFAULT, pattern=r"^[A-Za-z0-9._-]{1,40}$")
    url: str | None = None
    models: tuple[str, ...] = ()
    path: str | None = None
    api_key: SecretStr | None = None
    memories: _Told = "all"
    history: bool = True
    shared: bool = True
    users: tuple[str, ...] = ("*",)
    learn: bool = True
    model_changes: bool = False

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        return None if value is None else http_url(value)

    @field_validator("models")
    @classmethod
    def _in_small_letters(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(str.strip, value)):
            raise ValueError("a pattern of models is blank")
        return tuple(pattern.strip().lower() for pattern in value)

    @field_validator("path")
    @classmethod
    def _is_path(cls, value: str | None) -> str | None:
        if value is None:
            return None
        segments = value.rstrip("/").split("/")[1:]
        if not value.startswith("/") or not _PATH.issuperset(value) or {"", ".", ".."} & set(segments):
            raise ValueError("not a plain path, as /local")
        if any(f"{value.lower()}/".startswith(f"{ours}/") for ours in _OURS):
            raise ValueError(f"Recollect itself serves {value}")
        return value.rstrip("/") or "/"

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.url is None and (self.models or self.api_key):
            raise ValueError(
                "without url it is about RECOLLECT_UPSTREAM, which needs no models; its key is RECOLLECT_UPSTREAM_API_KEY"
            )
        if self.url is not None and self.name == DEFAULT:
            raise ValueError("with url it needs a name of its own")
        if self.url is not None and not (self.models or self.path is not None):
            raise ValueError("with url it needs models, or a path, by which requests go there")
        return self

    @property
    def base(self) -> str | None:
        """The prefix of a request's path that stands for the base URL; None: the upstream has no path of its own."""
        return None if self.path is None else self.path.rstrip("/")

    def takes(self, model: str) -> bool:
        """Return whether requests for this model go there."""
        return any(fnmatchcase(model.lower(), pattern) for pattern in self.models)

    def disclosure(self, user_id: str) -> Disclosure:
        """Return which parts of a user's memory may be sent there."""
        if not self._is_for(user_id):
            return NOTHING_TOLD
        if isinstance(self.memories, str):
            kinds = None if self.memories == "all" else frozenset[Kind]()
        else:
            kinds = frozenset(self.memories)
        if not self.history:
            kinds = (frozenset(Kind) if kinds is None else kinds) - _OF_HISTORY
        disclosure = Disclosure(kinds, self.history, self.shared)
        return ALL_TOLD if disclosure.is_whole else disclosure

    def learns_of(self, user_id: str) -> bool:
        """Return whether a user's exchanges with it are kept."""
        return self.learn and self._is_for(user_id)

    def _is_for(self, user_id: str) -> bool:
        return any(fnmatchcase(person_of(user_id), pattern) for pattern in self.users)


_OF_HISTORY = frozenset({Kind.SUMMARY, Kind.QA_TURN})
"""The kinds of memories that repeat messages, and state no facts."""


def parse_upstreams(value: object) -> object:
    """Parse the environment variable, a JSON list of objects. A value of the settings file is returned unchanged.

    Raises:
        ValueError: The text is not JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise ValueError(
            'must be a JSON list, as [{"name": "local", "url": "http://...", "models": ["llama*"]}]'
        ) from None


def checked_upstreams(upstreams: tuple[UpstreamSettings, ...]) -> tuple[UpstreamSettings, ...]:
    """Return the upstreams unchanged.

    Raises:
        ValueError: Two of them have the same name or the same path, or two describe the default upstream.
    """
    _refuse_twice("name", (each.name for each in upstreams))
    _refuse_twice("path", (each.path.lower() for each in upstreams if each.path is not None))
    if sum(each.url is None for each in upstreams) > 1:
        raise ValueError("two entries have no url: both are about RECOLLECT_UPSTREAM")
    if any(each.path == "/v1" and each.url is not None for each in upstreams):
        raise ValueError("the path /v1 is the default upstream's")
    return upstreams


def _refuse_twice(what: str, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"two upstreams have the {what} {value}")
        seen.add(value)


def plain_upstream(upstream: UpstreamSettings) -> dict[str, Any]:
    """Return an entry for JSON, with its key in clear text: for a worker process, over a pipe."""
    plain = upstream.model_dump(mode="json")
    return plain | {"api_key": upstream.api_key.get_secret_value() if upstream.api_key else None}
