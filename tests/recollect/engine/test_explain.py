"""The explanation of a request says why each candidate was taken or left, and has no word of anybody."""

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from tests.support.recollections import NOON, passage, recalled_passage, recollection, turn
from tests.support.tables import table

from recollect.composition import Bounds, Placed, place
from recollect.engine.live.live_engine import log_recall
from recollect.engine.policy import Policy
from recollect.engine.turns.explain import explained, request_record
from recollect.engine.turns.prompt_content import Important, Prepared, RecallOptions, RecallState, _unlisted
from recollect.model import (
    ALL_TOLD,
    Chat,
    Disclosure,
    Drop,
    Kind,
    Placement,
    Recall,
    Recollection,
    Scope,
    SearchPath,
    Skip,
    Stage,
    Turn,
)
from recollect.recall import FoundCounts, Ranking, read_query
from recollect.text.tokens import estimate_tokens

REQUEST = uuid4()
ASKED = turn("Which tea did I order on 3 May 2025?", model="gpt-4o")


def prepared(
    ranked: list[Recollection],
    *,
    asked: Turn = ASKED,
    bounds: Bounds | None = None,
    found: FoundCounts | None = None,
) -> Prepared:
    """Return a prepared turn with this ranking."""
    chosen = tuple(each for each in ranked if each.dropped is None)
    placed = place(asked, chosen, Chat(), bounds or Bounds(), count=estimate_tokens, at=NOON)
    counts = found or FoundCounts(candidates=len(ranked), dense=len(ranked), lexical=1, has_vector=True)
    recall = Recall(chosen, tuple(ranked), gate_score=0.7, milliseconds=12.5, stages={Stage.SEARCH: 3.0})
    ranking = Ranking(read_query(asked), tuple(ranked), 0.7, found=counts)
    return Prepared(recall, placed, ranking, ("history",))


def explanation(of: Prepared, asked: Turn = ASKED) -> Any:
    record = request_record(of, asked, request_id=REQUEST, at=NOON, api="completions")
    return json.loads(json.dumps(record.explanation))


def test_a_candidate_says_what_it_is_and_how_it_scored() -> None:
    memory = replace(recollection("Ordered oolong."), parts=(("dense", 0.123456), ("lexical", 1.0)))

    [told] = explanation(prepared([memory]))["candidates"]

    said = {"kind": "fact", "source": "extracted", "part": None, "dropped": None, "standing": False}
    scored = {"score": 0.9, "parts": {"dense": 0.1235, "lexical": 1.0}}
    assert told == {"id": str(memory.item.id)} | said | scored


def test_a_passage_of_the_log_says_which_part_it_is() -> None:
    [told] = explanation(prepared([recalled_passage("Oolong it is.", part=3)]))["candidates"]

    assert (told["kind"], told["source"], told["part"], told["dropped"]) == ("message", "log", 3, None)


def test_each_says_why_it_was_left_out() -> None:
    taken, huge = recollection("Ordered oolong."), recollection("long " * 3000)
    left = [replace(recollection(f"Note {drop}."), dropped=drop) for drop in Drop]

    told = explained(prepared([taken, huge, *left]))

    assert [each["dropped"] for _, each in told] == [None, "budget", *(drop.value for drop in Drop)]


SAID = passage("Oolong it is.")
OTHER_PART = SAID._replace(part=1, content="word " * 5000, code=True)


@table(
    "ranked, bounds, dropped",
    [
        (
            [Recollection(OTHER_PART, 0.8), Recollection(SAID, 0.9)],
            Bounds(memory_tokens=75),
            ["budget", None],
        ),
        ([recollection("Ordered oolong.")], Bounds(placement=Placement.OFF), ["budget"]),
    ],
)
def test_what_had_no_room_is_told_of_two_parts_of_a_message_too(
    ranked: list[Recollection], bounds: Bounds, dropped: list[str | None]
) -> None:
    told = explanation(prepared(ranked, bounds=bounds))["candidates"]

    assert [each["dropped"] for each in told] == dropped


def test_where_the_request_has_no_certain_place_that_is_why_they_are_left_out() -> None:
    chosen = prepared([recollection("Ordered oolong."), replace(recollection("Tea."), dropped=Drop.LIMIT)])
    nowhere = replace(chosen, placed=Placed(), recall=replace(chosen.recall, skipped=Skip.NO_PLACE))

    record = request_record(nowhere, ASKED, request_id=REQUEST, at=NOON, api="completions")

    assert (record.skipped, record.items, record.tokens) == (Skip.NO_PLACE, 0, 0)
    assert [each["dropped"] for each in record.explanation["candidates"]] == ["no-place", "limit"]


def test_a_record_explains_the_best_ten_and_the_others_in_the_prompt() -> None:
    left = [replace(recollection(f"Note {n}."), dropped=Drop.LIMIT) for n in range(20)]
    given_too = recollection("Ordered oolong.")

    told = explanation(prepared([*left, given_too]))["candidates"]

    assert [each["id"] for each in told] == [str(each.item.id) for each in (*left[:10], given_too)]


def test_the_query_is_told_of_in_numbers_and_dates() -> None:
    query = explanation(prepared([]))["query"]

    assert query["dates"] == [["2025-05-03T00:00:00+00:00", "2025-05-04T00:00:00+00:00"]]
    assert query["terms"] == len(read_query(ASKED).terms)


def test_the_numbers_are_right() -> None:
    ranked = [
        recollection("One.", score=0.91234567),
        recalled_passage("Two.", score=0.8),
        replace(recollection("Three."), score=0.5, dropped=Drop.CLIFF),
        *(replace(recollection(f"Left {n}.", score=0.1), dropped=Drop.CLIFF) for n in range(4)),
        recollection("long " * 3000, score=0.05),
    ]
    given_ = prepared(ranked, found=FoundCounts(candidates=8, dense=1, lexical=1, log=1, has_vector=True))

    record = request_record(given_, ASKED, request_id=REQUEST, at=NOON, api="responses")

    assert (record.id, record.scope) == (REQUEST, ASKED.scope)
    assert (record.path, record.model) == ("responses/stable", "gpt-4o")
    assert (record.candidates, record.dense_hits, record.lexical_hits, record.log_hits) == (8, 1, 1, 1)
    assert (record.items, record.truncated) == (2, 1)
    assert given_.placed.block is not None
    assert (record.tokens, record.history_tokens) == (given_.placed.block.tokens, 0)
    assert record.top_scores == (0.9123, 0.8, 0.5, 0.1, 0.1)
    assert (record.gate_score, record.milliseconds, record.stages) == (0.7, 12.5, {Stage.SEARCH: 3.0})
    assert (record.skipped, record.degraded, record.error_stage) == (None, (), None)
    assert record.flags == ("history",)


@table(
    ("found", "path"),
    [
        (FoundCounts(has_vector=True), SearchPath.DENSE),
        (FoundCounts(), SearchPath.LEXICAL),
    ],
)
def test_which_way_the_search_went_is_told(found: FoundCounts, path: SearchPath) -> None:
    given_ = prepared([recollection("One.")], found=found)

    assert request_record(given_, ASKED, request_id=REQUEST, at=NOON, api="responses").found_by is path


@table("skipped, truncated", [(None, 1), (Skip.STORE, 1), (Skip.NO_PLACE, 0), (Skip.DEADLINE, 0)])
def test_without_a_block_all_was_too_much_but_for_place_or_time(skipped: Skip | None, truncated: int) -> None:
    told = prepared([recollection("Ordered oolong.")])
    without = replace(told, placed=Placed(), recall=replace(told.recall, skipped=skipped))

    record = request_record(without, ASKED, request_id=REQUEST, at=NOON, api="completions")

    assert record.truncated == truncated


@table(
    "disclosure, known, left",
    [(ALL_TOLD, 5, 2), (ALL_TOLD, 2, 0), (ALL_TOLD, 0, 0), (Disclosure(frozenset({Kind.FACT})), 5, 0)],
)
def test_how_many_statements_a_prompt_lacks_is_told_to_a_server_that_may_see_all(
    disclosure: Disclosure, known: int, left: int
) -> None:
    state = RecallState(ASKED, RecallOptions(disclosure=disclosure), Policy(), estimate_tokens, NOON)
    there = [replace(recollection(f"Note {each}."), dropped=each) for each in (Drop.GIVEN, Drop.REPEATS)]
    others = [
        replace(recollection("Said here."), dropped=Drop.IN_PROMPT),
        replace(recollection("Elsewhere."), dropped=Drop.CLIFF),
        replace(recalled_passage("No statement."), dropped=Drop.GIVEN),
    ]

    assert _unlisted(state, Important(known=known), [*there, *others]) == left


def test_where_nothing_was_looked_for_there_is_little_to_tell() -> None:
    skipped = Prepared(
        Recall(skipped=Skip.DEADLINE, error_stage=Stage.CHAT), Placed(history_tokens=7, tokens=3)
    )

    record = request_record(skipped, ASKED, request_id=REQUEST, at=NOON, api="messages")

    assert record.explanation == {"candidates": [], "standing_items": 0, "standing_tokens": 0}
    assert (record.skipped, record.error_stage) == (Skip.DEADLINE, Stage.CHAT)
    assert (record.candidates, record.dense_hits, record.lexical_hits, record.log_hits) == (0, 0, 0, 0)
    assert (record.items, record.tokens, record.history_tokens, record.truncated) == (0, 3, 7, 0)


words = st.text(st.sampled_from("ghijklmnopqrstuvwxyzGHIJ"), min_size=12, max_size=20)


@given(st.lists(words, min_size=6, max_size=6, unique=True), st.sampled_from([None, *Drop]))
def test_no_word_of_anybody_is_kept(canaries: list[str], drop: Drop | None) -> None:
    asked, code, said, speaker, memory, evidence = canaries
    ranked = [
        replace(recollection(f"{memory} {evidence}"), dropped=drop),
        replace(recalled_passage(said, speaker=speaker, code=True), dropped=drop),
    ]
    request = turn(f"What of {asked} and `{code}()`?", speaker=speaker, prompt=(said,))

    record = request_record(
        prepared(ranked, asked=request), request, request_id=REQUEST, at=NOON, api="completions"
    )

    kept = json.dumps(record.explanation) + json.dumps(asdict(record), default=str)
    assert not [canary for canary in canaries if canary.lower() in kept.lower()]


# -- A recall with a fault is logged for the operator, one without at the level debug --


TURN = Turn(Scope("anna", "monday"), "What do I drink?", "message", datetime(2026, 3, 1, tzinfo=UTC), "")


@pytest.mark.parametrize(
    ("recall", "level"),
    [
        (Recall(), "debug"),
        (Recall(skipped=Skip.NOTHING_RELEVANT), "debug"),
        (Recall(skipped=Skip.DEADLINE), "info"),
        (Recall(skipped=Skip.STORE), "info"),
        (Recall(degraded=(Stage.EMBEDDING,)), "info"),
    ],
)
def test_a_recall_is_news_if_something_failed(recall: Recall, level: str) -> None:
    with capture_logs() as lines:
        log_recall(TURN, Prepared(recall))

    assert [line["log_level"] for line in lines] == [level]
