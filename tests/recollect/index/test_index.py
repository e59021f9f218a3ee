"""Snapshots are kept within bounds, loaded once, and used for their own person alone."""

import asyncio
import gc
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.recall.test_candidates import kept, snapshot_of
from tests.recollect.recall.test_candidates import said as stored_passage
from tests.support.recollections import NOON, memory
from tests.support.tables import table
from tests.support.waiting import until
from uuid_utils.compat import uuid7

from recollect.errors import StoreUnavailableError
from recollect.index import (
    Document,
    Embedded,
    Loaded,
    Names,
    Passages,
    Snapshot,
    SnapshotCache,
    StoredMemory,
    StoredPassage,
    Vectors,
    Words,
    idf,
    match_words,
    saturation,
)
from recollect.model import COMMONS, STATEMENTS, Kind, Provenance, Role, Source, Vector, Versions

MUCH = 100_000_000


@dataclass
class Rows:
    """A store whose people have one memory each and so many passages, of so many characters; loads wait while ``let`` is unset.

    Each passage takes ``least_bytes`` at least, as the store estimates.
    """

    current: dict[str, Versions] = field(default_factory=dict)
    let: asyncio.Event = field(default_factory=asyncio.Event)
    size: int = 10
    passages: int = 0
    least_bytes: int = 0
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
        is_read = most_bytes > self.least_bytes * len(said) or not said
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

    async def passages_of_chats(
        self, user_id: str, chats: Sequence[str], periods: Sequence[tuple[float, float]]
    ) -> list[StoredPassage]:
        """Return none."""
        del user_id, chats, periods
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
    assert (said(await cache.get("anna", first)), rows.loads) == (["anna 1"], ["anna"])

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

    assert ([said(await each) for each in early], said(await later)) == ([["anna 1"]] * 3, ["anna 2"])
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


async def test_garbage_is_collected_while_loads_overlap(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
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

    monkeypatch.setattr("recollect.index.cache._PAUSED_AT_MOST", 60.0)
    await cache.get("clara", rows.change("clara"))
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


async def test_a_log_beyond_a_quarter_of_the_bytes_is_left_to_the_store_until_it_shrinks(rows: Rows) -> None:
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


async def test_a_turn_gets_the_memories_first_and_a_large_log_is_read_right_after_them(rows: Rows) -> None:
    rows.passages, rows.least_bytes = 3, 10_000_000
    cache, now = SnapshotCache(rows, most_bytes=10 * MUCH), rows.change("anna")

    first = await cache.get("anna", now, log_may_follow=True)
    assert (said(first), first.passages, cache.at_hand("anna", now)) == (["anna 1"], None, first)

    whole = await cache.get("anna", now)  # whoever reads the log itself waits for it
    assert whole.passages is not None
    assert (len(whole.passages.items), cache.at_hand("anna", now)) == (3, whole)
    later = await cache.get("anna", rows.change("anna"), log_may_follow=True)
    assert (later.passages is None, rows.loads) == (False, ["anna"] * 3)


async def test_a_log_that_can_not_be_kept_is_read_for_nobody(rows: Rows) -> None:
    rows.passages, rows.least_bytes = 3, 10_000_000
    cache, now = SnapshotCache(rows, most_bytes=MUCH), rows.change("anna")

    assert (await cache.get("anna", now, log_may_follow=True)).passages is None
    assert (await cache.get("anna", now)).passages is None
    assert (await cache.get("anna", now)).log_follows is False
    assert rows.loads == ["anna"] * 2


async def test_after_a_log_failed_to_follow_the_next_turn_has_it_read(rows: Rows) -> None:
    rows.passages, rows.least_bytes = 3, 10_000_000
    cache = SnapshotCache(rows, most_bytes=10 * MUCH)
    await cache.get("anna", rows.change("anna"), log_may_follow=True)
    rows.failure = StoreUnavailableError()
    await until(lambda: len(rows.loads) == 2)
    await asyncio.sleep(0.01)

    rows.failure = None
    await cache.get("anna", rows.change("anna"), log_may_follow=True)
    now = rows.current["anna"]
    await until(lambda: (kept := cache.at_hand("anna", now)) is not None and kept.passages is not None)


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


VAST = 1_000_000
"""Snapshots that fit into a cache in which even large logs have room."""
PEOPLE = ("anna", "ben", "carla", "dora", "emil")
ACTS = st.tuples(
    st.sampled_from(("get", "turn", "change", "erase", "forget", "refresh")), st.sampled_from(PEOPLE)
)


@given(st.lists(st.lists(ACTS, min_size=1, max_size=6), max_size=12), st.sampled_from((0, 1, 2, 4, 8, VAST)))
def test_whatever_people_do_each_gets_their_latest(rounds: list[list[tuple[str, str]]], room: int) -> None:
    async def act(cache: SnapshotCache, rows: Rows, what: str, user_id: str) -> None:
        wanted = rows.current[user_id]
        if what in {"get", "turn"}:
            found = await cache.get(user_id, wanted, log_may_follow=what == "turn")
            assert what == "turn" or not found.log_follows
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
        if room == VAST:
            rows.passages, rows.least_bytes = 1, 10_000_000
        for user_id in PEOPLE:
            rows.change(user_id)
        for at_a_time in rounds:
            await asyncio.gather(*(act(cache, rows, what, user_id) for what, user_id in at_a_time))
            assert cache.nbytes <= room * one + 100
        for user_id in PEOPLE:
            assert (await cache.get(user_id, rows.current[user_id])).versions == rows.current[user_id]

    asyncio.run(all_rounds())


# -- The columns of a person's memories, passages and vectors: what is seen, what a later state replaces, and exact cosines --


COSINES = st.lists(st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=3) | st.none(), max_size=9)
EXACT = 5e-5
"""By how much a cosine may differ: a vector's numbers are kept in 16 bits."""


def embedded(cosines: list[float] | None) -> Embedded | None:
    return (
        None if cosines is None else Embedded.of("m", np.array([[each, 0.5] for each in cosines], np.float32))
    )


@given(st.lists(COSINES, min_size=3, max_size=3))
def test_the_best_and_the_first_piece_of_each_document_count_in_whatever_steps_they_came(
    steps: list[list[list[float] | None]],
) -> None:
    vectors = Vectors()
    for step in steps:
        vectors = vectors.with_documents([embedded(each) for each in step])

    near = vectors.near("m", np.array([1.0, 0.0], np.float32))

    every = [each for step in steps for each in step]
    best = [np.nan if each is None else max(each) for each in every]
    np.testing.assert_allclose(near.best, best, atol=EXACT)
    np.testing.assert_allclose(near.first, [np.nan if e is None else e[0] for e in every], atol=EXACT)


def test_cosines_of_many_vectors_are_as_exact_as_those_of_few() -> None:
    made = np.random.default_rng(1).normal(size=(600, 384)).astype(np.float32)
    unit = made / np.linalg.norm(made, axis=1, keepdims=True)
    vectors = Vectors().with_documents([Embedded.of("m", each.reshape(1, -1)) for each in unit])

    np.testing.assert_allclose(vectors.near("m", unit[0]).best, unit @ unit[0], atol=EXACT)


def test_vectors_of_another_embedder_or_width_are_not_compared() -> None:
    long = Embedded.of("m", np.ones((1, 3), np.float32))
    vectors = Vectors().with_documents([embedded([0.5]), long, long._replace(model="other"), None])

    best = vectors.near("m", np.array([1, 0], np.float32)).best
    np.testing.assert_allclose(best, [0.5, *[np.nan] * 3], atol=EXACT)
    assert np.isnan(vectors.near("m", None).best).all()
    assert vectors.models == {"m", "other"}


@pytest.mark.parametrize(("own", "are_seen"), [(0, True), (4, True), (5, False), (9, False)])
def test_memories_for_everybody_serve_people_who_have_fewer_than_five(own: int, *, are_seen: bool) -> None:
    common = kept("The office closes at six", owner=COMMONS, source=Source.GLOBAL)
    memories = snapshot_of(common, *(kept(f"Fact {number}") for number in range(own))).memories

    assert dict(zip(memories.items, memories.is_seen.tolist(), strict=True))[common.memory] is are_seen
    assert (common.memory in memories.judged_items) is are_seen
    assert (common.memory in memories.important) is are_seen
    assert memories.is_seen.sum() == own + are_seen


def test_statements_are_judged_and_the_most_important_and_newest_of_them_come_first() -> None:
    every: list[StoredMemory] = [kept(kind.value, kind=kind, importance=0.1) for kind in Kind]
    late = kept("late", observed_at=NOON.replace(year=2027))
    memories = snapshot_of(*every, late, kept("important", importance=0.9)).memories

    assert {each.kind for each in memories.judged_items} == set(STATEMENTS)
    assert [each.content for each in memories.important][:2] == ["important", "late"]
    assert len(memories.important) == len(memories.judged_items) == len(memories.judged)


@table(("extractor", "understood"), [(None, False), ("some-model", True)])
def test_whether_a_model_extracted_any_statement_is_known(extractor: str | None, *, understood: bool) -> None:
    memories = snapshot_of(kept("x"), kept("y", provenance=Provenance(extractor=extractor))).memories

    assert memories.is_understood is understood


def test_a_later_state_of_a_passage_replaces_it_and_its_message_keeps_its_first_part() -> None:
    message, names = uuid7(), Names()
    first, second = (
        stored_passage(f"part {part}", number=70 + part, message_id=message, part=part) for part in (0, 1)
    )
    before = Passages().with_changed([second, first], names)

    after = before.with_changed([stored_passage("part again", number=70, message_id=message, part=0)], names)

    assert (before.first_row.tolist(), after.first_row.tolist()) == ([1, 1], [2, 2, 2])
    assert after.is_current.tolist() == [True, False, True]
    assert after.waste == pytest.approx(1 / 3)
    assert before.is_current.tolist() == [True, True], "who ranks meanwhile sees the earlier state"
    assert before.with_changed([], names) is before


def test_a_later_state_leaves_the_numbers_of_names_that_recalls_read_meanwhile() -> None:
    before = snapshot_of(stored_passage("first", speaker="Dora", session_id="one"))
    more = stored_passage("second", speaker="Emil", session_id="two")

    after = before.after(Loaded(before.versions, (), [more], has_all_memories=False, has_all_passages=False))

    assert (list(before.names.speakers), list(before.names.sessions)) == (["Dora"], ["one"])
    assert (list(after.names.speakers), list(after.names.sessions)) == (["Dora", "Emil"], ["one", "two"])


LONG = "It is seen from afar, and people who saw it remember how bright it was that day. " * 2


@table(
    ("content", "changed", "is_remark"),
    [
        ("Fine.", {"role": Role.ASSISTANT}, True),
        (LONG, {"role": Role.ASSISTANT}, False),
        ("Fine.", {"role": Role.USER}, False),
        ("x = 1", {"role": Role.ASSISTANT, "code": True}, False),
        ("Fine.", {"role": Role.ASSISTANT, "speaker": "Dora"}, False),
    ],
)
def test_a_short_reply_of_the_assistant_is_a_remark(
    content: str, changed: dict[str, Any], *, is_remark: bool
) -> None:
    columns = Passages().with_changed([stored_passage(content, **changed)], Names()).columns

    assert columns.is_remark.tolist() == [is_remark]
    assert columns.by_user.tolist() == [changed["role"] is Role.USER]


def test_a_log_of_which_much_was_replaced_is_to_be_read_whole() -> None:
    many = [stored_passage(f"passage {number}", number=100 + number) for number in range(800)]
    snapshot = snapshot_of(*many)
    assert snapshot.passages is not None
    few, most = (
        replace(snapshot, passages=snapshot.passages.with_changed(many[:number], snapshot.names))
        for number in (100, 700)
    )

    assert [each.is_wasteful for each in (snapshot, few, most)] == [False, False, True]


# -- BM25 over a person's documents: how often terms stand where, and documents that may not be found --


def document(own: str, context: str = "") -> Document:
    words, around = Counter(own.split()), Counter(context.split())
    every = words + around
    counts = bytes(each for term, often in every.items() for each in (often, words[term]))
    return Document("\n".join(every), counts, every.total())


def words_of(*texts: str) -> Words:
    return Words().with_documents([document(each) for each in texts])


def everything(words: Words) -> np.ndarray:
    return np.ones(len(words.lengths), np.bool_)


def test_a_document_scores_by_how_rare_and_how_frequent_the_terms_are_in_it() -> None:
    words = words_of("tea tea rain", "rain", "snow snow snow snow")

    match = match_words([(words, everything(words))], ["tea", "rain"])

    [scores] = match.scores
    mean = 8 / 3
    tea, rain = idf(3, 1), idf(3, 2)
    assert scores.bm25[0] == pytest.approx(tea * saturation(2, 3, mean) + rain * saturation(1, 3, mean))
    assert scores.bm25.tolist()[1:] == [pytest.approx(rain * saturation(1, 1, mean)), 0.0]
    assert scores.matched.tolist() == pytest.approx([tea + rain, rain, 0.0])
    assert match.seen == pytest.approx(1.0)


def test_what_stands_in_the_context_alone_counts_for_the_whole_and_not_for_the_text() -> None:
    words = Words().with_documents([document("snow", "tea"), document("tea")])

    [scores] = match_words([(words, everything(words))], ["tea"]).scores

    assert (scores.matched > 0).tolist() == [True, True]
    assert (scores.own_matched > 0).tolist() == [False, True]


def test_what_may_not_be_found_counts_nowhere() -> None:
    words = words_of("tea", "tea rain")
    found = np.array([True, False])

    match = match_words([(words, found)], ["tea", "rain"])

    assert match.scores[0].bm25.tolist() == [pytest.approx(idf(1, 1) * saturation(1, 1, 1.0)), 0.0]
    assert match.idf_seen == pytest.approx(idf(1, 1))


TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=9).map(" ".join), max_size=12)


@given(TEXTS, TEXTS, st.lists(st.sampled_from("abcxyz"), max_size=4, unique=True))
def test_documents_that_are_added_later_score_as_if_all_had_come_at_once(
    first: Sequence[str], then: Sequence[str], terms: Sequence[str]
) -> None:
    grown = words_of(*first).with_documents([document(each) for each in then])
    whole = words_of(*first, *then)

    one, other = (match_words([(each, everything(each))], terms) for each in (grown, whole))

    assert np.allclose(one.scores[0], other.scores[0])
    assert (one.idf_total, one.idf_seen) == pytest.approx((other.idf_total, other.idf_seen))
