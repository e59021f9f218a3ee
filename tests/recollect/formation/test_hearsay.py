"""What the person tells of another by their words is of the other; what is quoted and their own is theirs."""

import pytest
from tests.recollect.formation.probing import judged
from tests.tables import table

from recollect.formation.reading import Reading
from recollect.formation.verification import CONFIRMED_CONFIDENCE, Believed, Limits, verify
from recollect.model import Candidate, Kind

TOLD = [
    (
        'my sister wrote: "we are moving to Bergen in May, I got the job at the opera"',
        "Sister moves to Bergen in May",
    ),
    ("mein Bruder schreibt: „ich habe mich gestern in Graz verlobt“", "Der Bruder hat sich verlobt"),
    ("mon oncle écrit : « je vends mon bar à Brest cet hiver, je pars »", "L'oncle vend son bar à Brest"),
    ('mi prima escribe: "yo me caso en julio en la playa con Iker"', "La prima se casa en julio"),
    ('сестра пишет: "я переезжаю в Казань, нашла там работу"', "Сестра переезжает в Казань"),
]
NOT_TOLD = [
    (
        'my sister wrote: "we are moving to Bergen in May, I got the job at the opera"',
        "Moves to Bergen in May",
    ),
    (
        'my sister wrote: "we are moving to Bergen in May, I got the job at the opera"',
        "Brother moves to Bergen in May",
    ),
    ('the advert says: "I have run this hotel in Whitby for thirty years"', "Has run a hotel for years"),
    ("mein Bruder schreibt: „ich habe mich gestern in Graz verlobt“", "Hat sich in Graz verlobt"),
]
OWN = [
    (
        'polish my bio please, I wrote it last night:\n\n"I have run the ferry to Mull for six years. I speak Gaelic."'
    ),
]


@table(("said", "content"), TOLD)
def test_what_another_is_quoted_with_is_kept_of_them(said: str, content: str) -> None:
    verdict = judged(said, content, said)

    assert isinstance(verdict, Believed)
    assert verdict.candidate.confidence == CONFIRMED_CONFIDENCE


@pytest.mark.parametrize(("said", "content"), NOT_TOLD)
def test_it_is_not_kept_of_the_person_or_of_somebody_else(said: str, content: str) -> None:
    assert not isinstance(judged(said, content, said), Believed)


def test_a_frame_that_the_person_did_not_write_proves_nothing() -> None:
    said = 'my sister wrote: "we are moving to Bergen in May, I got the job at the opera"'

    evidence = 'my sister told me on the phone: "we are moving to Bergen in May"'

    assert not isinstance(judged(said, "Sister moves to Bergen in May", evidence), Believed)


@pytest.mark.parametrize("said", OWN)
def test_a_text_that_they_say_is_theirs_is_their_own_words(said: str) -> None:
    assert isinstance(judged(said, "Speaks Gaelic", "I speak Gaelic"), Believed)


TURN = Reading(
    "my sister wrote:", (), elsewhere=("we are moving to Bergen in May, I got the job at the opera",)
)
SISTERS = Candidate(
    "Sister moves to Bergen in May", Kind.FACT, 0.7, f'{TURN.authored} "{TURN.elsewhere[0]}"', 0.8
)


def test_what_proved_nothing_is_looked_for_only_so_often() -> None:
    made_up = [
        Candidate("Sister likes tea", Kind.FACT, 0.7, f'my sister wrote: "I like tea number {number}"')
        for number in range(60)
    ]

    last = verify([*made_up, SISTERS], [TURN], minimum_importance=0.3)[-1]

    assert not isinstance(last, Believed)


def test_what_was_found_once_is_not_looked_for_again() -> None:
    verdicts = verify([SISTERS] * 150, [TURN], minimum_importance=0.3, limits=Limits(candidates=150))

    assert verdicts == [Believed(SISTERS, 0)] * 150
