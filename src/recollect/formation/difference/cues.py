# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Words by which people say that something changed, is another thing, or is past. Pure. Never: what it is."""

from recollect.formation.difference.vetoes import Statement
from recollect.lexical.folding import fold, readable
from recollect.patterns import bounded

_MOST_CHARACTERS = 2_000

_CHANGE = bounded(
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
_PLAIN_CHANGE = bounded(
    r"\b(?:any ?more|no longer|instead|changed|moved|switched|swapped|replaced|went (?:up|down)|cut (?:\w+ )?(?:down|back)|since the new|turns out|new (?:contract|schedule|plan|rota|job)|changed my mind"
    r"|nicht mehr|kein\w* mehr|statt(?:dessen)?|anstatt|geandert|gewechselt|verschoben|umgestellt|umgestiegen|umgezogen|getauscht|neue[rnms]? (?:vertrag|plan|job)|stellt sich heraus"
    r"|au lieu|a la place|ne \w+ plus|n'\w+ plus|change|deplace|remplace|reporte|nouveau (?:contrat|planning|poste)|changement|en fait"
    r"|ya no|en vez|en lugar|cambi[oae]\w*|nuevo (?:contrato|horario)|resulta que|non piu|invece|al posto|cambiat[oa]|spostat[oa]|nuovo contratto"
    r"|ja nao|em vez|em lugar|mudou|mudei|troquei|trocou|novo (?:contrato|horario)|niet meer|geen \w+ meer|in plaats|veranderd|overgestapt|nieuw contract|blijkt"
    r"|больше не|вместо|перенес\w*|поменял\w*|сменил\w*|переш[её]л|перешла|уже не|оказывается|оказалось|нов(?:ый|ому) (?:договор|контракт|график))\b"
    r"|改成|改为|改為|改到|换成|換成|不再|变成|變成|搬到|原来是|变更|変更|変わ|にしました|にした|になりました|になった|に変え|に切り替え|の代わりに|もう.{1,12}ない|바뀌|변경|대신"
)


def tells_plainly_of_change(statement: Statement) -> bool:
    """Tell whether something is said to have taken another's place; "now" alone may be of one more thing."""
    return _PLAIN_CHANGE.search(_said(statement)) is not None


_ANOTHER = bounded(
    r"\b(?:also|too|as well|another|second|both|besides|additional(?:ly)?|twins?|other"
    r"|auch|ausserdem|noch ein\w*|zweite[nrs]?|zusatzlich|ebenfalls|andere[nrs]?|beide[nrs]?|zwilling\w*"
    r"|aussi|egalement|un autre|une autre|deuxieme|seconde?|en plus|jumeaux|jumelles"
    r"|tambien|ademas|otr[oa]s?|segund[oa]|gemel[oa]s|anche|inoltre|un altr[oa]|second[oa]|tambem|outr[oa]|alem"
    r"|ook|nog een|tweede|тоже|также|еще од\w+|второй|вторая|другой|другая|кроме того)\b"
    r"|也|还有|還有|另外|另一|第二|别的|も(?!う)|別の|もう一|二つ目|또 |두 번째|다른"
)
_ONE_MORE = bounded(
    r"\b(?:another|(?:a|his|her|their|my) second(?![- ]hand)|noch ein\w*|ein\w* (?:zweite|weitere)[nrs]?|un autre|une autre|une? deuxieme|une? seconde?"
    r"|otr[oa]|un segundo|una segunda|un altr[oa]|un secondo|una seconda|outr[oa]|um segundo|uma segunda|nog een|een tweede|втор(?:ой|ая|ую|ого)|еще од\w+)\b"
    r"|第二(?!次)|另一|もう一|二つ目|二人目|二匹目"
)


def counts_one_more(statement: Statement) -> bool:
    """Tell whether something is said to be of one more than there was."""
    return _ONE_MORE.search(fold(readable(statement.content[:_MOST_CHARACTERS]))) is not None


_PAST = bounded(
    r"\b(?:used to|as a (?:child|kid|teenager|student)|back then|years ago|formerly|until|grew up|childhood|previously"
    r"|fruher|damals|als kind|bis \d{4}|aufgewachsen|kindheit|ehemals"
    r"|autrefois|avant|enfance|jusqu'en|a l'epoque|ancien\w*|de nino|de nina|antes|infancia|hasta \d{4}|en aquella epoca"
    r"|da bambin[oa]|una volta|fino al|quando era|раньше|в детстве|тогда|до \d{4})\b|以前|小时候|曾经|昔|子供の頃"
)
_ORIGIN = bounded(
    r"\b(?:born|geboren|stamm\w*|geburtig\w*|nee?|naquit|originaire|nacio|nacid[oa]"
    r"|nat[oa]|nasceu|родил\w+|родом)\b|出生|生まれ|出身|老家"
)
_SINCE = bounded(r"\b(?:since|seit|ab|depuis|desde|da|dal|sinds|с|уже)\b|以来|から|부터")


def tells_since_when(statement: Statement) -> bool:
    """Tell whether something is said to be so since some time: before, it was not."""
    return _SINCE.search(_said(statement)) is not None


_BEST = bounded(
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


def tells_of_birth(statement: Statement) -> bool:
    """Tell whether something is said of where or when somebody was born."""
    return _ORIGIN.search(fold(readable(statement.content[:_MOST_CHARACTERS]))) is not None


def tells_of_change(statement: Statement) -> bool:
    """Tell whether something is said to be otherwise than before."""
    said = _said(statement)
    return _CHANGE.search(said) is not None or _PLAIN_CHANGE.search(said) is not None


def adds_another(statement: Statement) -> bool:
    """Tell whether something is said to be so as well."""
    return _ANOTHER.search(_said(statement)) is not None


def tells_of_the_past(statement: Statement) -> bool:
    """Tell whether something is said to have been so."""
    return _PAST.search(_said(statement)) is not None


def _said(statement: Statement) -> str:
    return fold(readable(f"{statement.content[:_MOST_CHARACTERS]}\n{statement.evidence[:_MOST_CHARACTERS]}"))
