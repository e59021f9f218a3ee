"""Recognizes planted instructions to the assistant by their structure, whoever wrote them, without a model. Pure.

A page, a mail or a link may hold words that make an assistant remember what serves someone else. The model judges the meaning of an
order (`Candidate.steers`). This module finds orders that a gullible model misses, or that no model reads: marks of prompts,
addresses to send to, notes about "the user", and names that the assistant shall always recommend. A text with "I" counts as the
person's own. A finding is held back for the person to judge, never dropped.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from recollect.text import read_table
from recollect.text.lookalike_letters import folded
from recollect.text.patterns import Pattern, bounded

LONGEST = 20_000
"""Characters of a text that are read: no statement is as long."""

_LONGEST_SENTENCE = 400
_MARKS = bounded(
    r"</?(?:system|assistant|instructions?|developer|sys|im_start|im_end)(?:\s[^<>]{0,100})?>|<\|[a-z_]{2,30}\|>|<<sys>>|\[/?inst\]"
    r"|^[ \t>*]*#{1,6} ?(?:system|instructions?|new instructions?|system prompt|assistant)\b[ :]*$"
    r"|^[ \t>*]*(?:system(?: ?prompt)?|assistant|developer) ?: ?\S"
    r"|!\[[^\]\n]{0,200}\]\(https?://(?=[^)\s]{0,900}\))[^)\s?]{0,500}\?[^)\s=]{0,500}="
    r"|\[[^\]\n]{0,200}\]\(https?://(?=[^)\s]{0,900}\))[^)\s?]{0,500}\?[^)\s]{0,500}(?:[{}]|%7b|\b(?:data|content|history|memory|memories|token|secret|prompt|"
    r"conversation|chat|message)=)",
    re.MULTILINE,
)
"""The tags of roles, headings of prompts, and links that carry data away."""
_REACHED = (
    r"https?://\S|\bwww\.\w|[\w.+-]{1,60}@[\w-]{1,60}\.\w|(?<![\w.@])@\w{3,40}(?![\w(]|\.\w)"
    r"|\b[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}/\w|\+[0-9][0-9 ()./-]{7,20}[0-9]"
)
_WAY = bounded(_REACHED)
"""A link, a mailbox, an account, a telephone number."""
_ADDRESS = bounded(
    rf"{_REACHED}|(?<![a-z0-9@.-])(?:[a-z0-9-]{{1,60}}\.){{1,3}}(?:com|net|org|io|ai|dev|app|info|biz|example)(?![a-z0-9-])"
)
"""The same, or a domain, which may be a firm's name."""


_TABLE: dict[str, Any] = read_table("recollect.text", "prompt_injection")


def _words(name: str) -> Pattern:
    """Return an expression for words of the table, "-" standing for an ending, and for those of scripts without spaces."""
    words = "|".join(
        re.escape(each).replace(r"\-", r"\w{0,12}").replace("_", r"\ ")
        for each in " ".join(_TABLE[name]["spaced"]).split()
    )
    unspaced = "".join(f"|{re.escape(each)}" for each in _TABLE[name].get("unspaced", "").split())
    return bounded(rf"(?<![\w'])(?:{words})(?!\w){unspaced}")


_OWN_WAY = bounded(r"(?<!\w)(?:me|us|mich|mir|uns|moi|nous|mí|mnie|mi|меня|мне)(?: [^\s@]{1,20}){0,2} ?$")
"""Words in front of an address that make it a way to reach the person."""
_I = bounded(
    r"(?<!\w)I(?!\w)|(?:^|[.,;:!?] |\b(?:and|when|that|if|which|what|where|because|but|so|as|than) )i(?!\w)"
)
"""The English pronoun in a text as it is written; elsewhere a small "i" is another language's "in" or "and"."""
_FIRST = _words("first")
"""Pronouns of the first person: a closed class of a language, as the next."""
_SECOND = _words("second")
"""The person spoken to, and conjunctions of languages that leave this pronoun out in a request."""
_DESCRIBED = _words("described")
_USER = _words("user")
"""The person or the assistant, named as only a third would."""
WISHES = frozenset(_TABLE["wishes"].split())
"""Words after "the user" that turn a sentence into a request to the assistant."""
_SCOPE = _words("scope")
"""For how long, or in how many cases. The Turkish "her" comes with its noun: alone it is an English word, as "tou-" and "tod-" would be their stems."""
_FAVOUR = _words("favour")
"""To put someone forward, and nothing else."""
_STEER = _words("steer")
"""The same, and what may do that, as "add" and "say"."""
_RULES = _words("rules")
_ASIDE = _words("aside")
_CHAT = _words("chat")
_TALKS = _words("talks")
"""The person's chats with the assistant: a statement that has them and an address sends them there."""
_MEMORY = _words("memory")
_SENTENCE_END = bounded(
    r"[.!?\u2026]+[\"'\u201d\u00bb)\]}]*(?=\s|$)|[\u3002\uff01\uff1f\n\[\]{}\u3010\u3011\u3014\u3015()\uff08\uff09\u300a\u300b]+|<!--|-->|##+"
)
_APOSTROPHES = str.maketrans("\u2019\u02bc\u2018`", "''''")
_NO_LETTERS = bounded(r"[\W_]+")


def contains_takeover(text: str) -> bool:
    """Return whether the beginning of a message holds instructions that take over an assistant, so that none of it may be recalled.

    That is more than an order: marks of prompts, rules that are to be ignored, and a memory or a chat that is to go somewhere,
    or to put someone forward for good. A developer's "the user is never logged out" and a translator's text are neither.
    """
    read = _clear(text)
    return bool(_MARKS.search(read.casefold())) or any(_takes_over(each) for each in _sentences(read))


def is_instruction(text: str) -> bool:
    """Return whether the beginning of a statement instructs the assistant to act for others' benefit or against its rules.

    No instruction is how a person wishes to be answered ("in bullet points", "call me ..."), their own habits ("I always
    recommend ..."), or a task of theirs.
    """
    read = _clear(text)
    return bool(_MARKS.search(read.casefold())) or any(_orders(sentence) for sentence in _sentences(read))


def _takes_over(sentence: str) -> bool:
    plain = sentence.casefold()
    if _is_own(sentence):
        return False
    if _ASIDE.search(plain) and _RULES.search(plain):
        return True
    if _FAVOUR.search(plain) and _puts_forward(sentence):
        return True
    if not any(each.search(plain) for each in (_CHAT, _MEMORY)):
        return False
    steers = _STEER.search(plain) and _SCOPE.search(plain) and (_USER.search(plain) or any(_names(sentence)))
    return bool(_ADDRESS.search(plain) or steers)


def is_injected(content: str, evidence: str, said: str = "") -> bool:
    """Return whether a statement is an injected instruction, or rests on one, by its words, their evidence and the message, if known.

    That the words are a person's about themselves counts for the statement too, in which their "I" is lost. That they speak of
    "the user" counts against them, and so does an order right before or behind them: who plants a mere praise begins with
    "ignore your instructions", or ends with "and do not tell the user".
    """
    content, evidence = _clear(content), _clear(evidence)
    within, beside = _around(evidence, _clear(said))
    if _MARKS.search(content.casefold()) or any(map(is_instruction, (evidence, within, *beside))):
        return True
    if any(_WAY.search(each) and _TALKS.search(each) for each in (content.casefold(), evidence.casefold())):
        return True
    if _is_own(evidence) or _is_own(within):
        return any(_asks_for(each) for each in (evidence, content))
    return bool(
        _WAY.search(evidence.casefold())
        or _WAY.search(content.casefold())
        or _USER.search(evidence.casefold())
        or any(_orders(sentence) for sentence in _sentences(content))
    )


def _orders(sentence: str) -> bool:
    """Return whether a sentence alone asks for something in favour of others, without a speaker who means themselves."""
    plain = sentence.casefold()
    if _is_own(sentence):
        return _asks_for(sentence)
    if _ASIDE.search(plain) and _RULES.search(plain):
        return True
    beside_address = (_SCOPE, _CHAT, _MEMORY)
    if _ADDRESS.search(plain) and any(each.search(plain) for each in beside_address):
        return True
    if _orders_for_user(plain):
        return True
    return _puts_forward(sentence)


def _orders_for_user(plain: str) -> bool:
    """Return True if a sentence asks the assistant to act for the user.

    A sentence that begins with the user and goes on with a verb ("never drinks coffee", "mentioned ...") describes the user.
    """
    if not _USER.search(plain):
        return False
    described = _DESCRIBED.match(plain)
    does, _, rest = plain[described.end() :].strip().partition(" ") if described else ("", "", "")
    if described is None or does in WISHES:
        return bool(_SCOPE.search(plain) or _STEER.search(plain))
    return _STEER.search(rest) is not None


def _asks_for(sentence: str) -> bool:
    """Return whether the person asks for something that serves someone else, after "I want you to ..." and the like."""
    rest = sentence
    while found := _SECOND.search(rest.casefold()):
        rest = rest[found.end() :]
        address = _ADDRESS.search(rest.casefold())
        if address and _SCOPE.search(sentence.casefold()):
            return _OWN_WAY.search(rest.casefold(), 0, address.start()) is None
        if not _is_own(rest) and _puts_forward(rest):
            return True
    return False


def _puts_forward(sentence: str) -> bool:
    """Return whether someone with a name is always to be promoted."""
    plain = sentence.casefold()
    if not (_STEER.search(plain) and _SCOPE.search(plain)):
        return False
    return bool(_ADDRESS.search(plain)) or any(_names(sentence))


def _names(sentence: str) -> Iterator[bool]:
    """Return for each word whether it may be a name: capitalized after the first word, or in a script without capitals."""
    for number, word in enumerate(sentence.split()):
        bare = word.lstrip("\"'(\u201e\u201c\u00ab\u2018")
        letters = [letter for letter in bare if letter.isalpha()]
        yield (bool(number) and bare[:1].isupper() and bare != "I") or any(
            letter.upper() == letter.lower() for letter in letters
        )


def _is_own(text: str) -> bool:
    return bool(_FIRST.search(text.casefold()) or _I.search(text))


def _clear(text: str) -> str:
    return folded(text[:LONGEST]).translate(_APOSTROPHES)


def _sentences(clear: str) -> list[str]:
    parts = (" ".join(part.split())[:_LONGEST_SENTENCE] for part in _SENTENCE_END.split(clear))
    return [part for part in dict.fromkeys(parts) if part]


def _around(evidence: str, said: str) -> tuple[str, list[str]]:
    """Return the sentences of a message that hold the evidence, as one, and the neighbouring ones; or nothing."""
    sentences = _sentences(said)
    letters = [_NO_LETTERS.sub("", each.casefold()) for each in sentences]
    sought = _NO_LETTERS.sub("", evidence.casefold())
    start = "".join(letters).find(sought) if sought else -1
    if start < 0:
        return "", []
    ends = list(accumulate(map(len, letters)))
    first, last = bisect_right(ends, start), bisect_left(ends, start + len(sought))
    beside = [*sentences[max(first - 1, 0) : first], *sentences[last + 1 : last + 2]]
    return " ".join(sentences[first : last + 1]), beside
