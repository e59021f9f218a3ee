"""Imports memories and chats from a source, through the engine's backends, and opens the store for it. Queries and the terminal are elsewhere.

Of memories with one id the latest text is imported, and of memories with one text a single one; ``screening`` compares them with
those of earlier imports. A dry run only reads the store.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.assembly.lifecycle import open_unembedded_backends
from recollect.backends import Backends
from recollect.engine.policy import Policy
from recollect.errors import ConfigurationError, NotAllowedInTeamError, RecollectError, TeamNotFoundError
from recollect.model import (
    Actor,
    Add,
    Change,
    Exchange,
    Ignore,
    Memory,
    Quarantine,
    Replace,
    Retire,
    Scope,
    SpokenWith,
    person_of,
    project_scope,
    team_of,
)
from recollect.store import start_embedded
from recollect.store.pool import Access, store_errors
from recollect.store.sql import SQL, load_migrations
from recollect.text.normalization import content_hash
from recollect.text.secrets.masking import masked_exchange
from recollect.wire import session_skip
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Listed,
    Source,
    SourceChat,
    SourceMemory,
    exchanges_of,
    name_of,
)
from recollect_proxy.importers.import_counts import Tally
from recollect_proxy.importers.screening import (
    Brought,
    ImportedText,
    NotAgain,
    next_change,
    screened,
    version_id,
)
from recollect_proxy.settings.proxy_settings import ProxySettings

_PAGE = 500
_MOST_UPDATES = 1_000


@dataclass(frozen=True, slots=True)
class ExistingMemories:
    """The memories of a user by id, and the content hashes of these memories and of those in quarantine."""

    memories: dict[UUID, Memory] = field(default_factory=dict)
    hashes: set[bytes] = field(default_factory=set)

    def take_change(self, change: Brought | Replace) -> None:
        """Update the hashes for a change that is about to be written."""
        if isinstance(change, Replace):
            self.hashes.discard(content_hash(self.memories[change.old].content))
        self.hashes.add(content_hash(change.memory.content))


async def read_existing_memories(backends: Backends, user_id: str) -> ExistingMemories:
    """Read a user's memories, and those in quarantine."""
    held = await backends.store.memories.quarantined(user_id)
    known = ExistingMemories({}, {content_hash(each.memory.content) for each in held})
    after, is_last = None, False
    while not is_last:
        page = await backends.store.memories.page(user_id, limit=_PAGE, after=after)
        known.memories.update((memory.id, memory) for memory in page.memories)
        known.hashes.update(content_hash(memory.content) for memory in page.memories)
        after, is_last = page.next, page.next is None
    return known


async def read_versions(
    backends: Backends, stored: SourceMemory, brought: Brought, known: ExistingMemories
) -> list[ImportedText]:
    """Return the versions of ``stored`` that earlier imports wrote, oldest first."""
    found: list[ImportedText] = []
    while True:
        id_ = version_id(stored, len(found))
        memory = known.memories.get(id_)
        if not found and memory is not None and memory.content == brought.memory.content:
            return [ImportedText(memory, ())]  # unchanged, as most are: its history makes no difference
        updates = await backends.store.memories.history(stored.user_id, id_, limit=_MOST_UPDATES)
        if memory is None and not updates:
            return found
        found.append(ImportedText(memory, updates))


_TOGETHER = 64
"""The number of memories that are written together."""

_MOST_EXCHANGES = 100_000
_SHARED = "shared-"
"""The beginning of the owner's id of a copy behind a shared link, which older releases of OpenWebUI store."""

_UNOWNED = "it names no owner"

_COUNTED_AS = {Add: "new", Quarantine: "held", Replace: "changed", Retire: "changed"}
"""How a change is counted. The store retires a memory if its new text is that of another one."""


@dataclass(frozen=True, slots=True)
class _Screened:
    """A memory of the source, with the change that screening chose for it."""

    stored: SourceMemory
    change: Brought


@dataclass(frozen=True, slots=True)
class Importer:
    """An import from one source into one store.

    Attributes:
        backends: The store; None in a dry run without a database, where everything counts as new.
        at: The time of the import.
        only: The ids of the users to import; empty: all users.
        project: The project of theirs into which it goes; "": their own memory.
        writes: Whether to write; False for a dry run.
    """

    source: Source
    backends: Backends | None
    policy: Policy
    at: datetime
    tally: Tally
    only: Collection[str] = ()
    project: str = ""
    writes: bool = True

    async def expect_writer(self) -> None:
        """Return if the one user may write in the project.

        Raises:
            TeamNotFoundError: It is of a team that they are not in.
            NotAllowedInTeamError: They may not write in it.
        """
        part = project_scope(self._sole_owner, self.project)
        if self.backends is None or not team_of(part):
            return
        team = await self.backends.store.teams.around(part)
        if team is None:
            raise TeamNotFoundError
        if not team.may_write(person_of(part)):
            raise NotAllowedInTeamError

    async def bring_memories(self, advance: Callable[[], None]) -> None:
        """Import the memories, user by user, and call ``advance`` once a memory.

        Raises:
            StoreError: The store failed. Written rows stay, and a second import adds the rest.
        """
        by_user: dict[str, dict[str, _Screened]] = {}
        for row in self.source.memories:
            found = await self._screened(row)
            if found is None or not self._is_first(found, by_user):
                advance()
        for user_id, of_user in by_user.items():
            await self._bring_to(user_id, list(of_user.values()), advance)

    async def _screened(self, row: SourceMemory) -> _Screened | None:
        """Return a memory with the change it makes; None, and counted why, if it makes none."""
        stored = replace(row, user_id=row.user_id or self._sole_owner, origin=self.source.origin)
        if not stored.user_id:
            self.tally.broken.append(f"memory {name_of(row.id)}: {_UNOWNED}")
        elif self._concerns(stored.user_id):
            self.tally.users.add(stored.user_id)
            stored = replace(stored, user_id=project_scope(stored.user_id, self.project))
            change = await asyncio.to_thread(screened, stored, at=self.at)
            if not isinstance(change, Ignore):
                return _Screened(stored, change)
            self.tally.refused[change.reason] += 1
        return None

    def _is_first(self, each: _Screened, by_user: dict[str, dict[str, _Screened]]) -> bool:
        """Keep the latest text of a memory, since one file may hold two exports. Return whether its id is new."""
        others = by_user.setdefault(each.stored.user_id, {})
        before = others.setdefault(each.stored.id, each)
        if before is each:
            return True
        if each.change.memory.observed_at > before.change.memory.observed_at:
            others[each.stored.id] = each
        self.tally.memories["there"] += 1
        return False

    async def _bring_to(self, user_id: str, found: Sequence[_Screened], advance: Callable[[], None]) -> None:
        known, versions = await self._looked_up(user_id, found)
        # Memories imported before come first: their old texts then do not count as duplicates of other memories.
        in_order = sorted(found, key=lambda each: not versions[each.stored.id])
        for start in range(0, len(in_order), _TOGETHER):
            together, changes = in_order[start : start + _TOGETHER], []
            for each in together:
                change = next_change(each.stored, each.change, versions[each.stored.id], known.hashes)
                if isinstance(change, NotAgain):
                    self.tally.memories[change] += 1
                else:
                    changes.append(change)
                    known.take_change(change)
            for done in await self._applied(user_id, changes):
                self.tally.memories[_COUNTED_AS.get(type(done), "there")] += 1
            for _ in together:
                advance()

    async def _looked_up(
        self, user_id: str, found: Sequence[_Screened]
    ) -> tuple[ExistingMemories, dict[str, list[ImportedText]]]:
        """Return the user's memories, and the versions of each source memory that were imported before."""
        backends = self.backends
        if backends is None:
            return ExistingMemories(), {each.stored.id: [] for each in found}
        known = await read_existing_memories(backends, user_id)
        return known, {
            each.stored.id: await read_versions(backends, each.stored, each.change, known) for each in found
        }

    async def _applied(self, user_id: str, changes: Sequence[Change]) -> Sequence[Change]:
        if not (self.writes and self.backends is not None and changes):
            return changes
        done = await self.backends.store.memories.apply(
            Scope(user_id, ""), changes, actor=Actor.IMPORT, at=self.at
        )
        await self.backends.store.index.enqueue(user_id)  # a server that runs on the store embeds them
        return done

    async def bring_chats(self, advance: Callable[[], None]) -> None:
        """Write the chats' exchanges into the log, oldest first, to be formed; call ``advance`` once a chat."""
        for row in self.source.chats:
            if row.user_id.startswith(_SHARED):
                self.tally.left_out["copy behind a shared link"] += 1
            elif self._concerns(row.user_id or self._sole_owner):
                try:
                    await self._bring_chat(row)
                except BrokenRowError as error:
                    self.tally.broken.append(f"chat {row.name}: {error}")
            advance()

    async def _bring_chat(self, listed: Listed) -> None:
        found = await listed.read()
        if found is None:
            return
        chat = replace(found, user_id=found.user_id or self._sole_owner, origin=self.source.origin)
        if not chat.user_id:
            raise BrokenRowError(_UNOWNED)
        self.tally.users.add(chat.user_id)
        chat = replace(chat, user_id=project_scope(chat.user_id, self.project))
        exchanges = await asyncio.to_thread(exchanges_of, chat, at=self.at)
        if reason := _why_left_out(chat, exchanges):
            self.tally.left_out[reason] += 1
        elif not await self._is_remembered(chat.user_id):
            self.tally.off.add(chat.user_id)
        else:
            new = await self._logged(exchanges)
            self.tally.chats["new" if new else "there"] += 1
            self.tally.exchanges["new"] += new
            self.tally.exchanges["there"] += len(exchanges) - new

    async def _logged(self, exchanges: Sequence[Exchange]) -> int:
        """Write the exchanges that the log lacks, and return their number."""
        scope = exchanges[0].turn.scope
        if self.backends is None:
            self.tally.spoken_with[person_of(scope.user_id)] = None
            return len(exchanges)
        chat = await self.backends.store.chats.chat(scope, exchanges=_MOST_EXCHANGES)
        answered = {name: bool(each.reply) for each in chat.exchanges for name in (each.key, each.anchor)}
        if not self.writes:
            new = sum(not _names(each) & answered.keys() for each in exchanges)
            if new:
                await self._spoken_with(scope.user_id, self.backends)
            return new
        lacking = [
            each
            for each in exchanges
            if not any(answered[name] or not each.reply for name in _names(each) & answered.keys())
        ]
        return sum([await self._append(each, self.backends) for each in lacking])

    async def _append(self, exchange: Exchange, backends: Backends) -> bool:
        """Write an exchange with its secrets masked, and queue it for formation; return whether it was new."""
        # The model of the other product may be unknown here: the one that the person chats with forms memories.
        spoken = await self._spoken_with(exchange.turn.scope.user_id, backends)
        spoken = spoken or SpokenWith("", "", authorized=False)
        turn = replace(exchange.turn, model=spoken.model, upstream=spoken.upstream)
        kept = replace(exchange, turn=turn, authorized=spoken.authorized)
        if not self.policy.log_secrets:
            kept = await asyncio.to_thread(masked_exchange, kept)
        is_new = await backends.store.log.append(kept, revives=True)
        if is_new:
            await backends.store.inbox.postpone(kept, error="", until=self.at, counts=False)
        return is_new

    async def _spoken_with(self, user_id: str, backends: Backends) -> SpokenWith | None:
        """Return with which model a person chatted last, looked up once."""
        person = person_of(user_id)
        if person not in self.tally.spoken_with:
            self.tally.spoken_with[person] = await backends.store.inbox.spoken_with(person)
        return self.tally.spoken_with[person]

    async def _is_remembered(self, user_id: str) -> bool:
        """Return whether recording is on for this user."""
        if self.backends is None:
            return self.policy.records
        flags = await self.backends.store.flags.flags(user_id)
        return self.policy.under(flags).records

    def _concerns(self, user_id: str) -> bool:
        """Return whether to import a row of this user. A row without a user passes: reading it reports the error."""
        if user_id and self.only and user_id not in self.only:
            return False
        if user_id and self.source.users is not None and user_id not in self.source.users:
            self.tally.strangers += 1
            return False
        return True

    @property
    def _sole_owner(self) -> str:
        """The owner of rows without a user: the import's only user if exactly one was named, else ""."""
        return next(iter(self.only)) if len(self.only) == 1 else ""


def _why_left_out(chat: SourceChat, exchanges: Sequence[Exchange]) -> str:
    """Return why a chat is not imported; "" if it is."""
    if chat.left_out or session_skip(chat.id):
        return chat.left_out or "temporary or of a channel"
    return "" if exchanges else "nothing said"


def _names(exchange: Exchange) -> set[str]:
    """Return the keys under which the log may hold an exchange, with or without the frontend's id of the message."""
    return {exchange.turn.key, exchange.turn.anchor}


_CONNECT_SECONDS, _QUERY_SECONDS = 5.0, 30.0


class OutdatedDatabaseError(RecollectError):
    """The database has an older schema, which a dry run must not migrate."""


@asynccontextmanager
async def open_destination(settings: ProxySettings, *, writes: bool) -> AsyncIterator[Backends | None]:
    """Yield the store; if it may not be changed, no database is created or migrated, and it is None if there is none yet.

    Raises:
        ConfigurationError: The store is in memory, so that the import would be lost when this process ends.
        OutdatedDatabaseError: The database needs a migration, and ``writes`` is False.
        RecollectError: The store can't be opened.
    """
    if settings.in_memory:
        raise ConfigurationError(
            "An import into a database in memory is lost when the command ends: name the database that Recollect serves with."
        )
    async with AsyncExitStack() as stack:
        if not writes:
            dsn = await _database_of(settings, stack)
            if dsn is None or not await _has_tables(dsn):
                yield None
                return
        yield await stack.enter_async_context(open_unembedded_backends(settings))


async def _database_of(settings: ProxySettings, stack: AsyncExitStack) -> str | None:
    """Return the DSN of the database, which runs as long as the stack is open; None if there is no embedded one yet."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    if not (settings.data_dir.expanduser() / "postgres").is_dir():
        return None
    server = await asyncio.to_thread(start_embedded, settings.data_dir)
    stack.push_async_callback(asyncio.to_thread, server.stop)
    return server.dsn


async def _has_tables(dsn: str) -> bool:
    """Return whether the database has Recollect's tables; raises OutdatedDatabaseError for an older schema."""
    # Whether a pooler stands before it is not known yet.
    async with Access(dsn, _CONNECT_SECONDS, _QUERY_SECONDS, pooled=True).connection() as connection:
        with store_errors():
            [seen] = await connection.fetch(SQL["look_before_start"])
            if not seen["has_migrations"]:
                return False
            applied = {row["version"] for row in await connection.fetch(SQL["applied_migrations"])}
    if max(applied, default=0) < max(migration.version for migration in load_migrations()):
        raise OutdatedDatabaseError(
            "An older version of Recollect used the database last. A dry run does not bring it up to date, and can't read "
            "it as it is: start `recollect serve` once before, or import without --dry-run."
        )
    return True
