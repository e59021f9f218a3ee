"""Finds the faults that would stop a start, without starting anything. It neither changes the database nor loads a model.

Whether the data folder can be used is tried: a temporary folder is made there, and removed.
"""

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_IRGRP, S_IROTH
from typing import Any

from pydantic import ValidationError

from recollect.assembly.data_folder import check_global_memories
from recollect.assembly.database_and_model_check import check_database, check_model
from recollect.assembly.models_from_settings import check_embedders, check_extraction
from recollect.engine import system_clock
from recollect.errors import ConfigurationError, EmbedderError
from recollect.settings.engine_settings import NOWHERE
from recollect_proxy.access.authentication import make_authentication
from recollect_proxy.access.principal import SignInError
from recollect_proxy.app import App
from recollect_proxy.identity.user_and_chat import is_loopback
from recollect_proxy.settings.admin_token import kept_token, made_token
from recollect_proxy.settings.command_settings import Sources, complaints, secret_settings
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.settings.shown_urls import without_credentials


@dataclass(slots=True)
class Findings:
    """The findings of a check.

    Attributes:
        mistakes: A start would end with them; a line each.
        remarks: A start would go on; a line each.
        given: How many settings are from where.
        database: The versions of an external database that was asked; None: none was, or it did not answer.
        model: How well the extraction model answered, where the settings name one; None: none was asked, or it is in a remark.
    """

    mistakes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    given: dict[str, int] = field(default_factory=dict)
    database: str | None = None
    model: str | None = None


def check(*, offline: bool = False) -> Findings:
    """Read the settings as a start would, and describe their faults in plain words.

    ``offline`` leaves the database, the model and the OpenID provider alone.
    """
    try:
        sources = Sources()
    except ConfigurationError as error:
        return Findings([str(error)])
    found = Findings(
        remarks=[f"{name} sets nothing: {advice}" for name, advice in sources.without_effect().items()]
    )
    found.remarks += _readable_by_others(sources)
    nothing: dict[str, Any] = {}  # but variables and the file
    for name in ProxySettings.model_fields:
        if (source := sources.source(name)) != "default":
            found.given[source] = found.given.get(source, 0) + 1
    try:
        settings = ProxySettings(**nothing)
    except ValidationError as error:
        found.mistakes += complaints(error, sources)
        return found
    found.remarks += [*_what_works_less(settings), *_open_to_all(settings)]
    found.mistakes += _complaints(settings)
    if not offline:
        _ask_database(found, settings)
        told, is_well = asyncio.run(check_model(settings.for_engine, settings.upstream_api))
        if is_well:
            found.model = told or None
        else:
            found.remarks.append(told)
        _ask_provider(found, settings)
    return found


def _ask_database(found: Findings, settings: ProxySettings) -> None:
    """Add the findings about the database, unless it is the embedded one."""
    report = asyncio.run(check_database(settings))
    if report is None or settings.database_url is None:
        return
    found.mistakes += [f"RECOLLECT_DATABASE_URL: {line}" for line in report.mistakes]
    found.remarks += [f"RECOLLECT_DATABASE_URL: {line}" for line in report.remarks]
    if report.found:
        found.database = f"{without_credentials(settings.database_url.get_secret_value())}: {report.found}"


def _ask_provider(found: Findings, settings: ProxySettings) -> None:
    """Add the findings about the OpenID provider; a start goes on without it."""
    try:
        sign_in = make_authentication(settings, _admin_token(settings), system_clock).provider
        if sign_in is not None:
            asyncio.run(sign_in.begin(administrator=False))
    except ConfigurationError:
        return  # it is complained of already
    except SignInError as error:
        is_other = error.reason == "issuer"
        reason = (
            "it names itself differently" if is_other else f"nobody can sign in there now ({error.reason})"
        )
        found.remarks.append(f"RECOLLECT_OIDC_ISSUER: {reason}.")


def _complaints(settings: ProxySettings) -> Iterator[str]:
    """Yield what makes no sense together, or does not fit the files that are there."""
    steps: tuple[Callable[[ProxySettings], Any], ...] = (
        _expect_data_folder,
        lambda settings: App(settings, admin_token=_admin_token(settings)),
        check_embedders,
        lambda settings: check_extraction(settings, settings.upstream_api),
        check_global_memories,
    )
    for step in steps:
        try:
            step(settings)
        except (ConfigurationError, EmbedderError) as error:
            yield str(error)


def _expect_data_folder(settings: ProxySettings) -> None:
    if _needs_folder(settings) and (reason := _why_unusable(settings.data_dir)):
        raise ConfigurationError(f"RECOLLECT_DATA_DIR: {reason}.")


def _what_works_less(settings: ProxySettings) -> Iterator[str]:
    if not _needs_folder(settings) and (reason := _why_unusable(settings.data_dir)):
        yield (
            f"RECOLLECT_DATA_DIR: {reason}; a start goes on without it, and what waits for a database that is away "
            "is held in memory, and gone with the process."
        )


def _needs_folder(settings: ProxySettings) -> bool:
    """Whether a start ends where the data folder can't be used: it keeps the admin token there, or its database."""
    return settings.admin_token is None or settings.database_url is None


def _why_unusable(folder: Path) -> str:
    """Return why no file can be made in a folder, or in the parent where the folder would be; "" if one can."""
    if folder == NOWHERE:
        return ""
    try:
        existing = next(each for each in (folder, *folder.parents) if each.exists())
        if not existing.is_dir():
            return f"{existing} is no folder"
        # To try it is the only sure way: root may write anywhere, and yet not below /proc or where all is read-only.
        with tempfile.TemporaryDirectory(prefix="recollect-check-", dir=existing):
            return ""
    except OSError as error:
        return f"nothing can be made in {folder}: {error.strerror}"


def _admin_token(settings: ProxySettings) -> str:
    """Return the token that a start would have."""
    if settings.admin_token is not None:
        return settings.admin_token.get_secret_value()
    if _why_unusable(settings.data_dir):
        return made_token()  # the folder is complained of already
    try:
        return kept_token(settings) or made_token()
    except OSError as error:
        raise ConfigurationError(
            f"RECOLLECT_DATA_DIR: the admin token in {settings.data_dir} can't be read: {error.strerror}."
        ) from None


def _open_to_all(settings: ProxySettings) -> Iterator[str]:
    """Yield that others can use the LLM at the operator's cost."""
    is_published = settings.public_url is not None or not is_loopback(settings.host)
    has_key = settings.upstream_api_key is not None or any(each.api_key for each in settings.upstreams)
    if is_published and has_key and not settings.require_identity:
        yield (
            "Whoever reaches this asks the LLM with your key, known or not: without an identity a chat only has no memory. Let nobody "
            "reach it but your frontend, or set RECOLLECT_REQUIRE_IDENTITY=true."
        )


def _readable_by_others(sources: Sources) -> Iterator[str]:
    if sources.file is None or not sources.file.stat().st_mode & (S_IRGRP | S_IROTH):
        return
    secret = sorted(name for name in secret_settings() if sources.source(name).startswith("file "))
    if secret:
        yield f"{sources.file} holds {', '.join(secret)} and others can read it: chmod 600 {sources.file}"
