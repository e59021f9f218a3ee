"""Where several people write as one user, a statement is of the one who said it."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from tests.support.tables import table

from recollect.formation.turns import analyze_turn, attributions_of
from recollect.formation.verification import AcceptedCandidate, verify
from recollect.model import Candidate, Exchange, Kind, Message, Role, Scope, Turn
from recollect.text.attribution.speakers import several_speakers

AT = datetime(2026, 5, 1, tzinfo=UTC)
SAID = (Message(Role.USER, "I cannot eat gluten", "Greta"), Message(Role.ASSISTANT, "Noted."))


def exchange(text: str, speaker: str | None, history: tuple[Message, ...] = ()) -> Exchange:
    turn = Turn(Scope("home", "room"), text, text, AT, "model", history=history, speaker=speaker)
    return Exchange(UUID(int=1), turn, "", UUID(int=2), UUID(int=3))


def learned(quote: str, content: str, *exchanges: Exchange, subject: str | None = None) -> list[str]:
    turns = [analyze_turn(each) for each in exchanges]
    candidate = Candidate(content, Kind.FACT, 0.7, quote, subject=subject)
    verdicts = verify([candidate], attributions_of(turns, []), minimum_importance=0.0)
    return [each.candidate.content for each in verdicts if isinstance(each, AcceptedCandidate)]


MARATHONS = exchange("I run marathons, and Greta bakes", "Otto", SAID)


@table(
    "quote, content, subject, kept",
    [
        ("I run marathons", "Runs marathons", None, ["Otto: Runs marathons"]),
        ("I run marathons", "Runs marathons", "Otto", ["Otto: Runs marathons"]),
        ("I run marathons", "Otto runs marathons", "Otto", ["Otto runs marathons"]),
        ("Greta bakes", "Bakes", "Greta", ["Greta: bakes"]),
        ("Greta bakes", "Greta bakes", "Greta", ["Greta bakes"]),
    ],
)
def test_a_statement_names_who_said_it_or_of_whom_it_tells(
    quote: str, content: str, subject: str | None, kept: list[str]
) -> None:
    assert learned(quote, content, MARATHONS, subject=subject) == kept


@table("content, subject", [("Runs marathons", "Greta"), ("Greta runs marathons", None)])
def test_what_one_says_is_nothing_of_another_whom_they_do_not_name(content: str, subject: str | None) -> None:
    alone = exchange("I run marathons", "Otto", SAID)

    assert learned("I run marathons", content, alone, subject=subject) == []


def test_what_the_assistant_says_of_another_is_kept_where_the_speaker_assents() -> None:
    asked = (*SAID, Message(Role.ASSISTANT, "So Greta bakes, does she?"))
    turns = [analyze_turn(exchange("no tak", "Otto", asked))]
    yes = Candidate("Greta bakes", Kind.FACT, 0.7, "no tak", confirms="So Greta bakes")

    [verdict] = verify([yes], attributions_of(turns, []), minimum_importance=0.0)

    assert isinstance(verdict, AcceptedCandidate)


def test_in_a_batch_each_statement_is_of_the_speaker_of_its_message() -> None:
    batch = exchange("I cannot eat gluten", "Greta"), exchange("I run marathons", "Otto")

    assert learned("I cannot eat gluten", "Cannot eat gluten", *batch) == ["Greta: cannot eat gluten"]
    assert learned("I run marathons", "Runs marathons", *batch) == ["Otto: Runs marathons"]


def test_of_one_person_no_statement_is_named() -> None:
    for speaker in (None, "Greta", "greta ", "Greta Berg"):
        said = exchange("I run marathons", speaker, SAID)
        assert several_speakers([said]) == ()
        assert learned("I run marathons", "Runs marathons", said) == ["Runs marathons"]
    assert several_speakers([replace(MARATHONS, reply="x")]) == ("Greta", "Otto")
