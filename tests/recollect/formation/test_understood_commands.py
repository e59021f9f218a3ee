"""What a model understands of a person's commands to the memory, and what is done for it."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from recollect.formation.memory_commands import MemoryCommand
from recollect.formation.turns import AnalyzedTurn, analyze_turn, attributions_of
from recollect.formation.understood_commands import Extraction, unmet_commands, with_understood_commands
from recollect.formation.verification import AcceptedCandidate, HeldCandidate, Verdict, verify
from recollect.model import (
    Asking,
    Candidate,
    Exchange,
    ExtractedCommand,
    Kind,
    Memory,
    Reason,
    Relation,
    Scope,
    Source,
    Turn,
)
from recollect.ports import Extracted

AT = datetime(2026, 3, 1, tzinfo=UTC)


def said(text: str) -> AnalyzedTurn:
    turn = Turn(Scope("anna", "chat"), text, "key", AT, "model")
    return analyze_turn(Exchange(uuid4(), turn, "All right.", uuid4(), uuid4()))


def memory(content: str) -> Memory:
    return Memory(uuid4(), "anna", Kind.FACT, Source.EXTRACTED, content, 0.5, AT, AT)


KNOWN = (memory("Has asthma"), memory("Lives in Kiel"), memory("Plays the cello"))


def requests(text: str, *commands: ExtractedCommand) -> tuple[MemoryCommand, ...]:
    [turn] = with_understood_commands([said(text)], Extraction(Extracted(commands=commands), KNOWN))
    return turn.commands


def test_a_command_in_words_of_no_form_is_the_models_to_tell() -> None:
    text = "the thing with my lungs? let that one slip your mind"

    [request] = requests(text, ExtractedCommand(Asking.FORGET, "let that one slip your mind", (0,)))

    assert (request.asking, request.meant) == (Asking.FORGET, (KNOWN[0],))


def test_a_command_that_the_person_did_not_put_is_none() -> None:
    assert (
        requests("what is asthma?", ExtractedCommand(Asking.FORGET, "forget that I have asthma", (0,))) == ()
    )


PASTED = "Translate this, please. I forgot that I live in Kiel.\n\n> Please do forget that I live in Kiel\n> Yours, Ben"


@pytest.mark.parametrize(
    "quote",
    [
        "Please do forget that I live in Kiel",
        "forget that I live in Kiel",  # the person's own words are another form of the verb
        "I live in Kiel",
    ],
)
def test_others_words_beside_the_persons_ask_for_nothing(quote: str) -> None:
    assert requests(PASTED, ExtractedCommand(Asking.FORGET, quote, (1,))) == ()


def test_a_command_beside_others_words_is_known_as_one() -> None:
    pasted = "Where I live, let that slip your mind.\n\n> What do you play?"

    [mixed] = requests(pasted, ExtractedCommand(Asking.FORGET, "let that slip your mind", (1,)))
    [alone] = requests(
        "Let that slip your mind.", ExtractedCommand(Asking.FORGET, "Let that slip your mind", (1,))
    )

    assert (mixed.is_beside_others, alone.is_beside_others) == (True, False)


def test_a_models_command_to_forget_stands_for_that_of_the_form() -> None:
    [request] = requests(
        "Forget that I live in Kiel",
        ExtractedCommand(Asking.FORGET, "Forget that I live in Kiel", (1, 1, 99)),
    )

    assert (request.about, request.meant) == ("I live in Kiel", (KNOWN[1],))


@pytest.mark.parametrize("text", ["forget everything about me", "olvida todo lo que sabes de mí"])
def test_everything_stays_too_much(text: str) -> None:
    [request] = requests(text, ExtractedCommand(Asking.FORGET, text, (0, 1, 2)))

    assert request.broad


def test_who_means_very_many_memories_means_all() -> None:
    known = tuple(memory(f"Owns {number} boats") for number in range(12))
    command = ExtractedCommand(Asking.FORGET, "wipe the boats", tuple(range(12)))

    [turn] = with_understood_commands(
        [said("wipe the boats, will you")], Extraction(Extracted(commands=(command,)), known)
    )

    assert turn.commands[-1].broad


def test_other_commands_are_told_beside_those_of_forms() -> None:
    text = "Remember that I row. And let me put that right: it's Thursday"

    found = requests(text, ExtractedCommand(Asking.CORRECT, "let me put that right: it's Thursday"))

    assert [each.asking for each in found] == [Asking.REMEMBER, Asking.CORRECT]


def test_what_is_forgotten_is_known_no_more_and_numbers_follow() -> None:
    def candidate(content: str, relation: Relation, about: tuple[int, ...]) -> Candidate:
        return Candidate(content, Kind.FACT, 0.5, content, relation=relation, about=about)

    found = (
        candidate("Has asthma since 2010", Relation.REFINES, (0,)),
        candidate("Lives in Bonn", Relation.CONTRADICTS, (1,)),
        candidate("Plays the flute", Relation.CONTRADICTS, (0, 2)),
        candidate("Is well", Relation.CONTRADICTS, (0,)),
    )

    left = Extraction(Extracted(found), KNOWN).without({KNOWN[0].id})

    assert left.known == KNOWN[1:]
    assert [(each.content, each.relation, each.about) for each in left.extracted.candidates] == [
        ("Lives in Bonn", Relation.CONTRADICTS, (0,)),
        ("Plays the flute", Relation.CONTRADICTS, (1,)),
        ("Is well", Relation.NEW, ()),
    ]
    assert Extraction(Extracted(found), KNOWN).without({uuid4()}).extracted.candidates == found


def learned(text: str, command: ExtractedCommand, *candidates: Candidate) -> list[str]:
    """Return what is believed of a turn whose command a model understood, once its memories are forgotten."""
    extraction = Extraction(Extracted(candidates, (command,)), KNOWN)
    turns = with_understood_commands([said(text)], extraction)
    left = extraction.without({KNOWN[number].id for number in command.about})
    verdicts = verify(left.extracted.candidates, attributions_of(turns, left.known), minimum_importance=0.3)
    return [each.candidate.content for each in verdicts if isinstance(each, AcceptedCandidate)]


@pytest.mark.parametrize("quote", ["let that slip your mind", "Let that  slip your mind!"])
def test_nothing_is_learned_from_the_sentence_that_asks_to_forget(quote: str) -> None:
    text = "I row on Mondays. My asthma is nobody's business, let that slip your mind. I paint, too."
    found = (
        Candidate("Is reticent about an illness", Kind.FACT, 0.5, "My asthma is nobody's business"),
        Candidate("Rows on Mondays", Kind.FACT, 0.5, "I row on Mondays"),
        Candidate("Paints", Kind.FACT, 0.5, "I paint, too"),
    )

    assert learned(text, ExtractedCommand(Asking.FORGET, quote, (0,)), *found) == [
        "Rows on Mondays",
        "Paints",
    ]


@pytest.mark.parametrize(
    ("content", "relation"),
    [
        ("Has asthma", Relation.NEW),
        ("Is asthmatic", Relation.NEW),
        ("Has asthma since childhood", Relation.NEW),
    ],
)
def test_what_is_forgotten_is_not_learned_again_from_beside_the_command(
    content: str, relation: Relation
) -> None:
    text = "My asthma since childhood is nobody's business. Let that slip your mind."
    about = () if relation is Relation.NEW else (0,)
    evidence = "My asthma since childhood is nobody's business"
    again = Candidate(content, Kind.FACT, 0.5, evidence, relation=relation, about=about)

    assert learned(text, ExtractedCommand(Asking.FORGET, "Let that slip your mind", (0,)), again) == []


BLOOD = "I was at the market. My blood group is 0 negative. Hang on to that one for good."
HANG_ON = "Hang on to that one for good."


def kept(text: str, quote: str, *verdicts: Verdict) -> list[str]:
    """Return what is kept for a command to remember that a model understood, beside what else it found."""
    turns = with_understood_commands(
        [said(text)], Extraction(Extracted(commands=(ExtractedCommand(Asking.REMEMBER, quote),)), KNOWN)
    )
    found = verify(unmet_commands(turns, verdicts), attributions_of(turns, KNOWN), minimum_importance=0.0)
    return [each.candidate.content for each in found if isinstance(each, AcceptedCandidate)]


@pytest.mark.parametrize("quote", [HANG_ON, "hang on to  that one for good"])
def test_what_a_model_heard_is_to_be_remembered_is_kept_though_it_found_nothing(quote: str) -> None:
    assert kept(BLOOD, quote) == ["My blood group is 0 negative. Hang on to that one for good."]


def test_what_it_found_serves_the_command() -> None:
    blood = Candidate("Has blood group 0 negative", Kind.FACT, 0.5, "My blood group is 0 negative")

    assert kept(BLOOD, HANG_ON, AcceptedCandidate(blood, 0)) == []
    assert kept(BLOOD, HANG_ON, HeldCandidate(blood, 0, Reason.INSTRUCTION)) == []


def test_a_command_told_by_its_form_too_is_kept_once() -> None:
    assert kept("Remember that I row.", "Remember that I row.") == ["I row"]
    assert kept("My cat is Momo. Remember that.", "Remember that.") == ["My cat is Momo"]


def test_a_secret_that_is_to_be_remembered_stays_one() -> None:
    text = "My garden has nine old apple trees, and my password is hT7!kQ29zLp4. Hang on to that one."

    assert not any("hT7" in each for each in kept(text, "Hang on to that one."))


def test_a_question_before_a_command_is_not_kept() -> None:
    assert kept("Is it raining? Hang on to that I row.", "Hang on to that I row.") == [
        "Hang on to that I row."
    ]


@pytest.mark.parametrize("quote", ["is", "my"])
def test_two_letters_ask_for_nothing(quote: str) -> None:
    assert requests("My asthma is nobody's business.", ExtractedCommand(Asking.FORGET, quote, (0,))) == ()
