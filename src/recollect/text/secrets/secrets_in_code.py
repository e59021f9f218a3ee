"""Secrets in code: assignments in settings files, cookies, commands, headers, links and markup. Pure."""

from collections.abc import Iterator

from recollect.text.patterns import anchored, linear
from recollect.text.secrets.values import (
    ENDINGS,
    MASK,
    SecretKind,
    SecretSpan,
    has_digit,
    is_about_passwords,
    is_code,
    is_humped,
    is_number,
    is_placeholder,
    is_strange,
    places,
)

_STRONG = r"passwort|passwor[dt]|passphrase|passwd|pwd|psk|kennwort|senha|contrase[n\x{f1}]a|mot_?de_?passe|secret|pass"
_WEAK = (
    r"api[_-]?key|apikey|access[_-]?key|account[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|auth[_-]?key"
    r"|secret[_-]?key|token|credentials?|[^a-z]app_?id|signature|sas_|hmac"
    r"|session[_-]?id|sessid|connect\.sid|_session|[_-]sid|license[_-]?key"
)
_NAMES = linear(rf"(?i)({_STRONG})|({_WEAK})")
"""The words in a name that mark a secret: strong, weak."""

_SIGN = linear(r"^([0-9A-Za-z_.-]{0,24})(?:\\?[\"'`])?\]?[ \t]{0,4}(=>|:=|=|:)[ \t]{0,4}")
_QUOTED = anchored(r"[rbfu]?(?:\\?\"([^\"\\\n]{1,200})\\?\"|'([^'\n]{1,200})'|`([^`\n]{1,200})`)")
_BARE = anchored(r"[^\s\"'`,;&<>(){}\[\]|\\]{1,300}(?:[(\[{][^\s]{0,80})?")
_LINE_ENDS = linear(r"^[ \t]*(?:\\?[\r\n\"'`,;}\])<|&]|#|//|--|$)")
_NOT_NAMES = linear(
    r"(?i)(?:^|[^a-z])(?:max|min|num|total|prompt|completion|input|output|cached?|used|per|count|limit|primary|foreign|public|sort|next|page|continuation|author)[_-]?$"
)
_NAMES_ANOTHER = linear(
    r"(?i)(?:name|id|type|field|len(?:gth)?|hash|error|policy|label|hint|url|uri|path|file|prompt|input|placeholder|regex|pattern|ref|arn|s|count|limit|text[0-9a-z_]{0,10}|message|encoder|expir[0-9a-z_]*|at)$"
)
"""How a name ends that is no secret's: ``secret_name``, ``tokens``."""

_ASSIGNED = rf"(?i:{_STRONG}|{_WEAK})(?:{_SIGN.pattern.removeprefix('^')})"
_WINDOW = 320
_IN_CONNECTION = linear(r"^([^;\n\"'&]{0,100});[ ]?[A-Za-z]")
"""The rest of a value, and that another follows."""
_PHRASES = linear(r"(?i)(?:phrase|psk)$")
_LEAST_STRONG, _LEAST_WEAK = 3, 8
_WORDS_OF_A_SENTENCE = 5

_COOKIES = linear(r"(?i)\b(?:set-)?cookies?[\"']?\s{0,3}[:=]\s{0,3}[\"']?([0-9A-Za-z_.-]+=[^\n\"']{4,})")
_COOKIE = linear(r"([0-9A-Za-z_.-]+)=([^\s;,]{8,})")


def assigned(text: str) -> Iterator[SecretSpan]:
    """Yield values assigned to names of secrets: ``DB_PASS=...``, ``"password": "..."``."""
    for name in places(_NAMES, text):
        start, end = name.span()
        if _NOT_NAMES.search(text[max(0, start - 14) : start]):
            continue
        if name[0].lower() == "pass" and _is_within_word(text, start, end):
            continue
        window = text[end : end + _WINDOW]
        sign = _SIGN.search(window)
        if sign is None or _NAMES_ANOTHER.search(sign[1]):
            continue
        if MASK in window[sign.end() : sign.end() + 2]:
            continue
        strong = bool(name[1])
        at = sign.end()
        value = _value(name[0] + sign[1], sign[2], window, at, strong=strong)
        if value is not None and strong and text[start - 1 : start] == ";" and sign[0].endswith("="):
            value = _up_to_semicolon(window, value)
        if value is not None:
            kind = SecretKind.PASSWORD if _is_password(name[0]) else SecretKind.KEY
            yield SecretSpan(end + value[0], end + value[1], kind)


def cookies(text: str) -> Iterator[SecretSpan]:
    """Yield the machine-made values of cookies."""
    for found in places(_COOKIES, text):
        for pair in _COOKIE.finditer(found[1]):
            if is_made(pair[2]):
                start, end = pair.span(2)
                yield SecretSpan(found.start(1) + start, found.start(1) + end, SecretKind.SESSION)


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Return whether the name is part of a longer word: "compass", "passive"; not "DB_PASS", "dbPass"."""
    before, behind = text[max(0, start - 1) : start], text[end : end + 1]
    return (before.isalpha() and not (before.islower() and text[start] == "P")) or behind.isalpha()


def _value(  # noqa: PLR0911 -- one reason a line
    name: str, sign: str, window: str, at: int, *, strong: bool
) -> tuple[int, int] | None:
    """Return the span of a name's value in the window after it; None if it is no secret."""
    quoted = _QUOTED.match(window[at:])
    if quoted is not None:
        group = next(number for number in (1, 2, 3) if quoted.span(number)[0] >= 0)
        start, end = quoted.span(group)
        value = quoted[group]
        is_one = _is_strong(value) if strong else is_made(value)
        return (at + start, at + end) if is_one and not is_placeholder(value) else None
    bare = _BARE.match(window[at:])
    if bare is None:
        return None
    value = bare[0].rstrip(ENDINGS.replace("*", ""))
    if is_placeholder(value) or is_code(bare[0]) or value.startswith(("=", "~", "//")):
        return None
    if not strong:
        return (at, at + len(value)) if is_made(value) else None
    behind = window[at + len(bare[0]) :]
    ends = _LINE_ENDS.search(behind) is not None
    spaced = (
        window[:at] != window[:at].rstrip() or window[: at - len(sign)] != window[: at - len(sign)].rstrip()
    )
    if _PHRASES.search(name) and sign == "=" and not ends:
        line = window[at:].split("\n", 1)[0].rstrip()
        return at, at + len(line)
    if not _is_strong(value) or not (ends or is_strange(value) or (sign == "=" and not spaced)):
        return None
    return at, at + len(value)


def _up_to_semicolon(window: str, value: tuple[int, int]) -> tuple[int, int]:
    """Return the span of a connection string's value, which may hold spaces; unchanged in anything else."""
    rest = _IN_CONNECTION.search(window[value[1] :])
    return (value[0], value[1] + len(rest[1])) if rest is not None else value


def _is_password(name: str) -> bool:
    return "secret" not in name.lower() and "key" not in name.lower() and "token" not in name.lower()


def _is_strong(value: str) -> bool:
    is_sentence = len(value.split()) >= _WORDS_OF_A_SENTENCE and not _PHRASES.search(value)
    return (
        len(value) >= _LEAST_STRONG
        and any(map(str.isalnum, value))
        and not is_code(value)
        and not is_sentence
    )


def is_made(value: str) -> bool:
    """Return whether a value looks machine-made: long enough, with digits, or capitals inside."""
    if (
        len(value) < _LEAST_WEAK
        or is_placeholder(value)
        or is_number(value)
        or is_code(value)
        or " " in value
    ):
        return False
    return has_digit(value) or is_humped(value)


_LINE = 1_000
_LEAST_NUMBER = 6
_LEAST_LETTERS = 12
_SCHEMES = r"(?:bearer|basic|token|digest|apikey|api-key|negotiate|key|aws4-hmac-sha256)"
_SHAPES = tuple(
    (linear(shape), kind)
    for kind, shapes in (
        (
            SecretKind.PASSWORD,
            (
                # Connection strings and links with a user in them
                r"[A-Za-z0-9+]://[^\s/@:?#\"'<>]*:([^\s/@\"'<>]+(?:@[^\s/@\"'<>,;?&=]+)*)@[^\s]",
            ),
        ),
        (
            SecretKind.TOKEN,
            (
                # Headers
                rf"(?i)authorization[\"']?\s{{0,3}}[:=,]\s{{0,3}}[\"']?(?:{_SCHEMES}\s{{1,3}})?([^\s\"',;<>]{{6,}})",
                r"(?i)\bbearer[ \t]{1,4}([0-9A-Za-z_.~+/=-]{16,})",
                r"(?i)\bbasic[ \t]{1,4}([0-9A-Za-z+/]{16,}={0,2})(?:[^0-9A-Za-z_+/=-]|$)",
            ),
        ),
        (
            SecretKind.KEY,
            (
                r"(?i)\bx-[a-z-]*(?:key|token|auth|secret|password)[a-z-]*[\"']?\s{0,3}[:=,]\s{0,3}[\"']?([^\s\"',;<>]{6,})",
            ),
        ),
        (
            SecretKind.PASSWORD,
            (
                # Options of commands
                r"(?:^|[\s\"'])(?:-u|-U|--user|--proxy-user|--auth|-a)(?:[ \t]{1,3}|=)?[\"']?[^\s:\"'/$]+:([^\s\"']+)",
                r"(?:^|\s)--?[a-z-]*(?:password|passwd|passphrase|pass|pwd|token|api-?key|secret(?:-key)?|auth-key)(?:=|[ \t]{1,3})(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'-][^\s\"']{2,})",
                r"(?i)\b(?:mysql[a-z]*|mariadb[a-z-]*)\b[^\n|;]*?\s-p(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'-][^\s\"']+)",
                r"(?i)\b(?:useradd|usermod|docker|podman|helm|buildah|oc|az|sshpass|plink|ldapsearch|smbclient)\b[^\n|;]*?\s-(?:p|w)[ =]?(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"':-][^\s\"':]{2,})(?:\s|$)",
                r"\bredis-cli\b[^\n|;]*?\s-a[ ]([^\s]{2,})",
                r"\bopenssl\b[^\n|;]*?\s-(?:k|pass(?:in|out)?)[ ](?:pass:)?([^\s]{3,})",
                r"\bhtpasswd\s{1,3}-[A-Za-z]{0,4}b[A-Za-z]{0,4}\s{1,3}\S+\s{1,3}\S+\s{1,3}(\S{2,})",
                r"(?i)\bnet\s{1,3}use\b[^\n]*?/user:\S+[ ]([^\s/]{3,})",
                r"(?i)\b(?:machine|default)\b[^\n]*?\slogin\s{1,4}\S+\s{1,4}password\s{1,4}(\S{2,})",
                r"(?i)\b(?:env|setx|set|arg)[ ]{1,3}[a-z_]*(?:password|passwd|secret|token|api_?key)[a-z_]*[ ]{1,3}([^\s=]{3,})",
                r"(?i)\bauth\s{0,3}=\s{0,3}\(\s{0,3}[\"'][^\"'\n]+[\"']\s{0,3},\s{0,3}[\"']([^\"'\n]{2,})[\"']",
                r"\becho\s{1,3}(?:-n\s{1,3})?(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'|]+)\s{0,3}\|\s{0,3}sudo\s{1,3}(?:-\S+\s{1,3})*(?:-[A-Za-z]*S|--stdin)",
                r"(?i)\bnet\s{1,3}user\s{1,3}\S+\s{1,3}([^\s/]\S*)\s{1,3}/[a-z]",
                r"\bwpa_passphrase\s{1,3}(?:\"[^\"\n]+\"|'[^'\n]+'|\S+)\s{1,3}(\"[^\"\n]+\"|\S{8,63})",
                # A user's name next to it
                r"(?i)\b(?:user(?:name)?|login)\s?/\s?pass(?:word|wd|phrase)?\s?[:=]\s?[^\s/]+(?:\s?/\s?|\s)(\S{3,})",
                r"(?i)\b(?:user(?:name)?|login)[ ]\S+?[,;][ ](?:and[ ])?(?:password|passwd|pass|pw)[ ](\S{4,}?)(?:[.,;!?)]|\s*$|\n)",
                # Mark-up
                r"(?i)<[a-z:._-]*(?:password|passwd|pwd|secret|token|api-?key)[a-z]{0,10}>([^<>\s][^<>\n]{2,})</",
                r"(?i)(?:name|key|id)=[\"'][a-z0-9_.:-]*(?:password|passwd|pwd|secret|token|api-?key)[a-z]{0,10}[\"']\s{1,3}value=[\"']([^\"'\n]{3,})[\"']",
            ),
        ),
    )
    for shape in shapes
)
"""Expressions with the secret as their first group, and its kind."""

_MAY_BE_GIVEN = linear(
    r"(?i)://[^\s/@]*:[^\s/@]*@|authorization|bearer|basic[ \t]|x-[a-z-]*(?:key|token|auth|secret|pass)|[\s\"']-[uapwk]"
    r"|--?[a-z-]*(?:pass|pwd|token|key|secret|user|auth)|\bnet\s+use|\|\s*sudo|wpa_pass|\buser(?:name)?\s?/|\b(?:user(?:name)?|login)[ ]\S+[ ](?:\S+[ ]){0,2}pass|htpasswd|mysql|mariadb|\blogin[ ]|\b(?:env|setx?|arg)[ ]+[a-z_]*(?:pass|secret|token|key)"
    r"|auth\s*=|<[a-z:._-]*(?:pass|pwd|secret|token|key)|=[\"'][a-z0-9_.:-]*(?:pass|pwd|secret|token|key)"
)
"""Without any of these none of the shapes above is there."""

_QUERY = linear(
    r"(?i)[?&#](?:key|access_token|token|auth|sig|signature|code|sid|password|pwd|pass|secret|x-amz-(?:signature|security-token|credential))=([^\s&#\"'<>]{4,})"
)

SHAPES = _ASSIGNED, _COOKIES, _MAY_BE_GIVEN, _QUERY
"""A text without any of these has no secret in code."""


def in_commands(text: str) -> Iterator[SecretSpan]:
    """Yield values in the place of a secret in a command, a header, a link or markup."""
    for begin, end in _lines_with_one(text):
        part = text[begin:end]
        for shape, kind in _SHAPES:
            for found in places(shape, part):
                given = _given(part, found.start(1), found.end(1), kind)
                if given is not None:
                    yield SecretSpan(begin + given[0], begin + given[1], kind)
    for found in places(_QUERY, text):
        if is_made(found[1]):
            yield SecretSpan(found.start(1), found.end(1), SecretKind.TOKEN)


def _lines_with_one(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of lines that may hold one; adjacent lines are joined."""
    begin = end = 0
    for found in places(_MAY_BE_GIVEN, text):
        if found.start() < end:
            continue
        if end:
            yield begin, end
        begin = max(
            end, text.rfind("\n", max(0, found.start() - _LINE), found.start()) + 1, found.start() - _LINE
        )
        stop = text.find("\n", found.end(), found.end() + _LINE)
        end = stop if stop >= 0 else min(len(text), found.end() + _LINE)
    if end:
        yield begin, end


def _given(text: str, start: int, end: int, kind: SecretKind) -> tuple[int, int] | None:
    """Return the span of the value within its quotes; None if it is no secret."""
    if text[start] in "\"'" and end - start > 1:
        start, end = start + 1, end - 1
    return (start, end) if _may_be_given(text[start:end], kind) else None


def _may_be_given(value: str, kind: SecretKind) -> bool:
    if is_placeholder(value) or is_code(value) or is_about_passwords(value):
        return False
    if kind is SecretKind.TOKEN:
        return has_digit(value) or is_humped(value)
    if kind is SecretKind.KEY:
        return has_digit(value) or is_humped(value) or len(value) >= _LEAST_LETTERS
    return not (value.isdecimal() and len(value) < _LEAST_NUMBER) and not value.startswith(("-", "/"))
