"""Snapshots are kept within bounds, loaded once, and used for their own person alone."""

import asyncio
import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.recall.test_candidates import said as stored_passage
from tests.support.recollections import memory
from tests.support.waiting import until

from recollect.errors import StoreUnavailableError
from recollect.index import Document, Loaded, Snapshot, SnapshotCache, StoredMemory, StoredPassage
from recollect.model import Vector, Versions

MUCH = 100_000_000


@dataclass
class Rows:
    """A store whose people have one memory each and so many passages, of so many characters; loads wait while ``let`` is unset."""

    current: dict[str, Versions] = field(default_factory=dict)
    let: asyncio.Event = field(default_factory=asyncio.Event)
    size: int = 10
    passages: int = 0
    loads: list[str] = field(default_factory=list)
    failure: Exception | None = None

    def change(self, user_id: str, *, epoch: UUID | None = None, log_floor: int = 0) -> Versions:
        """Raise a person's version."""
        old = self.current.get(user_id, Versions(uuid4(), 0, 0, 0, 0, 0, 0))
        new = old._replace(statements=old.statements + 1, epoch=epoch or old.epoch, log_floor=log_floor)
        self.current[user_id] = new
        return new

    async def load(
        self, user_id: str, have: Versions | None, *, most_bytes: int, log_anew: bool = False
    ) -> Loaded:
        """Read a person's memory."""
        del have
        self.loads.append(user_id)
        now = self.current[user_id]
        await self.let.wait()
        await asyncio.sleep(0)
        if self.failure is not None:
            raise self.failure
        kept = memory(f"{user_id} {now.statements}".ljust(self.size), owner=user_id)
        said = [stored_passage("x" * self.size, number=number) for number in range(self.passages)]
        is_read = most_bytes > 0 or not said
        return Loaded(
            now, [StoredMemory(kept, Document(), None)], said if is_read else None, has_all_passages=log_anew
        )

    async def versions(self, users: Sequence[str]) -> Mapping[str, Versions]:
        """Return the current versions."""
        return {each: self.current[each] for each in users}

    async def nearest_passages(
        self, user_id: str, vector: Vector, model: str, *, limit: int
    ) -> list[StoredPassage]:
        """Return none."""
        del user_id, vector, model, limit
        return []


@pytest.fixture
def rows() -> Rows:
    store = Rows()
    store.let.set()
    return store


def said(snapshot: Snapshot) -> list[str]:
    return [each.content.strip() for each in snapshot.memories.items]


async def test_a_snapshot_is_read_again_only_once_it_is_too_old(rows: Rows) -> None:
    cache, first = SnapshotCache(rows, most_bytes=MUCH), rows.change("anna")
    assert said(await cache.get("anna", first)) == ["anna 1"]
    assert said(await cache.get("anna", first)) == ["anna 1"]
    assert rows.loads == ["anna"]

    assert said(await cache.get("anna", rows.change("anna"))) == ["anna 2"]
    assert said(await cache.get("anna", first)) == ["anna 2"], "it is newer than what was asked for"
    assert rows.loads == ["anna", "anna"]


async def test_who_joins_a_load_that_began_too_early_loads_again(rows: Rows) -> None:
    cache, first = SnapshotCache(rows, most_bytes=MUCH), rows.change("anna")
    rows.let.clear()
    early = [asyncio.create_task(cache.get("anna", first)) for _ in range(3)]
    await until(lambda: bool(rows.loads))
    later = asyncio.create_task(cache.get("anna", rows.change("anna")))
    rows.let.set()

    assert [said(await each) for each in early] == [["anna 1"]] * 3
    assert said(await later) == ["anna 2"]
    assert rows.loads == ["anna", "anna"]


async def test_who_was_erased_and_comes_back_never_meets_what_was_before(rows: Rows) -> None:
    cache = SnapshotCache(rows, most_bytes=MUCH)
    before = await cache.get("anna", rows.change("anna"))

    back = rows.change("anna", epoch=uuid4())._replace(statements=1)
    rows.current["anna"] = back

    assert not before.serves(back)
    await cache.refresh()
    assert not cache.has("anna")
    assert said(await cache.get("anna", back)) == ["anna 1"]
    assert (await cache.get("anna", back)).versions == back


async def test_a_load_that_was_forgotten_while_it_ran_is_not_kept(rows: Rows) -> None:
    cache, before = SnapshotCache(rows, most_bytes=MUCH), rows.change("anna")
    rows.let.clear()
    early = asyncio.create_task(cache.get("anna", before))
    await until(lambda: bool(rows.loads))
    cache.forget("anna")
    later = asyncio.create_task(cache.get("anna", before))
    await until(lambda: len(rows.loads) == 2)
    rows.let.set()

    assert await later is not await early
    assert await cache.get("anna", before) is await later


async def test_the_oldest_go_where_the_bytes_are_used_up(rows: Rows) -> None:
    rows.size = 10_000
    one = (await SnapshotCache(rows, most_bytes=MUCH).get("size", rows.change("size"))).nbytes
    cache = SnapshotCache(rows, most_bytes=round(3.5 * one))

    for user_id in ("anna", "ben", "carla", "anna", "dora"):
        await cache.get(user_id, rows.current.get(user_id) or rows.change(user_id))

    assert [each for each in ("anna", "ben", "carla", "dora") if cache.has(each)] == ["anna", "carla", "dora"]
    assert cache.nbytes <= 3.5 * one
    assert len(cache) == 3


async def test_what_is_larger_than_all_room_is_used_and_not_kept(rows: Rows) -> None:
    cache = SnapshotCache(rows, most_bytes=100)

    assert said(await cache.get("anna", rows.change("anna"))) == ["anna 1"]
    assert (len(cache), cache.nbytes) == (0, 0)


async def test_a_load_that_fails_costs_one_turn(rows: Rows) -> None:
    cache, now = SnapshotCache(rows, most_bytes=MUCH), rows.change("anna")
    rows.failure = StoreUnavailableError()
    with pytest.raises(StoreUnavailableError):
        await cache.get("anna", now)

    rows.failure = None
    assert said(await cache.get("anna", now)) == ["anna 1"]


async def test_a_sweep_reads_what_changed_elsewhere(rows: Rows) -> None:
    cache = SnapshotCache(rows, most_bytes=MUCH)
    await cache.get("anna", rows.change("anna"))
    await cache.get("ben", rows.change("ben"))
    rows.change("anna")

    await cache.refresh()
    await cache.refresh()

    assert rows.loads == ["anna", "ben", "anna"]


async def test_a_sweep_drops_who_was_erased_before_it_reads_what_changed(rows: Rows) -> None:
    cache = SnapshotCache(rows, most_bytes=MUCH)
    await cache.get("anna", rows.change("anna"))
    await cache.get("ben", rows.change("ben"))
    rows.change("anna")
    rows.change("ben", epoch=uuid4())
    rows.let.clear()

    sweep = asyncio.create_task(cache.refresh())
    await until(lambda: len(rows.loads) == 3)

    assert (cache.has("anna"), cache.has("ben")) == (True, False)
    rows.let.set()
    await sweep


async def test_garbage_is_collected_however_long_loads_overlap(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.index.cache._PAUSED_AT_MOST", 0.2)
    cache, now = SnapshotCache(rows, most_bytes=MUCH), rows.change("anna")
    rows.let.clear()
    loading = asyncio.create_task(cache.get("anna", now))
    await until(lambda: len(rows.loads) == 1)
    assert not gc.isenabled()
    await until(gc.isenabled)
    another = asyncio.create_task(cache.get("ben", rows.change("ben")))
    await until(lambda: len(rows.loads) == 2)

    assert gc.isenabled()
    rows.let.set()
    await loading
    await another
    assert gc.isenabled()


async def test_a_program_that_has_turned_the_collector_off_keeps_it_off(rows: Rows) -> None:
    cache = SnapshotCache(rows, most_bytes=MUCH)
    gc.disable()
    try:
        await cache.get("anna", rows.change("anna"))
        assert not gc.isenabled()
    finally:
        gc.enable()


async def test_no_snapshot_of_another_person_is_used(rows: Rows) -> None:
    cache = SnapshotCache(rows, most_bytes=MUCH)
    now = rows.change("ben")
    theirs = await cache.get("ben", now)
    cache._kept["anna"] = theirs, 1

    with pytest.raises(RuntimeError):
        await cache.get("anna", now)


async def test_a_log_beyond_a_quarter_of_the_bytes_is_left_to_the_store_until_part_of_it_is_gone(
    rows: Rows,
) -> None:
    rows.size, rows.passages = 10_000, 10
    cache = SnapshotCache(rows, most_bytes=400_000)

    for _ in range(2):
        large = await cache.get("anna", rows.change("anna"))
        assert (len(said(large)), large.passages) == (1, None)
        assert cache.has("anna")
    rows.passages = 2
    assert (await cache.get("anna", rows.change("anna"))).passages is None
    fits = await cache.get("anna", rows.change("anna", log_floor=1))
    assert fits.passages is not None
    assert len(fits.passages.items) == 2


async def test_while_a_snapshot_is_replaced_both_states_count(rows: Rows) -> None:
    rows.size = 10_000
    one = (await SnapshotCache(rows, most_bytes=MUCH).get("size", rows.change("size"))).nbytes
    cache = SnapshotCache(rows, most_bytes=round(2.5 * one))
    await cache.get("anna", rows.change("anna"))
    one = (await cache.get("ben", rows.change("ben"))).nbytes
    rows.let.clear()
    later = asyncio.create_task(cache.get("ben", rows.change("ben")))
    await until(lambda: len(rows.loads) == 4)

    assert (cache.nbytes, cache.has("anna"), cache.has("ben")) == (2 * one, False, True)
    rows.let.set()
    await later
    assert (cache.nbytes, len(cache)) == (one, 1)


PEOPLE = ("anna", "ben", "carla", "dora", "emil")
ACTS = st.tuples(
    st.sampled_from(("get", "get", "change", "erase", "forget", "refresh")), st.sampled_from(PEOPLE)
)


@given(st.lists(st.lists(ACTS, min_size=1, max_size=6), max_size=12), st.sampled_from((0, 1, 2, 4, 8)))
def test_whatever_people_do_at_a_time_each_gets_the_latest_of_their_own(
    rounds: list[list[tuple[str, str]]], room: int
) -> None:
    async def act(cache: SnapshotCache, rows: Rows, what: str, user_id: str) -> None:
        wanted = rows.current[user_id]
        if what == "get":
            found = await cache.get(user_id, wanted)
            assert (found.user_id, said(found)) == (user_id, [f"{user_id} {found.versions.statements}"])
            assert found.serves(wanted) or found.versions.epoch != wanted.epoch
        elif what == "refresh":
            await cache.refresh()
        elif what == "forget":
            cache.forget(user_id)
        else:
            rows.change(user_id, epoch=uuid4() if what == "erase" else None)

    async def all_rounds() -> None:
        rows = Rows(size=1_000)
        rows.let.set()
        one = (await SnapshotCache(rows, most_bytes=MUCH).get("anna", rows.change("anna"))).nbytes
        cache = SnapshotCache(rows, most_bytes=room * one + 100)
        for user_id in PEOPLE:
            rows.change(user_id)
        for at_a_time in rounds:
            await asyncio.gather(*(act(cache, rows, what, user_id) for what, user_id in at_a_time))
            assert cache.nbytes <= room * one + 100
        for user_id in PEOPLE:
            assert (await cache.get(user_id, rows.current[user_id])).versions == rows.current[user_id]

    asyncio.run(all_rounds())
