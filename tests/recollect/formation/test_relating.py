"""What two statements are to each other, when a model says something of them."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.formation.outcomes import KEPT, REPLACED
from tests.recollect.formation.pairs_alike import ALIKE
from tests.recollect.formation.pairs_apart import APART
from tests.recollect.formation.pairs_apart_elsewhere import APART_ELSEWHERE
from tests.tables import table

from recollect.formation.difference.vetoes import Statement
from recollect.formation.relating import Meeting, Outcome, related
from recollect.model import Candidate, Kind, Memory, Relation, Source

BEFORE = datetime(2026, 2, 1, 9, tzinfo=UTC)
NOW = BEFORE + timedelta(days=90)
FLOOR = 0.4


def outcome(
    relation: str, new: str, known: str, evidence: str = "", *, cosine: float | None = 0.9
) -> Outcome:
    """Return what becomes of ``known``."""
    memory = Memory(uuid4(), "anna", Kind.FACT, Source.EXTRACTED, known, 0.5, BEFORE, BEFORE)
    meeting = Meeting(
        candidate=Candidate(new, Kind.FACT, 0.5, evidence),
        new=Statement(new, evidence, None, NOW),
        memory=memory,
        known=Statement(known, "", None, BEFORE),
        corrects=False,
        cosine=cosine,
    )
    return related(meeting, Relation(relation), floor=FLOOR)


@table(("language", "kind", "one", "other"), [*APART, *APART_ELSEWHERE])
def test_what_differs_is_never_merged(language: str, kind: str, one: str, other: str) -> None:
    assert outcome("repeats", one, other) is not Outcome.REPEATED, (language, kind)
    assert outcome("repeats", other, one) is not Outcome.REPEATED, (language, kind)


@table(("language", "kind", "one", "other"), ALIKE)
def test_the_same_in_other_words_is_merged(language: str, kind: str, one: str, other: str) -> None:
    assert outcome("repeats", one, other) is Outcome.REPEATED, (language, kind)
    assert outcome("repeats", other, one) is Outcome.REPEATED, (language, kind)


@table(("relation", "new", "known", "evidence"), REPLACED)
def test_what_is_said_to_be_otherwise_now_replaces(
    relation: str, new: str, known: str, evidence: str
) -> None:
    assert outcome(relation, new, known, evidence) in {Outcome.CONTRADICTED, Outcome.REFINED}


@table(("relation", "new", "known", "evidence"), KEPT)
def test_what_may_be_so_as_well_replaces_nothing(relation: str, new: str, known: str, evidence: str) -> None:
    assert outcome(relation, new, known, evidence) is Outcome.DISTINCT


def test_statements_far_from_each_other_are_of_other_matters() -> None:
    assert outcome("repeats", "Grows leeks", "Sings bass", cosine=0.1) is Outcome.DISTINCT


def test_an_age_grows_with_the_time_that_passed() -> None:
    assert outcome("repeats", "Her niece is 9 years old", "Her niece is 8 years old") is Outcome.CONTRADICTED
    assert outcome("repeats", "Her niece is 12 years old", "Her niece is 8 years old") is Outcome.DISTINCT
    assert outcome("repeats", "Her niece is 7 years old", "Her niece is 8 years old") is Outcome.DISTINCT


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from([each.value for each in Relation]))
def test_any_texts_can_be_compared(one: str, other: str, relation: str) -> None:
    assert outcome(relation, one, other) in Outcome
