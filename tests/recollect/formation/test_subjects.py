"""Whom a statement tells of is named in it, once."""

from tests.support.tables import table

from recollect.formation.verification import LONGEST_CONTENT, AcceptedCandidate, verify
from recollect.formation.wording import naming_its_subject
from recollect.model import Candidate, Ignore, Kind, Reason
from recollect.text.attribution import Attribution


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
def test_who_is_not_named_in_it_is_put_before_it(
    subject: str, content: str, evidence: str, kept: str
) -> None:
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
def test_who_is_named_already_in_whatever_word_is_not_named_twice(
    subject: str | None, content: str, evidence: str
) -> None:
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
