# ruff: noqa: RUF001 - people speak many languages
"""Decides whether the words behind a name are a code, PIN, token, password, answer or seed phrase; `announced` finds the names. Pure."""

from collections.abc import Iterator

from recollect.text.lexical.languages import HAN_FUNCTION_CHARACTERS, SYLLABIC_STOP_BIGRAMS
from recollect.text.patterns import anchored, linear
from recollect.text.secrets import vocabulary
from recollect.text.secrets.values import (
    BEFORE,
    BETWEEN,
    CLAUSE_ENDS,
    DATE,
    ENDINGS,
    LEAST_CODE,
    LEAST_PASSWORD,
    LEAST_TOKEN,
    MARKS,
    MASK,
    MOST_WORDS,
    PARTICLE,
    SEPARATOR,
    TOLD,
    UNIT,
    WINDOW,
    SecretKind,
    SecretSpan,
    assignment_in,
    ends_clause,
    has_digit,
    in_quotes,
    is_about_passwords,
    is_code,
    is_number,
    is_placeholder,
    is_strange,
    is_within_word,
    places,
    value_span,
)

_DIGITS = linear(r"(?:^|[^0-9A-Za-z.,:/_#-])((?:[A-Z]-)?[0-9]{3,4}[ -][0-9]{3,4}|(?:[A-Z]-)?[0-9]{3,8})")
_LONGER = linear(
    r"^(?:[.,:/-]?[0-9]|[ ]?(?:[%€$£]|(?:eur|usd|gbp|lines?|characters?|digits?|bits?|years?|euros?|dollars?|zeichen|stellig\p{L}*|ziffern|people|times?)(?:[^\p{L}]|$)))"
)
_YEAR = linear(r"(?:19|20)[0-9]{2}")
_SINCE = linear(
    r"(?i)(?:^|\s)(?:in|since|from|until|by|seit|im|bis|en|depuis|desde|nel|dal|em|sinds|od|w|с|в|of|year)\s$"
)
_CODE = linear(rf"(?i)({vocabulary.ANYTHING_SENT})")
_SENT = linear(rf"(?i){vocabulary.SENT}")
_SAFE = linear(
    r"^[^\p{L}.!?\n0-9][^.!?\n0-9]{0,40}?([0-9]{1,3}(?:[\x{2013}/ -][0-9]{1,3}){2,5})(?:[^\p{L}0-9-]|$)"
)
_PERSON = linear(
    r"^[^0-9.!?;\n]{0,30}?[.]?[^0-9.!?;\n]{0,10}?((?:[A-Z]{1,3}[ ])?[A-Za-z]{0,3}[0-9]"
    rf"(?:{SEPARATOR}{{0,2}}[0-9A-Za-z]){{4,20}})(?:[^0-9A-Za-z]|$)"
)
_PERSON_BY_ITSELF = linear(
    r"(?:^|[^0-9A-Za-z-])([0-8][0-9]{2}[_\x{2013}-][0-9]{2}[_\x{2013}-][0-9]{4})(?:[^0-9A-Za-z-]|$)"
)
_GROUP = linear("[0-9A-Za-z]+")
_SIZE = linear(r"[0-9][a-z]{1,2}[0-9]")
_LEAST_OF_PERSON = 6
_TOKEN = linear(r"^[\"'`\x{201c}\x{201e}]?([A-Za-z0-9][0-9A-Za-z_.~+/=-]{7,})")
_HEXADECIMAL = linear(r"^[ ]{1,2}[\"'`(]?([0-9a-fA-F]{20,128})(?:[^0-9A-Za-z_-]|$)")
_ARTICLE = linear(r"(?i)^(?:the|der|die|das|le|la|el|il|o|a)[ ]{1,2}")
_PIN_IS_SOMETHING = linear(r"(?i)^[ ](?:is|to|ist|an|est|es|à)[ ]")
_POSSESSIVE = linear(
    r"(?i)(?:^|[^\p{L}])(?:my|our|your|his|her|their|mein\p{L}{0,2}|dein\p{L}{0,2}|unser\p{L}{0,2}|ihr\p{L}{0,2}|mon|ton|son|notre|votre|mi|tu|su|nuestro|mio|tuo|meu|seu|mijn|jouw|uw)[ ](?:\p{L}+[ ]){0,2}$"
)
"""The owner of a PIN: without one, "pin 12 is ..." is about a chip."""
_BEHIND_CODE = linear(r"^\s{0,3}[(]?(?:[:：=＝]|是|为|為|改成|改为|は|が)?\s{0,3}")
_CODES_LISTED = anchored(r"[\"'`“„#]?[^\s,;。，、()]{3,60}(?:[ ,]{1,2}[^\s,;。，、()]{4,60}){0,12}")
_WORD = linear(r"[^\s,;\"'`“„]+")


def names_code(text: str) -> bool:
    """Return whether a text mentions a code."""
    return _CODE.search(text) is not None


def by_number(text: str) -> Iterator[SecretSpan]:
    """Yield American social security numbers by their form."""
    for found in places(_PERSON_BY_ITSELF, text):
        area, group, number = found[1][:3], found[1][4:6], found[1][7:]
        if area not in {"000", "666"} and group != "00" and number != "0000":
            yield SecretSpan(found.start(1), found.end(1), SecretKind.IDENTITY)


def sent(text: str) -> Iterator[SecretSpan]:
    """Yield the numbers near a code that a message brought."""
    for code in places(_CODE, text):
        start, end = code.span()
        if is_within_word(text, start, end):
            continue
        sentence = text[end : end + WINDOW // 2].split("\n", 1)[0]
        if _SENT.search(f"{text[max(0, start - BEFORE) : start]} {sentence}") is None:
            continue
        found = _digits(sentence, least=LEAST_CODE)
        if found is not None:
            yield SecretSpan(end + found[0], end + found[1], SecretKind.CODE)


def read_pin(before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return the span of the number that a name announces."""
    found = _digits(window[:90].split("\n", 1)[0], least=LEAST_CODE)
    if found is None or window[: found[0]].strip():
        return found
    is_of_chip = _PIN_IS_SOMETHING.search(window[found[1] :]) and not _POSSESSIVE.search(before)
    return None if is_of_chip else found


def read_check(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return the span of a card's security code after its name."""
    return _digits(window[:60].split("\n", 1)[0], least=LEAST_CODE - 1, most=LEAST_CODE)


def _digits(window: str, *, least: int, most: int = 8) -> tuple[int, int] | None:
    """Return the span of the first number of this length that is neither a year nor a count."""
    for found in _DIGITS.finditer(window):
        start, end = found.span(1)
        figures = sum(map(str.isdigit, found[1]))
        if not least <= figures <= most or _LONGER.search(window[end : end + 24]):
            continue
        if any(
            each in ".!?;\u3002" and window[at + 1 : at + 2] in {" ", ""}
            for at, each in enumerate(window[:start])
        ):
            return None
        if _YEAR.fullmatch(found[1]) and _SINCE.search(window[:start]):
            continue
        return start, end
    return None


def read_person(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return the span of the number of a person's paper after its name."""
    found = _PERSON.search(window[:80])
    if found is None:
        return None
    groups = [*_GROUP.finditer(found[1])]
    end = 0
    for at, group in enumerate(groups):  # words that follow are no part of it
        if group[0].isalpha() and at and len(group[0]) > 1:
            break
        end = group.end()
    value = found[1][:end]
    digits = sum(map(str.isdigit, value))
    if digits < _LEAST_OF_PERSON or DATE.search(value) or _SIZE.search(value):
        return None
    return found.start(1), found.start(1) + end


def read_code(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return the span of a code with digits, or of the first of several, after the name or after "is"."""
    telling = TOLD.search(window)
    places = [telling.end()] if telling is not None else []
    behind = _BEHIND_CODE.search(window)
    if behind is not None:
        places.append(behind.end())
    for at in _behind_articles(window, places):
        listed = _CODES_LISTED.match(window[at:])
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


def _behind_articles(window: str, at: list[int]) -> list[int]:
    """Return these places, moved past an article: "le code est le ..."."""
    articles = [(each, _ARTICLE.search(window[each:])) for each in at]
    return [each + (article.end() if article is not None else 0) for each, article in articles]


def read_safe(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return the span of a lock's combination after its name."""
    found = _SAFE.search(window)
    return None if found is None or UNIT.search(window[found.end(1) :]) else found.span(1)


def read_token(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return the span of a token of letters and digits after its name and "is" or a sign."""
    telling = TOLD.search(window)
    at = telling.end() if telling is not None else 0
    if not at or (telling is not None and vocabulary.PURPOSE.intersection(telling[1].casefold().split())):
        particle = PARTICLE.search(window)
        at = particle.end() if particle and window[: particle.end()].strip() else 0
        if not at:
            return _hexadecimal(window)
    found = _TOKEN.search(window[at:])
    if found is None:
        return None
    value = found[1].rstrip(ENDINGS)
    if len(value) < LEAST_TOKEN or not has_digit(value) or DATE.fullmatch(value) or is_number(value):
        return None
    if is_placeholder(value) or is_code(value):
        return None
    return at + found.start(1), at + found.start(1) + len(value)


def _hexadecimal(window: str) -> tuple[int, int] | None:
    """Return the span of a long hexadecimal number directly after a name."""
    found = _HEXADECIMAL.search(window)
    return found.span(1) if found is not None and not found[1].isdecimal() else None


def is_secret_code(value: str) -> bool:
    """Return whether a value near a code's name is a code: four digits, or digits with letters or dashes; no year."""
    digits = sum(each.isdigit() for each in value)
    if not digits or MASK in value or DATE.fullmatch(value) or (is_number(value) and digits < LEAST_CODE):
        return False
    if digits >= LEAST_CODE:
        return True
    return digits < len(value) and len(value) >= (LEAST_CODE + 1 if digits > 1 else LEAST_CODE + 2)


_BECAME = {part: linear(rf"(?i)^{BETWEEN}\s{{1,2}}(?:{to})\s{{1,2}}") for part, to in vocabulary.TO.items()}
"""The same for a change to a value, by a part of the name."""
_CHANGED = linear(rf"(?i){vocabulary.CHANGED}")
_DONE = {"has", "have"}
"""The beginning of "has been changed to"."""
_PLURAL = "words"
"""The end of a plural name: its words are no password, unless one is strange."""
_OWN = linear(r"(?i)(?:мой|твой|наш|новый|ваш)\s{1,2}$")
_TELLS_IN_JAPANESE = linear(
    r"^([^\s\x{3002}\x{ff0c}\x{3001}]{2,30}?)(?:です|だよ|だ|でした|입니다|이에요|예요|이야|야|이다)(?:[^\p{L}]|よ|ね|$)"
)
_ASCII = linear(r"^[!-~]{3,100}")
_HAN = linear(r"^[\p{Han}\p{Hiragana}\p{Katakana}]{2,12}")
_LOGIN = linear(
    rf"(?i)^[^.!?\n\x{{3002}}{MASK}]{{0,60}}?(?:[/|:,，、]|[ ](?:and|with|und|mit|et|avec|y|con|и|kennwort|pass)[ ])[ \t]*[\"']?([^\s/,\"']{{6,60}})"
)
_SEED = linear(
    r"(?i)^[^\n:=]{0,30}?(?:[:=：]|[ ](?:is|ist|est|es|è|lautet|sind|are|son|sont|—)[ ])\s{0,3}[\"'“„]?"
    r"((?:[0-9]{1,2}[.)][ ]?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:[0-9]{1,2}[.)][ ]?)?[a-z]{3,8}){11,23})"
)


def read_password(before: str, name: str, window: str) -> tuple[int, int] | None:
    """Return the span of a password in the window after its name."""
    assigned = assignment_in(name, window)
    if assigned is not None and not assigned[2] and name.casefold().endswith(_PLURAL):
        return _right_behind(before, window[assigned.end() - 1 :])
    if assigned is not None and not vocabulary.PURPOSE.intersection(assigned[1].casefold().split()):
        found = value_span(window, assigned.end(), signed=bool(assigned[2]))
        if found is not None:
            return found
        if not assigned[1].strip():
            return None
    part = next((each for each in _BECAME if each in name.casefold()), "p")
    became = _BECAME[part].search(window)
    if (
        became is not None
        and not (vocabulary.PURPOSE - _DONE).intersection(became[1].casefold().split())
        and _CHANGED.search(f"{before} {window[:90]}")
    ):
        found = value_span(window, became.end(), signed=False)
        if found is not None:
            return found
    return _right_behind(before, window)


def _right_behind(before: str, window: str) -> tuple[int, int] | None:
    """Return the password directly after its name: a strange word, or in Russian any word after "my password"."""
    plain = window.lstrip("?\uff1f")
    if not plain.startswith((" ", "\t")):
        return None
    word = plain.split(None, 1)[:1]
    if not word:
        return None
    value = word[0].rstrip(MARKS)
    at = window.index(word[0])
    if (
        has_digit(value)
        and is_strange(value)
        and len(value) > LEAST_PASSWORD
        and not is_about_passwords(value)
    ):
        return at, at + len(value)
    if (
        _OWN.search(before) is not None
        and len(value) >= LEAST_PASSWORD
        and not is_about_passwords(value)
        and ends_clause(window, at + len(value))
    ):
        return at, at + len(value)
    return None


def read_unspaced(  # noqa: PLR0911 -- one reason a line
    _before: str, _name: str, window: str
) -> tuple[int, int] | None:
    """Return the span of a password after its name in Chinese, Japanese or Korean."""
    particle = PARTICLE.search(window)
    at = particle.end() if particle else 0
    rest = window[at:]
    quoted = in_quotes(rest)
    if quoted is not None:
        return at + quoted[0], at + quoted[1]
    plain = _ASCII.search(rest)
    if plain is not None and window[:at].rstrip().endswith((":", "\uff1a")):
        return value_span(window, at, signed=True)
    if plain is not None:
        value = plain[0].rstrip(ENDINGS)
        fits = len(value) >= LEAST_PASSWORD and not (
            is_placeholder(value) or is_code(value) or is_about_passwords(value)
        )
        behind = rest[len(value) :].lstrip(" ")[:1]
        if value.isalpha() and behind.isascii() and behind.isalnum():
            return None  # a sentence in Latin letters goes on
        return (at, at + len(value)) if fits else None
    if not at or not window[:at].strip():
        return None
    telling = _TELLS_IN_JAPANESE.search(rest)
    if telling is not None and not _describes_one(telling[1]):
        return at + telling.start(1), at + telling.end(1)
    han = _HAN.search(rest)
    if (
        han is not None
        and ends_clause(rest, han.end())
        and not _describes_one(han[0])
        and (min(han[0]) < "\u3040" or min(han[0]) >= "\u4e00")
    ):
        return at, at + han.end()
    return None


def _describes_one(value: str) -> bool:
    """Return whether the words after a name describe a password rather than state it."""
    return (
        value in vocabulary.SAID_OF_ONE
        or any(each in HAN_FUNCTION_CHARACTERS for each in value)
        or any(value[at : at + 2] in SYLLABIC_STOP_BIGRAMS for at in range(len(value)))
        or any(value.startswith(each) for each in vocabulary.SAID_OF_ONE if not each.isascii())
    )


def read_answer(_before: str, name: str, window: str) -> tuple[int, int] | None:
    """Return the span of the answer to a security question after its name."""
    assigned = assignment_in(name, window)
    if assigned is None:
        return read_unspaced("", "", window)
    rest = window[assigned.end() :]
    quoted = in_quotes(rest)
    if quoted is not None:
        return assigned.end() + quoted[0], assigned.end() + quoted[1]
    ends = CLAUSE_ENDS.search(rest)
    clause = (rest[: ends.start()] if ends else rest).rstrip()
    said = clause.split()
    if not said or len(said) > MOST_WORDS or MASK in clause:
        return None
    if is_about_passwords(said[0]) and (
        not assigned[2] or is_about_passwords(said[-1]) or said[-1][0].islower()
    ):
        return None
    return assigned.end(), assigned.end() + len(clause)


def read_login(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return the span of a login after its name: a word of letters and digits."""
    found = _LOGIN.search(window)
    if found is None:
        return None
    value = found[1].rstrip(MARKS)
    is_one = is_secret_code(value) and any(map(str.isalpha, value))
    if not is_one or is_placeholder(value) or is_code(found[1]):
        return None
    return found.start(1), found.start(1) + len(value)


def read_seed(_before: str, _name: str, window: str) -> tuple[int, int] | None:
    """Return the span of a wallet's words after their name."""
    found = _SEED.search(window)
    return None if found is None else found.span(1)
