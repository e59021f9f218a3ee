"""Masks the secrets of a candidate, or withholds it where it says nothing else. Pure. Never: what a secret looks like.

What a model is shown is masked already: "the wifi's password is [secret: password]" tells nothing that anybody could
use, and is withheld.
"""

from dataclasses import replace

from recollect.model import Candidate
from recollect.text.patterns import bounded
from recollect.text.secrets import has_mark, mask, without_marks
from recollect.text.word_analysis import analyze_words

_TELLING_WORDS = 2
_LABEL = bounded(
    "(?:api|access|secret|private|auth|bearer|authorization|has|have|hat|tiene|own|use[srd]?|username|login|admin|account|konto"
    "|(?:api)?keys?|tokens?|schlussel|zugangsdaten|passwor[dt]s?|passphrase|kennwort|pin|pins|codes?|cvv|cvc|pruf\\w*"
    "|(?:kredit|credit|bank|debit)?(?:card|karte)s?|credit|debit|visa|mastercard|amex|valid|gultig|until|bis|exp|expires?"
    "|contrasena|clave|llave|tarjeta|credito|mot|passe|carte|cle|bancaire|identifiant|senha|chave|cartao|numero|nummer|number"
    "|digicode|geheim\\w*|losung|login|logs?|identifiants?|credentials?|credenciales|combinations?|kombination|recovery|backup|codigo|codice|код\\w*|\\w*(?:passwort|password|passwd|code|codes|kennwort|schlussel|secret|pwd)|pw|mdp"
    "|seed|phrase|mnemonic\\w*|wallet\\w*|caduca|scade|vence|verloopt"
    "|парол\\w*|логин\\w*|ключ\\w*|токен\\w*|карт\\w*|номер\\w*|密|码|碼|钥|鑰|卡|号|パスワード|キー|トークン|カード|番)"
)
_LABEL_UNSPACED = bounded("密码|密碼|口令|密钥|令牌|パスワード|パスコード|暗証番号|トークン|비밀번호")
_IS_LOGIN = bounded(
    r"^\W*(?:(?:the|die|das|der|les?|la|los|las)\s+)?(?i:zugangsdaten|anmeldedaten|log-?ins?|logs? in(?:to)?|credentials?|identifiants?|credenciales|логин)\b"
    r"[^\n]{0,200}\[secret: [^\]]*\]\W*$"
)
_SAYS_SECRET = bounded(
    r"(?:\b(?:is|are|ist|sind|lautet|lauten|es|son|est|sont|e|è)|[:=\uff1a\u2014\u2013]|は|是|为|為)[\s\"'`]*\[secret: [^\]]*\]"
    r"(?:[\s,;/&+\"'`]*(?:(?:and|und|et|y|e|и|和|と)\s+)?\[secret: [^\]]*\])*\W*(?:です|だ)?\W*$"
)


_PARTS = bounded(r"[,;]\s|[.!?](?:\s|$)|[\uff0c\u3002\uff1b\u3001]|\s(?:and|und|et|y|en|и)\s")
_LEAST_UNSPACED = 6
_UNSPACED = bounded(r"[\u3040-\u30ff\u4e00-\u9fff]")


WITHHELD = "[secret]"
"""What is noted of a candidate that is withheld."""


def without_secrets(candidate: Candidate) -> Candidate | None:
    """Return the candidate with its secrets masked; None where that leaves nothing worth knowing."""
    content, evidence = mask(candidate.content).text, mask(candidate.evidence).text
    if not has_mark(content):
        return candidate if evidence == candidate.evidence else replace(candidate, evidence=evidence)
    left = analyze_words(without_marks(content)).words
    telling = sum(bool(word.stems) and not _LABEL.fullmatch(word.plain) for word in left)
    if _IS_LOGIN.search(content):
        return None
    if any(not has_mark(part) and _tells(part) for part in _PARTS.split(content)):
        return replace(candidate, content=content, evidence=evidence)
    is_named = any(_LABEL.fullmatch(word.plain) for word in left) or _LABEL_UNSPACED.search(content)
    says_only_the_secret = is_named and _SAYS_SECRET.search(content)
    if telling < _TELLING_WORDS or says_only_the_secret:
        return None
    return replace(candidate, content=content, evidence=evidence)


def _tells(part: str) -> bool:
    """Tell whether a part of a statement, in which no secret stood, is worth knowing by itself."""
    if _LABEL_UNSPACED.search(part):
        return False
    words = analyze_words(part).words
    telling = [word.plain for word in words if word.stems and not _LABEL.fullmatch(word.plain)]
    unspaced = sum(map(len, filter(_UNSPACED.search, telling)))
    return unspaced >= _LEAST_UNSPACED if unspaced else len(telling) >= _TELLING_WORDS
