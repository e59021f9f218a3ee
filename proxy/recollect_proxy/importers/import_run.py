"""Runs an import: opens source and store, and imports memories and chats. Never: how a row is parsed or stored."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from functools import partial

from rich.progress import Progress

from recollect.assembly import make_policy
from recollect_proxy.importers.destination import open_destination
from recollect_proxy.importers.importer import Importer
from recollect_proxy.importers.rows import Row, SourceError
from recollect_proxy.importers.source import Source
from recollect_proxy.importers.tally import Tally
from recollect_proxy.settings import ProxySettings


async def bring_from(
    settings: ProxySettings,
    opening: AbstractAsyncContextManager[Source],
    *,
    only: Sequence[str],
    chats: bool,
    dry_run: bool,
    progress: Progress,
) -> Tally:
    """Import from a source.

    Args:
        settings: The settings, which name the store.
        opening: The context manager that opens the source.
        only: The ids of the users to import; empty: all users.
        chats: Whether to import chats, too.
        dry_run: Whether to count only, and write nothing.
        progress: The progress display.

    Returns:
        The counts of the import; for a dry run, those that it would have.

    Raises:
        SourceError: The source can't be read, or holds chats but no memories while ``chats`` is False.
        RecollectError: The store can't be opened or written.
    """
    policy = make_policy(settings)
    async with opening as source:
        memories = await source.memories()
        listed = await source.chats() if chats else ()
        if not memories and not listed and not chats and await source.chats():
            raise SourceError("There are chats in it, and no memories: bring them with --chats.")
        async with open_destination(settings, writes=not dry_run) as backends:
            importing = Importer(source, backends, policy, datetime.now(UTC), only, writes=not dry_run)
            await _bring_all(importing, memories, listed, progress)
            return importing.tally


async def _bring_all(
    importing: Importer, memories: Sequence[Row], listed: Sequence[Row], progress: Progress
) -> None:
    for what, rows, bring_rows in (
        ("memories", memories, importing.bring_memories),
        ("chats", listed, importing.bring_chats),
    ):
        if rows:
            task = progress.add_task(what, total=len(rows))
            await bring_rows(rows, partial(progress.advance, task))
