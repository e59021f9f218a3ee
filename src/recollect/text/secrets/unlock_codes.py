# ruff: noqa: RUF001 - people speak many languages
"""Codes that open, unlock or sign something, recognized by their purpose and their form. Pure.

The sentence says that something opens ("opens with ...", "... is what gets you in"); the value can be what opens it:
digits in groups or spelled out, a code of letters and digits, words joined with digits.

The expressions with look-around see one sentence at a time, and only a sentence that holds digits and that ``may_unlock``
knows.
"""

import re
from collections.abc import Iterator
from typing import Any

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
_DIGIT_NAMES = "|".join(name for name in DIGITS_BY_NAME if name < "\u3000")

VALUE = (
    r"[\"'`“„«「#]?(?P<secret>"
    rf"(?:{_DIGIT_NAMES})(?:[ ,-]{{1,2}}(?:{_DIGIT_NAMES})){{2,11}}(?!\w)"
    r"|(?<![0-9])[0-9]{1,4}(?:[ .–/-](?:[0-9]{1,4}|(?-i:[A-Z])(?=[ .-][0-9]))){1,11}(?![0-9])(?:[ ]?[#*])?(?![\w.,:/-]?[0-9a-z])"
    r"|(?=[!-~А-я]{0,40}[0-9])[0-9A-Za-zА-я][!-+\--:=?-Z^-zА-я]{2,60}"
    r")"
)
_IS = (
    r"(?:['’]s[ ]|[ ]?[:=：][ ]?|[ ](?:is|was|takes|wants|needs|ist|lautet|est|c['’]est|es|è|é|это|je)[ ](?:now |jetzt |nun |ora |ahora |agora |nu |теперь )?"
    r"|[ ](?:is now|est passée? à|changed to|[–—-])[ ]|[ ]?(?:是|为|為|改成|は|が)[ ]?)"
)
_FEW = r"(?:[ ][^\s.!?:;,]{1,20}){0,4}?"

_KEYS = (
    r"(?:\b(?:pass[ -]?)?keys?|(?:wlan-?|netzwerk|sicherheits)?schlüssel|clés?|clefs?|clave|chiave|chave|sleutel|klucz|ключ(?:ик)?|контрольное слово"
    r"|password|passwort|passwörter|mot de passe|contraseña|senha|wachtwoord|пароль)"
)
KEY_IS = bounded(
    rf"(?:{_KEYS}(?!\w)(?:{_FEW}{_IS}|(?P<bare>[ ]))|(?:密钥|密鑰|密码|密碼|口令|キー|パスワード)(?:{_IS})?){VALUE}",
    re.IGNORECASE,
)
"""A key and its value; the look of the value shows whether it is for a lock."""

_LOCKED = (
    r"\b(?:(?:sim-?)?pin(?:-?(?:code|nummer))?|lock ?box|key ?(?:box|safe)|safe|vault|(?:front |back |side |garage |garden )?(?:door|gate)|alarm|padlock|bike lock|lock|keypad|intercom|"
    r"\w{0,20}(?:tür|tresor|schloss|kasten|schlüsselbox|alarmanlage|tor)|sim|"
    r"coffre(?:-fort)?|portail|digicode|cadenas|boîte à clés?|alarme|interphone|caja fuerte|portal|candado|alarma|"
    r"cassaforte|lucchetto|cancello|cassetta|allarme|cofre|portão|cadeado|kluis|poort|hangslot|slot|sleutelkluis(?:je)?|"
    r"сейф|домофон|подъезд|замок|калитк\w|ворота|сигнализаци\w)"
)
LOCK_IS = bounded(
    rf"{_LOCKED}(?!\w){_FEW}(?:{_IS}|[ ](?:keypad|code|pin|combo|combination|codice|código)[ ](?:is[ ])?)(?:the[ ]|le[ ]|il[ ]|el[ ])?{VALUE}"
    rf"|(?<=keypad[ ]){VALUE.replace('secret', 'pad')}"
    rf"|(?:门|門|门锁|保险柜|保險櫃|金庫|玄関|自転車|スマホ|携帯|鍵)[^\s。！？，、]{{0,8}}?(?:密码|密碼|号码|番号|解除|コード|暗証)(?:番号|コード)?(?:{_IS})?[ ]?{VALUE.replace('secret', 'code')}",
    re.IGNORECASE,
)
"""A locked thing and its code."""

ENTRY_IS = bounded(
    r"(?:(?:front |back |side |garage |garden )?(?:door|gate)|\w{0,20}(?:tür|tor)|portail|portal|cancello|portão|poort|калитк\w|ворота)(?!\w)"
    rf"{_FEW}(?:['’]s|[ ](?:is|was|ist|est|c['’]est|es|è|é|это|je)(?:[ ]\w{{1,8}})?)[ ](?:the[ ]|le[ ]|il[ ]|el[ ])?[\"'`“„«]?\Z",
    re.IGNORECASE,
)
"""A door or gate and "is", before a value that may also be its colour or the number of the house."""

WORD_WITH_NUMBER = bounded(r"[^\W\d_]+[0-9]{1,4}")
"""A word joined with a short number, as things are named that are made."""

_OPENS = (
    r"\b(?:opens?|unlocks?|unlocked|disarms?|log(?:s|ged)?|sign(?:s|ed)?|gets?|lets?|turns?|goes|works|"
    r"geht|gehen|öffne[tn]?|entsperre?n?|komm[est]{0,2}|lässt|logge|entschärf\w{0,3}|deaktivier\w{0,3}|"
    r"(?:s['’])?ouvr\w{1,3}|déverrouill\w{1,3}|désactive|entre|connect\w{1,3}|"
    r"abr\w{1,3}|abierto|desbloque\w{1,4}|desactiva\w?|conecta\w?|apaga|entra\w?|"
    r"apr[ei]\w{0,3}|sblocc\w{1,4}|spegne|disattiva\w?|accedi\w{0,2}|desliga|desativa|"
    r"gaat|kom(?:t|en)?|ontgrendel\w{0,2}|open|otwiera|"
    r"открыва\w{2,6}|открой\w{0,2}|разблокир\w{2,6}|отключа\w{2,6}|снима\w{2,6})"
)
_WITH = (
    r"(?:with|using|via|by (?:typing|entering|pressing|dialling)|mit|mittels|avec|en tapant|con|digitando|tecleando|com|met|z|с|через|кодом|паролем|на|по коду)"
    r"(?:[ ](?:the|a|dem|der|le|la|les|el|il|lo|o|os|i|de|het|код\w{0,3}))?(?:[ ](?:code|number|combination|pin|password|passphrase|key|kombination|chiffres|código|clave|codice|senha|кода))?[ :]{1,2}"
)
OPENS_WITH = bounded(
    rf"{_OPENS}(?!\w)(?:[ ][^\s.!?:;,]{{1,20}}){{0,6}}?[ ]{_WITH}{VALUE}|\bоткрыва\w{{2,6}}[ ]{VALUE.replace('secret', 'code')}",
    re.IGNORECASE,
)
"""Something opens with something."""

NAMES_CODE = linear(
    r"(?i)(?:codes?|passwort|kombination)(?:\W|$)|(?:^|\W)(?:pass(?:word|key|phrase)|pwd?|pins?|combo|combination|kennwort|mot de passe|clave|contraseña"
    r"|códigos?|codic[ei]|combinazione|senha|wachtwoord|пин|код[0-9а-яё]{0,2}|парол[0-9а-яё])(?:\W|$)|密码|密碼|口令|番号|コード|暗証|パスワード"
)
"""The names of codes that let people in."""

ANY_VALUE = bounded(
    rf"(?<![\w.,:/+#-]){VALUE}|(?<=[぀-ヿ一-鿿]){VALUE.replace('secret', 'behind')}",
    re.IGNORECASE,
)
"""Anything that may be what opens something."""

PUNCHED_IN = bounded(
    rf"\b(?:(?:punch|type|key|tap|enter|dial|press)(?:es|s|ing)?(?: in)?|tipp\w{{1,3}}|gib(?:st|t)?|wähl\w{{1,3}}|tap(?:er?|es|ez)|compos(?:er?|es|ez)|saisi[rst]{{1,3}}|"
    r"marc[ao]s?|tecle[ao]s?|puls[ao]s?|digit\w{1,5}|toets|tik|набер\w{1,3}|набира\w{2,4}|введ\w{1,3}|вводи\w{1,3}|нажм\w{1,3})"
    rf"(?:[ ](?:du|man|ich|you|we|le|el|il|o|de|den|in))?(?:[ ](?:code|código|codice|код|zahl))?[ ]{VALUE}",
    re.IGNORECASE,
)
"""Typing something; a secret if the sentence is about a locked thing."""

LOCKED = linear(
    r"(?i)(?:tür|tresor|schloss|kasten|schlüsselbox|alarmanlage|tor)(?:\W|$)"
    rf"|(?:^|\W)(?:{_LOCKED.removeprefix(chr(92) + 'b').replace(chr(92) + 'w{0,20}', '')}|wi-?fi|wlan|router|handy|phone|garage|locker|to get in|haustür"
    r"|parking|voordeur|deur|pour entrer|j'entre|allarme|para entrar|per entrare|войти)|门|門|柜|保险|手机|金庫|玄関|錠|ロック|鍵"
)
"""Words for a locked thing, anywhere in a sentence."""

OPENED_BY = bounded(
    rf"(?:^|(?<=[\s,;:(“\"'])){VALUE}[\"'”]?[ ](?:(?:is|it is|ist|est|es|è|é|это)[ ](?:what|how|was|ce qui|ciò che|lo que)?[ ]?)?"
    r"(?:gets?|lets?|opens?|unlocks?|disarms?|turns?|will (?:get|let|open|unlock)|öffnet|entsperrt|ouvre|déverrouille|abre|apre|sblocca|открывает|разблокирует)(?!\w)"
    r"(?:[ ](?:you|me|us|them|everyone|it|one|the|das|die|den|la|le|el|il|o))(?!\w)"
    rf"|\b(?:mit|met)[ ]{VALUE.replace('secret', 'code')}[ ](?:(?:kommst|kommt|komme|kommen|gehst|geht|kan|kom|kun)[ ]|öffne|entsperr|auf\b|rein\b|open\b|naar binnen)"
    rf"|\b(?:con|com|avec|с)[ ]{VALUE.replace('secret', 'key')}[ ](?:(?:te|se|me|ti|si|on|tu|je|você|можно)[ ])?(?:conect|entr|abr|acced|apr|ouvre|déverr|войти|открыть)"
    rf"|(?:用|按|输入|輸入|输)[ ]?{VALUE.replace('secret', 'zh')}[ ]?(?:就|来|才|即)?(?:能|可以|可)?(?:打开|开|解锁|进|登录|登陆|開|解鎖|連)"
    rf"|{VALUE.replace('secret', 'ja')}[ ]?で(?:開|解除|解錠|入れ|入る|ロック|ログイン)",
    re.IGNORECASE,
)
"""A code that comes before the thing that it opens."""

_SOME_DIGIT = rf"[\"'`“„«「#]?(?:[^\s]*[0-9]|(?:{_DIGIT_NAMES})[ ,-])"
MAY_OPEN = linear(
    r"(?i)[ ](?:gets?|lets?|opens?|unlocks?|disarms?|turns?|will (?:get|let|open|unlock)|öffnet|entsperrt|ouvre|déverrouille|abre|apre|sblocca"
    r"|открывает|разблокирует)[ ](?:you|me|us|them|everyone|it|one|the|das|die|den|la|le|el|il|o)"
    rf"|(?:mit|met|con|com|avec|с)[ ]{_SOME_DIGIT}|[用按输輸]|で(?:開|解|入|ロ)"
)
"""Without any of these ``OPENED_BY`` finds nothing."""

MAY_OPEN_WITH = linear(rf"(?i){_WITH}{_SOME_DIGIT}|открыва[^ ]{{2,6}}[ ]")
"""The same of ``OPENS_WITH``."""

NAMES_KEY = linear(f"(?i){_KEYS.replace(chr(92) + 'b', '')}|密钥|密鑰|密码|密碼|口令|キー|パスワード")
"""The same of ``KEY_IS``."""

CODES_NAMED = linear(
    r"(?i)(?:recovery|backup|rescue|scratch|emergency|one-time|2fa|login|security|verification|authenticator)[ -](?:code|key)s?"
    r"|(?:wiederherstellungs|ersatz|notfall|backup|sicherungs)-?(?:code|schlüssel)[ns]?"
    r"|codes? de (?:secours|récupération|sauvegarde)|códigos? de (?:recuperación|respaldo|recuperação|segurança|seguridad)|codici? di (?:recupero|backup|riserva)|herstel-?codes?|back-?up-?codes?"
    r"|(?:резервн|аварийн)[а-яё]{2} код[а-яё]{0,2}|код[а-яё]? восстановления|备用码|恢复码|備用碼|リカバリーコード|バックアップコード"
)
"""Names of codes for people who lost their other way in."""

CODES_FOLLOW = bounded(
    r"(?!\w)[^\n:：]{0,60}?(?:[:：]|\bare\b|\bsind\b|\bsont\b|\bson\b|\bsono\b|\bsão\b|\bzijn\b|は|是|\n|[ ](?=[a-z]{0,5}[0-9]))",
    re.IGNORECASE,
)
"""Behind that name: one or a list of them follows."""

CODE_IN_LIST = bounded(
    r"(?:[\s,;/&、，•]|[-*][ ]|[0-9]{1,2}[.)][ ]|(?:and|und|et|y|e|en|и|和|と)[ ]){0,6}(?P<secret>[0-9A-Za-z]{3,12}(?:[- ](?=[0-9A-Za-z]*[0-9])[0-9A-Za-z]{3,12}){0,5})(?![\w-])"
)
"""The next of a list of codes."""

GOES_ON_WITHOUT_UNIT = bounded(
    r"[\"'”»]?(?:\s*$|\s*[.,;:!?)\]。，！、？\n…]|[ ](?:and|but|then|so|when|if|at|on|in|to|for|it|or|twice|please|now|btw|since|because|und|aber|auf|ein|aus|rein|dann|wenn|um|öffnen|et|mais|pour|puis|quand"
    r"|ou|y|pero|para|cuando|o|e|ma|per|poi|quando|mas|en|maar|als|и|но|а|чтобы|когда|then|[-–—(])(?![\w])|[぀-ヿ一-鿿])"
)
"""Behind a bare number: no thing that it counts."""

_MAY_UNLOCK = linear(
    "(?i)" + "|".join(f"(?:{each.pattern})" for each in (LOCKED, NAMES_CODE, NAMES_KEY, MAY_OPEN))
)

SENTENCE_WITH_DIGITS = linear(
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
    yield from (SecretSpan(*found, SecretKind.CODE) for found in _codes_in_list(text))


def may_unlock(text: str) -> bool:
    """Return whether a text may name the code of a lock. As one expression the two would need too many states."""
    encoded = whole(text).encode()
    return _MAY_UNLOCK.is_in(encoded) or MAY_OPEN_WITH.is_in(encoded)


def _sentences(text: str) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield the spans of sentences that may name an unlock code, and the question before each."""
    last = 0
    for found in places(SENTENCE_WITH_DIGITS, text, _MOST_WITH_DIGITS):
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


def plain_digits(value: str) -> str:
    """Return the digits of a value, in groups or spelled out; "" if it has other words."""
    parts = [part for part in _SEPARATORS.split(value.casefold()) if part]
    digits = [part if part.isdecimal() else DIGITS_BY_NAME.get(part, "") for part in parts]
    return "".join(digits) if all(digits) else ""


def _in_sentence(text: str, start: int, end: int, asked: tuple[int, int]) -> Iterator[tuple[int, int]]:
    sentence, question = text[start:end], text[slice(*asked)]
    if NAMES_KEY.search(sentence):
        for found in KEY_IS.finditer(text, start, end):
            at, stop = _value(text, found)
            if _is_key(text[at:stop]) and (not found["bare"] or _JOINED.fullmatch(text[at:stop])):
                yield at, stop
    is_locked = LOCKED.search(sentence) is not None
    locked = is_locked or (question != "" and LOCKED.search(question) is not None)
    named = NAMES_CODE.search(sentence) is not None or (
        question != "" and NAMES_CODE.search(question) is not None
    )
    if locked or named:
        yield from _together(text, start, end, both=locked and named)
    shapes = [
        shape
        for shape, may in (
            (LOCK_IS, is_locked),
            (OPENS_WITH, MAY_OPEN_WITH.search(sentence) is not None),
            (OPENED_BY, MAY_OPEN.search(sentence) is not None),
            (PUNCHED_IN, is_locked),
        )
        if may
    ]
    for shape in shapes:
        for found in shape.finditer(text, start, end):
            at, stop = _value(text, found)
            if UNIT.search(text[stop : stop + 8]) or _names_thing(text, found.start(), at, stop):
                continue
            if _opens(text[at:stop]) and (
                shape is OPENED_BY or not text[at:stop].isdecimal() or GOES_ON_WITHOUT_UNIT.match(text, stop)
            ):
                yield at, stop


def _names_thing(text: str, start: int, at: int, stop: int) -> bool:
    """Return whether a value is a model, or describes a door, and nothing before it names a code."""
    before, value = text[start:at], text[at:stop]
    if NAMES_CODE.search(before) or "keypad" in before.casefold():
        return False
    return bool(
        WORD_WITH_NUMBER.fullmatch(value) or (ENTRY_IS.match(before) and not value.endswith(("#", "*")))
    )


def _together(text: str, start: int, end: int, *, both: bool) -> Iterator[tuple[int, int]]:
    """Yield values of a sentence that names a lock, or a code, or both; or that answers one that does."""
    for found in ANY_VALUE.finditer(text, start, end):
        at, stop = _value(text, found)
        value = text[at:stop]
        if (_is_spelled_out(value) and not _is_counted_aloud(text, at, stop)) or (
            both and _may_be_code(text, at, stop)
        ):
            yield at, stop


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
        and GOES_ON_WITHOUT_UNIT.match(text, end) is None
    )


def _may_be_code(text: str, start: int, end: int) -> bool:
    value = text[start:end]
    digits = plain_digits(value)
    if not digits:
        return _is_key(value) and sum(map(str.isdigit, value)) >= _LEAST_DIGITS
    bare = GOES_ON_WITHOUT_UNIT.match(text, end) is not None
    return bare and len(digits) in _CODE_DIGITS and not _DATE_OR_TIME.fullmatch(value)


def _value(text: str, found: Any) -> tuple[int, int]:
    """Return the span of the value without closing punctuation."""
    start, end = found.span(found.lastgroup or 0)
    return start, start + len(text[start:end].rstrip(".,;:?!)\"'`"))


def _is_key(value: str) -> bool:
    """Return whether a key's value looks like one: letters and digits that are no model name, or words joined with digits."""
    digits = sum(map(str.isdigit, value))
    if (
        not digits
        or "(" in value
        or len(value) < _LEAST_KEY
        or _MODEL.fullmatch(value)
        or is_about_passwords(value)
        or _DATE_OR_TIME.fullmatch(value)
    ):
        return False
    if plain_digits(value):
        return False  # "key" also means that of a door, a legend or a success
    joined = _JOINED.fullmatch(value)
    return len(value) >= _LEAST_WORDS_JOINED if joined else any(map(str.isalpha, value))


def _opens(value: str) -> bool:
    """Return whether a value may be an unlock code."""
    if _DATE_OR_TIME.fullmatch(value):
        return False
    digits = plain_digits(value)
    if digits:
        return len(digits) >= _LEAST_DIGITS
    return _is_key(value) or (
        len(value) > _LEAST_DIGITS
        and sum(map(str.isdigit, value)) >= _LEAST_DIGITS
        and any(map(str.isalpha, value))
    )


def _codes_in_list(text: str) -> Iterator[tuple[int, int]]:
    """Yield the codes of a list that a sentence announces."""
    for named in places(CODES_NAMED, text, _MOST_SENTENCES):
        opening = CODES_FOLLOW.match(text, named.end())
        if opening is None:
            continue
        at = opening.end()
        for _ in range(_MOST_IN_LIST):
            found = CODE_IN_LIST.match(text, at)
            if found is None or not _is_listed(found["secret"]):
                break
            yield found.span("secret")
            at = found.end()


def _is_listed(value: str) -> bool:
    return sum(map(str.isdigit, value)) > 1 and not _DATE_OR_TIME.fullmatch(value)
