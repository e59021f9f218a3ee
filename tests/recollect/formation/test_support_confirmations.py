"""A yes confirms what can be answered by yes, of the person; it picks nothing out of several."""

from tests.recollect.formation.probing import Probe, judged, probes
from tests.tables import table

from recollect.formation.verification import Believed

OPEN = probes(
    """
    Do you rent the flat or do you own it? | yes | Owns the flat | do you own it
    Is your cat a male or a female? | yep | The cat is a male | Is your cat a male
    Where do you work, at the hospital? | yes thanks | Works at the hospital | at the hospital
    Which bike do you ride? | yes | Rides a bike | Which bike do you ride
    Wohnst du in Kiel oder in Lübeck? | ja | Wohnt in Kiel | Wohnst du in Kiel
    Welches Instrument spielst du? | ja | Spielt ein Instrument | Instrument spielst du
    Vous êtes locataire ou propriétaire ? | oui | Est locataire | Vous êtes locataire
    Quel sport pratiques-tu ? | oui | Pratique un sport | sport pratiques-tu
    ¿Vives en Cádiz o en Jerez? | sí | Vive en Jerez | en Jerez
    ¿Qué instrumento tocas? | sí | Toca un instrumento | instrumento tocas
    Abiti a Pisa o a Lucca? | sì | Abita a Pisa | Abiti a Pisa
    Você mora em Faro ou em Tavira? | sim | Mora em Faro | Você mora em Faro
    Heb je een hond of een kat? | ja | Heeft een hond | Heb je een hond
    Mieszkasz w Łodzi czy w Radomiu? | tak | Mieszka w Łodzi | Mieszkasz w Łodzi
    Вы живёте в Омске или в Томске? | да | Живёт в Омске | Вы живёте в Омске
    你住在苏州还是无锡？ | 是的 | 住在苏州 | 你住在苏州
    犬派ですか、それとも猫派ですか？ | はい | 犬派である | 犬派ですか
    """
)
CLOSED = probes(
    """
    So you rent the flat? | yes | Rents the flat | you rent the flat
    Do you have any brothers or sisters at all? I think you said two brothers. | yes, two brothers | Has two brothers | two brothers
    You're a nurse who works nights, right? | exactly | Is a nurse and works nights | You're a nurse who works nights
    Did you say that you play the oboe? | yep | Plays the oboe | you play the oboe
    Wohnst du in Kiel? | ja genau | Wohnt in Kiel | Wohnst du in Kiel
    Du spielst also Fagott, wenn ich mich richtig erinnere? | ja | Spielt Fagott | Du spielst also Fagott
    Vous êtes donc locataire ? | oui | Est locataire | Vous êtes donc locataire
    Tu pratiques l'aviron ? | oui tout à fait | Pratique l'aviron | Tu pratiques l'aviron
    ¿Vives en Cádiz? | sí | Vive en Cádiz | Vives en Cádiz
    ¿Así que tocas la tuba? | exacto | Toca la tuba | tocas la tuba
    Abiti a Pisa? | sì | Abita a Pisa | Abiti a Pisa
    Você mora em Faro? | sim | Mora em Faro | Você mora em Faro
    Heb je een hond? | ja | Heeft een hond | Heb je een hond
    Mieszkasz w Łodzi? | tak | Mieszka w Łodzi | Mieszkasz w Łodzi
    Вы живёте в Омске? | да | Живёт в Омске | Вы живёте в Омске
    你住在苏州，对吗？ | 是的 | 住在苏州 | 你住在苏州
    猫を二匹飼っているんですね？ | はい | 猫を二匹飼っている | 猫を二匹飼っている
    """
)


@table("probe", OPEN)
def test_a_yes_to_what_is_no_question_of_yes_and_no_confirms_nothing(probe: Probe) -> None:
    assistant, said, content, evidence = probe

    assert not isinstance(judged(said, content, evidence, assistant=assistant), Believed)


@table("probe", CLOSED)
def test_a_yes_to_a_question_of_the_person_confirms_it(probe: Probe) -> None:
    assistant, said, content, evidence = probe

    assert isinstance(judged(said, content, evidence, assistant=assistant), Believed)
