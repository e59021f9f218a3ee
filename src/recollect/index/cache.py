"""Keeps the snapshots of active people in this process, within a bound of bytes. Loads only what changed since."""

import asyncio
import gc
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import is_
from typing import NamedTuple, Protocol

from recollect.index.memories import Memories
from recollect.index.passages import StoredPassage
from recollect.index.snapshot import Loaded, Snapshot
from recollect.model import Vector, person_of
from recollect.model.scopes import Versions

OF_ONE = 4
"""One person's snapshot may take one part in so many of the bound. A larger snapshot keeps no message log."""

_FIRST_LOG_BYTES = 10_000_000
"""The largest log that a person's first question waits for: to read a larger one takes most of a chat's time limit."""

_FOLLOWS_AFTER = 0.3
"""Seconds until a larger log is read. Read at once, it would take the processor from the turn that did not wait for it."""

_LOADED_IN_THREAD = 64
"""From this many rows on, a snapshot is built in a thread, so that other chats' streams don't wait."""

_PAUSED_AT_MOST = 1.0
"""The longest pause of the garbage collector, in seconds."""


class SnapshotStore(Protocol):
    """Reads snapshots. Every method raises StoreError if the store fails."""

    async def load(
        self, user_id: str, have: Versions | None, *, most_bytes: int, log_anew: bool = False
    ) -> Loaded:
        """Read the rows of a person's memory that changed since the present snapshot; all rows if there is none.

        If the log takes more than ``most_bytes``, no passages are read; with ``log_anew`` all passages are read.
        """
        ...

    async def versions(self, users: Sequence[str]) -> Mapping[str, Versions]:
        """Return the current versions of some people."""
        ...

    async def nearest_passages(
        self, user_id: str, vector: Vector, model: str, *, limit: int
    ) -> list[StoredPassage]:
        """Return a person's passages that are nearest to a vector of an embedder, nearest first; exact."""
        ...

    async def passages_of_chats(
        self, user_id: str, chats: Sequence[str], periods: Sequence[tuple[float, float]]
    ) -> list[StoredPassage]:
        """Return passages in order: of a person's newest chats, of named chats, and of the chats of some periods.

        A period has two ends, in seconds since 1970. A message that no search finds is a passage of the document -1.
        """
        ...


class _United(NamedTuple):
    """A project's memories, joined with those of other scopes.

    Attributes:
        parts: The memories and past statements of each scope; if all are the same objects, the union still holds.
        joined: All memories, and all past statements.
    """

    scopes: frozenset[str]
    names: Mapping[str, str]
    parts: tuple[Memories, ...]
    joined: tuple[Memories, Memories]
    nbytes: int


class SnapshotCache:
    """Keeps the snapshots of the people who were active last.

    A snapshot is used only for its own person, and only in the versions that the store just named. Together the snapshots take at most
    ``most_bytes`` (0 keeps none); those used longest ago go first.
    """

    def __init__(self, store: SnapshotStore, *, most_bytes: int) -> None:
        self._store = store
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, tuple[Snapshot, int]] = OrderedDict()
        self._united: OrderedDict[str, _United] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Snapshot]] = {}
        self._bytes = 0
        self.loads = 0
        self.nearest_passages = store.nearest_passages
        self.passages_of_chats = store.passages_of_chats

    @property
    def nbytes(self) -> int:
        """About how many bytes the snapshots take. A snapshot that is being replaced counts twice."""
        return self._bytes

    def __len__(self) -> int:
        """Return the number of snapshots."""
        return len(self._kept)

    def has(self, user_id: str) -> bool:
        """Return whether a person's snapshot is kept, or one of a project of theirs."""
        united = chain.from_iterable(each.scopes for each in self._united.values())
        return any(user_id in {each, person_of(each)} for each in (*self._kept, *united))

    def at_hand(self, user_id: str, versions: Versions) -> Snapshot | None:
        """Return a person's snapshot if it is kept, and at least as new as ``versions``."""
        kept = self._kept.get(user_id)
        if kept is None or not kept[0].serves(versions):
            return None
        self._kept.move_to_end(user_id)
        return _own(kept[0], user_id)

    async def get(
        self, user_id: str, versions: Versions | None = None, *, log_may_follow: bool = False
    ) -> Snapshot:
        """Return a person's snapshot, at least as new as ``versions``; None: as new as the store is now.

        With ``log_may_follow`` it may lack a large log, which is read right after it.

        Raises:
            StoreError: It had to be read, and the store failed.
        """
        if versions is None:
            versions = (await self._store.versions([user_id]))[user_id]
        while True:
            kept = self.at_hand(user_id, versions)
            if kept is not None and (log_may_follow or not kept.log_follows):
                return kept
            running = self._loading.get(user_id)
            if running is None:
                break
            # It began before this call, so it may have read less: the loop looks at its result again.
            await asyncio.wait([running])
        # The load goes on for others if this turn runs out of time.
        task = self._start(user_id, versions, log_may_follow=log_may_follow)
        return _own(await asyncio.shield(task), user_id)

    async def with_others(
        self, project: Snapshot, others: Sequence[Snapshot], names: Mapping[str, str] = {}
    ) -> Snapshot:
        """Return a project's snapshot with the statements of others, as ``Snapshot.with_others`` does."""
        every = (project, *others)
        scope = project.user_id
        parts = tuple(chain.from_iterable((each.memories, each.past) for each in every))
        # Joined once for each state of all memories, without the logs: a chat changes its log with every message.
        kept = self._united.get(scope)
        if (
            kept is not None
            and len(kept.parts) == len(parts)
            and all(map(is_, kept.parts, parts))  # a state never changes: a new one is another object
            and kept.names == names
        ):
            self._united.move_to_end(scope)
            return project.with_others(others, names, kept.joined)
        is_small = sum(len(each.items) for each in parts[2:]) < _LOADED_IN_THREAD  # the others' memories
        unite = partial(project.with_others, others, names)
        united = unite() if is_small else await asyncio.to_thread(unite)
        size = united.nbytes - (0 if united.passages is None else united.passages.nbytes)
        # Else one of them was dropped meanwhile.
        if all(self._kept.get(each.user_id, (None, 0))[0] is each for each in every):
            self._drop_united(scope)
            scopes = frozenset(each.user_id for each in every)
            self._united[scope] = _United(scopes, names, parts, (united.memories, united.past), size)
            self._bytes += size
            self._evict()
        return united

    async def refresh(self) -> None:
        """Bring all snapshots up to date, and drop those of people who were erased.

        Raises:
            StoreError: The store failed.
        """
        kept = {user_id: snapshot for user_id, (snapshot, _) in self._kept.items()}
        if not kept:
            return
        current = await self._store.versions(list(kept))
        outdated: list[tuple[str, Versions]] = []
        for user_id in list(kept):
            snapshot, versions = kept.pop(user_id), current.get(user_id)
            if versions is None or versions.epoch != snapshot.versions.epoch:
                self.forget(user_id)
            elif not snapshot.serves(versions):
                outdated.append((user_id, versions))
        for user_id, versions in outdated:  # after everything erased is gone: a load may take long
            await self.get(user_id, versions)

    def forget(self, user_id: str) -> None:
        """Drop a person's snapshot, and the one that is being loaded."""
        self._loading.pop(user_id, None)
        self._drop(user_id)

    def _drop_united(self, user_id: str) -> None:
        """Drop the unions that hold the memory of a project or a person."""
        for scope, united in [*self._united.items()]:
            if any(user_id in {each, person_of(each)} for each in united.scopes):
                self._bytes -= self._united.pop(scope).nbytes

    def _drop(self, user_id: str) -> None:
        self._drop_united(user_id)
        self._drop_kept(user_id)

    def _drop_kept(self, user_id: str) -> None:
        kept = self._kept.pop(user_id, None)
        if kept is not None:
            self._bytes -= kept[1]

    def _start(self, user_id: str, versions: Versions, *, log_may_follow: bool) -> "asyncio.Task[Snapshot]":
        load = self._load(user_id, versions, log_may_follow=log_may_follow)
        self._loading[user_id] = task = asyncio.create_task(load)
        task.add_done_callback(lambda done: self._loaded(user_id, versions, done))
        return task

    async def _load(self, user_id: str, versions: Versions, *, log_may_follow: bool) -> Snapshot:
        old, size = self._kept.get(user_id, (None, 0))
        self.loads += 1
        self._bytes += size  # until it is replaced there are two of them
        try:
            self._evict()
            with _collector.paused():
                new = await self._load_newer(user_id, old, versions, log_may_follow=log_may_follow)
        finally:
            self._bytes -= size
        # A load that was forgotten meanwhile may have read a person who is erased by now.
        if self._loading.get(user_id) is asyncio.current_task():
            self._keep(user_id, new)
        return new

    async def _load_newer(
        self, user_id: str, old: Snapshot | None, versions: Versions, *, log_may_follow: bool
    ) -> Snapshot:
        most = most_of_log = self._most_bytes // OF_ONE
        if old is None or old.log_follows:
            most_of_log = min(most, _FIRST_LOG_BYTES) if log_may_follow else most
        elif old.passages is None and versions.log_floor <= old.versions.log_floor:
            most_of_log = 0  # it was too large, and is read again only once part of it is gone
        loaded = await self._store.load(
            user_id,
            None if old is None else old.versions,
            most_bytes=most_of_log,
            log_anew=old is not None and (old.passages is None or old.is_wasteful),
        )
        log_follows = loaded.passages is None and 0 < most_of_log < most
        is_small = len(loaded.memories) + len(loaded.passages or ()) < _LOADED_IN_THREAD
        # The list is the only one to hold the rows, and `_built` empties it: to free many takes long, which the thread can do.
        handed = [loaded]
        del loaded
        new = (
            _built(user_id, old, handed)
            if is_small
            else await asyncio.to_thread(_built, user_id, old, handed)
        )
        return replace(new if new.nbytes <= most else new.without_log(), log_follows=log_follows)

    def _keep(self, user_id: str, new: Snapshot) -> None:
        size, (old, _) = new.nbytes, self._kept.get(user_id, (None, 0))
        if old is None or new.memories is not old.memories or new.past is not old.past:
            self._drop_united(user_id)
        if size > self._most_bytes:
            self._drop(user_id)
            return
        self._drop_kept(user_id)
        self._kept[user_id] = new, size
        self._bytes += size
        self._evict()

    def _evict(self) -> None:
        """Drop snapshots until all fit: first the unions, which can be made again, then those used longest ago."""
        while self._united and self._bytes > self._most_bytes:
            self._bytes -= self._united.popitem(last=False)[1].nbytes
        while self._kept and self._bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def _loaded(self, user_id: str, versions: Versions, task: "asyncio.Task[Snapshot]") -> None:
        is_last = self._loading.get(user_id) is task
        if is_last:
            del self._loading[user_id]
        # The callers that wait for it raise its exception; there may be none left.
        if task.cancelled() or task.exception() is not None or not is_last:
            return
        if (new := task.result()).log_follows:
            asyncio.get_running_loop().call_later(_FOLLOWS_AFTER, self._follow, user_id, versions, new)

    def _follow(self, user_id: str, versions: Versions, first: Snapshot) -> None:
        """Read the log that a person's first turn did not wait for, unless somebody else reads it."""
        if self._kept.get(user_id, (None, 0))[0] is first and user_id not in self._loading:
            self._start(user_id, versions, log_may_follow=False)


class _Collector:
    """Pauses the garbage collector while rows are read."""

    def __init__(self) -> None:
        self._running = 0
        self._end: asyncio.TimerHandle | None = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause the collector while this body, or another one, runs, for a second at most."""
        self._running += 1
        if self._running == 1 and gc.isenabled():  # a program that has turned it off keeps it off
            # The collector looks at all rows again whenever their number has grown by a fourth, and stops every chat for up to 0.1 s.
            gc.disable()
            # Loads may overlap without end, and cycles would fill the memory.
            self._end = asyncio.get_running_loop().call_later(_PAUSED_AT_MOST, gc.enable)
        try:
            yield
        finally:
            self._running -= 1
            if not self._running and self._end is not None:
                self._end.cancel()
                self._end = None
                gc.enable()


_collector = _Collector()


def _built(user_id: str, old: Snapshot | None, handed: list[Loaded]) -> Snapshot:
    """Return the next snapshot, of the only element of a list, which is emptied."""
    loaded = handed.pop()
    return Snapshot.from_loaded(user_id, loaded) if old is None else old.after(loaded)


def _own(snapshot: Snapshot, user_id: str) -> Snapshot:
    """Return a snapshot of a person.

    Raises:
        RuntimeError: It is another person's, which would be a bug here.
    """
    if snapshot.user_id != user_id:
        raise RuntimeError("A snapshot of another person was looked up.")
    return snapshot
