from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.support.recollections import NOON, memory
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.audit_rows import (
    as_before,
    as_linked_before,
    edit_details,
    mark_details,
    messages_of,
    not_resting_on,
    reinforced,
    reinforcement_details,
    removal_details,
    replay,
    resting_on,
)
from recollect.errors import NotUndoableError
from recollect.model import COMMONS, Action, Actor, Doubt, Kind, Memory, Provenance, Reason, Source, Update

ONE, TWO, THREE = uuid7(), uuid7(), uuid7()
LATER = NOON + timedelta(days=1)
EMBEDDED: dict[str, Any] = {"embedding": np.ones(1, dtype=np.float32), "embedding_model": "words/1"}


def row(action: Action, memory_id: UUID, replaced_id: UUID | None = None, **more: Any) -> Update:
    return Update(uuid7(), NOON, action, Actor.USER, Reason.NEW, memory_id, replaced_id, **more)


def importances() -> some.SearchStrategy[float]:
    """As a four-byte float holds them."""
    return some.integers(0, 1_000_000).map(lambda millionths: millionths / 1_000_000)


# -- replaying -------------------------------------------------------------------------------------


@table(
    ("rows", "linked"),
    [
        ([], set()),
        ([row(Action.ADD, ONE), row(Action.ADD, TWO)], {ONE, TWO}),
        ([row(Action.ADD, ONE), row(Action.REPLACE, TWO, ONE)], {TWO}),
        ([row(Action.ADD, ONE), row(Action.RETIRE, ONE)], set()),
        ([row(Action.ADD, ONE), row(Action.REPLACE, TWO, ONE), row(Action.RESTORE, ONE, TWO)], {ONE}),
        ([row(Action.ADD, ONE), row(Action.RETIRE, ONE), row(Action.RESTORE, ONE)], {ONE}),
        ([row(Action.ADD, ONE), row(Action.RESTORE, ONE)], {ONE}),
        ([row(Action.QUARANTINE, ONE), row(Action.REFUSE, ONE)], set()),
        ([row(Action.QUARANTINE, ONE), row(Action.ADD, ONE)], {ONE}),
        ([row(Action.ADD, ONE), row(Action.MARK, ONE), row(Action.EDIT, ONE)], {ONE}),
        ([row(Action.REINFORCE, ONE)], set()),
    ],
)
def test_the_audit_tells_which_memories_there_are(rows: list[Update], linked: set[UUID]) -> None:
    assert replay(rows) == linked
    assert replay(iter(rows)) == linked


# -- resting on messages ---------------------------------------------------------------------------


def test_a_memory_rests_on_each_message_once_in_the_order_they_were_said() -> None:
    tea = memory("tea", provenance=Provenance("chat-1", (TWO,), "Tea!", "small-model/3"))

    further = resting_on(tea, [ONE, TWO, THREE, ONE])

    assert further.provenance == replace(tea.provenance, message_ids=(TWO, ONE, THREE))
    assert not_resting_on(further, [ONE, THREE]) == tea
    assert resting_on(tea, []) == tea


# -- reinforcing -----------------------------------------------------------------------------------


@given(importance=importances(), count=some.integers(0, 9), doubt=some.sampled_from([None, *Doubt]))
def test_a_reinforcement_undone_leaves_no_trace(importance: float, count: int, doubt: Doubt | None) -> None:
    tea = memory("tea", importance=importance, reinforcement_count=count, doubt=doubt)
    tea = resting_on(tea, [ONE])

    after = reinforced(tea, [ONE, TWO])

    assert importance <= after.importance <= 1
    assert (after.reinforcement_count, after.doubt) == (count + 1, None)
    assert after.provenance.message_ids == (ONE, TWO)
    update = row(Action.REINFORCE, tea.id, details=reinforcement_details(tea, after))
    assert messages_of(update.details) == (TWO,)
    assert as_before(after, update) == tea


@given(importance=importances(), first=some.booleans())
def test_of_two_reinforcements_one_may_be_undone(importance: float, *, first: bool) -> None:
    tea = memory("tea", importance=importance)
    once = reinforced(tea, [ONE])
    twice = reinforced(once, [TWO])
    updates = [
        row(Action.REINFORCE, tea.id, details=reinforcement_details(before, after))
        for before, after in ((tea, once), (once, twice))
    ]
    left = as_before(twice, updates[0 if first else 1])

    assert importance <= left.importance <= twice.importance
    assert left.provenance.message_ids == ((TWO,) if first else (ONE,))
    neither = as_before(left, updates[1 if first else 0])
    assert neither.reinforcement_count == 0
    assert neither.importance == pytest.approx(importance, abs=1e-6)


def test_what_was_doubted_since_stays_so_and_no_importance_falls_below_zero() -> None:
    tea = memory("tea", doubt=Doubt.SUSPECT)
    after = reinforced(tea, [])
    update = row(Action.REINFORCE, tea.id, details=reinforcement_details(tea, after))

    undone = as_before(replace(after, doubt=Doubt.DISPUTED, importance=0.0), update)

    assert undone.doubt is Doubt.DISPUTED
    assert undone.importance == 0.0


def test_what_users_share_is_counted_and_otherwise_as_it_was() -> None:
    shared = memory("tea", owner=COMMONS)

    after = reinforced(shared, [ONE])

    assert after == replace(shared, reinforcement_count=1)
    update = row(Action.REINFORCE, shared.id, details=reinforcement_details(shared, after))
    assert as_before(after, update) == shared


def test_a_reinforcement_from_before_it_was_shared_leaves_its_importance() -> None:
    tea = memory("tea")
    after = reinforced(tea, [ONE])
    update = row(Action.REINFORCE, tea.id, details=reinforcement_details(tea, after))
    shared = replace(after, owner=COMMONS, provenance=Provenance())

    assert as_before(shared, update) == replace(shared, reinforcement_count=0)


# -- marks, edits, links ---------------------------------------------------------------------------


def test_a_mark_is_undone_while_it_stands() -> None:
    tea = memory("tea", doubt=Doubt.SUSPECT)
    after = replace(tea, doubt=Doubt.DISPUTED)
    update = row(Action.MARK, tea.id, details=mark_details(tea, after, ONE))

    assert update.details["cause"] == str(ONE)
    assert as_before(after, update) == tea
    with pytest.raises(NotUndoableError):
        as_before(tea, update)


def edited(before: Memory, **changed: Any) -> tuple[Memory, Update]:
    after = replace(before, **changed)
    details = edit_details(before, after)
    return after, row(Action.EDIT, before.id, before=before.content, after=after.content, details=details)


def test_an_edit_of_the_content_is_undone_without_the_embedding() -> None:
    tea = memory("tea", event_at=LATER, source=Source.QA_TURN, doubt=Doubt.SUSPECT, **EMBEDDED)
    after, update = edited(
        tea, content="coffee", kind=Kind.TODO, importance=0.9, event_at=None, source=Source.MANUAL, doubt=None
    )

    undone = as_before(after, update)

    assert undone == replace(tea, embedding=None, embedding_model=None)
    assert undone.embedding is None


def test_an_edit_beside_the_content_is_undone_with_the_embedding() -> None:
    tea = memory("tea", **EMBEDDED)
    after, update = edited(tea, importance=0.9)

    undone = as_before(after, update)

    assert undone == tea
    assert undone.embedding is tea.embedding


@table(
    "since",
    [
        {"content": "rain"},
        {"importance": 0.95},
        {"kind": Kind.TODO},
        {"event_at": LATER},
        {"doubt": Doubt.DISPUTED},
        {"owner": COMMONS},
    ],
)
def test_an_edit_is_not_undone_when_what_it_left_is_otherwise(since: dict[str, Any]) -> None:
    after, update = edited(memory("tea"), content="coffee")

    with pytest.raises(NotUndoableError):
        as_before(replace(after, **since), update)


@table(
    "update",
    [
        *(row(action, ONE) for action in (Action.ADD, Action.RETIRE, Action.QUARANTINE)),
        row(Action.EDIT, ONE, before="tea", after="tea", details={"messages": [str(ONE)]}),  # sharing
    ],
)
def test_another_change_of_what_a_memory_says_is_not_undone(update: Update) -> None:
    with pytest.raises(NotUndoableError):
        as_before(memory("tea"), update)


@table(
    "link",
    [{}, {"doubt": Doubt.SUSPECT, "recall_count": 3, "last_recalled_at": LATER, "reinforcement_count": 2}],
)
def test_what_was_the_users_alone_of_a_memory_comes_back(link: dict[str, Any]) -> None:
    tea = memory("tea")
    seen = replace(tea, **link)

    assert as_linked_before(tea, removal_details(seen)) == seen


def test_a_row_of_an_older_version_says_nothing_of_the_link() -> None:
    tea = memory("tea")

    assert as_linked_before(tea, {}) == tea
    assert messages_of({}) == ()
