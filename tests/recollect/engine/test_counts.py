from datetime import timedelta
from uuid import UUID

from tests.support.recollections import NOON, turn

from recollect.engine.background.counts import LAG_SECONDS, FormationCounts
from recollect.model import (
    Add,
    Change,
    Doubt,
    Exchange,
    Formed,
    Hide,
    Ignore,
    Kind,
    Mark,
    Memory,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Source,
)

EXCHANGE = Exchange(UUID(int=1), turn("I drink tea"), "Good.", UUID(int=2), UUID(int=3))
MEMORY = Memory(UUID(int=9), "anna", Kind.FACT, Source.EXTRACTED, "Drinks tea", 0.5, NOON, NOON)
CHANGES: list[Change] = [
    Add(MEMORY),
    Replace(UUID(int=8), MEMORY, Reason.CONTRADICTS),
    Reinforce(UUID(int=7)),
    Ignore(Reason.EQUAL_CONTENT),
    Ignore(Reason.NO_EVIDENCE),
    Retire(UUID(int=6), Reason.CAP),
    Mark(UUID(int=5), Doubt.SUSPECT, Reason.SUSPECT),
    Quarantine(MEMORY, Reason.INSTRUCTION),
    Hide((UUID(int=4),), Reason.CONFIDENTIAL),
]


def counted(seconds: float = 3) -> FormationCounts:
    counts = FormationCounts()
    formed = Formed(EXCHANGE, tuple(CHANGES), 5)
    counts.formed(formed, CHANGES, at=EXCHANGE.turn.at + timedelta(seconds=seconds))
    return counts


def test_each_change_is_counted_once() -> None:
    counts = counted()

    assert (counts.adds, counts.replaces, counts.merges, counts.duplicates) == (1, 1, 1, 2)
    assert counts.rejects == {"equal_content": 1, "no_evidence": 1}
    assert (counts.retired, counts.hidden) == ({"cap": 1}, {"confidential": 1})
    assert (counts.quarantined, counts.marks) == (1, 1)
    assert (counts.successes, counts.extracted) == (1, 5)


def test_the_rates_are_shares_and_nothing_before_the_first() -> None:
    assert (FormationCounts().replacement_rate, FormationCounts().dedup_rate) == (0, 0)
    assert (counted().replacement_rate, counted().dedup_rate) == (1 / 2, 2 / 4)


def test_how_late_it_was_is_told_by_upper_edges() -> None:
    for seconds, place in ((0, 0), (1, 0), (3, 2), (99_999, len(LAG_SECONDS))):
        counts = counted(seconds)
        assert counts.lag[place] == sum(counts.lag) == 1
        assert counts.lag_sum == seconds


def test_a_clock_that_is_behind_makes_nothing_early() -> None:
    assert counted(-5).lag_sum == 0


def test_a_summary_counts_only_where_one_was_kept() -> None:
    counts = FormationCounts()
    counts.summarized([])
    counts.summarized([Add(MEMORY, Reason.SUMMARIZED)])

    assert counts.summaries == 1
