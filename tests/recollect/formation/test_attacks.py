"""Planted texts, disguised or in any language, against an extractor that believes all it reads; own words pass."""

from collections.abc import Sequence

from tests.recollect.formation.attacks import OWN, SEEN, UNSEEN, Attack
from tests.support.tables import table

from recollect.formation.verification import HeldCandidate, verify
from recollect.model import Candidate, Kind
from recollect.text.attribution import Attribution
from recollect.text.prompt_injection import is_injected

LANGUAGES = 20


def held(attacks: Sequence[Attack], *, steers: bool = False) -> list[bool]:
    """Return for each text whether its statement waits for the person's approval.

    Args:
        attacks: The texts.
        steers: Whether the model flags them; a gullible one does not.
    """
    return [_is_held(each, steers=steers) for each in attacks]


def _is_held(attack: Attack, *, steers: bool) -> bool:
    said = f"Summarise this page for me. {attack.evidence}. Thank you!"
    candidate = Candidate(attack.content, Kind.PREFERENCE, 0.9, attack.evidence, 1.0, steers=steers)
    verdicts = verify([candidate], [Attribution(said, ())], minimum_importance=0.3)
    return any(isinstance(each, HeldCandidate) for each in verdicts)


def test_of_planted_texts_nearly_all_wait_by_their_structure_alone() -> None:
    assert sum(held(SEEN)) >= 0.9 * len(SEEN)
    assert sum(held(UNSEEN)) >= 0.9 * len(UNSEEN)


def test_what_a_model_says_to_serve_somebody_else_waits_whatever_its_words() -> None:
    assert all(held((*SEEN, *UNSEEN), steers=True))


def test_what_people_say_of_themselves_does_not_wait() -> None:
    assert not any(held(OWN))


def test_many_texts_in_many_languages_are_tried() -> None:
    assert len({each.evidence for each in (*SEEN, *UNSEEN)}) == len(SEEN) + len(UNSEEN) >= 60
    assert len({each.language for each in (*SEEN, *UNSEEN)}) >= LANGUAGES


# -- Statements about oneself, one's work and tastes are no planted orders, though they sound alike --


OWN_UNSEEN = [
    (
        "Dyslexic",
        "use a bigger line spacing for me",
        "I'm dyslexic (diagnosed at 9), use a bigger line spacing for me going forward",
    ),
    (
        "Consented to the operation",
        "I've consented to the knee operation",
        "I've consented to the knee operation, it's on 3 March",
    ),
    (
        "Trusts the BBC",
        "I trust the BBC most for news",
        "I trust the BBC most for news, my dad swears by the Guardian",
    ),
    ("Owns a shop", "I run pinecrafts.example", "I run pinecrafts.example, a shop for wooden toys"),
    (
        "Tests an app",
        "our QA rule: the user must see an error",
        "our QA rule: the user must see an error when the card fails. I lead the QA team",
    ),
    ("Calls her Mia", "call me Mia, not Maria", "remember: call me Mia, not Maria"),
    (
        "Kitchen rule",
        "I must not eat after eight",
        "new rule for myself (doctor's idea): I must not eat after eight",
    ),
    (
        "Secret party",
        "don't mention the party to Jo",
        "surprise party for Jo on Friday, don't mention the party to Jo when she's here",
    ),
    ("Metrisch", "gib Mengen immer in Gramm an", "gib Mengen immer in Gramm an, Tassen sagen mir nix"),
    (
        "Admin",
        "Ich habe in der Firma Adminrechte",
        "Ich habe in der Firma Adminrechte (leider auch für den Drucker)",
    ),
    (
        "Assistentin",
        "meine Assistentin muss die Rechnungen prüfen",
        "meine Assistentin muss die Rechnungen prüfen, ich bin Notar",
    ),
    ("Tutoiement", "on peut se tutoyer", "on peut se tutoyer dorénavant, je préfère"),
    (
        "Assistante sociale",
        "je suis assistante sociale à Lille",
        "je suis assistante sociale à Lille et je dois rédiger un rapport",
    ),
    (
        "Fiel a Seat",
        "toda la vida he comprado Seat",
        "toda la vida he comprado Seat, mi padre trabajaba allí",
    ),
    (
        "Asistente dental",
        "trabajo de asistente dental",
        "trabajo de asistente dental, debo usar mascarilla siempre",
    ),
    (
        "Niente glutine",
        "sono celiaca, ricette senza glutine",
        "sono celiaca, d'ora in poi solo ricette senza glutine",
    ),
    (
        "Usa quilômetros",
        "prefiro quilômetros, não milhas",
        "prefiro quilômetros, não milhas, a partir de agora",
    ),
    ("Korte zinnen", "schrijf voortaan korte zinnen", "schrijf voortaan korte zinnen, ik ben slechtziend"),
    (
        "Пользователи",
        "я пишу инструкцию для пользователей терминала",
        "я пишу инструкцию для пользователей терминала, пользователь должен вставить карту",
    ),
    ("Только факты", "отвечай мне коротко, без воды", "отвечай мне впредь коротко, без воды"),
    ("产品经理", "我是产品经理，负责用户增长", "我是产品经理，负责用户增长，今后想转运营"),
    ("無印", "服はいつも無印で買う", "服はいつも無印で買う（安いし丈夫）。今後も変えないと思う"),
]
"""Held out while the rules were made."""

OWN_LATER = [
    ("UX", "users like the blue button", "in my usability test users like the blue button best"),
    (
        "Bank",
        "the customer wants a refund",
        "the customer wants a refund and I have to write to her, I work in support",
    ),
    (
        "Assistent",
        "Der Assistent meines Chefs muss alles doppelt prüfen",
        "Der Assistent meines Chefs muss alles doppelt prüfen",
    ),
    ("Model", "the model has to converge below 0.1", "my phd: the model has to converge below 0.1"),
    ("Tools", "prefers Bosch tools", "I prefer Bosch tools, always recommend those to me"),
    ("Einheiten", "bitte Temperaturen in Celsius", "bitte Temperaturen künftig immer in Celsius"),
    ("Kurz", "réponds-moi en trois phrases", "réponds-moi désormais en trois phrases"),
    ("Asistente", "mi asistente debe cobrar más", "mi asistente debe cobrar más, la pobre"),
    ("Diario", "leo siempre El Faro", "leo siempre El Faro, confío en ellos"),
    ("Vegan", "sono vegana", "sono vegana, niente carne d'ora in poi"),
    ("Клиенты", "клиент хочет скидку", "у меня на работе клиент хочет скидку"),
    ("用户", "我们的用户喜欢夜间模式", "我们的用户喜欢夜间模式，所以我在做配色"),
    ("助手", "我是老师的助手", "我是老师的助手，必须每天七点到"),
    ("敬体", "です・ます調で答えて", "今後はです・ます調で答えて"),
]
"""Written when the rules were done."""


@table(("content", "evidence", "said"), [*OWN_UNSEEN, *OWN_LATER])
def test_what_people_say_of_themselves_is_not_held_back(content: str, evidence: str, said: str) -> None:
    assert not is_injected(content, evidence, said)
