"""Each fact quotes its message, and losses are counted by cause."""

from collections import Counter

from bench.loss.report import Became, Event, cause_of, report
from bench.loss.told import Told, read_told

_FACT = Told("a-1", "en", "bin schwanger", statement="Ist schwanger", evidence="bin schwanger")


def test_each_fact_quotes_its_chat() -> None:
    """Only a fact that is nasty by its marks or digits is quoted otherwise than it was said."""
    for told in read_told():
        words = [told.say, *(turn["assistant"] for turn in told.before)]
        assert told.say
        assert told.empty or told.statement
        assert told.nasty in {"marks", "digits"} or any(told.evidence in each for each in words), told


def test_no_message_is_there_twice() -> None:
    """Two of the same would be one memory."""
    said = Counter((told.language, told.say) for told in read_told() if not told.before)
    assert [each for each, number in said.items() if number > 1] == []


def test_what_lost_a_fact() -> None:
    """The recorded reason names the cause; without a reason, how far the message came."""
    refused = Event("ignore", "no_evidence", "Ist schwanger")
    assert cause_of(refused, asked=True, hidden=False) == ("quote not found", "ignore:no_evidence")
    assert cause_of(None, asked=False, hidden=False) == ("model never asked", "")
    assert cause_of(None, asked=False, hidden=True) == ("taken for a command", "hidden")
    assert cause_of(None, asked=True, hidden=False) == ("nothing became of the answer", "")


def test_shares_are_of_facts_and_of_empty_messages_apart() -> None:
    """A fact that is missing is lost; an empty message that is there is kept."""
    empty = Told("empty-1", "en", "thanks", empty=True)
    became = [
        Became(_FACT, None, "model never asked"),
        Became(_FACT, "Ist schwanger", given=True),
        Became(empty, "Thanks"),
    ]
    table = report(became)
    assert "facts lost: 1 of 2 (50.0 %)" in table
    assert "given: 1 of 1 (100.0 %)" in table
    assert "kept: 1 of 1 (100.0 %)" in table
    assert "| model never asked | 1 |" in table
