"""Runs an import from OpenWebUI. Never: how a row is parsed or stored."""

from collections.abc import Sequence

from rich.progress import Progress

from recollect_proxy.importers.import_run import bring_from
from recollect_proxy.importers.tally import Tally
from recollect_proxy.openwebui.sources import open_source
from recollect_proxy.settings import ProxySettings


async def bring(
    settings: ProxySettings,
    name: str,
    *,
    only: Sequence[str],
    chats: bool,
    dry_run: bool,
    progress: Progress,
) -> Tally:
    """Import from the source ``name``, as ``open_source`` takes it. Other arguments and errors are those of ``bring_from``."""
    opening = open_source(name)
    return await bring_from(settings, opening, only=only, chats=chats, dry_run=dry_run, progress=progress)
