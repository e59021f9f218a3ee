"""The columns of a person's memories, passages and vectors: what is seen, what a later state replaces, and exact cosines."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.recall.test_candidates import kept, said, snapshot_of
from tests.support.recollections import NOON
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.index import Embedded, Loaded, Names, Passages, StoredMemory, Vectors
from recollect.model import COMMONS, STATEMENTS, Kind, Provenance, Role, Source

COSINES = st.lists(st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=3) | st.none(), max_size=9)
EXACT = 5e-5
"""By how much a cosine may differ: a vector's numbers are kept in 16 bits."""


def embedded(cosines: list[float] | None) -> Embedded | None:
    return None if cosines is None else Embedded("m", np.array([[each, 0.5] for each in cosines], np.float32))


# -- vectors -----------------------------------------------------------------------------------------


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
    np.testing.assert_allclose(
        near.first, [np.nan if each is None else each[0] for each in every], atol=EXACT
    )


def test_cosines_of_many_vectors_are_as_exact_as_those_of_few() -> None:
    made = np.random.default_rng(1).normal(size=(600, 384)).astype(np.float32)
    unit = made / np.linalg.norm(made, axis=1, keepdims=True)
    vectors = Vectors().with_documents([Embedded("m", each.reshape(1, -1)) for each in unit])

    np.testing.assert_allclose(vectors.near("m", unit[0]).best, unit @ unit[0], atol=EXACT)


def test_vectors_of_another_embedder_or_width_are_not_compared() -> None:
    long = Embedded("m", np.ones((1, 3), np.float32))
    vectors = Vectors().with_documents([embedded([0.5]), long, long._replace(model="other"), None])

    best = vectors.near("m", np.array([1, 0], np.float32)).best
    np.testing.assert_allclose(best, [0.5, *[np.nan] * 3], atol=EXACT)
    assert np.isnan(vectors.near("m", None).best).all()
    assert vectors.models == {"m", "other"}


# -- memories ----------------------------------------------------------------------------------------


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
def test_whether_a_model_extracted_any_statement_is_known(
    extractor: str | None,
    understood: bool,  # noqa: FBT001 -- of the table
) -> None:
    memories = snapshot_of(kept("x"), kept("y", provenance=Provenance(extractor=extractor))).memories

    assert memories.is_understood is understood


# -- passages ----------------------------------------------------------------------------------------


def test_a_later_state_of_a_passage_replaces_it_and_its_message_keeps_its_first_part() -> None:
    message, names = uuid7(), Names()
    first, second = (said(f"part {part}", number=70 + part, message_id=message, part=part) for part in (0, 1))
    before = Passages().with_changed([second, first], names)

    after = before.with_changed([said("part 0 again", number=70, message_id=message, part=0)], names)

    assert before.first_row.tolist() == [1, 1]
    assert after.first_row.tolist() == [2, 2, 2]
    assert after.is_current.tolist() == [True, False, True]
    assert after.waste == pytest.approx(1 / 3)
    assert before.is_current.tolist() == [True, True], "who ranks meanwhile sees the earlier state"
    assert before.with_changed([], names) is before


def test_a_later_state_leaves_the_numbers_of_names_that_recalls_read_meanwhile() -> None:
    before = snapshot_of(said("first", speaker="Dora", session_id="one"))
    more = said("second", speaker="Emil", session_id="two")

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
    content: str,
    changed: dict[str, Any],
    is_remark: bool,  # noqa: FBT001 -- of the table
) -> None:
    columns = Passages().with_changed([said(content, **changed)], Names()).columns

    assert columns.is_remark.tolist() == [is_remark]
    assert columns.by_user.tolist() == [changed["role"] is Role.USER]


def test_a_log_of_which_much_was_replaced_is_to_be_read_whole() -> None:
    many = [said(f"passage {number}", number=100 + number) for number in range(800)]
    snapshot = snapshot_of(*many)
    assert snapshot.passages is not None
    few, most = (
        replace(snapshot, passages=snapshot.passages.with_changed(many[:number], snapshot.names))
        for number in (100, 700)
    )

    assert [each.is_wasteful for each in (snapshot, few, most)] == [False, False, True]
