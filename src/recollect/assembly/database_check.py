"""Asks the configured database whether a start would take it. Never: starts an embedded one."""

from recollect.settings import EngineSettings
from recollect.store import DatabaseReport, check_postgres

_SECONDS = 5.0
"""As long as a start waits for a connection."""


async def check_database(settings: EngineSettings) -> DatabaseReport | None:
    """Return what was found; None where the database is the embedded one, which a start brings along."""
    if settings.in_memory or settings.database_url is None:
        return None
    return await check_postgres(settings.database_url.get_secret_value(), seconds=_SECONDS)
