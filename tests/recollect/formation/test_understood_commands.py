"""A model understands a person's commands to the memory; without one, the first words of a message tell them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from recollect.formation.turns import (
    AnalyzedTurn,
    MemoryCommand,
    analyze_turn,
    attributions_of,
    read_commands,
    statement_of,
)
from recollect.formation.understood_commands import Extraction, with_understood_commands
from recollect.formation.verification import AcceptedCandidate, verify
from recollect.model import (
    Asking,
    Candidate,
    Exchange,
    ExtractedCommand,
    Kind,
    Memory,
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


def test_a_command_names_each_memory_that_was_shown_once() -> None:
    [request] = requests("Let Kiel go.", ExtractedCommand(Asking.FORGET, "Let Kiel go", (1, 1, 99, -1)))

    assert request.meant == (KNOWN[1],)


@pytest.mark.parametrize(
    "text", ["Forget number 1", "forget everything about me", "olvida todo lo que sabes de mí"]
)
def test_what_is_done_before_the_answer_is_not_done_once_more(text: str) -> None:
    assert requests(text, ExtractedCommand(Asking.FORGET, text, (0, 1, 2))) == ()


@pytest.mark.parametrize("text", ["忘了", "olvídalo", "42"])
def test_a_short_message_is_quoted_whole(text: str) -> None:
    assert len(requests(text, ExtractedCommand(Asking.FORGET, text, (0,)))) == 1


def test_a_wish_means_all_that_the_model_names() -> None:
    known = tuple(memory(f"Owns {number} boats") for number in range(12))
    command = ExtractedCommand(Asking.FORGET, "wipe the boats", tuple(range(12)))

    [turn] = with_understood_commands(
        [said("wipe the boats, will you")], Extraction(Extracted(commands=(command,)), known)
    )

    assert turn.commands[-1].meant == known


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
    """Return the accepted statements of a turn whose command a model understood, once its memories are forgotten."""
    extraction = Extraction(Extracted(candidates, (command,)), KNOWN)
    turns = with_understood_commands([said(text)], extraction)
    left = extraction.without({KNOWN[number].id for number in command.about})
    verdicts = verify(left.extracted.candidates, attributions_of(turns, left.known), minimum_importance=0.3)
    return [each.candidate.content for each in verdicts if isinstance(each, AcceptedCandidate)]


def test_what_is_told_in_the_sentence_that_asks_to_forget_is_learned_and_what_is_forgotten_is_not() -> None:
    text = "Forget Kiel, I moved to Bonn"
    found = (
        Candidate(
            "Lives in Bonn", Kind.FACT, 0.5, "I moved to Bonn", relation=Relation.CONTRADICTS, about=(1,)
        ),
        Candidate("Lives in Kiel", Kind.FACT, 0.5, text),
        Candidate("Lived in Kiel", Kind.FACT, 0.5, text, relation=Relation.REFINES, about=(1,)),
    )

    assert learned(text, ExtractedCommand(Asking.FORGET, text, (1,)), *found) == ["Lives in Bonn"]


@pytest.mark.parametrize("quote", ["is", "my"])
def test_two_letters_ask_for_nothing(quote: str) -> None:
    assert requests("My asthma is nobody's business.", ExtractedCommand(Asking.FORGET, quote, (0,))) == ()


def test_nothing_is_asked_of_a_memory_that_was_told_after_the_wish() -> None:
    later = replace(memory("Lives in Kiel again"), observed_at=AT + timedelta(days=1))
    command = ExtractedCommand(Asking.FORGET, "Let Kiel go", (0, 1))

    [turn] = with_understood_commands(
        [said("Let Kiel go.")], Extraction(Extracted(commands=(command,)), (KNOWN[1], later))
    )

    assert turn.commands[0].meant == (KNOWN[1],)


@pytest.mark.parametrize(
    ("evidence", "left"),
    [
        ("my HIV status", 0),
        ("I'd rather my HIV status wasn't kept anywhere, and I row", 0),
        ("I row", 1),
        ("", 1),
    ],
)
def test_what_quotes_the_wish_to_keep_something_nowhere_is_left_out(evidence: str, left: int) -> None:
    found = Extraction(Extracted((Candidate("Says something", Kind.FACT, 0.7, evidence),)))

    quote = "I'd rather my HIV status wasn't kept anywhere"
    kept = found.without((), [MemoryCommand(Asking.ERASE, quote, meant=(), quote=quote)])

    assert len(kept.extracted.candidates) == left


NEPHEW, LEEDS = ("Has a nephew, Ben",), ("Lives in Leeds",)
CONTRADICTS, NEW, REFINES, REPEATS = Relation.CONTRADICTS, Relation.NEW, Relation.REFINES, Relation.REPEATS


@pytest.mark.parametrize(
    ("asking", "wish", "named", "evidence", "content", "relation", "stays"),
    [
        (Asking.CORRECT, "I never said I have a nephew", NEPHEW, "I have a nephew", "Has a nephew called Ben", NEW, False),
        (Asking.CORRECT, "I never said", NEPHEW, "I never said I have a nephew", "Has a nephew called Ben", NEW, False),
        (Asking.CORRECT, "I never said I have a nephew", NEPHEW, "I have a nephew", "Has a nephew Ben", REFINES, False),
        (
            Asking.CORRECT, "Ich habe nie gesagt, dass ich einen Neffen habe", ("Has a nephew",),
            "ich einen Neffen habe", "Hat einen Neffen", REPEATS, False,
        ),
        (Asking.CORRECT, "我没说过我有外甥", ("有外甥，叫小本",), "我有外甥", "有一个外甥", NEW, False),
        (Asking.FORGET, "Please forget that I live in Leeds", LEEDS, "I live in Leeds", "Is living in Leeds", NEW, False),
        (Asking.FORGET, "Please forget that I live in Leeds", (), "I live in Leeds", "Is living in Leeds", NEW, False),
        (Asking.FORGET, "oublie que j'habite à Lyon", ("Vit à Lyon",), "j'habite à Lyon", "Habite à Lyon", REPEATS, False),
        (Asking.CORRECT, "No, I said Leeds, not Hull", ("Lives in Hull",), "I said Leeds", "Lives in Leeds", NEW, True),
        (
            Asking.CORRECT, "No, I said Leeds, not Hull", ("Lives in Hull",),
            "No, I said Leeds, not Hull", "Lives in Leeds", CONTRADICTS, True,
        ),
        (Asking.CORRECT, "No, I said Leeds", (), "I said Leeds", "Lives in Leeds", NEW, True),
        (
            Asking.FORGET, "forget London, we moved to Leeds", ("Lives in London",),
            "we moved to Leeds", "Moved to Leeds", NEW, True,
        ),
        (
            Asking.FORGET, "forget London", ("Lives in London",),
            "forget London, we moved to Leeds", "Moved to Leeds", NEW, True,
        ),
        (Asking.FORGET, "forget London, we moved to Leeds", (), "we moved to Leeds", "Moved to Leeds", NEW, True),
        (Asking.FORGET, "olvida los lácteos, soy intolerante", (), "soy intolerante", "Es intolerante", NEW, True),
        (Asking.FORGET, "别管牛奶，我乳糖不耐", (), "我乳糖不耐", "乳糖不耐", NEW, True),
        (Asking.FORGET, "forget London", (), "we moved to Leeds", "Moved to Leeds", NEW, True),
        (Asking.FORGET, "忘掉上海吧", ("住在上海",), "我搬到杭州了", "搬到杭州了", NEW, True),
    ],
)  # fmt: skip
def test_what_is_denied_or_to_be_forgotten_is_not_stated_by_the_words_that_ask(
    asking: Asking,
    wish: str,
    named: tuple[str, ...],
    evidence: str,
    content: str,
    relation: Relation,
    stays: bool,  # noqa: FBT001 -- a column of the table
) -> None:
    known = tuple(map(memory, named or ("Plays the flute",)))
    found = Candidate(
        content, Kind.FACT, 0.7, evidence, relation=relation, about=() if relation is NEW else (0,)
    )
    command = MemoryCommand(asking, wish, meant=known if named else (), quote=wish)

    left = Extraction(Extracted((found,)), known).without((), [command])

    assert left.extracted.candidates == ((found,) if stays else ())


# -- Commands by the first words of a message, without a model --


def test_a_message_that_begins_with_a_command_is_one() -> None:
    assert read_commands("Remember that I'm vegan!") == (MemoryCommand(Asking.REMEMBER, "I'm vegan!"),)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Forget number 2",
            "Remember this chat again",
            "Remember that we met?",
            "Remember that",
            "Remember: !",
        ),
        *("I remember that day", "They said: remember that I'm vegan", "", "? !"),
    ],
)
def test_none_is_what_is_done_before_the_answer_nor_a_question_nor_what_has_no_subject(text: str) -> None:
    assert read_commands(text) == ()


def test_a_statement_is_one_line_of_bounded_length() -> None:
    assert statement_of(MemoryCommand(Asking.REMEMBER, " i'm\nvegan! - ")) == "I'm vegan"
    assert statement_of(MemoryCommand(Asking.REMEMBER, "я живу")) == "Я живу"
    assert len(statement_of(MemoryCommand(Asking.REMEMBER, "word " * 500))) <= 500
    assert len(statement_of(MemoryCommand(Asking.REMEMBER, "w" * 5_000))) == 500
