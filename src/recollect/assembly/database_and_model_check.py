"""Checks the configured database and the extraction model as a start would use them. It reads no words of a person."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import httpx
from uuid_utils.compat import uuid7

from recollect.assembly.models_from_settings import make_models, speaks_mistral
from recollect.errors import (
    ConfigurationError,
    CredentialGoneError,
    ExtractorError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    InvalidExtractionError,
)
from recollect.model import Exchange, Scope, Strategy, Turn
from recollect.ports import Extracted
from recollect.settings.engine_settings import EngineSettings
from recollect.store import DatabaseReport, check_postgres

SENTENCE = "I moved to Utrecht last year, and I am allergic to peanuts."
_SAID = ("Utrecht", "peanuts")
_SECONDS = 5.0
"""The most seconds to wait for a connection, the same as at a start."""

_THERE = frozenset({HTTPStatus.OK, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})

_MOST_BYTES = 4 * 1024 * 1024
_LONGEST_NAME = 200
_OTHER_WORK = ("embed", "rerank")
"""Parts of the names of models that don't chat, for servers that list nothing but names, as Ollama."""

_CHATTING = frozenset({"chat", "llm", "vlm", "language", "text", "model"})
"""The types of models that chat, by servers that list types at all."""


async def check_database(settings: EngineSettings) -> DatabaseReport | None:
    """Return a report on the database; None for the embedded one, which a start brings along."""
    if settings.in_memory or settings.database_url is None:
        return None
    return await check_postgres(settings.database_url.get_secret_value(), seconds=_SECONDS)


async def check_model(settings: EngineSettings, upstream: str | None) -> tuple[str, bool]:
    """Describe the extraction model's answer in plain words, and return whether it is good; "", True if no model is to be asked."""
    if settings.formation not in {Strategy.EXTRACT, Strategy.BOTH}:
        return "", True
    base_url = None if speaks_mistral(settings) else settings.extraction_base_url or upstream
    async with httpx.AsyncClient() as client:
        if base_url is not None and (wrong := await _address_fault(client, base_url)):
            return wrong, False
        if settings.extraction_model:
            return await _ask(settings, client, upstream)
        return ("", True) if base_url is None else await _ask_only_model(settings, client, upstream, base_url)


async def _ask_only_model(
    settings: EngineSettings, client: httpx.AsyncClient, upstream: str | None, base_url: str
) -> tuple[str, bool]:
    """Return how the only model that the server lists answers."""
    key = settings.extraction_api_key
    listed = await _chat_models(client, base_url, key.get_secret_value() if key else None)
    if not listed:
        return "", True
    if len(listed) > 1:  # it may cost money, and each chat's own model forms its memories anyway
        reason = (
            f"No model was asked: the server lists {len(listed)} that may chat, and RECOLLECT_EXTRACTION_MODEL names none. The "
            "model of each chat forms its memories; name one, and it is tried here."
        )
        return reason, True
    named = settings.model_copy(update={"extraction_model": listed[0]})
    try:
        return await _ask(named, client, upstream, needs_key=key is None)
    except CredentialGoneError:
        reason = (
            f"The model {listed[0]} was not asked: its server wants a key. Chats bring theirs, and after a restart what was said "
            "waits for it; with RECOLLECT_EXTRACTION_API_KEY nothing has to wait."
        )
        return reason, True


async def _ask(
    settings: EngineSettings, client: httpx.AsyncClient, upstream: str | None, *, needs_key: bool = False
) -> tuple[str, bool]:
    """Return how the model that is named answers.

    Raises:
        CredentialGoneError: It wants a key, where ``needs_key`` says that this is no mistake.
    """
    model = settings.extraction_model or ""
    try:
        models = make_models(settings, client, upstream)
        found = None if models is None else await models.extractor.extract([_exchange()], [])
    except ConfigurationError:
        found = None  # a start says so
    except ExtractorError as error:
        if needs_key and isinstance(error, CredentialGoneError):
            raise
        return describe_failure(model, error), False
    return ("", True) if found is None else _judge(model, found)


async def _address_fault(client: httpx.AsyncClient, base_url: str) -> str:
    """Return the fault of the address of the model's server; "" without one."""
    try:
        status = await _status(client, f"{base_url.rstrip('/')}/models")
        lacks_version = (
            status == HTTPStatus.NOT_FOUND
            and not base_url.rstrip("/").endswith("/v1")
            and await _status(client, f"{base_url.rstrip('/')}/v1/models") in _THERE
        )
    except httpx.ConnectError:
        return (
            "Nothing listens at the address of the model's server that forms memories: is it running? In a container "
            "127.0.0.1 is the container itself."
        )
    except httpx.TimeoutException:
        return "The model's server that forms memories takes the request, and does not answer it within five seconds."
    except (httpx.HTTPError, httpx.InvalidURL):
        return ""
    if lacks_version:
        return (
            "The base URL of the model's server that forms memories lacks /v1: there are no models below it, but there are "
            "below /v1."
        )
    return ""


async def _status(client: httpx.AsyncClient, url: str) -> int:
    return (await client.get(url, timeout=_SECONDS)).status_code


def _exchange() -> Exchange:
    turn = Turn(Scope("recollect-check", "recollect-check"), SENTENCE, "", datetime.now(UTC), "")
    return Exchange(uuid7(), turn, "", uuid7(), uuid7())


def describe_failure(model: str, error: ExtractorError) -> str:
    """Describe in plain words why a model can't extract."""
    match error:
        case InvalidExtractionError():
            return (
                f"The model {model} answers, but not so that memories can be read from it, also when asked again: name a "
                "larger model, or one that takes a JSON schema."
            )
        case CredentialGoneError():
            return f"The server of the model {model} wants a key, or another one: RECOLLECT_EXTRACTION_API_KEY. {error}"
        case ExtractorUnusableError():
            return f"The model {model} can't be asked: its server may have no model of that name. {error}"
        case ExtractorTimeoutError():
            return f"The model {model} takes too long for one sentence. {error}"
        case _:
            return f"The model {model} did not answer. {error}"


def _judge(model: str, found: Extracted) -> tuple[str, bool]:
    """Return how well it found the sentence's statements, each with its quote."""
    quoted = [
        said
        for said in _SAID
        if any(said in each.content and each.evidence in SENTENCE for each in found.candidates)
    ]
    if len(quoted) == len(_SAID):
        return (
            f"The model {model} answers well: of one sentence it found both statements, with their quotes.",
            True,
        )
    return (
        f"The model {model} answers, but of one sentence with two statements it found {len(quoted)} with a quote of the "
        "sentence: memories will be missing. A larger model finds more."
    ), False


async def _chat_models(client: httpx.AsyncClient, base_url: str, key: str | None) -> list[str]:
    """Return the names of a server's models that can chat, as far as its list tells; none without a list."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = await client.get(f"{base_url.rstrip('/')}/models", headers=headers, timeout=_SECONDS)
        if answer.status_code != HTTPStatus.OK or len(answer.content) > _MOST_BYTES:
            return []
        listed = answer.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError):
        return []
    return list(dict.fromkeys(_names(listed)))


def _names(listed: object) -> Iterator[str]:
    entries = listed.get("data") if isinstance(listed, Mapping) else None
    for entry in entries if isinstance(entries, list) else ():
        name = entry.get("id") if isinstance(entry, Mapping) else None
        if (
            isinstance(name, str)
            and 0 < len(name) <= _LONGEST_NAME
            and name.isprintable()
            and _can_chat(name, entry)
        ):
            yield name


def _can_chat(name: str, entry: Mapping[str, Any]) -> bool:
    """Return whether a model can chat: unless its server, or failing that its name, says otherwise."""
    kind, can = entry.get("type"), entry.get("capabilities")
    if isinstance(can, Mapping) and can.get("completion_chat") is False:  # Mistral
        return False
    made = entry.get("architecture")
    writes = made.get("output_modalities") if isinstance(made, Mapping) else None  # OpenRouter
    if isinstance(writes, list) and "text" not in writes:
        return False
    if isinstance(kind, str):  # LM Studio, Together
        return kind.lower() in _CHATTING
    return not any(part in name.lower() for part in _OTHER_WORK)
