# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Words by which people say that something changed, is another thing, or is past. Pure. Never: what it is."""

import re

from recollect.formation.vetoes import Statement
from recollect.lexical.folding import fold, readable

_MOST_CHARACTERS = 2_000

_CHANGE = re.compile(
    r"\b(?:now|nowadays|these days|any ?more|no longer|instead|changed|moved|switched|went (?:up|down)|put (?:me )?up"
    r"|raised|lowered|increased|reduced|postponed|rescheduled|since last|after all|finally|turned|these days"
    r"|jetzt|inzwischen|mittlerweile|nun|nicht mehr|kein\w* mehr|statt(?:dessen)?|aufgehort|geandert|gewechselt|verschoben|erhoht"
    r"|umgestellt|umgezogen|neuerdings|seit kurzem|doch"
    r"|maintenant|desormais|finalement|au lieu|ne plus|change|deplace|passe[er]? a|m'a passe|reporte"
    r"|dej[eo] de|ahora|ya no|en vez|en lugar|cambi[oaeé]\w*|al final|subio|subieron|bajo a|aplaz\w+|pas[oe] a"
    r"|adesso|ora|ormai|non piu|invece|cambiat[oa]|spostat[oa]|agora|ja nao|em vez|mudou|mudei"
    r"|nu|niet meer|in plaats|veranderd"
    r"|теперь|бросил\w*|сейчас|больше не|вместо|перенес\w*|поменял\w*|перешел|перешла|уже не)\b"
    r"|现在|現在|改成|改为|改到|换成|不再|变成|今は|もう|変更|変わ|になりました|になった|이제|바뀌|변경|지금은"
)
_ANOTHER = re.compile(
    r"\b(?:also|too|as well|another|second|both|besides|additional(?:ly)?|twins?|other"
    r"|auch|ausserdem|noch ein\w*|zweite[nrs]?|zusatzlich|ebenfalls|andere[nrs]?|beide[nrs]?|zwilling\w*"
    r"|aussi|egalement|un autre|une autre|deuxieme|seconde?|en plus|jumeaux|jumelles"
    r"|tambien|ademas|otr[oa]s?|segund[oa]|gemel[oa]s|anche|inoltre|un altr[oa]|second[oa]|tambem|outr[oa]|alem"
    r"|ook|nog een|tweede|тоже|также|еще од\w+|второй|вторая|другой|другая|кроме того)\b"
    r"|也|还有|還有|另外|另一|第二|别的|も(?!う)|別の|もう一|二つ目|또 |두 번째|다른"
)
_PAST = re.compile(
    r"\b(?:used to|as a (?:child|kid|teenager|student)|back then|years ago|formerly|until|grew up|childhood|previously"
    r"|fruher|damals|als kind|bis \d{4}|aufgewachsen|kindheit|ehemals"
    r"|autrefois|avant|enfance|jusqu'en|a l'epoque|ancien\w*|de nino|de nina|antes|infancia|hasta \d{4}|en aquella epoca"
    r"|da bambin[oa]|una volta|fino al|quando era|раньше|в детстве|тогда|до \d{4})\b|以前|小时候|曾经|昔|子供の頃"
)
_ORIGIN = re.compile(
    r"\b(?:born|geboren|stamm\w*|geburtig\w*|nee?|naquit|originaire|nacio|nacid[oa]"
    r"|nat[oa]|nasceu|родил\w+|родом)\b|出生|生まれ|出身|老家"
)
_SINCE = re.compile(r"\b(?:since|seit|ab|depuis|desde|da|dal|sinds|с|уже)\b|以来|から|부터")


def tells_since_when(statement: Statement) -> bool:
    """Tell whether something is said to be so since some time: before, it was not."""
    return _SINCE.search(_said(statement)) is not None


_BEST = re.compile(
    r"\b(?:favou?rites?|prefers?|best|most|liebling\w*|bevorzugt|am liebsten|prefere\w*|prefiere\w*|favorit[oaie]s?"
    r"|preferit[oaie]|predilet[oa]|preferid[oa]s?|любим\w+|предпочита\w+)\b|最喜欢|最爱|一番"
)


def names_the_best(statement: Statement) -> bool:
    """Tell whether something is said to be liked better than all else."""
    return _BEST.search(_said(statement)) is not None


def tells_of_origin(statement: Statement) -> bool:
    """Tell whether something is said of the past or of where somebody was born, which no move changes."""
    said = _said(statement)
    return _PAST.search(said) is not None or _ORIGIN.search(said) is not None


def tells_of_change(statement: Statement) -> bool:
    """Tell whether something is said to be otherwise than before."""
    return _CHANGE.search(_said(statement)) is not None


def adds_another(statement: Statement) -> bool:
    """Tell whether something is said to be so as well."""
    return _ANOTHER.search(_said(statement)) is not None


def tells_of_the_past(statement: Statement) -> bool:
    """Tell whether something is said to have been so."""
    return _PAST.search(_said(statement)) is not None


def _said(statement: Statement) -> str:
    return fold(readable(f"{statement.content[:_MOST_CHARACTERS]}\n{statement.evidence[:_MOST_CHARACTERS]}"))
