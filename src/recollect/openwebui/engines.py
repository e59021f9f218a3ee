"""The engine that an administrator's valves ask for. Never: what a chat does with it."""

from collections.abc import Iterable
from typing import Any

from recollect.assembly import shared_engine
from recollect.live_engine import LiveEngine
from recollect.settings import EngineSettings


async def engine_with(valves: Iterable[tuple[str, Any]]) -> LiveEngine:
    """Return this process's engine for these valves, which opens in the background where it is another than before.

    Args:
        valves: By the names of the engine's settings. Blank is the default, whatever the environment says; what is
            no setting of the engine is passed over.

    Raises:
        ValidationError: A valve makes no sense.
    """
    fields = EngineSettings.model_fields
    given = {
        name: fields[name].get_default(call_default_factory=True) if value == "" else value
        for name, value in valves
        if name in fields
    }
    return await shared_engine(EngineSettings(**given))
