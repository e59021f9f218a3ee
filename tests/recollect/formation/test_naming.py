"""A statement names whom it tells of, and where several people write as one user, who said it."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from tests.support.tables import table

from recollect.formation.analyzed_turn import analyze_turn, attributions_of
from recollect.formation.verification import LONGEST_CONTENT, AcceptedCandidate, verify
from recollect.formation.wording import naming_its_subject, unnamed
from recollect.model import (
    Candidate,
    Exchange,
    Ignore,
    Kind,
    Memory,
    Message,
    Provenance,
    Reason,
    Role,
    Scope,
    Source,
    Turn,
    several_speakers,
)
from recollect.text.attribution import Attribution

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
def test_a_statement_names_its_person(quote: str, content: str, subject: str | None, kept: list[str]) -> None:
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


@table(
    ("content", "origin", "named"),
    [
        ("Cannot eat gluten", Provenance("room", (), "I cannot eat gluten"), "Greta: Cannot eat gluten"),
        ("Greta cannot eat gluten", Provenance("room", (), "I cannot eat gluten"), None),
        ("Cannot eat gluten", Provenance("another room", (), "I cannot eat gluten"), None),
        ("Cannot eat gluten", Provenance("room"), None),
        ("Owns a boat", Provenance("room", (), "I own a boat"), None),
        ("Likes the sea", Provenance("room", (), "I like the sea"), None),
    ],
)
def test_a_second_person_has_statements_named(content: str, origin: Provenance, named: str | None) -> None:
    known = Memory(UUID(int=9), "home", Kind.FACT, Source.EXTRACTED, content, 0.5, AT, AT, provenance=origin)

    both = tuple(Message(Role.USER, "I like the sea", name) for name in ("Greta", "Otto"))

    said = replace(MARATHONS, turn=replace(MARATHONS.turn, history=(*SAID, *both)))
    assert list(unnamed([said], [known])) == ([] if named is None else [(known, named)])
    assert list(unnamed([exchange("I run", "Greta", SAID)], [known])) == []


def of(subject: str | None, content: str, evidence: str) -> Candidate:
    return Candidate(content, Kind.FACT, 0.5, evidence, subject=subject)


@table(
    ("subject", "content", "evidence", "kept"),
    [
        ("Clara", "Plays the viola", "my sister Clara plays the viola", "Clara: plays the viola"),
        ("Clara", "Viola is what she plays", "Clara plays the viola", "Clara: viola is what she plays"),
        ("my hubby", "Is allergic to nuts", "my hubby can't eat nuts", "My hubby: Is allergic to nuts"),
        (
            "meine Frau",
            "Arbeitet bei Bosch",
            "meine Frau arbeitet bei Bosch",
            "Meine Frau: arbeitet bei Bosch",
        ),
        ("mis viejos", "Viven en Rosario", "mis viejos viven en Rosario", "Mis viejos: viven en Rosario"),
        ("Клара", "Болит зуб", "у Клары болит зуб", "Клара: болит зуб"),
        ("老公", "对坚果过敏", "我老公对坚果过敏", "老公: 对坚果过敏"),
    ],
)
def test_who_is_not_named_is_put_before_it(subject: str, content: str, evidence: str, kept: str) -> None:
    assert naming_its_subject(of(subject, content, evidence)).content == kept


@table(
    ("subject", "content", "evidence"),
    [
        (None, "Plays the viola", "I play the viola"),
        ("sister Clara", "Clara plays the viola", "my sister Clara plays the viola"),
        ("my hubby", "Husband is allergic to nuts", "my hubby is allergic to nuts"),
        ("my hubby", "Husband is allergic to nuts", "my hubby can't eat nuts"),
        ("my old man", "Father has gout", "my old man's got gout"),
        ("我爸", "爸爸下周做手术", "我爸下周要做手术"),
        ("老公", "丈夫对坚果过敏", "我老公对坚果过敏"),
        ("mis viejos", "Los padres viven en Rosario", "mis viejos viven en Rosario"),
        ("mis viejos", "Padres viven en Rosario", "mis viejos viven en Rosario"),
        ("ma moitié", "Mari travaille chez Airbus", "ma moitié bosse chez Airbus"),
        ("Kasia", "Kasię boli ząb", "Kasię boli ząb"),
        ("Клара", "У Клары болит зуб", "у Клары болит зуб"),
        ("엄마", "어머니가 부산에 산다", "엄마가 부산에 살아"),
        ("anyósomék", "Az anyósáéknál csótányok vannak", "anyósoméknál kiütött a csótány"),
        ("férjuram", "A férje utálja a koriandert", "a férjuram utálja a koriandert"),
        ("the missus", "The wife sings at St Mark's", "the missus sings at St Mark's"),
        ("my sister Clara " * 9, "Plays the viola", "my sister Clara plays the viola"),
    ],
)
def test_who_is_named_somehow_is_not_named_twice(subject: str | None, content: str, evidence: str) -> None:
    assert naming_its_subject(of(subject, content, evidence)).content == content


@table("subject", ["我爸", "Bernadette", "mis viejos"])
def test_whom_it_tells_of_refuses_nothing(subject: str) -> None:
    said = of(subject, "Father is in hospital", "my dad is in hospital")

    [verdict] = verify([said], [Attribution("my dad is in hospital", ())], minimum_importance=0.3)

    assert isinstance(verdict, AcceptedCandidate)


def test_a_statement_is_too_long_with_whom_it_tells_of() -> None:
    said = "my sister Clara plays the viola"

    [verdict] = verify(
        [of("Clara", f"Plays the viola {'a' * LONGEST_CONTENT}"[:LONGEST_CONTENT], said)],
        [Attribution(said, ())],
        minimum_importance=0.3,
    )

    assert isinstance(verdict, Ignore)
    assert verdict.reason is Reason.TOO_LONG
