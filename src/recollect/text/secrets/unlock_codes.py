# ruff: noqa: RUF001 - people speak many languages
"""Codes that open, unlock or sign something, recognized by the words of their sentence and by their form. Pure.

The sentence speaks of a lock, a code or a key; the value can be one: digits one by one or in groups, digits with letters, words
joined with digits. The expressions with look-around see one sentence at a time, and only a sentence that holds digits and that
``may_unlock`` knows.
"""

import re
from collections.abc import Iterator

from recollect.text.patterns import bounded, linear, whole
from recollect.text.secrets.values import (
    UNIT,
    SecretKind,
    SecretSpan,
    TooManyPlacesError,
    is_about_passwords,
    places,
)

DIGITS_BY_NAME = {
    name: str(digit)
    for digit, names in enumerate(
        (
            "zero oh null zéro cero nul ноль 零 〇",
            "one eins un uno um een один 一",
            "two zwei zwo deux dos due dois twee два 二",
            "three drei trois tres tre três drie три 三",
            "four vier quatre cuatro quattro quatro четыре 四",
            "five fünf cinq cinco cinque vijf пять 五",
            "six sechs seis sei zes шесть 六",
            "seven sieben sept siete sette sete zeven семь 七",
            "eight acht huit ocho otto oito восемь 八",
            "nine neun neuf nueve nove negen девять 九",
        )
    )
    for name in names.split()
}
"""The names of digits."""
_DIGIT_NAMES = "|".join(name for name in DIGITS_BY_NAME if name.isalpha() and name < "\u3000")

_ANY_VALUE = bounded(
    r"(?:(?<![\w.,:/+#-])|(?<=[\u3040-\u30ff\u4e00-\u9fff]))[\"'`\u201c\u201e\u00ab\u300c#]?(?P<secret>"
    rf"(?:{_DIGIT_NAMES})(?:[ ,-]{{1,2}}(?:{_DIGIT_NAMES})){{2,11}}(?!\w)"
    r"|(?<![0-9])[0-9]{1,4}(?:[ .\u2013/-](?:[0-9]{1,4}|(?-i:[A-Z])(?=[ .-][0-9]))){1,11}(?![0-9])(?:[ ]?[#*])?(?![\w.,:/-]?[0-9a-z])"
    r"|(?=[!-~\u0410-\u044f]{0,40}[0-9])[0-9A-Za-z\u0410-\u044f][!-+\--:=?-Z^-z\u0410-\u044f]{2,60}"
    r")",
    re.IGNORECASE,
)
"""Digits by name, digits in groups, or a word with digits."""

_NAMES_KEY = linear(
    r"(?i)(?:^|[^\p{L}])(?:pass[ -]?)?keys?(?:[^\p{L}]|$)|(?:wlan-?|netzwerk|sicherheits)?schlüssel|clés?|clefs?|clave|chiave|chave|sleutel|klucz|ключ(?:ик)?|контрольное слово"
    r"|password|passwort|passwörter|mot de passe|contraseña|senha|wachtwoord|пароль|密钥|密鑰|密码|密碼|口令|キー|パスワード"
)
"""A key or a password; the look of the value shows whether it is for a lock."""

_NAMES_LOCK = linear(
    r"(?i)(?:tür|tresor|schloss|kasten|schlüsselbox|alarmanlage|tor)(?:\W|$)"
    r"|(?:^|\W)(?:(?:sim-?)?pin(?:-?(?:code|nummer))?|lock ?box|key ?(?:box|safe)|safe|vault|door|gate|alarm|padlock|lock|keypad|intercom|locker|garage|parking"
    r"|wi-?fi|wlan|router|sim|phone|to get in|handy|haustür|coffre(?:-fort)?|portail|digicode|cadenas|boîte à clés?|alarme|interphone|pour entrer|j'entre"
    r"|caja fuerte|portal|candado|alarma|para entrar|cassaforte|lucchetto|cancello|cassetta|allarme|per entrare|cofre|portão|cadeado"
    r"|kluis|poort|hangslot|slot|sleutelkluis(?:je)?|voordeur|deur|сейф|домофон|подъезд|замок|калитк\w|ворота|сигнализаци\w|войти)"
    r"|门|門|柜|保险|手机|金庫|玄関|錠|ロック|鍵"
)
"""Something that is locked."""

_NAMES_CODE = linear(
    r"(?i)(?:codes?|passwort|kombination)(?:\W|$)|(?:^|\W)(?:pass(?:word|key|phrase)|pwd?|pins?|combo|combination|kennwort|mot de passe|clave|contraseña"
    r"|códigos?|codic[ei]|combinazione|senha|wachtwoord|пин|код\w{0,2}|парол\w)(?:\W|$)|密码|密碼|口令|番号|コード|暗証|パスワード"
)
"""The names of codes that let people in."""

_CODES_NAMED = linear(
    r"(?i)(?:recovery|backup|rescue|scratch|emergency|one-time|2fa|login|security|verification|authenticator)[ -](?:code|key)s?"
    r"|(?:wiederherstellungs|ersatz|notfall|backup|sicherungs)-?(?:code|schlüssel)[ns]?"
    r"|codes? de (?:secours|récupération|sauvegarde)|códigos? de (?:recuperación|respaldo|recuperação|segurança|seguridad)|codici? di (?:recupero|backup|riserva)|herstel-?codes?|back-?up-?codes?"
    r"|(?:резервн|аварийн)\w{2} код\w{0,2}|код\w? восстановления|备用码|恢复码|備用碼|リカバリーコード|バックアップコード"
)
"""Names of codes for people who lost their other way in."""

_CODES_FOLLOW = bounded(
    r"(?!\w)[^\n:：]{0,60}?(?:[:：]|\bare\b|\bsind\b|\bsont\b|\bson\b|\bsono\b|\bsão\b|\bzijn\b|は|是|\n|[ ](?=[a-z]{0,5}[0-9]))",
    re.IGNORECASE,
)
"""Behind that name: one or a list of them follows."""

_CODE_IN_LIST = bounded(
    r"(?:[\s,;/&、，•]|[-*][ ]|[0-9]{1,2}[.)][ ]|(?:and|und|et|y|e|en|и|和|と)[ ]){0,6}(?P<secret>[0-9A-Za-z]{3,12}(?:[- ](?=[0-9A-Za-z]*[0-9])[0-9A-Za-z]{3,12}){0,5})(?![\w-])"
)
"""The next of a list of codes."""

_GOES_ON_WITHOUT_UNIT = bounded(
    r"[\"'”»]?(?:\s*$|\s*[.,;:!?)\]。，！、？\n…]|[ ](?:and|but|then|so|when|if|at|on|in|to|for|it|or|twice|please|now|btw|since|because|und|aber|auf|ein|aus|rein|dann|wenn|um|öffnen|et|mais|pour|puis|quand"
    r"|ou|y|pero|para|cuando|o|e|ma|per|poi|quando|mas|en|maar|als|и|но|а|чтобы|когда|then|[-–—(])(?![\w])|[぀-ヿ一-鿿])"
)
"""Behind a bare number: no thing that it counts."""

_MAY_UNLOCK = linear(
    "(?i)" + "|".join(f"(?:{each.pattern})" for each in (_NAMES_LOCK, _NAMES_CODE, _NAMES_KEY))
)

_SENTENCE_WITH_DIGITS = linear(
    rf"(?i)(?:[0-9]|(?:{_DIGIT_NAMES})[ ,-]{{1,2}}(?:{_DIGIT_NAMES}))(?:[^\n.!?\x{{3002}}\x{{ff01}}\x{{ff1f}}]|[.!?][^\s.!?])*"
)
"""The rest of a sentence, from its first digit on."""

_MOST_IN_LIST = 30
_MOST_SENTENCES = 200
_MOST_WITH_DIGITS = 20_000
_LONGEST_SENTENCE = 400
_SENTENCE_ENDS = ("\n", ". ", "! ", "? ", "\u3002", "\uff01", "\uff1f")
_LEAST_DIGITS = 3
_LEAST_SPELLED = 3
_TO_THREE = "123"
_ASKED_BEFORE = 100
_CODE_DIGITS = range(4, 9)
_LEAST_WORDS_JOINED = 8
_LEAST_KEY = 6
_WORD_WITH_NUMBER = bounded(r"[^\W\d_]+[0-9]{1,4}")
"""A word joined with a short number, as things are named that are made."""
_DATE_OR_TIME = linear(
    r"(?i)(?:[0-3]?[0-9][./-][01]?[0-9][./-](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}(?:[./-][01]?[0-9][./-][0-3]?[0-9])?|[0-2]?[0-9]:[0-5][0-9]"
    r"|[0-9]{1,3}(?:[.,][0-9]{3})+|[0-9]+[.,][0-9]{1,2}|[0-9.,]+[%€$£a-z]{1,4})"
)
_JOINED = linear(r"\p{L}{2,}(?:[-._][\p{L}\p{N}]+){1,6}")
_MODEL = linear(r"[A-Z]{1,5}[0-9]{0,4}(?:-?[A-Z0-9]{1,6}){1,3}")
_SEPARATORS = linear(r"[ .\x{2013}/,#*-]+")


def what_unlocks(text: str) -> Iterator[SecretSpan]:
    """Yield the values that open something, in linear time, in no order.

    Raises:
        TooManyPlacesError: Behind the 200th sentence that has digits and speaks of locks, if there are more.
    """
    if not may_unlock(text):
        return
    for number, (start, end, before) in enumerate(_sentences(text)):
        if number == _MOST_SENTENCES:
            raise TooManyPlacesError(start)
        yield from (SecretSpan(*found, SecretKind.CODE) for found in _in_sentence(text, start, end, before))
    yield from (SecretSpan(*found, SecretKind.CODE) for found in _listed(text))


def may_unlock(text: str) -> bool:
    """Return whether a text may name the code of a lock."""
    return _MAY_UNLOCK.is_in(whole(text).encode())


def _sentences(text: str) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield the spans of sentences that may name an unlock code, and the question before each."""
    last = 0
    for found in places(_SENTENCE_WITH_DIGITS, text, _MOST_WITH_DIGITS):
        start = _begins(text, last, found.start())
        end = min(found.end(), found.start() + _LONGEST_SENTENCE)
        last = found.end()
        asked = _asked_before(text, start)
        if may_unlock(text[start:end]) or (asked[1] and may_unlock(text[slice(*asked)])):
            yield start, end, asked


def _begins(text: str, least: int, at: int) -> int:
    """Return the beginning of the sentence around a place."""
    least = max(least, at - _LONGEST_SENTENCE)
    before = text[least:at]
    ends = (before.rfind(each) + len(each) for each in _SENTENCE_ENDS if each in before)
    return least + max(ends, default=0)


def _asked_before(text: str, start: int) -> tuple[int, int]:
    """Return the span of the question that a sentence answers; an empty one if there is none."""
    end = len(text[max(0, start - 4) : start].rstrip()) + max(0, start - 4)
    if text[end - 1 : end] not in {"?", "\uff1f"}:
        return 0, 0
    return max(0, end - _ASKED_BEFORE), end


def _in_sentence(text: str, start: int, end: int, asked: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the values of a sentence that may be what its words, or the question before it, speak of."""
    about = f"{text[slice(*asked)]} {text[start:end]}"
    is_locked, is_code, is_key = (
        expression.search(about) is not None for expression in (_NAMES_LOCK, _NAMES_CODE, _NAMES_KEY)
    )
    for found in _ANY_VALUE.finditer(text, start, end):
        at = found.start("secret")
        stop = at + len(found["secret"].rstrip(".,;:?!)\"'`"))
        value = text[at:stop]
        if UNIT.search(text[stop : stop + 8]) or _DATE_OR_TIME.fullmatch(value):
            continue
        if _is_spelled_out(value):
            is_one = (is_locked or is_code) and not _is_counted_aloud(text, at, stop)
        elif digits := plain_digits(value):
            is_one = is_locked and (
                value.endswith(("#", "*"))
                or (
                    (is_code or not value.isdecimal())
                    and len(digits) in _CODE_DIGITS
                    and _GOES_ON_WITHOUT_UNIT.match(text, stop) is not None
                )
            )
        else:
            is_one = _is_key(value) and _fits(value, is_key=is_key, is_code=is_code, is_locked=is_locked)
        if is_one:
            yield at, stop


def _fits(value: str, *, is_key: bool, is_code: bool, is_locked: bool) -> bool:
    """Return whether letters with digits fit the words around them: words joined with digits a key, others a code."""
    if _JOINED.fullmatch(value) or sum(map(str.isdigit, value)) >= _LEAST_DIGITS:
        return (is_key and _JOINED.fullmatch(value) is not None) or (is_locked and is_code)
    return is_key and is_code and not _WORD_WITH_NUMBER.fullmatch(value)


def _is_spelled_out(value: str) -> bool:
    """Return whether digits follow one by one, as people dictate a code."""
    if "." in value:
        return False  # a version
    parts = [part for part in _SEPARATORS.split(value) if part]
    figures = (
        all(map(str.isdecimal, parts))
        and len(parts) >= _LEAST_SPELLED
        and all(len(part) == 1 for part in parts)
    )
    return figures or (len(parts) >= _LEAST_SPELLED and value[:1].isalpha() and bool(plain_digits(value)))


def _is_counted_aloud(text: str, start: int, end: int) -> bool:
    """Return whether a text counts to three in words and goes on, as in a rhyme or a game."""
    value = text[start:end]
    return (
        value[:1].isalpha()
        and plain_digits(value) == _TO_THREE
        and _GOES_ON_WITHOUT_UNIT.match(text, end) is None
    )


def plain_digits(value: str) -> str:
    """Return the digits of a value, in groups or spelled out; "" if it has other words."""
    parts = [part for part in _SEPARATORS.split(value.casefold()) if part]
    digits = [part if part.isdecimal() else DIGITS_BY_NAME.get(part, "") for part in parts]
    return "".join(digits) if all(digits) else ""


def _is_key(value: str) -> bool:
    """Return whether a key's value looks like one: letters and digits that are no model name, or words joined with digits."""
    digits = sum(map(str.isdigit, value))
    if (
        not digits
        or {"(", "="}.intersection(value)
        or len(value) < _LEAST_KEY
        or _MODEL.fullmatch(value)
        or is_about_passwords(value)
        or _DATE_OR_TIME.fullmatch(value)
    ):
        return False
    if plain_digits(value):
        return False  # a door has a key, and a legend, and a success
    joined = _JOINED.fullmatch(value)
    return digits > 1 and len(value) >= _LEAST_WORDS_JOINED if joined else any(map(str.isalpha, value))


def _listed(text: str) -> Iterator[tuple[int, int]]:
    """Yield the codes of a list that a sentence announces."""
    for named in places(_CODES_NAMED, text, _MOST_SENTENCES):
        opening = _CODES_FOLLOW.match(text, named.end())
        if opening is None:
            continue
        at = opening.end()
        for _ in range(_MOST_IN_LIST):
            found = _CODE_IN_LIST.match(text, at)
            if found is None or not _is_listed(found["secret"]):
                break
            yield found.span("secret")
            at = found.end()


def _is_listed(value: str) -> bool:
    return sum(map(str.isdigit, value)) > 1 and not _DATE_OR_TIME.fullmatch(value)
