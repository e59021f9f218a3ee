"""Opens the engine that an administrator's valves configure, one for all hooks of the process."""

import asyncio
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import structlog

from recollect.assembly.host_engine import shared_engine
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import raised_at
from recollect.settings.engine_settings import EngineSettings
from recollect.settings.variables_and_file import is_setting
from recollect_openwebui.erasure import resume_erasing

_is_imported: list[bool] = []

log = structlog.get_logger(__name__)


async def engine_with(valves: Iterable[tuple[str, Any]]) -> LiveEngine:
    """Return this process's engine for these valves, which opens in the background if they changed.

    Args:
        valves: By the names of the engine's settings. Blank is the default, whatever the environment says; valves
            that are no settings of the engine are ignored.

    Raises:
        ValidationError: A valve makes no sense.
        ImportError: A module of the engine is missing; the next call looks for it again.
    """
    if not _is_imported:
        await asyncio.to_thread(_import_backends)
    fields = EngineSettings.model_fields
    given = {
        name: fields[name].get_default(call_default_factory=True) if value == "" else value
        for name, value in valves
        if name in fields and is_setting(fields[name])
    }
    engine = await shared_engine(EngineSettings(**given))
    _resume_once()
    return engine


async def open_as_kept(functions: Any, module: str, valves: Callable[..., Iterable[tuple[str, Any]]]) -> None:
    """Open the engine that a function's valves ask for, as Open WebUI keeps them; none for one that is switched off.

    Args:
        functions: Open WebUI's own table of its functions.
        module: The name of the module that it loaded the function as: ``function_ID_`` and a number.
        valves: Makes valves of the stored ones.

    Raises:
        ValidationError: A valve makes no sense.
    """
    function_id = module.removeprefix("function_").rpartition("_")[0]
    known = await functions.get_function_by_id(function_id)
    if known is not None and known.is_active:
        kept = await functions.get_function_valves_by_id(function_id)
        await engine_with(valves(**(kept or {})))


def _import_backends() -> None:
    """Import the database's and the models' libraries, which takes half a second of processor time."""
    import recollect.assembly.lifecycle  # noqa: F401, PLC0415 -- see above

    _is_imported[:] = [True]


@lru_cache(maxsize=1)
def _resume_once() -> None:
    """Do what an earlier process left to be erased: now there is an engine that can.

    A folder that can't be looked into costs no chat its memory.
    """
    try:
        resume_erasing()
    except OSError as error:
        log.error("erasures_resume_failed", error=type(error).__name__, raised_at=raised_at(error))  # noqa: TRY400 -- it goes on
