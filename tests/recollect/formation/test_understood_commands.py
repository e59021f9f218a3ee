"""A model understands a person's commands to the memory; without one, the first words of a message tell them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from tests.support.tables import table, texts

from recollect.formation.analyzed_turn import (
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


PASTED = "Translate this, please. I forgot that I live in Kiel.\n\n> Please do forget that I live in Kiel\n> Yours, Ben"
SLIP = "let that one slip your mind"


@table(
    ("text", "quote", "about", "meant"),
    [
        (f"the thing with my lungs? {SLIP}", SLIP, (0,), [0]),
        ("Let Kiel go.", "Let Kiel go", (1, 1, 99, -1), [1]),
        ("wipe it all, will you", "wipe it all", (0, 1, 2), [0, 1, 2]),
        # a short message is quoted whole, in another two letters ask for nothing
        *((text, text, (0,), [0]) for text in ("忘了", "olvídalo", "42")),
        *(("My asthma is nobody's business.", quote, (0,), None) for quote in ("is", "my")),
        # what the person did not say; others' words beside theirs; theirs are another form of the verb
        ("what is asthma?", "forget that I have asthma", (0,), None),
        (PASTED, "Please do forget that I live in Kiel", (1,), None),
        (PASTED, "forget that I live in Kiel", (1,), None),
        (PASTED, "I live in Kiel", (1,), None),
        # what is done before the answer is not done once more
        *(
            (text, text, (0, 1, 2), None)
            for text in ("Forget number 1", "forget everything about me", "olvida todo lo que sabes de mí")
        ),
    ],
)
def test_what_is_said_counts(text: str, quote: str, about: tuple[int, ...], meant: list[int] | None) -> None:
    found = requests(text, ExtractedCommand(Asking.FORGET, quote, about))

    told = [(Asking.FORGET, tuple(KNOWN[each] for each in meant))] if meant is not None else []
    assert [(each.asking, each.meant) for each in found] == told


def test_a_command_beside_others_words_is_known_as_one() -> None:
    [mixed] = requests(
        f"Where I live, {SLIP}.\n\n> What do you play?", ExtractedCommand(Asking.FORGET, SLIP, (1,))
    )
    [alone] = requests(f"{SLIP}.", ExtractedCommand(Asking.FORGET, SLIP, (1,)))

    assert (mixed.is_beside_others, alone.is_beside_others) == (True, False)


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


def test_nothing_is_asked_of_a_memory_that_was_told_after_the_wish() -> None:
    later = replace(memory("Lives in Kiel again"), observed_at=AT + timedelta(days=1))
    command = ExtractedCommand(Asking.FORGET, "Let Kiel go", (0, 1))

    [turn] = with_understood_commands(
        [said("Let Kiel go.")], Extraction(Extracted(commands=(command,)), (KNOWN[1], later))
    )

    assert turn.commands[0].meant == (KNOWN[1],)


@table(
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


@table(
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
            Asking.FORGET, "forget Hull, I live in York now", ("Lives in Hull",),
            "I live in York now", "Lives in York", NEW, True,
        ),
        (
            Asking.FORGET, "Vergiss meine alte Nummer; die neue ist 555 987", ("Nummer ist 555 123",),
            "die neue ist 555 987", "Nummer ist 555 987", NEW, True,
        ),
        *(
            (Asking.CORRECT, "No, I said York, not Hull. And I have two kids", ("Lives in Hull",), wish, content, NEW, stays)
            for wish in ("No, I said York, not Hull. And I have two kids",)
            for content, stays in (("Has two kids", True), ("Is living in Hull", False))
        ),
        (
            Asking.FORGET, "忘掉成都吧，我养了一只猫", ("住在成都",),
            "忘掉成都吧，我养了一只猫", "养了一只猫", NEW, True,
        ),
        (
            Asking.FORGET, "Forget my job at the bakery, that was a secret", ("Works at the bakery",),
            "Forget my job at the bakery, that was a secret", "Job at the bakery was a secret", NEW, False,
        ),
        (
            Asking.CORRECT, "I never said I like onions, I like leeks", ("Likes onions",),
            "I like leeks", "Likes leeks", NEW, True,
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
    *,
    stays: bool,
) -> None:
    known = tuple(map(memory, named or ("Plays the flute",)))
    found = Candidate(
        content, Kind.FACT, 0.7, evidence, relation=relation, about=() if relation is NEW else (0,)
    )
    command = MemoryCommand(asking, wish, meant=known if named else (), quote=wish)

    left = Extraction(Extracted((found,)), known).without((), [command])

    assert left.extracted.candidates == ((found,) if stays else ())


# -- Commands by the first words of a message, without a model --


@table(
    "text",
    [
        *texts("""
        Forget number 2 | Remember this chat again | Remember that we met? | Remember that | Remember: !
        I remember that day | They said: remember that I'm vegan | ? !
    """),
        "",
    ],
)
def test_none_is_what_is_done_before_the_answer_nor_a_question_nor_what_has_no_subject(text: str) -> None:
    assert read_commands("Remember that I'm vegan!") == (MemoryCommand(Asking.REMEMBER, "I'm vegan!"),)
    assert read_commands(text) == ()


def test_a_statement_is_one_line_of_bounded_length() -> None:
    assert statement_of(MemoryCommand(Asking.REMEMBER, " i'm\nvegan! - ")) == "I'm vegan"
    assert statement_of(MemoryCommand(Asking.REMEMBER, "я живу")) == "Я живу"
    assert len(statement_of(MemoryCommand(Asking.REMEMBER, "word " * 500))) <= 500
    assert len(statement_of(MemoryCommand(Asking.REMEMBER, "w" * 5_000))) == 500
