"""Makes the models that the settings name; compares the addresses of their servers, and finds whether one is near. It uses neither the store nor a name server."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from recollect.assembly.data_folder import INSTRUCTIONS
from recollect.errors import ConfigurationError, EmbedderError
from recollect.model import ALL_TOLD, NOTHING_TOLD, Disclosure, Strategy, Vector
from recollect.models.embedders.multilingual_e5 import MODEL as MULTILINGUAL_E5
from recollect.models.embedders.multilingual_e5 import MultilingualE5Embedder
from recollect.models.embedders.onnx_model import installed_model
from recollect.models.embedders.served import OpenAIEmbedder
from recollect.models.extractors import (
    ANSWER_WITHIN,
    ANSWER_WITHIN_OF_NEAR,
    ChatModel,
    Instructions,
    ModelExtractor,
    ModelHinter,
    ModelJudge,
    ModelOfUpstream,
    ModelSummarizer,
    OpenAICompatibleModel,
    Tells,
    tell_all,
)
from recollect.ports import Asker, Embedder, Extractor, Hinter, Judge, Summarizer
from recollect.settings.engine_settings import ChatsFirst, EngineSettings
from recollect.settings.upstream_policies import UpstreamSettings

_SCHEMES = ("local", "openai", "mistral")
_NEAR_NAMES = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa")
"""RFC 6761, 6762, 8375, ICANN's .internal, and names that routers use."""

_MISTRAL = "https://api.mistral.ai"
"""Mistral's own server."""

_PORTS = {"http": 80, "https": 443}
_LOOPBACK = "localhost"


def is_one_server(base_url: str, other: str | None) -> bool:
    """Return whether two base URLs are one API's; Mistral's may stand without its version."""
    if other is None:
        return False
    one, another = (url.rstrip("/").removesuffix("/v1") for url in (base_url, other))
    return one == another


def speaks_mistral(settings: EngineSettings) -> bool:
    """Return whether the extraction model is asked by Mistral's own SDK: where its server is Mistral's own."""
    return is_one_server(_MISTRAL, settings.extraction_base_url)


def yields_to_chats(settings: EngineSettings, upstream: str | None) -> bool:
    """Return whether background calls yield to chats, as they go to the same LLM.

    If the LLM of the chats is unknown, as within Open WebUI, one that is near may be it.
    """
    asked = settings.extraction_base_url or upstream
    if asked is None or settings.formation_yields is ChatsFirst.NEVER:
        return False
    if upstream is not None and _place(asked) != _place(upstream):
        return False
    return settings.formation_yields is ChatsFirst.ALWAYS or is_near(asked)


def is_near(base_url: str) -> bool:
    """Return whether a server is on this machine or its network, by its address or its name."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(_NEAR_NAMES)


def _place(base_url: str) -> tuple[str, str, int | None]:
    """Return where a server is: scheme, host and port; this machine by one name."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    with suppress(ValueError):  # it is a name
        host = _LOOPBACK if ip_address(host).is_loopback else host
    return parts.scheme, host, parts.port or _PORTS.get(parts.scheme)


_VERSION = "/v1"


@dataclass(frozen=True, slots=True)
class Models:
    """The models that are asked in the background."""

    extractor: Extractor
    summarizer: Summarizer
    judge: Judge
    hinter: Hinter


class AbsentEmbedder:
    """An ``Embedder`` that is always away: a job of the worker embeds the texts later."""

    name = "absent"
    gate = 1.0

    async def embed(self, _texts: Sequence[str]) -> list[Vector]:
        """Raise EmbedderError."""
        raise EmbedderError("No embedder was loaded.")

    async def embed_question(self, _text: str) -> Vector:
        """Raise EmbedderError."""
        raise EmbedderError("No embedder was loaded.")

    async def aclose(self) -> None:
        """Let go of nothing."""


async def load_embedder() -> Embedder:
    """Return the embedder of statements.

    Raises:
        EmbedderError: It can't be loaded.
    """
    embedder = await asyncio.to_thread(MultilingualE5Embedder)
    try:
        await embedder.load()
    except BaseException:
        await embedder.aclose()  # it goes on in its thread until this is over
        raise
    return embedder


def make_log_embedder(settings: EngineSettings, client: httpx.AsyncClient) -> Embedder | None:
    """Return the embedder on a server that the settings name for the log; None: it is that of statements.

    Raises:
        ConfigurationError: The name or a setting it needs makes no sense.
    """
    scheme, model = _embedder_name(settings)
    if scheme == "local":
        return None
    if scheme == "mistral":
        from recollect.models.mistral import MistralEmbedder  # noqa: PLC0415 -- a second to import

        return MistralEmbedder(
            model,
            api_key=_secret(settings.embedder_api_key),
            base_url=settings.embedder_base_url or _MISTRAL,
        )
    return OpenAIEmbedder(
        model,
        client=client,
        base_url=_embedder_address(settings),
        api_key=_secret(settings.embedder_api_key),
    )


def make_earlier_embedder(
    settings: EngineSettings, client: httpx.AsyncClient, made_by: Mapping[str, str]
) -> Embedder | None:
    """Return an embedder that the log had before today's; None for a local one.

    ``made_by`` has the settings of then: ``embedder``, and perhaps ``base_url``.

    Raises:
        ConfigurationError: The settings of then make no sense any more.
    """
    base_url = made_by.get("base_url")
    # Today's key is not for another server.
    key = settings.embedder_api_key if base_url == settings.embedder_base_url else None
    then = settings.model_copy(
        update={
            "embedder": made_by.get("embedder", ""),
            "embedder_base_url": base_url,
            "embedder_api_key": settings.previous_embedder_api_key or key,
        }
    )
    return make_log_embedder(then, client)


def check_embedders(settings: EngineSettings) -> None:
    """Check the settings of embedders, without loading or asking any.

    Raises:
        ConfigurationError: There is no such one, or its address is missing.
        EmbedderError: The package of weights is not installed.
    """
    installed_model(MULTILINGUAL_E5)
    scheme, _ = _embedder_name(settings)
    if scheme == "openai":
        _embedder_address(settings)


def parse_embedder_name(text: str) -> tuple[str, str]:
    """Return the scheme and the model: split ``local:MODEL``, ``openai:MODEL`` or ``mistral:MODEL`` at the first colon.

    Raises:
        ConfigurationError: The scheme is not one of these, or no model follows it.
    """
    scheme, _, model = (part.strip() for part in text.partition(":"))
    if scheme not in _SCHEMES:
        known = " or ".join(f"{known}:MODEL" for known in _SCHEMES)
        raise ConfigurationError(f"Unknown embedder {text!r}; write {known}.")
    if not model:
        raise ConfigurationError(f"The embedder {text!r} names no model; write {scheme}:MODEL.")
    return scheme, model


def _embedder_name(settings: EngineSettings) -> tuple[str, str]:
    scheme, model = parse_embedder_name(settings.embedder)
    if scheme == "local" and model != MULTILINGUAL_E5:
        raise ConfigurationError(
            f"No local embedder {model!r}; write local:{MULTILINGUAL_E5}, or openai:MODEL for one on a server of yours."
        )
    return scheme, model


def _embedder_address(settings: EngineSettings) -> str:
    if settings.embedder_base_url is None:
        raise ConfigurationError(
            f"RECOLLECT_EMBEDDER={settings.embedder} needs RECOLLECT_EMBEDDER_BASE_URL, as https://host/v1."
        )
    return settings.embedder_base_url


def make_models(settings: EngineSettings, client: httpx.AsyncClient, upstream: str | None) -> Models | None:
    """Return the callers of the extraction model that the settings name; None without a model.

    A request's own credential goes to the chat's own upstream alone, never to another server.

    Raises:
        ConfigurationError: A setting it needs makes no sense.
    """
    path = settings.file(INSTRUCTIONS)
    instructions = Instructions() if path is None else Instructions.load(path)
    model = _make_models_of_upstreams(settings, client, upstream)
    if model is None:
        return None
    tells = background_tells(settings)
    return Models(
        ModelExtractor(model, instructions, tells, settings.tags),
        ModelSummarizer(model, tells),
        ModelJudge(model, tells),
        ModelHinter(model, tells),
    )


def background_tells(settings: EngineSettings) -> Tells:
    """Return the rule for which parts of a person's memory may be sent to the server that extracts.

    All of it goes to a server that the operator named for extraction; else the policy of the exchange's upstream decides.
    """
    if settings.extraction_base_url is not None:
        return tell_all
    policies = {"" if each.url is None else each.name: each for each in settings.chat_upstreams}

    def tells(asker: Asker) -> Disclosure:
        policy = policies.get(asker.upstream)
        if policy is not None:
            return policy.disclosure(asker.user_id)
        return NOTHING_TOLD if asker.upstream else ALL_TOLD

    return tells


def _make_models_of_upstreams(
    settings: EngineSettings, client: httpx.AsyncClient, upstream: str | None
) -> ChatModel | None:
    """Return the model that extracts; where no server is named for that, of each upstream its own."""
    model = _make_model(settings, client, upstream)
    further = [each for each in settings.chat_upstreams if each.url is not None and each.learn]
    if model is None or not further:
        return model
    models = {"": model}
    for each in further:
        if settings.extraction_base_url is not None:  # another's credential is not for it
            own = _make_model(settings, client, each.url)
        else:
            own = _make_upstreams_model(client, each)
        if own is not None:
            models[each.name] = own
    return ModelOfUpstream(models)


def _make_upstreams_model(client: httpx.AsyncClient, upstream: UpstreamSettings) -> ChatModel:
    base_url = upstream.url or ""
    if upstream.base is not None and not upstream.models and not urlsplit(base_url).path:
        base_url += _VERSION  # its paths are all served, and the API's among them
    return OpenAICompatibleModel(
        client,
        base_url=base_url,
        api_key=_secret(upstream.api_key),
        timeout=ANSWER_WITHIN_OF_NEAR if is_near(base_url) else ANSWER_WITHIN,
    )


def check_extraction(settings: EngineSettings, upstream: str | None) -> None:
    """Check the settings of the extraction model and its instructions, without asking it.

    Raises:
        ConfigurationError: Its address or its key is missing or makes no sense, or a file of instructions.
    """
    make_models(settings, httpx.AsyncClient(), upstream)


def _make_model(
    settings: EngineSettings, client: httpx.AsyncClient, upstream: str | None
) -> ChatModel | None:
    base_url = settings.extraction_base_url or upstream
    if base_url is None:
        return None
    if speaks_mistral(settings):
        return _make_mistral_model(settings, base_url, upstream)
    is_upstream = is_one_server(base_url, upstream)
    if not (is_upstream or settings.extraction_model):
        if settings.formation not in {Strategy.EXTRACT, Strategy.BOTH}:
            return None
        raise ConfigurationError(
            "RECOLLECT_EXTRACTION_BASE_URL is not the chat's own LLM, so RECOLLECT_EXTRACTION_MODEL "
            "must name a model of it."
        )
    return OpenAICompatibleModel(
        client,
        base_url=base_url,
        model=settings.extraction_model,
        api_key=_secret(settings.extraction_api_key),
        is_upstream=is_upstream,
        timeout=_timeout(settings, base_url),
    )


def _make_mistral_model(settings: EngineSettings, base_url: str, upstream: str | None) -> ChatModel:
    from recollect.models.mistral import DEFAULT_MODEL, MistralModel  # noqa: PLC0415 -- a second to import

    is_upstream = is_one_server(base_url, upstream)
    if not (is_upstream or settings.extraction_api_key):
        raise ConfigurationError(f"{_MISTRAL} needs RECOLLECT_EXTRACTION_API_KEY.")
    return MistralModel(
        settings.extraction_model or DEFAULT_MODEL,
        base_url=base_url,
        api_key=_secret(settings.extraction_api_key),
        is_upstream=is_upstream,
        timeout=_timeout(settings, base_url),
    )


def _timeout(settings: EngineSettings, base_url: str) -> timedelta:
    if settings.extraction_timeout_seconds is not None:
        return timedelta(seconds=settings.extraction_timeout_seconds)
    return ANSWER_WITHIN_OF_NEAR if is_near(base_url) else ANSWER_WITHIN


def _secret(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
