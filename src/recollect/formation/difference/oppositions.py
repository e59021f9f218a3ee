"""What speaks against two statements being one: denials, and words that exclude each other. Pure. Never: a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from recollect.formation.word_lists.oppositions import ONLY, OPPOSITIONS
from recollect.formation.wording import Word, wording
from recollect.lexical.folding import fold
from recollect.patterns import Pattern, bounded
from recollect.supersets import sieved

_DENYING = """
    no not never none nobody nothing without cannot nor neither nowhere dont doesnt didnt cant couldnt wont isnt
    arent wasnt hasnt havent hadnt wouldnt shouldnt
    nicht nichts nie niemals nimmer ohne weder kein keine keinen keinem keiner keines
    pas jamais sans aucun aucune nunca jamas sin ningun ninguno ninguna nadie tampoco nao sem nem nenhum nenhuma
    non senza nessun nessuno nessuna niet geen nooit zonder inte aldrig ingen inget inga utan ikke
    ei eivat nem nincs soha nu niciodata fara degil yok hayir nie nigdy bez
    не нет никогда без ни δεν οχι χωρις لا ليس لم لن بدون לא אין בלי नहीं không chẳng
    """
_DENIALS = frozenset(_DENYING.split())
_FRENCH_DENIALS = frozenset({"n", "ne", "rien", "personne"})
_ITALIAN_DENIALS = frozenset({"mai"})
_BEHIND = "nicht nichts nie niemals nimmer niet nooit inte aldrig ikke degil yok नहीं لا не нет никогда"
_WHOLE_CLAUSE = frozenset(_BEHIND.split())
"""Denials that may stand behind what they deny."""
_WITHOUT = frozenset("without ohne sans sin sem senza zonder utan fara bez без χωρις".split())  # noqa: SIM905 - words
"""Denials of what follows alone, be that but a pronoun."""
_UNSPACED = "\u2e80"
_UNSPACED_DENIAL = bounded(
    "不(?![错錯过過管仅僅但])|[没沒無无]|未(?![来來])|(?<![特区區性级級分个個])[别別](?![人的墅])"
    "|(?<![少危])ない|なく|ません|ず(?=[にっ]|$)|않|(?:^| )안 |못|없|ไม่|ບໍ່|មិន"
)
_AVERSIONS = bounded(
    r"\b(?:allerg|intoleran|avoid|dislik|hate|hating|detest|loath|refus|quit|stopped|gave up|given up|vegan|vegetari"
    r"|meide|vermeide|hass|unvertr|aufgehort|deteste|evite|arrete|horreur|horrip|repugn|asco|aborrec|ekl|widerlich|detest|odia|evita|dejo de|dejado de|odeia|parou"
    r"|smesso|schif|ненавид|терпеть|вынос|против|избега|бросил|аллерг|непереносим)|過敏|过敏|アレルギー|嫌い|苦手|讨厌|討厭|避け|やめ|戒"
)

_TASTES = (
    r"likes?|loves?|enjoys?|mag|liebt|mochte|aime|adore|gusta|encanta|ama|adora|gosta|любит|нравится|喜欢|喜歡|好き",
    r"dislikes?|hates?|detests?|loathes?|hasst|verabscheut|deteste|hait|odia|odeia|ненавидит|讨厌|討厭|嫌い",
)
"""Who does not like something dislikes it: two denials are none."""


def _member(words: str) -> Pattern:
    parts = words.split("|")
    spaced = "|".join(part for part in parts if max(part, default="") < _UNSPACED)
    unspaced = "|".join(part for part in parts if max(part, default="") >= _UNSPACED)
    pattern = rf"\b(?:{spaced})\b" if spaced else ""
    return sieved("|".join(part for part in (pattern, unspaced) if part))


_ONLY = _member(ONLY)
_SETS = tuple(tuple(_member(words) for words in group) for group in (_TASTES, *OPPOSITIONS))


@dataclass(frozen=True, slots=True)
class Polarity:
    """What a statement denies and affirms.

    Attributes:
        denied: The stems of what it denies.
        affirmed: The stems of the rest.
        denies: Whether it denies anything.
        is_averse: Whether a word in it says that something is avoided or not borne.
        denies_aversion: Whether it denies that.
    """

    denied: frozenset[str]
    affirmed: frozenset[str]
    denies: bool
    is_averse: bool
    denies_aversion: bool


def excluding_words(new: str, known: str) -> tuple[str, str] | None:
    """Return the words by which two texts exclude each other, as left and right do; None if none do."""
    start = (
        polarity(new).denies != polarity(known).denies
    )  # then the first, tastes, say the same by two words
    for members_new, members_known in zip(
        _memberships(new)[start:], _memberships(known)[start:], strict=True
    ):
        if members_new and members_known and not members_new.keys() & members_known.keys():
            return next(iter(members_new.values())), next(iter(members_known.values()))
    return None


def denied_words(new: str, known: str) -> frozenset[str]:
    """Return the stems of what one of two texts denies and the other affirms.

    To be allergic to something and not to eat it go together: an aversion in one excuses a denial in the other.
    """
    one, other = polarity(new), polarity(known)
    if one.denies != other.denies:
        denying, plain = (one, other) if one.denies else (other, one)
        if plain.is_averse and not denying.denies_aversion:
            return frozenset()
    return ((one.denied & other.affirmed) - other.denied - one.affirmed) | (
        (other.denied & one.affirmed) - one.denied - other.affirmed
    )


def limits(text: str) -> bool:
    """Tell whether ``text`` says that it is so only of this."""
    return _ONLY.search(fold(wording(text).text)) is not None


@lru_cache(4_096)
def _memberships(text: str) -> tuple[dict[int, str], ...]:
    said = fold(wording(text).text)
    found: list[dict[int, str]] = []
    for members in _SETS:
        matches = ((number, member.search(said)) for number, member in enumerate(members))
        found.append({number: match[0] for number, match in matches if match})
    return tuple(found)


@lru_cache(4_096)
def polarity(text: str) -> Polarity:
    """Return what ``text`` denies and affirms, clause by clause."""
    said = wording(text)
    denied: set[str] = set()
    affirmed: set[str] = set()
    denies = False
    refused: list[str] = []
    for _, clause in groupby(said.words, key=lambda word: word.clause):
        words = list(clause)
        start = _denial(words, said.language)
        denies |= start is not None
        for number, word in enumerate(words):
            is_denied = start is not None and number >= start
            (denied if is_denied else affirmed).update(word.stems)
            refused += [word.plain] * is_denied
    return Polarity(
        frozenset(denied),
        frozenset(affirmed),
        denies,
        is_averse=_AVERSIONS.search(fold(said.text)) is not None,
        denies_aversion=_AVERSIONS.search(" ".join(refused)) is not None,
    )


def _denial(words: Sequence[Word], language: str) -> int | None:
    """Return from which word on a clause is denied; None where it is not."""
    for number, word in enumerate(words):
        if word.plain.endswith("n't") or _denies(word.plain, language):
            has_more = any(later.stems for later in words[number + 1 :])
            is_of_rest = word.plain in _WITHOUT or (has_more and word.plain not in _WHOLE_CLAUSE)
            return number if is_of_rest else 0
    unspaced = "".join(f"{word.text} " if word.is_hangul else word.text for word in words if word.is_unspaced)
    return 0 if unspaced and _UNSPACED_DENIAL.search(unspaced) else None


def _denies(word: str, language: str) -> bool:
    if word in _DENIALS:
        return not (word == "no" and language == "portuguese")
    return (language == "french" and word in _FRENCH_DENIALS) or (
        language == "italian" and word in _ITALIAN_DENIALS
    )
