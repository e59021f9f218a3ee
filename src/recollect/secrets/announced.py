# ruff: noqa: RUF001 - people speak many languages
"""Secrets that people tell in words: "the password is ...", "the code they texted me is ...". Pure. Never: a model."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from recollect.lexical import stop_words
from recollect.patterns import linear
from recollect.secrets import words
from recollect.secrets.kinds import Found, Kind, places
from recollect.secrets.values import (
    ENDINGS,
    MASK,
    has_digit,
    is_code,
    is_number,
    is_placeholder,
    is_strange,
)

_NAMES = linear(
    rf"(?i)({words.PASSWORDS})|({words.PASSWORDS_UNSPACED})|({words.PINS})|({words.CHECKS})|({words.ANSWERS})"
    rf"|({words.PERSONS})|({words.CODES})|({words.TOKENS})|({words.LOGINS})|({words.SEEDS})|({words.SAFES})"
)
_KINDS = (Kind.PASSWORD, Kind.PASSWORD, Kind.CODE, Kind.CODE, Kind.ANSWER, Kind.PERSON, Kind.CODE, Kind.KEY, Kind.PASSWORD, Kind.SEED, Kind.CODE)
"""What the groups of it name, in order."""

_WINDOW, _BEFORE = 240, 100
_OPENS, _CLOSES = "\"'`\u201c\u201e\u00ab\u300c\u300e\u2018", "\"'`\u201d\u201c\u00bb\u300d\u300f\u2019"

_SIGN = (
    r"[\"'`*]{0,3}[ \t]{0,3}(?:[:：=＝]{1,2}|=>|->|→)[*]{0,2}[ \t]{0,3}\n?[ \t]{0,3}|[ \t]{1,3}[\x{2013}\x{2014}-][ \t]{1,3}"
)
_BETWEEN = rf"((?:[ \t]{{1,2}}[^\s:=：＝,.;!?{MASK}]{{1,20}}){{0,7}}?),?"
_TOLD = linear(
    rf"(?i)^{_BETWEEN}(?:({_SIGN})|(?:\s{{1,3}}|['’])(?:now[ ]|{words.COPULAS})\s{{1,3}}(?:[:：]\s{{0,3}})?(?:(?:now|jetzt|ora|ahora|nu)\s)?"
    rf"|['’]s\s{{1,2}})"
)
"""What stands between a name and its value: other words; then a sign, or that it is."""

_IS_IN_ENDS_COMPOUND = linear(r"(?i)^(?:passw[oö]rt|wachtwoord|kennwort|(?:tür|alarm|tor|tresor|safe|schließfach|garagen|haus|handy)-?(?:codes?|kombination))$")
_BECAME = {part: linear(rf"(?i)^{_BETWEEN}\s{{1,2}}(?:{to})\s{{1,2}}") for part, to in words.TO.items()}
"""The same where it was changed to it, by a part of the name."""

_IS_IN_POLISH = linear(rf"(?i)^{_BETWEEN}\s{{1,2}}(?:to|to[ ]jest)\s{{1,2}}()")
_ENDS_COMPOUND = linear(
    r"(?i)^(?:passw[oö]rt|wachtwoord|kennwort|(?:tür|alarm|tor|tresor|safe|schließfach|garagen|haus|handy)-?(?:codes?|kombination))$"
)
_POLISH = linear("(?i)^(?:has[łl]|odpowied)")

_PARTICLE = linear(r"^[ \t]{0,2}(?:[:：=＝]|是|为|為|改成|改为|は|が|を|은|는|이|가|：)?[ \t]{0,2}[:：]?[ \t]{0,2}")
_CHANGED = linear(rf"(?i){words.CHANGED}")
_OWN = linear(r"(?i)(?:мой|твой|наш|новый|ваш)\s{1,2}$")
_CLAUSE_ENDS = linear(r"[,;!?\x{3002}\x{ff0c}\x{3001}\x{ff01}\x{2026})(]|[.](?:\s|$)|\s-\s|\n")
_TELLS_IN_JAPANESE = linear(r"^([^\s\x{3002}\x{ff0c}\x{3001}]{2,30}?)(?:です|だよ|だ|でした|입니다|이에요|예요|이야|야|이다)(?:[^\p{L}]|よ|ね|$)")
_ASCII = linear(r"^[!-~]{3,100}")
_HAN = linear(r"^[\p{Han}\p{Hiragana}\p{Katakana}]{2,12}")
_DIGITS = linear(r"(?:^|[^0-9A-Za-z.,:/_#-])((?:[A-Z]-)?[0-9]{3,4}[ -][0-9]{3,4}|(?:[A-Z]-)?[0-9]{3,8})")
_LONGER = linear(r"^(?:[.,:/-]?[0-9]|[ ]?(?:[%€$£]|(?:eur|usd|gbp|lines?|characters?|digits?|bits?|years?|euros?|dollars?|zeichen|stellig\p{L}*|ziffern|people|times?)(?:[^\p{L}]|$)))")
_YEAR = linear(r"(?:19|20)[0-9]{2}")
_SINCE = linear(r"(?i)(?:^|\s)(?:in|since|from|until|by|seit|im|bis|en|depuis|desde|nel|dal|em|sinds|od|w|с|в|of|year)\s$")
_CODE = linear(rf"(?i)({words.ANYTHING_SENT})")
_SENT = linear(rf"(?i){words.SENT}")
_IS_YOURS = linear(
    r"(?i)(?:^|[^0-9A-Za-z])((?:[a-z]-)?[0-9]{3,4}[ -]?[0-9]{1,4})[ ](?:is|ist|est|es|è|é|jest|to|это)[ ](?:your|the|my|ihr|dein|mein|votre|ton|mon|su|tu|mi|il tuo|o seu|je|uw|twój|ваш)[ ](?:[^\s]+[ ]){0,4}$"
)
_FIRST = linear(
    r"(?i)(?:^|[\s(])([\"'`“«]?[^\s\"'`”»]{4,60}[\"'`”»]?|[\"'`“«][^\"'`”»\n]{3,60}[\"'`”»])[ \t]{1,2}(?:(?:is|was|ist|war|lautet|est|c['’]est|es|era|è|é|это|[–—=-])[ \t]{1,2}(?:(?:my|the|our|his|her|their|new|old|current|mein\p{L}{0,2}|unser\p{L}{0,2}|das|die|der|neue[srn]?|mon|ma|le|la|notre|mi|el|nuestr[oa]|мой|моя|наш|новый)[ \t]+){0,3}(?:[\p{L}'’-]+[ \t]+){0,2}|as[ ](?:the|my|a|our)[ ])$"
)
_LOGIN = linear(
    rf"(?i)^[^.!?\n\x{{3002}}{MASK}]{{0,60}}?(?:[/|:,，、]|[ ](?:and|with|und|mit|et|avec|y|con|и|kennwort|pass)[ ])[ \t]*[\"']?([^\s/,\"']{{6,60}})"
)
_SEED = linear(
    r"(?i)^[^\n:=]{0,30}?(?:[:=：]|[ ](?:is|ist|est|es|è|lautet|sind|are|son|sont|—)[ ])\s{0,3}[\"'“„]?"
    r"((?:[0-9]{1,2}[.)][ ]?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:[0-9]{1,2}[.)][ ]?)?[a-z]{3,8}){11,23})"
)
_SAFE = linear(
    r"^[^\p{L}.!?\n0-9][^.!?\n0-9]{0,40}?([0-9]{1,3}(?:[\x{2013}/ -][0-9]{1,3}){2,5})(?:[^\p{L}0-9-]|$)"
)
_PERSON = linear(r"[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}")
_PERSON_BY_ITSELF = linear(r"(?:^|[^0-9A-Za-z-])([0-8][0-9]{2}-[0-9]{2}-[0-9]{4})(?:[^0-9A-Za-z-]|$)")
_DATE = linear(
    r"(?:19|20)[0-9]{2}[./-][0-3]?[0-9][./-][0-3]?[0-9]|[0-3]?[0-9][./-][0-3]?[0-9][./-](?:19|20)[0-9]{2}"
)
_TOKEN = linear(r"^[\"'`\x{201c}\x{201e}]?([A-Za-z0-9][0-9A-Za-z_.~+/=-]{7,})")

_BEHIND_CODE = linear(r"^\s{0,3}[(]?(?:[:：=＝]|是|为|為|改成|改为|は|が)?\s{0,3}")
_CODES_LISTED = linear(r"^[\"'`“„#]?[^\s,;。，、()]{3,60}(?:[ ,]{1,2}[^\s,;。，、()]{4,60}){0,12}")
_WORD = linear(r"[^\s,;\"'`“„]+")

_FUNCTION_WORDS = frozenset(
    each for language in stop_words.STOP_WORDS for each in stop_words.STOP_WORDS[language].split()
)
_MARKS = ENDINGS.replace("!", "")
"""What ends a clause, and no password: many end with the one that is left out."""

_MOST_WORDS, _LEAST_PHRASE = 6, 4
_LEAST_PASSWORD, _LEAST_CODE, _LEAST_TOKEN = 4, 4, 8
_YEARS_DIGITS = 4


def announced(text: str) -> Iterator[Found]:
    """Yield what the words around it call a password, a code, a key, or the answer to a security question."""
    for name in places(_NAMES, text):
        start, end = name.span()
        group = next(number for number in range(1, len(_KINDS) + 1) if name.span(number)[0] >= 0)
        if _is_within_word(text, start, end):
            continue
        kind = _KINDS[group - 1]
        window = text[end : end + _WINDOW]
        before = text[max(0, start - _BEFORE) : start]
        found = _READERS[group - 1](before, name[0], window)
        if found is not None:
            yield Found(end + found[0], end + found[1], kind)
        elif kind in {Kind.PASSWORD, Kind.CODE}:
            first = _before(before)
            if first is not None:
                yield Found(start - len(before) + first[0], start - len(before) + first[1], kind)


def _before(before: str) -> tuple[int, int] | None:
    """Return where in what stands before a name a secret stands: "... is my password", "... is your Google code"."""
    found = _IS_YOURS.search(before)
    if found is not None:
        start, end = found.span(1)
        return start, end
    found = _FIRST.search(before)
    if found is None:
        return None
    value = found[1].strip(_OPENS + _CLOSES).rstrip(ENDINGS)
    is_quoted = found[1][0] in _OPENS and found[1][-1] in _CLOSES
    if not (is_secret_code(value) or is_quoted) or is_placeholder(value):
        return None
    start = before.index(value, found.start(1))
    return start, start + len(value)


def by_number(text: str) -> Iterator[Found]:
    """Yield numbers of persons as they are written, and codes that came by a message."""
    for found in places(_PERSON_BY_ITSELF, text):
        area, group, number = found[1].split("-")
        if area not in {"000", "666"} and group != "00" and number != "0000":
            yield Found(*found.span(1), Kind.PERSON)
    yield from _sent(text)


def _sent(text: str) -> Iterator[Found]:
    """Yield the numbers beside a code that came by a message."""
    for code in places(_CODE, text):
        start, end = code.span()
        if _is_within_word(text, start, end):
            continue
        sentence = text[end : end + _WINDOW // 2].split("\n", 1)[0]
        if _SENT.search(f"{text[max(0, start - _BEFORE) : start]} {sentence}") is None:
            continue
        found = _digits(sentence, least=_LEAST_CODE)
        if found is not None:
            yield Found(end + found[0], end + found[1], Kind.CODE)


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Tell whether letters go on before or behind, in a script that puts spaces between words; compounds are one."""
    if _ENDS_COMPOUND.search(text[start:end]):
        return text[end : end + 1].isalnum() or text[end : end + 1] == "_"
    before, behind = text[start - 1 : start], text[end : end + 1]
    if (before.isalnum() or before == "_") and text[start].isascii() and before.isascii():
        return True
    if before.isalpha() and _is_spaced(before) and _is_spaced(text[start]):
        return True
    return (behind.isalpha() or behind in {"_", "-"}) and _is_spaced(behind) and _is_spaced(text[end - 1])


def _is_spaced(letter: str) -> bool:
    return letter < "\u0e00"


def _password(before: str, name: str, window: str) -> tuple[int, int] | None:
    """Return where in the window behind its name a password stands."""
    told = _told(name, window)
    if told is not None and not words.PURPOSE.intersection(told[1].casefold().split()):
        found = _told_value(window, told.end(), signed=bool(told[2]))
        if found is not None:
            return found
        if not told[1].strip():
            return None
    part = next((each for each in _BECAME if each in name.casefold()), "p")
    became = _BECAME[part].search(window)
    if became is not None and not words.PURPOSE.intersection(became[1].casefold().split()) and _CHANGED.search(f"{before} {window[:90]}"):
        found = _told_value(window, became.end(), signed=False)
        if found is not None:
            return found
    return _right_behind(before, window)


def _told(name: str, window: str) -> Any:
    """Return what stands between a name and its value; None where nothing says that one follows."""
    return (_IS_IN_POLISH.search(window) if _POLISH.search(name) else None) or _TOLD.search(window)


def _right_behind(before: str, window: str) -> tuple[int, int] | None:
    """Return the password that stands right behind its name: a strange one, or any behind "my password" in Russian."""
    if not window.startswith((" ", "\t")):
        return None
    word = window.strip(" \t").split(None, 1)[:1]
    if not word:
        return None
    value = word[0].rstrip(_MARKS)
    at = window.index(word[0])
    if has_digit(value) and is_strange(value) and len(value) > _LEAST_PASSWORD and not _is_said(value):
        return at, at + len(value)
    if _OWN.search(before) is not None and len(value) >= _LEAST_PASSWORD and not _is_said(value) and _ends(window, at + len(value)):
        return at, at + len(value)
    return None


def _told_value(window: str, at: int, *, signed: bool) -> tuple[int, int] | None:
    """Return where what is told begins and ends: in quotes, one strange word, or ordinary ones up to the clause's end."""
    rest = window[at:]
    quoted = _in_quotes(rest)
    if quoted is not None:
        value = rest[slice(*quoted)]
        return None if is_placeholder(value) or is_code(value) else (at + quoted[0], at + quoted[1])
    word = rest.split(None, 1)[0] if rest.strip() and not rest[0].isspace() else ""
    value = word.rstrip(_MARKS)
    if len(value) < _LEAST_PASSWORD or is_placeholder(value) or is_code(value) or value.startswith(("//", "```", "#", "- ", "**")):
        return None
    if MASK in value:
        return None
    if _is_said(value):
        return _phrase(rest, at) if signed or rest[:1].isalpha() else None
    if is_number(value) and not is_strange(value):
        return (at, at + len(value)) if _ends(rest, len(value)) and not _DATE.fullmatch(value) else None
    if is_strange(value):
        return at, at + len(value)
    if not signed and value.casefold().endswith(words.SAID_ENDINGS):
        return None
    length = _plain_words(rest, value)
    return (at, at + length) if length else None


def _plain_words(rest: str, first: str) -> int:
    """Return how long a password of ordinary words is; 0 where what follows shows that it is none."""
    if _ends(rest, len(first)):
        return len(first)
    ends = _CLAUSE_ENDS.search(rest)
    clause = rest[: ends.start()] if ends else rest
    said = clause.split()
    if len(said) > 1 and said[1].casefold() in words.ENDS_IT:
        return len(first)
    if len(said) > _MOST_WORDS or any(_is_said(each) or not each.isalpha() for each in said[1:]):
        return 0
    return len(clause.rstrip())


def _phrase(rest: str, at: int) -> tuple[int, int] | None:
    """Return where a phrase stands that begins with a word said of passwords, and goes on as no sentence does."""
    ends = _CLAUSE_ENDS.search(rest)
    clause = (rest[: ends.start()] if ends else rest).rstrip()
    said = clause.split()
    if not _LEAST_PHRASE <= len(said) <= _MOST_WORDS or said[0].casefold() in _FUNCTION_WORDS:
        return None
    return None if any(_is_said(each) or not each.isalpha() for each in said[1:]) else (at, at + len(clause))


def _ends(rest: str, at: int) -> bool:
    """Tell whether the clause ends there."""
    behind = rest[at : at + 2].lstrip(" ")
    return not behind or not (behind[0].isalnum() or behind[0] in "(-&")


def _is_said(value: str) -> bool:
    """Tell whether a word says something of a password, and is none."""
    plain = value.casefold().strip(ENDINGS)
    return plain in words.SAID_OF_ONE or plain in _FUNCTION_WORDS


def _in_quotes(rest: str) -> tuple[int, int] | None:
    opening = _OPENS.find(rest[:1]) if rest else -1
    if opening < 0:
        return None
    closing = next((at for at, each in enumerate(islice(rest, 1, 90), 1) if each in _CLOSES or each == "\n"), 0)
    if not closing or rest[closing] == "\n" or not 1 < closing - 1:
        return None
    return 1, closing


def _unspaced_password(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return where a password stands behind its name in Chinese, Japanese, Korean."""
    particle = _PARTICLE.search(window)
    at = particle.end() if particle else 0
    rest = window[at:]
    quoted = _in_quotes(rest)
    if quoted is not None:
        return at + quoted[0], at + quoted[1]
    plain = _ASCII.search(rest)
    if plain is not None:
        value = plain[0].rstrip(ENDINGS)
        fits = len(value) >= _LEAST_PASSWORD and not (is_placeholder(value) or is_code(value) or _is_said(value))
        if value.isalpha() and rest[len(value) :].lstrip(" ")[:1].isascii() and rest[len(value) :].strip():
            return None  # a sentence in Latin letters goes on
        return (at, at + len(value)) if fits else None
    if not at or not window[:at].strip():
        return None
    told = _TELLS_IN_JAPANESE.search(rest)
    if told is not None and not _is_told_of(told[1]):
        return at + told.start(1), at + told.end(1)
    han = _HAN.search(rest)
    if han is not None and _ends(rest, han.end()) and not _is_told_of(han[0]) and "\u3040" > min(han[0]) or (
        han is not None and _ends(rest, han.end()) and not _is_told_of(han[0]) and all("\u4e00" <= each for each in han[0])
    ):
        return at, at + han.end()
    return None


def _is_told_of(value: str) -> bool:
    """Tell whether what stands there has a character that binds words, or says how a password is."""
    return (
        value in words.SAID_OF_ONE
        or any(each in stop_words.HAN_FUNCTION_CHARACTERS for each in value)
        or any(value[at : at + 2] in stop_words.SYLLABIC_STOP_BIGRAMS for at in range(len(value)))
        or any(value.startswith(each) for each in words.SAID_OF_ONE if not each.isascii())
    )


def _pin(_before: str, name: str, window: str) -> tuple[int, int] | None:
    """Return where the number stands that a name announces."""
    found = _digits(window[:90].split("\n", 1)[0], least=_LEAST_CODE)
    return found


def _check(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    return _digits(window[:60].split("\n", 1)[0], least=_LEAST_CODE - 1, most=_LEAST_CODE)


def _digits(window: str, *, least: int, most: int = 8) -> tuple[int, int] | None:
    """Return where the first number of so many digits stands, that is no year and counts nothing."""
    for found in _DIGITS.finditer(window):
        start, end = found.span(1)
        figures = sum(map(str.isdigit, found[1]))
        if not least <= figures <= most or _LONGER.search(window[end : end + 24]):
            continue
        if any(each in ".!?;\u3002" and window[at + 1 : at + 2] in {" ", ""} for at, each in enumerate(window[:start])):
            return None
        if _YEAR.fullmatch(found[1]) and _SINCE.search(window[:start]):
            continue
        return start, end
    return None


def _answer(_before: str, name: str, window: str) -> tuple[int, int] | None:
    told = _told(name, window)
    if told is None:
        return _unspaced_password("", "", window)
    rest = window[told.end() :]
    quoted = _in_quotes(rest)
    if quoted is not None:
        return told.end() + quoted[0], told.end() + quoted[1]
    ends = _CLAUSE_ENDS.search(rest)
    clause = (rest[: ends.start()] if ends else rest).rstrip()
    said = clause.split()
    if not said or len(said) > _MOST_WORDS or _is_said(said[0]) or MASK in clause:
        return None
    return told.end(), told.end() + len(clause)


def _person(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    found = _PERSON.search(window[:40])
    return None if found is None else found.span()


def _code(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return where a code stands, or the first of several: what has digits, behind the name or behind "is"."""
    told = _TOLD.search(window)
    places = [told.end()] if told is not None else []
    behind = _BEHIND_CODE.search(window)
    if behind is not None:
        places.append(behind.end())
    for at in places:
        listed = _CODES_LISTED.search(window[at:])
        if listed is None:
            continue
        end = 0
        for each in _WORD.finditer(listed[0]):
            if not is_secret_code(each[0].rstrip(ENDINGS)):
                break
            end = each.start() + len(each[0].rstrip(ENDINGS))
        start = next((n for n, each in enumerate(listed[0]) if each.isalnum()), 0)
        if end > start and not is_placeholder(listed[0][start:end]):
            return at + start, at + end
    return None


def _login(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return what one logs in with: behind a name, a word of letters and digits."""
    found = _LOGIN.search(window)
    if found is None:
        return None
    value = found[1].rstrip(ENDINGS)
    is_one = is_secret_code(value) and any(map(str.isalpha, value))
    if not is_one or is_placeholder(value) or is_code(found[1]):
        return None
    return found.start(1), found.start(1) + len(value)


def _seed(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    found = _SEED.search(window)
    return None if found is None else found.span(1)


def _safe(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    found = _SAFE.search(window)
    return None if found is None else found.span(1)


def _token(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    told = _TOLD.search(window)
    at = told.end() if told is not None else 0
    if not at or (told is not None and words.PURPOSE.intersection(told[1].casefold().split())):
        particle = _PARTICLE.search(window)
        at = particle.end() if particle and window[: particle.end()].strip() else 0
        if not at:
            return None
    found = _TOKEN.search(window[at:])
    if found is None:
        return None
    value = found[1].rstrip(ENDINGS)
    if len(value) < _LEAST_TOKEN or not has_digit(value) or _DATE.fullmatch(value) or is_number(value):
        return None
    if is_placeholder(value) or is_code(value):
        return None
    return at + found.start(1), at + found.start(1) + len(value)


_READERS = (_password, _unspaced_password, _pin, _check, _answer, _person, _code, _token, _login, _seed, _safe)
"""Who reads what stands behind a name, by its group."""


def is_secret_code(value: str) -> bool:
    """Tell whether what stands beside a code's name is one: four digits, or digits with letters or dashes; no year."""
    digits = sum(each.isdigit() for each in value)
    if not digits or MASK in value or _DATE.fullmatch(value) or is_number(value) and digits < _LEAST_CODE:
        return False
    if digits >= _LEAST_CODE:
        return True
    return digits < len(value) and len(value) >= (_LEAST_CODE + 1 if digits > 1 else _LEAST_CODE + 2)
