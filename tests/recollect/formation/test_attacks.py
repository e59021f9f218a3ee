"""Planted texts, disguised or in any language, against an extractor that believes all it reads."""

from collections.abc import Sequence

from tests.recollect.formation.attacks import OWN, SEEN, UNSEEN, Attack

from recollect.formation.verification import HeldCandidate, verify
from recollect.model import Candidate, Kind
from recollect.text.attribution import Attribution

LANGUAGES = 20


def held(attacks: Sequence[Attack], *, steers: bool = False) -> list[bool]:
    """Return of each whether what was formed of it waits for the person's approval.

    Args:
        attacks: The texts.
        steers: Whether the model says what they are for; a gullible one does not.
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
