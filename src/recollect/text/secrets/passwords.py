# ruff: noqa: RUF001 - people speak many languages
"""Passwords, answers to security questions and seed phrases that follow their names. Pure."""

from recollect.text.lexical import stop_words
from recollect.text.patterns import linear
from recollect.text.secrets import vocabulary
from recollect.text.secrets.codes import is_secret_code
from recollect.text.secrets.value_phrases import (
    BETWEEN,
    CLAUSE_ENDS,
    LEAST_PASSWORD,
    MARKS,
    MOST_WORDS,
    PARTICLE,
    assignment_in,
    ends_clause,
    in_quotes,
    is_about_passwords,
    value_span,
)
from recollect.text.secrets.values import ENDINGS, MASK, has_digit, is_code, is_placeholder, is_strange

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
    told = assignment_in(name, window)
    if told is not None and not told[2] and name.casefold().endswith(_PLURAL):
        return _right_behind(before, window[told.end() - 1 :])
    if told is not None and not vocabulary.PURPOSE.intersection(told[1].casefold().split()):
        found = value_span(window, told.end(), signed=bool(told[2]))
        if found is not None:
            return found
        if not told[1].strip():
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
    told = _TELLS_IN_JAPANESE.search(rest)
    if told is not None and not _is_told_of(told[1]):
        return at + told.start(1), at + told.end(1)
    han = _HAN.search(rest)
    if (
        han is not None
        and ends_clause(rest, han.end())
        and not _is_told_of(han[0])
        and min(han[0]) < "\u3040"
    ) or (
        han is not None
        and ends_clause(rest, han.end())
        and not _is_told_of(han[0])
        and all(each >= "\u4e00" for each in han[0])
    ):
        return at, at + han.end()
    return None


def _is_told_of(value: str) -> bool:
    """Return whether the words after a name describe a password rather than state it."""
    return (
        value in vocabulary.SAID_OF_ONE
        or any(each in stop_words.HAN_FUNCTION_CHARACTERS for each in value)
        or any(value[at : at + 2] in stop_words.SYLLABIC_STOP_BIGRAMS for at in range(len(value)))
        or any(value.startswith(each) for each in vocabulary.SAID_OF_ONE if not each.isascii())
    )


def read_answer(_before: str, name: str, window: str) -> tuple[int, int] | None:
    """Return the span of the answer to a security question after its name."""
    told = assignment_in(name, window)
    if told is None:
        return read_unspaced("", "", window)
    rest = window[told.end() :]
    quoted = in_quotes(rest)
    if quoted is not None:
        return told.end() + quoted[0], told.end() + quoted[1]
    ends = CLAUSE_ENDS.search(rest)
    clause = (rest[: ends.start()] if ends else rest).rstrip()
    said = clause.split()
    if not said or len(said) > MOST_WORDS or MASK in clause:
        return None
    if is_about_passwords(said[0]) and (not told[2] or is_about_passwords(said[-1]) or said[-1][0].islower()):
        return None
    return told.end(), told.end() + len(clause)


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
