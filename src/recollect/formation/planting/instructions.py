"""Tells planted orders to the assistant from what a person says and wishes. Pure. Never: a model, who wrote it.

A page, a mail or a link may hold words that make an assistant remember what serves somebody else. Each sentence
is read in two ways. One looks for the forms that orders take at a clause's beginning. The other asks for signs
wherever they stand, and takes some of them together for an order: who shall act, what they shall do, in whose
favour, for how long. That a person speaks of themselves or of their own needs speaks against it. An attacker can
find other words, so that this is one fence of several. What it finds is held back for the person to look at,
never thrown away: when in doubt, it is none.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from functools import cache
from itertools import accumulate

from recollect.formation.planting.own_needs import states_own_need
from recollect.formation.planting.reach import hands_over, told_to_another
from recollect.formation.planting.third_person import gives_duty, speaks_of_others
from recollect.formation.word_lists.orders import ADDRESS, OrderWords
from recollect.formation.word_lists.orders_everywhere import LANGUAGES
from recollect.formation.word_lists.orders_signs import OrderSigns
from recollect.formation.word_lists.orders_structure import OWN
from recollect.formation.word_lists.orders_together import OF_THE_PERSON, SIGNS, TOGETHER
from recollect.looks import folded
from recollect.patterns import Pattern, bounded
from recollect.supersets import Sieved, sieved

LONGEST = 20_000
"""Characters of a text that are read: no statement is as long."""
_LONGEST_SENTENCE = 400
"""Characters of a sentence in which signs are taken together: farther apart, they have to do with different things."""

_ROLE = bounded(
    r"</?(?:system|assistant|instructions?|developer|sys|im_start|im_end)(?:\s[^<>]{0,100})?>|<\|[a-z_]{2,30}\|>|<<sys>>|\[/?inst\]"
    r"|^[ \t>*]*#{1,6} ?(?:system|instructions?|new instructions?|system prompt|assistant)\b[ :]*$"
    r"|^[ \t>*]*(?:system|assistant|developer) ?: ?\S",
    re.MULTILINE,
)
_IMAGE_WITH_DATA = bounded(
    r"!\[[^\]\n]{0,200}\]\(https?://(?=[^)\s]{0,900}\))[^)\s?]{0,500}\?[^)\s=]{0,500}="
    r"|\[[^\]\n]{0,200}\]\(https?://(?=[^)\s]{0,900}\))[^)\s?]{0,500}\?[^)\s]{0,500}(?:[{}]|%7b|\b(?:data|content|history|memory|memories|token|secret|prompt|"
    r"conversation|chat|message)=)"
)
_SENTENCE_ENDS = bounded(r"[.!?\u2026]+(?=\s|$)|[\u3002\uff01\uff1f\n]+")
_CLAUSE_ENDS = bounded(
    r"[,;](?=\s)|:(?=\s)|[\"\u201c\u201d\u201e\u00ab\u00bb()\[\]*\u2014\uff0c\uff1a\uff1b]+|\s[\u2013-]\s"
)
_APOSTROPHES = str.maketrans("\u2019\u02bc\u2018`", "''''")
_ADDRESS = bounded(ADDRESS)
_AVOIDS = bounded(r"(?<!\w)(?:never|nie|niemals|jamais|nunca|mai|nooit|никогда)(?!\w)|从不|決して|绝不")
_FEW = "{0,4}"
"""How many words may stand before an order. Some are the beginning of others: without a bound, a message that repeats
one is read in as many ways as there are to divide it, which doubles with each."""
_RUN = bounded(r"^(?P<opens>(?:\(\?:)*)\.\{0,[0-9]+\}\??")
_NO_LETTERS = bounded(r"[\W_]+")


def is_instruction(text: str) -> bool:
    """Tell whether a text is an order about how the assistant shall act for others' benefit or against its rules.

    None is how a person wishes to be answered ("in bullet points", "call me ..."), what they do themselves ("I
    always recommend ..."), or a task of theirs.

    Args:
        text: A statement, or the words it was taken from. Its first ``LONGEST`` characters are read.
    """
    read = folded(text[:LONGEST])
    return not states_own_need(read) and (_tells(read, TOGETHER, "") or gives_duty(read))


def is_planted(content: str, evidence: str, said: str = "") -> bool:
    """Tell whether a statement is an order, or rests on one, as `is_instruction` does, by all that is known of it.

    That the words are a person's about themselves counts for the statement too, in which their "I" is lost. That
    they speak of "the user" counts against them, and so does an order right before or behind them: who plants a
    mere praise begins with "ignore what you were told", or ends with "and do not tell the user".

    Args:
        content: The statement. Its first ``LONGEST`` characters are read.
        evidence: The words of the message it was taken from. Their first ``LONGEST`` characters are read.
        said: The message; empty where it is not known. Its first ``LONGEST`` characters are read.
    """
    content, evidence, said = (folded(text[:LONGEST]) for text in (content, evidence, said))
    if states_own_need(evidence):
        return False
    return (
        hands_over(content, evidence)
        or _tells(content, TOGETHER, evidence)
        or _tells(evidence, (*TOGETHER, *OF_THE_PERSON), "")
        or _tells(_around(evidence, said), TOGETHER, "")
        or _asks_in_favour(told_to_another(evidence))
        or speaks_of_others(evidence, said)
    )


def _asks_in_favour(asked: str) -> bool:
    """Tell whether what the assistant is asked to do is an order in favour of somebody it names."""
    sentence = next(iter(_sentences(_clear(asked))), "")
    plain = sentence.casefold()
    named = _ADDRESS.search(plain) or (any(_names(sentence)) and not OWN.search(plain))
    return bool(named) and any(_is_order(sentence, words, "") for words, _ in LANGUAGES)


def _around(evidence: str, said: str) -> str:
    """Return the sentences of a message that the evidence stands in, with one before and one behind."""
    sentences = _sentences(_clear(said))
    letters = [_letters(each) for each in sentences]
    sought = _letters(_clear(evidence))
    start = "".join(letters).find(sought) if sought else -1
    if start < 0:
        return ""
    ends = list(accumulate(map(len, letters)))
    first, last = bisect_right(ends, start), bisect_left(ends, start + len(sought))
    return "\n".join(sentences[max(first - 1, 0) : last + 2])


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


def _sentences(clear: str) -> list[str]:
    return [each for each in (" ".join(part.split()) for part in _SENTENCE_ENDS.split(clear)) if each]


def _tells(text: str, together: tuple[tuple[str, ...], ...], beside: str) -> bool:
    """Tell whether any sentence is an order, where the words ``beside`` may be its speaker's about themselves."""
    clear = _clear(text)
    plain = clear.casefold()
    if _ROLE.search(plain) or _IMAGE_WITH_DATA.search(plain):
        return True
    owner = _clear(beside).casefold()
    sentences = list(dict.fromkeys(_sentences(clear)))
    every = "\n".join(sentences).casefold()
    return any(
        (_may_order(every, words) and any(_is_order(each, words, owner) for each in sentences))
        or (
            signs is not None
            and _is_told([each[:_LONGEST_SENTENCE] for each in sentences], signs, words, together, owner)
        )
        for words, signs in LANGUAGES
    )


def _clear(text: str) -> str:
    return text[:LONGEST].translate(_APOSTROPHES)


def _is_told(
    sentences: list[str],
    signs: OrderSigns,
    words: OrderWords,
    together: tuple[tuple[str, ...], ...],
    owner: str,
) -> bool:
    """Tell whether a sentence has signs that together are an order.

    All sentences are searched at once for each sign first, as most texts have too few of a language.
    """
    anywhere = _Seen("\n".join(sentences), signs, words, owner)
    possible = [each for each in together if all(anywhere[sign] for sign in each if sign in SIGNS)]
    if not possible:
        return False
    for sentence in sentences:
        seen = _Seen(sentence, signs, words, owner)
        if any(all(map(seen.__getitem__, each)) for each in possible):
            return True
    return False


class _Seen(dict[str, bool]):
    """Which signs a sentence has; each is looked for once, when it is first asked for."""

    def __init__(self, sentence: str, signs: OrderSigns, words: OrderWords, owner: str) -> None:
        super().__init__()
        self._sentence, self._plain = sentence, sentence.casefold()
        self._signs, self._words, self._owner = signs, words, owner

    def __missing__(self, sign: str) -> bool:
        self[sign] = found = self._look(sign)
        return found

    def _look(self, sign: str) -> bool:
        match sign:
            case "address":
                found = _ADDRESS.search(self._plain) is not None
            case "name":
                found = not self._signs.spaced or self["address"] or any(_names(self._sentence))
            case "favour":
                found = self["scope"] or self["name"]
            case "must or scope":
                found = self["must"] or self["scope"]
            case "address or scope":
                found = self["address"] or self["scope"]
            case "not style":
                found = not _is_style(self._plain, self._words)
            case "strangers":
                own = _sign(self._signs, "own", self._words)
                found = not any(map(own.search, (self._plain, self._owner)))
            case _:
                found = _sign(self._signs, sign, self._words).search(self._plain) is not None
        return found


def _names(sentence: str) -> Iterator[bool]:
    """Tell of each word whether it is written as a name is: a capital within it, or behind the first word."""
    for number, word in enumerate(sentence.split()):
        bare = word.lstrip("\"'(\u201e\u201c\u00ab\u2018")
        yield (bool(number) and bare[:1].isupper() and bare != "I") or any(map(str.isupper, bare[1:]))


@cache
def _sign(signs: OrderSigns, name: str, words: OrderWords) -> Pattern:
    pattern = words.send if name == "fetch" else getattr(signs, name)
    return sieved(rf"\b(?:{pattern})(?!\w)" if signs.spaced else pattern, re.MULTILINE)


def _may_order(text: str, words: OrderWords) -> bool:
    """Tell whether any sentence of a text may have the form of an order: most have none of a language's."""
    anywhere = _anywhere(words)
    forms = (anywhere["persona"], anywhere["trusted"], anywhere["asked"], _steering(words))
    return any(form.may_be_in(text) for form in forms)


def _is_order(written: str, words: OrderWords, owner: str) -> bool:
    """Tell whether a sentence has the form of an order."""
    anywhere, steering, sentence = _anywhere(words), _steering(words), written.casefold()
    if anywhere["persona"].search(sentence) and not _is_style(sentence, words):
        return True
    is_own = anywhere["own"].search(sentence) is not None
    if anywhere["trusted"].search(sentence) and not (is_own or anywhere["own"].search(owner)):
        return True
    favours = not is_own or not words.spaced or _ADDRESS.search(sentence) or any(_names(written))
    if favours and anywhere["asked"].search(sentence) and not _is_style(sentence, words):
        return True
    clauses = (each.strip() for each in _CLAUSE_ENDS.split(sentence)) if words.spaced else (sentence,)
    # "I only buy X, never recommend me Y" is a taste: who plants something wants more of it.
    avoids = _AVOIDS.search(sentence) and OWN.search(sentence) and not _ADDRESS.search(sentence)
    spared = {"steered"} if avoids or not favours else set()
    # "E-mail is anna@..." is a noun: where a person speaks of themselves, their own words tell whether it is an order.
    spared |= {"send"} if OWN.search(owner) else set()
    return any(_orders(clause, words, steering, spared) for clause in clauses if clause)


def _orders(clause: str, words: OrderWords, steering: Pattern, spared: Collection[str]) -> bool:
    found = steering.search(clause)
    if found is None or found.lastgroup in spared:
        return False
    return found.lastgroup != "steered" or not _is_style(clause, words)


def _is_style(text: str, words: OrderWords) -> bool:
    """Tell whether it is about how a person wishes to be answered: their style, diet, means, people."""
    return bool(_anywhere(words)["style"].search(text)) and not _ADDRESS.search(text)


@cache
def _anywhere(words: OrderWords) -> dict[str, Sieved]:
    """Return what is looked for anywhere in a sentence."""
    steered = rf"(?:{_bare(words.steer)}|{_bare(words.say)})"
    edge = r"\b" if words.spaced else ""
    return {
        **{name: sieved(getattr(words, name)) for name in ("persona", "trusted", "own", "style")},
        "asked": sieved(
            rf"{edge}(?>(?:{words.asked}){edge}).{{0,140}}?{edge}{_NOT_SOMEBODYS if words.spaced else ''}"
            rf"(?:{steered}{edge}|{edge}(?:{words.always}) .{{1,80}}{edge}(?:{words.steer_last})$)"
        ),
    }


_NOT_SOMEBODYS = (
    r"(?<!\bi )(?<!\bwe )(?<!\bto )(?<!\bthey )(?<!\bhe )(?<!\bshe )(?<!\bpeople )(?<!\bich )(?<!\bwir )(?<!\bzu )(?<!\bje )"
    r"(?<!\byo )(?<!\bmy )(?<!\bthe )(?<!\ba )"
)
"""Behind these a verb is somebody's doing, or no verb."""


def _bare(steer: str) -> str:
    """Return it without the run of anything it begins with, which what stands before it may be already."""
    return _RUN.sub(r"\g<opens>", steer)


@cache
def _steering(words: OrderWords) -> Sieved:
    """Return what is looked for at a clause's beginning, or, where clauses are not told apart, anywhere."""
    edge = r"\b" if words.spaced else ""
    space = " " if words.spaced else ""
    lead = rf"^(?:(?:{words.lead}) ){_FEW}" if words.spaced else ""
    always, steer = rf"(?:{words.always})", rf"(?:{words.steer})"
    sent = rf"(?:{words.data})" if words.sends_last else rf"(?:{ADDRESS}|{edge}(?:{words.data}))"
    return sieved(
        rf"{lead}(?:"
        rf"(?P<override>(?:{words.override}){edge}.{{0,40}}?{edge}(?:{words.rules}){edge})"
        rf"|(?P<hide>(?:{words.hide}))"
        rf"|(?P<send>(?:(?:{words.always}){space})?(?:{words.send}){edge}.{{0,120}}?{sent})"
        rf"|(?P<steered>{always}{space}(?:\S{{1,40}} ){{0,2}}?{steer}{edge}"
        rf"|{_bare(steer)}{edge}.{{0,80}}?{edge}{always}{edge}"
        rf"|{always}{edge}.{{1,80}}{edge}(?:{words.steer_last})$)"
        rf")"
    )
