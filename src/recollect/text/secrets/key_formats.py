"""Secrets recognized by their form alone: keys of known vendors, private keys, random strings. Pure.

The vendors' prefixes, lengths and alphabets are facts from their documentation, checked against gitleaks,
detect-secrets and trufflehog. Lengths are lower bounds: a vendor may issue longer keys later.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log2

from recollect.text.patterns import linear
from recollect.text.secrets.values import SecretKind, SecretSpan, has_digit, is_humped, is_placeholder, places

WITH_PREFIX = (
    # Models, and what runs them
    r"sk-(?:[a-z]{2,10}[0-9]{0,2}-)?[0-9A-Za-z_-]{16,}",
    r"(?:gsk|hf|api_org|r8|pcsk|tgp_v1|lsv2_(?:pt|sk))_[0-9A-Za-z_]{20,}",
    r"(?:pplx|xai|nvapi)-[0-9A-Za-z_-]{20,}",
    r"pk-lf-[0-9a-f-]{36}",
    # Clouds
    r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}",
    r"ABSK[A-Za-z0-9+/]{60,}={0,2}",
    r"LTAI[A-Za-z0-9]{16,}",
    r"AIza[0-9A-Za-z_-]{30,}",
    r"ya29\.[0-9A-Za-z_-]{20,}",
    r"GOCSPX-[0-9A-Za-z_-]{20,}",
    r"[0-9A-Za-z_~.]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}",
    r"do[opr]_v1_[a-f0-9]{40,}",
    r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}",
    r"HRKU-[0-9A-Za-z_-]{40,}",
    r"(?:fo1|fm1[ar]|fm2)_[0-9A-Za-z_+/=-]{40,}",
    r"(?:AQVN|AQAAA)[0-9A-Za-z_-]{30,}",
    r"t1\.[A-Z0-9a-z_-]+[=]{0,2}\.[A-Z0-9a-z_-]{80,}={0,2}",
    r"dt0[a-zA-Z][0-9]{2}\.[A-Z0-9]{20,}\.[A-Z0-9]{40,}",
    r"(?:dapi|dkea|dose|ddbc)[0-9a-f]{32}",
    r"4b1d[A-Za-z0-9]{38}",
    r"tskey-(?:[a-z]{2,12}-)?[0-9A-Za-z_]{8,}-?[0-9A-Za-z_]*",
    r"nfp_[0-9A-Za-z_]{36,}",
    r"(?:sbp|sb_secret)_[0-9A-Za-z_]{20,}",
    r"pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_=.-]{30,}",
    r"hv[bsr]\.[0-9A-Za-z_-]{24,}",
    r"[A-Za-z0-9]{14}\.atlasv1\.[0-9A-Za-z_=-]{50,}",
    r"(?:sha256~|pul-|ico-)[0-9A-Za-z_-]{32,}",
    r"dp\.(?:pt|st(?:\.[0-9A-Za-z_-]{1,30})?|ct|sa|scim|audit)\.[A-Za-z0-9]{36,}",
    # Code and its packages
    r"gh[oprsu]_[A-Za-z0-9]{20,}",
    r"github_pat_[0-9A-Za-z_]{20,}",
    r"gl(?:pat|dt|ft|rt|ptt|agent|cbt|oas|imt|ffct|soat|trt)-[0-9A-Za-z_.-]{16,}",
    r"GR1348941[0-9A-Za-z_-]{20,}",
    r"(?:npm|rubygems|bkua|squ|sqp|sqa|sgp|slk|pnu|rdme|tfp|figd|lin_api|lin_oauth|sntryu|sntrys)_[0-9A-Za-z_=+/-]{20,}",
    r"pypi-[0-9A-Za-z_-]{20,}",
    r"oy2[a-z0-9]{43}",
    r"cio[A-Za-z0-9]{32}",
    r"dckr_(?:pat|oat)_[0-9A-Za-z_-]{20,}",
    r"CLOJARS_[a-z0-9]{50,}",
    r"CCIPAT_[0-9A-Za-z_]{20,}",
    r"AKCp[A-Za-z0-9]{60,}",
    r"cmVmd[A-Za-z0-9]{59}",
    r"ATATT3[0-9A-Za-z_=-]{80,}",
    r"ATBB[A-Za-z0-9]{28,}",
    r"CFPAT-[0-9A-Za-z_-]{30,}",
    r"API-[A-Z0-9]{26}",
    r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
    r"(?:NRAK|NRJS|NRII)-[A-Za-z0-9-]{19,}",
    r"gl(?:sa|c)_[A-Za-z0-9+/_]{30,}={0,2}",
    r"ntn_[0-9A-Za-z_]{36,}",
    r"secret_[A-Za-z0-9]{40,}",
    r"pat[A-Za-z0-9]{14}\.[a-f0-9]{60,}",
    r"pat-(?:na|eu)[0-9]-[0-9a-f-]{36}",
    r"access-(?:sandbox|development|production)-[0-9a-f-]{36}",
    r"[0-9]/[0-9]{15,17}/[0-9]{15,17}:[a-f0-9]{32}",
    # Messages and mail
    r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}",
    r"xapp-[A-Za-z0-9-]{20,}",
    r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[0-9A-Za-z_/+-]{20,}",
    r"https://(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks/[0-9A-Za-z_/-]{20,}",
    r"https://[0-9A-Za-z_-]{1,60}\.webhook\.office\.com/webhookb2/[0-9A-Za-z_@/.-]{40,}",
    r"https://hooks\.zapier\.com/hooks/catch/[0-9A-Za-z_/]{10,}",
    r"[MNO][0-9A-Za-z_-]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,}",
    r"[0-9]{8,10}:AA[0-9A-Za-z_-]{32,34}",
    r"SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}",
    r"xkeysib-[a-f0-9]{40,}-[A-Za-z0-9]{10,}",
    r"xsmtpsib-[a-f0-9]{40,}-[A-Za-z0-9]{10,}",
    r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}",
    r"key-[a-f0-9]{32}",
    r"[a-f0-9]{32}-us[0-9]{1,2}",
    r"(?:SK|AC)[a-f0-9]{32}",
    # Money and shops
    r"(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{10,}",
    r"whsec_[A-Za-z0-9+/=]{20,}",
    r"rzp_(?:live|test)_[0-9A-Za-z_]{14,}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}",
    r"shippo_(?:live|test)_[a-f0-9]{40}",
    r"duffel_(?:test|live)_[0-9A-Za-z_=-]{40,}",
    r"EZ[AT]K[A-Za-z0-9]{54}",
    r"FLW(?:PUB|SEC)K(?:_TEST)?-[0-9A-Za-z_-]{20,}",
    r"sq0[a-z]{3}-[0-9A-Za-z_-]{22,}",
    r"EAAA[0-9A-Za-z_-]{58,}",
    r"EAA[A-Za-z0-9]{90,}",
    # The rest
    r"A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}",
    r"ops_eyJ[A-Za-z0-9+/]{60,}={0,3}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{40,}",
    r"p8e-[A-Za-z0-9]{32}",
    r"fio-u-[0-9A-Za-z_=-]{40,}",
    r"sl\.(?:u\.)?[0-9A-Za-z_-]{100,}",
    r"[sp]k\.[A-Za-z0-9]{50,}\.[A-Za-z0-9]{20,}",
    r"vault-[0-9A-Za-z_-]{20,}",
)
"""Expressions of RE2 for whole keys, without the text around them."""

WEB_SIGNED = r"eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}(?:\.[0-9A-Za-z_-]*)*"
"""A JSON Web Token (RFC 7519): the beginning of a JSON object in base64, and its other parts."""


_OF_MAKERS = linear(rf"(?:^|[^A-Za-z0-9])(?:({'|'.join(WITH_PREFIX)})|({WEB_SIGNED}))")
_KEY_FILE = linear(
    r"-----(?:(BEGIN)|END) (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----"
    r"|(PuTTY-User-Key-File-[0-9])"
)
_RUN = linear(r"[A-Za-z0-9+/_-]{24,}={0,2}")
SHAPES = _KEY_FILE, _OF_MAKERS, _RUN
"""A text without any of these has no key."""
_UUID = linear(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEXADECIMAL = linear(r"(?:0[xX])?[0-9a-fA-F]+")
_LINK = linear(r"(?i)(?:https?://|www\.)[^\s?#<>\"']*$")
_ATTRIBUTE = linear(r"(?i)(?:^|[^a-z])(?:class|classname|id)=[\"'][^\"'\n]*$")
"""Names of looks and of things, in mark-up."""
_DATA = linear(r"(?:base64,|sha(?:1|256|384|512):)$")
_DIGEST = linear(r"^sha(?:1|256|384|512)-")
_BEFORE = 300
"""Characters before a run in which a link that it may be a part of begins."""

_LONGEST_KEY = 256
"""A longer random string is no key: an image, a file."""

_LEAST_ENTROPY = 3.3
"""Bits a character (Shannon) below which nothing of 24 characters is random; a key has four or more."""

_MIXED_CHANGES = 0.42
"""Share of neighbouring characters of different sorts (small, capital, digit) above which a string of all three is
no name someone gave: for a random one it is about two thirds, for words joined by capitals about a quarter."""

_TWO_SORTS_CHANGES = 0.28
"""The same of a string of small letters and digits alone; a random one has about 0.4."""

_LEAST_DIGITS = 3
_LOWER, _UPPER, _DIGIT = "a", "A", "0"


def keys(text: str) -> Iterator[SecretSpan]:
    """Yield keys in the formats of known vendors."""
    for found in places(_OF_MAKERS, text):
        start, end = found.span(1) if found[1] else found.span(2)
        value = text[start:end].rstrip("-_.")
        if (has_digit(value) or is_humped(value)) and not is_placeholder(value):
            yield SecretSpan(start, start + len(value), SecretKind.KEY if found[1] else SecretKind.TOKEN)


def private_keys(text: str) -> Iterator[SecretSpan]:
    """Yield private keys; an unterminated one runs to the end."""
    begun: int | None = None
    for found in places(_KEY_FILE, text):
        if found[1] or found[2]:
            begun = found.start() if begun is None else begun
        elif begun is not None:
            yield SecretSpan(begun, found.end(), SecretKind.PRIVATE_KEY)
            begun = None
    if begun is not None:
        yield SecretSpan(begun, len(text), SecretKind.PRIVATE_KEY)


def random_strings(text: str) -> Iterator[SecretSpan]:
    """Yield long random strings, except within links and encoded images or files."""
    for found in places(_RUN, text):
        start, end = found.span()
        if end - start > _LONGEST_KEY or _DIGEST.search(found[0][:8]) or not is_random(text[start:end]):
            continue
        before = text[max(0, start - _BEFORE) : start]
        if _LINK.search(before) or _DATA.search(before) or _ATTRIBUTE.search(before):
            continue
        if _is_line_of_data(text, start, end):
            continue
        yield SecretSpan(start, end, SecretKind.KEY)


def _is_line_of_data(text: str, start: int, end: int) -> bool:
    """Return whether a string is one of several equally long lines, as in a base64 file."""
    length = end - start
    if text[start - 1 : start] not in {"\n", ""} or text[end : end + 1] not in {"\n", ""}:
        return False
    above = text[max(0, start - 1 - length) : max(0, start - 1)]
    below = text[end + 1 : end + 1 + length]
    return any(len(each) == length and _RUN.fullmatch(each) is not None for each in (above, below))


def is_random(value: str) -> bool:
    """Return whether a string of 24 characters or more looks machine-made and is no name."""
    if _UUID.search(value) or _HEXADECIMAL.fullmatch(value):
        return False
    sorts = [
        _DIGIT if each.isdigit() else _UPPER if each.isupper() else _LOWER for each in value if each.isalnum()
    ]
    if sorts.count(_DIGIT) < _LEAST_DIGITS or entropy(value) < _LEAST_ENTROPY:
        return False
    changes = sum(one != other for one, other in pairwise(sorts)) / len(sorts)
    if _UPPER in sorts and _LOWER in sorts:
        return changes > _MIXED_CHANGES
    return value.isalnum() and _LOWER in sorts and changes > _TWO_SORTS_CHANGES


def entropy(value: str) -> float:
    """Return the Shannon entropy of a string's characters, in bits a character; 0 for nothing."""
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())
