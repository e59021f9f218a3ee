# ruff: noqa: RUF001 - people speak many languages
"""Finds the words of the assistant that a person confirms. Pure."""

import re
import unicodedata
from collections.abc import Sequence

from recollect.model import Message, Role
from recollect.text.lexical.letters import ends_asking, last_question
from recollect.text.patterns import anchored, bounded

_MOST_WORDS, _LONGEST_YES = 12, 120
_LONGEST = 600
_NEAR_END = 200
"""Characters at the end of an answer within which its last question begins."""
_ONLY_ASKS = 40
"""Characters of a question that only asks whether the text before it is right."""
_YES = anchored(
    r"[\W_]{0,20}(?:(?:oh|ah|ach|haha|well|ok(?:ay)?|bueno|ну|啊|嗯)[ ,.!…，。]+){0,2}"
    r"(?:(?:yes|yeah|yep|yup|ja|jep|jo|genau|oui|ouais|sí|si|sim|sì|da|да|tak|evet|haan?|نعم|أجل|ايوه|صحيح|بالضبط|exactly|correct|right|true|precisely|indeed|absolutely|stimmt|richtig|korrekt|exactement|exact"
    r"|c'est (?:ça|exact|vrai|juste)|tout à fait|exacto|exactamente|correcto|así es|eso es|esatto|esattamente|giusto|exato|exatamente|isso(?: mesmo)?|certo|dokładnie|zgadza się|doğru|aynen|верно|точно|sahi|bilkul"
    r"|that(?:'s| is) (?:right|correct|true|it|me)|you(?:'re| are) right|(?:das )?stimmt|das bin ich|so ist es|spot on)(?!\w)"
    r"|是的|是啊|没错|沒錯|对的?(?=[，。,!！]|$)|正确|就是|はい|うん|そうです|その通り|そう(?=[、。]|$)|네(?=[,. !]|$)|예(?=[,. !]|$)|응(?=[,. !]|$)|맞아|맞습니다|그렇습니다)",
    re.IGNORECASE,
)
"""The beginnings of a confirmation: a closed class of each language."""
_NO = anchored(
    r"[\W_]{0,20}(?:(?:no|nope|not|never|none|nein|nicht|nee|nie|niemals|non|pas|jamais|ni|nunca|não|nem|mai|neanche|żadn\w*|hayır|değil|yok|nahi|nahin|нет|не|ни|لا|ليس|مش|wrong|falsch|faux|falso|thanks?|danke|merci|gracias|grazie)(?!\w)"
    r"|不|没(?!错)|非|いいえ|いや|違|ちが|아니|谢|ありがとう|감사)",
    re.IGNORECASE,
)
"""The beginnings of no confirmation, however short."""
_SHORT = 3
"""Words that confirm in any language, unless they deny."""
_HUM = anchored(r"[\W_]{0,20}[aeiou\u00e4\u00f6\u00fc]{0,2}[hm\u0445\u043c]{1,20}[\W_]{0,20}$", re.IGNORECASE)
"""A sound of h and m, with a vowel or two before them. "Oo", "joo", "opo" are yeses somewhere."""
_SENTENCE_END = bounded("[.!?\u2026\n\u3002\uff01\uff1f\u061f]+")
_WORD = bounded(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|\w+")


def confirmed_words(authored: str, history: Sequence[Message]) -> str:
    """Return the assistant's last words, where the person's own words open with a yes, or are hardly a word.

    The answer has to be short or to hold a question near its end: "ok" to a long proposal confirms nothing about the person. Of
    a long one only the last 600 characters of the paragraph with the question are confirmed; and the text before it, if the
    question is a mere "is that right?". The model decides whether the yes answers the part that it quotes.
    """
    if not history or history[-1].role is not Role.ASSISTANT or not _is_yes(authored):
        return ""
    said = history[-1].text.strip()
    return said if len(said) <= _LONGEST else _question_in(said)


def _opens_with_yes(text: str) -> bool:
    return bool(_YES.match(_normalized(text)))


def is_hum(text: str) -> bool:
    """Return True for a sound such as "hm" or "mhm", which confirms nothing."""
    return bool(_HUM.match(text)) and not _opens_with_yes(text)


def is_no(text: str) -> bool:
    """Return True for a no, or thanks, with nothing behind it."""
    plain = _normalized(text)
    found = _NO.match(plain)
    return found is not None and not any(map(str.isalnum, plain[found.end() :]))


def _normalized(text: str) -> str:
    return text.replace("\u2019", "'")


def _question_in(said: str) -> str:
    """Return the words that lead up to the last question near the end; else ""."""
    tail = said[-_NEAR_END:]
    last = last_question(tail)
    if last < 0:
        return ""
    asked = said[: len(said) - len(tail) + last + 1]
    paragraph = asked.rpartition("\n\n")[2].strip()
    return (paragraph if len(paragraph) >= _ONLY_ASKS else asked.strip())[-_LONGEST:]


def _is_yes(authored: str) -> bool:
    plain = unicodedata.normalize("NFC", authored[: 2 * _LONGEST]).replace("\u2019", "'").strip()
    end = _SENTENCE_END.search(plain)
    first, rest = (plain[: end.start()], plain[end.end() :]) if end else (plain, "")
    if ends_asking(first + end[0][:1] if end else first):
        return False
    words = len(_WORD.findall(first)) if len(first) <= _LONGEST_YES else _MOST_WORDS + 1
    return (_opens_with_yes(first) and words <= _MOST_WORDS) or (
        0 < words <= _SHORT and not rest and not _NO.match(first) and not is_hum(first)
    )
