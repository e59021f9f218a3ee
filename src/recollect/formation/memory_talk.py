"""Reads wishes to the memory by their build: an order and the mind it speaks of, one thing in place of another. Pure.

What is taken *out of* your memory is to be forgotten and what is kept *in* mind to be remembered, whatever the verb; an order that
is misspelt is still one, as its end and its first letter tell it from the verb's other forms. Never: what is known.
"""

import re
from itertools import islice

from rapidfuzz.distance import OSA

from recollect.formation.word_lists.wishes_structure import (
    AND,
    ASKS_HOW,
    DELETES,
    DROP,
    FIRST_PERSON,
    FOR_MEMORY,
    IMPERATIVES,
    KEEPS,
    MAKE_IT,
    NOT_THIS_BUT_THAT,
    QUOTED,
    REMEMBER_LAST,
    REMEMBER_OTHERWISE,
    REMOVAL,
    REMOVAL_UNSPACED,
    SEVERAL,
    SPECIFIC,
    SUBJECT_FIRST,
    TAKES_BACK,
)
from recollect.patterns import bounded

_LONGEST_CORRECTION = 80
_LONGEST_WORD = 20
_LONG = 8
_SHORT_REPAIR = 5
_WORD = bounded(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)?")
_WORDS_LOOKED_AT = 6
_PARTS = bounded(
    r"(?:(?:can|could|would|will) you|(?:kannst|könntest|würdest|magst) du|(?:können|könnten|würden) sie|(?:tu )?(?:peux|pourrais)(?:-tu)?|(?:puedes|podrías|puoi|potresti|pode|poderia|kun je|можешь)"
    r"|please|bitte|stp|por favor|per favore|пожалуйста)[ ]",
    re.IGNORECASE,
)
_THAT = bounded(r"^(?:that|dass|que|qu['\u2019]|che|dat|что|,|:)[ ]*", re.IGNORECASE)


def mended(sentence: str) -> str:
    """Return a sentence whose order to remember or forget, among its first words, is spelt right.

    Other forms of a verb end otherwise, while slips of the pen stand anywhere: the first letter and the last two have
    to be right, and one letter more may be wrong, missing or swapped, two in a long word (Damerau, 1964).
    """
    for found in islice(_WORD.finditer(sentence), _WORDS_LOOKED_AT):
        word = found[0].casefold()
        if len(word) > _LONGEST_WORD or word in IMPERATIVES:
            continue
        for right in IMPERATIVES:
            wrong = 2 if len(right) >= _LONG else 1
            if (
                right[0] == word[0]
                and right[-1 if len(right) >= _LONG else -2 :] == word[-1 if len(right) >= _LONG else -2 :]
                and len(right) - len(word) in range(-1, wrong + 1)
                and (len(right) > _SHORT or sentence[found.end() :].startswith(_SELF))
                and OSA.distance(right, word, score_cutoff=wrong) <= wrong
            ):
                return sentence[: found.start()] + right + sentence[found.end() :]
    return sentence


_SHORT = 5
_SELF = (" dir", " sich")


def to_forget(sentence: str) -> str:
    """Return what a sentence wants taken out of the memory; "" where it wants nothing of the sort."""
    unspaced = REMOVAL_UNSPACED.match(sentence)
    if unspaced:
        return unspaced["about"]
    unquoted = QUOTED.sub(lambda quoted: "\u00b7" * len(quoted[0]), sentence)
    found = REMOVAL.search(unquoted)
    if found is None or ASKS_HOW.search(sentence) or SUBJECT_FIRST.match(sentence):
        return ""
    deletes = DELETES.search(unquoted)
    # "Recite it from your memory" takes nothing away, and what is done to it behind an "and" is done elsewhere.
    if deletes is None or AND.search(sentence, found.end(), max(found.end(), deletes.start())):
        return ""
    # One takes something out of a memory to be rid of it, but from a memory to make use of it.
    if deletes[0].casefold() == "take" and not found[0].casefold().startswith("out"):
        return ""
    first, second = sorted((found.span(), deletes.span()))
    left = f"{sentence[: first[0]]} {sentence[first[1] : second[0]]} {sentence[second[1] :].lstrip(' ,:')}"
    left = _PARTS.sub(" ", f"{left} ")
    left = _THAT.sub("", " ".join(left.split()).strip(" ,:;?!."))
    return left if FIRST_PERSON.search(left) else ""


def to_remember(sentence: str) -> str:
    """Return what a sentence wants kept; "" where it wants nothing of the sort."""
    if last := REMEMBER_LAST.match(sentence):
        return last[last.lastgroup or 0]
    if SUBJECT_FIRST.match(sentence) or ASKS_HOW.match(sentence):
        return ""
    found = REMEMBER_OTHERWISE.match(sentence) or FOR_MEMORY.match(sentence) or KEEPS.match(sentence)
    return sentence[found.end() :].strip() if found else ""


def corrected(sentence: str) -> str:
    """Return what a sentence puts in the place of something; "" where it corrects nothing."""
    if took_back := TAKES_BACK.match(sentence):
        so = sentence[took_back.end() :].strip()
        is_short = len(so.split()) <= _SHORT_REPAIR and SPECIFIC.search(so)
        if took_back["soft"] is None or took_back["repaired"] or is_short:
            return so
    if len(sentence) > _LONGEST_CORRECTION:
        return ""
    if made := MAKE_IT.match(sentence):
        return made["so"]
    return sentence if NOT_THIS_BUT_THAT.fullmatch(sentence) else ""


def several(sentence: str) -> tuple[str, bool, bool]:
    """Return a sentence without "two things: ", whether it begins so with an order, and whether it says that they are for the memory."""
    announced = SEVERAL.match(sentence)
    if announced is None:
        return sentence, False, False
    wishes = sentence[announced.end() :]
    return wishes, SUBJECT_FIRST.match(wishes) is None, bool(announced["memory"])


def dropped(wish: str) -> str:
    """Return what is to go, of a wish that is for the memory; "" where nothing is."""
    found = DROP.match(wish)
    return wish[found.end() :].partition(",")[0].strip() if found else ""
