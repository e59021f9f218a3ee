"""Secrets that a program is given where it takes one: in commands, headers, links, mark-up. Pure. Never: names of settings."""

from collections.abc import Iterator

from recollect.text.patterns import linear
from recollect.text.secrets.assigned import is_made
from recollect.text.secrets.kinds import SecretKind, SecretSpan, places
from recollect.text.secrets.telling import is_said
from recollect.text.secrets.values import has_digit, is_code, is_humped, is_placeholder

_LINE = 1_000
_LEAST_NUMBER = 6
_LEAST_LETTERS = 12
_SCHEMES = r"(?:bearer|basic|token|digest|apikey|api-key|negotiate|key|aws4-hmac-sha256)"
_SHAPES = (
    # Connection strings and links with a user in them
    (
        linear(r"[A-Za-z0-9+]://[^\s/@:?#\"'<>]*:([^\s/@\"'<>]+(?:@[^\s/@\"'<>,;?&=]+)*)@[^\s]"),
        SecretKind.PASSWORD,
    ),
    # Headers
    (
        linear(
            rf"(?i)authorization[\"']?\s{{0,3}}[:=,]\s{{0,3}}[\"']?(?:{_SCHEMES}\s{{1,3}})?([^\s\"',;<>]{{6,}})"
        ),
        SecretKind.TOKEN,
    ),
    (
        linear(r"(?i)\bbearer[ \t]{1,4}([0-9A-Za-z_.~+/=-]{16,})"),
        SecretKind.TOKEN,
    ),
    (
        linear(r"(?i)\bbasic[ \t]{1,4}([0-9A-Za-z+/]{16,}={0,2})(?:[^0-9A-Za-z_+/=-]|$)"),
        SecretKind.TOKEN,
    ),
    (
        linear(
            r"(?i)\bx-[a-z-]*(?:key|token|auth|secret|password)[a-z-]*[\"']?\s{0,3}[:=,]\s{0,3}[\"']?([^\s\"',;<>]{6,})"
        ),
        SecretKind.KEY,
    ),
    # Options of commands
    (
        linear(
            r"(?:^|[\s\"'])(?:-u|-U|--user|--proxy-user|--auth|-a)(?:[ \t]{1,3}|=)?[\"']?[^\s:\"'/$]+:([^\s\"']+)"
        ),
        SecretKind.PASSWORD,
    ),
    (
        linear(
            r"(?:^|\s)--?[a-z-]*(?:password|passwd|passphrase|pass|pwd|token|api-?key|secret(?:-key)?|auth-key)(?:=|[ \t]{1,3})(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'-][^\s\"']{2,})"
        ),
        SecretKind.PASSWORD,
    ),
    (
        linear(
            r"(?i)\b(?:mysql[a-z]*|mariadb[a-z-]*)\b[^\n|;]*?\s-p(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'-][^\s\"']+)"
        ),
        SecretKind.PASSWORD,
    ),
    (
        linear(
            r"(?i)\b(?:useradd|usermod|docker|podman|helm|buildah|oc|az|sshpass|plink|ldapsearch|smbclient)\b[^\n|;]*?\s-(?:p|w)[ =]?(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"':-][^\s\"':]{2,})(?:\s|$)"
        ),
        SecretKind.PASSWORD,
    ),
    (linear(r"\bredis-cli\b[^\n|;]*?\s-a[ ]([^\s]{2,})"), SecretKind.PASSWORD),
    (linear(r"\bopenssl\b[^\n|;]*?\s-(?:k|pass(?:in|out)?)[ ](?:pass:)?([^\s]{3,})"), SecretKind.PASSWORD),
    (
        linear(r"\bhtpasswd\s{1,3}-[A-Za-z]{0,4}b[A-Za-z]{0,4}\s{1,3}\S+\s{1,3}\S+\s{1,3}(\S{2,})"),
        SecretKind.PASSWORD,
    ),
    (linear(r"(?i)\bnet\s{1,3}use\b[^\n]*?/user:\S+[ ]([^\s/]{3,})"), SecretKind.PASSWORD),
    (
        linear(r"(?i)\b(?:machine|default)\b[^\n]*?\slogin\s{1,4}\S+\s{1,4}password\s{1,4}(\S{2,})"),
        SecretKind.PASSWORD,
    ),
    (
        linear(
            r"(?i)\b(?:env|setx|set|arg)[ ]{1,3}[a-z_]*(?:password|passwd|secret|token|api_?key)[a-z_]*[ ]{1,3}([^\s=]{3,})"
        ),
        SecretKind.PASSWORD,
    ),
    (
        linear(
            r"(?i)\bauth\s{0,3}=\s{0,3}\(\s{0,3}[\"'][^\"'\n]+[\"']\s{0,3},\s{0,3}[\"']([^\"'\n]{2,})[\"']"
        ),
        SecretKind.PASSWORD,
    ),
    (
        linear(
            r"\becho\s{1,3}(?:-n\s{1,3})?(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'|]+)\s{0,3}\|\s{0,3}sudo\s{1,3}(?:-\S+\s{1,3})*(?:-[A-Za-z]*S|--stdin)"
        ),
        SecretKind.PASSWORD,
    ),
    (linear(r"(?i)\bnet\s{1,3}user\s{1,3}\S+\s{1,3}([^\s/]\S*)\s{1,3}/[a-z]"), SecretKind.PASSWORD),
    (
        linear(r"\bwpa_passphrase\s{1,3}(?:\"[^\"\n]+\"|'[^'\n]+'|\S+)\s{1,3}(\"[^\"\n]+\"|\S{8,63})"),
        SecretKind.PASSWORD,
    ),
    # A user's name beside it
    (
        linear(
            r"(?i)\b(?:user(?:name)?|login)\s?/\s?pass(?:word|wd|phrase)?\s?[:=]\s?[^\s/]+(?:\s?/\s?|\s)(\S{3,})"
        ),
        SecretKind.PASSWORD,
    ),
    (
        linear(
            r"(?i)\b(?:user(?:name)?|login)[ ]\S+?[,;][ ](?:and[ ])?(?:password|passwd|pass|pw)[ ](\S{4,}?)(?:[.,;!?)]|\s*$|\n)"
        ),
        SecretKind.PASSWORD,
    ),
    # Mark-up
    (
        linear(
            r"(?i)<[a-z:._-]*(?:password|passwd|pwd|secret|token|api-?key)[a-z]{0,10}>([^<>\s][^<>\n]{2,})</"
        ),
        SecretKind.PASSWORD,
    ),
    (
        linear(
            r"(?i)(?:name|key|id)=[\"'][a-z0-9_.:-]*(?:password|passwd|pwd|secret|token|api-?key)[a-z]{0,10}[\"']\s{1,3}value=[\"']([^\"'\n]{3,})[\"']"
        ),
        SecretKind.PASSWORD,
    ),
)
"""Expressions that have the secret as their first group, and what it is."""

_MAY_BE_GIVEN = linear(
    r"(?i)://[^\s/@]*:[^\s/@]*@|authorization|bearer|basic[ \t]|x-[a-z-]*(?:key|token|auth|secret|pass)|[\s\"']-[uapwk]"
    r"|--?[a-z-]*(?:pass|pwd|token|key|secret|user|auth)|\bnet\s+use|\|\s*sudo|wpa_pass|\buser(?:name)?\s?/|\b(?:user(?:name)?|login)[ ]\S+[ ](?:\S+[ ]){0,2}pass|htpasswd|mysql|mariadb|\blogin[ ]|\b(?:env|setx?|arg)[ ]+[a-z_]*(?:pass|secret|token|key)"
    r"|auth\s*=|<[a-z:._-]*(?:pass|pwd|secret|token|key)|=[\"'][a-z0-9_.:-]*(?:pass|pwd|secret|token|key)"
)
"""Without any of these none of the shapes above is there."""

_QUERY = linear(
    r"(?i)[?&#](?:key|access_token|token|auth|sig|signature|code|sid|password|pwd|pass|secret|x-amz-(?:signature|security-token|credential))=([^\s&#\"'<>]{4,})"
)


def in_commands(text: str) -> Iterator[SecretSpan]:
    """Yield what stands in a command, a header, a link, or mark-up in the place of a secret."""
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
    """Yield where lines begin and end that may hold one; those that lie together as one."""
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
    """Return where the value stands within its quotes; None where it is no secret."""
    if text[start] in "\"'" and end - start > 1:
        start, end = start + 1, end - 1
    return (start, end) if _may_be_given(text[start:end], kind) else None


def _may_be_given(value: str, kind: SecretKind) -> bool:
    if is_placeholder(value) or is_code(value) or is_said(value):
        return False
    if kind is SecretKind.TOKEN:
        return has_digit(value) or is_humped(value)
    if kind is SecretKind.KEY:
        return has_digit(value) or is_humped(value) or len(value) >= _LEAST_LETTERS
    return not (value.isdecimal() and len(value) < _LEAST_NUMBER) and not value.startswith(("-", "/"))
