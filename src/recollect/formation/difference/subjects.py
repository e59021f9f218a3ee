# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Of whom a statement tells, where it is not the person themselves: their sister, their boss. Pure. Never: who they are."""

from collections.abc import Sequence
from functools import lru_cache

from recollect.formation.wording import Word, wording
from recollect.lexical.folding import fold
from recollect.patterns import bounded

_UNSPACED = "\u2e80"
"""Where the scripts begin that do not part words by spaces."""
_OPENING = 4
"""Among so many first words stands of whom a statement tells."""
_UNSPACED_OPENING = 6
_BESIDE = 2
_NAMING = frozenset(
    ["heisst", "called", "named", "namens", "appelle", "llama", "nombre", "chiama", "зовут", "имени"]
)
_MOST_WORDS = 400

_KIN = {
    "sister": r"sisters?|schwester[n]?|s\u0153urs?|soeurs?|hermanas?|sorell[ae]|irmas?|zus(?:sen)?|syster|сестр\w+|姐姐|妹妹|(?<![義义表堂従])姉|(?<![義义表堂従])妹",
    "brother": r"brothers?|bruder[sn]?|freres?|hermanos?|fratell[oi]|irmaos?|broers?|брат\w*|哥哥|弟弟|(?<![義义表堂従])兄(?!弟)|(?<![義义表堂従])弟",
    "mother": r"mothers?|mum|mom|mutter|mama|maman|mere|madre|mae|moeder|мам\w+|мать|матер\w+|妈妈|媽媽|(?<![岳祖伯舅义義])母",
    "father": r"fathers?|dad|vater[s]?|papa|pere|padre|pai|vader|отц\w*|отец|пап[аеуы]|爸爸|(?<![岳祖伯叔义義])父(?!母)",
    "parents": r"parents|eltern|padres|genitori|pais|ouders|родител\w+|父母|両親",
    "daughter": r"daughters?|tochter\w*|filles?|hijas?|figlia|figlie|filhas?|dochter|доч\w+|女儿|女兒|娘",
    "son": r"sons?|sohn\w*|fils|hijos?|figlio|filhos?|zoon|сын\w*|儿子|兒子|息子",
    "wife": r"wife|ehefrau|frau|femme|epouse|esposa|mujer|mulher|moglie|vrouw|жен[аеуы]|妻子?|老婆",
    "husband": r"husband|ehemann|mann|mari|epoux|esposo|marido|marito|муж\w*|丈夫|夫|老公",
    "friend": r"friends?|girlfriend|boyfriend|freund(?:in|e|innen)?|amie?s?|copine?s?|copain|amig[oa]s?|novi[oa]|amic[oahei]+|"
    r"vriend(?:in)?|друг\w*|подруг\w+|朋友|友達|彼女|彼氏",
    "boss": r"boss|manager|chefin|chef|vorgesetzte[rn]?|patronn?e?|jef[ea]|capo|начальни\w+|老板|上司",
    "colleague": r"colleagues?|coworkers?|flatmate|roommate|kolleg(?:e|in|en|innen)|collegues?|colocs?|companer[oa]s?|"
    r"collegh?[aei]|коллег\w+|同事|同僚",
    "neighbour": r"neighbou?rs?|nachbar(?:in|n)?|voisine?s?|vecin[oa]s?|vicin[oa]|сосед\w*|邻居|隣人",
    "grandmother": r"grandmothers?|grandma|gran|oma|grossmutter|grand-mere|mamie|abuela|nonna|бабушк\w+|奶奶|祖母",
    "grandfather": r"grandfathers?|grandpa|opa|grossvater|grand-pere|papi|abuelo|nonno|дедушк\w+|爷爷|祖父",
    "aunt": r"aunt|tante|tia|zia|т[её]т[яиюе]\w*|姑姑|阿姨|姨妈|伯母|叔母|おば(?!あ)",
    "uncle": r"uncle|onkel|oncle|tio|zio|oom|дяд[яиюе]|舅舅|叔叔|伯伯|伯父|叔父|おじ(?!い)",
    "cousin": r"cousins?|cousinen?|prim[oa]s?|cugin[oaie]|двоюродн\w+|表[哥弟姐妹]|堂[哥弟姐妹兄]|いとこ|従[兄姉弟妹]",
    "mother-in-law": r"mother-in-law|schwiegermutter|belle-mere|suegra|suocera|sogra|тещ\w+|свекров\w+|岳母|婆婆|義母",
    "father-in-law": r"father-in-law|schwiegervater|beau-pere|suegro|suocero|sogro|тест[ья]\w*|свек[её]?р\w*|岳父|公公|義父",
    "sister-in-law": r"sister-in-law|schwagerin|belle-s[o\u0153]e?ur|cunada|cognata|cunhada|золовк\w+|невестк\w+|嫂子|義姉|義妹",
    "brother-in-law": r"brother-in-law|schwager|beau-frere|cunado|cognato|cunhado|шурин\w*|деверь|姐夫|義兄|義弟",
    "niece": r"nieces?|nichten?|nieces?|sobrinas?|sobrinha|племянниц\w*|侄女|外甥女|姪",
    "nephew": r"nephews?|neffen?|neveux?|sobrinos?|sobrinho|племянник\w*|侄子|外甥(?!女)|甥",
    "grandchild": r"grand(?:son|daughter|child\w*)|enkel\w*|petite?s?-(?:fils|fille|enfants)|niet[oa]s?|внук\w*|внучк\w*|孙子|孙女|孫",
    "child": r"child(?:ren)?|kids?|kind(?:er|ern|es)?|enfants?|hij[oa]s|bambin[oaie]|figli|filhos|kinderen|ребен\w+|дет[ией]\w*|孩子|子供|子ども",
}
_WIDER = {"parents": ("mother", "father"), "child": ("daughter", "son")}
"""Who is meant by another word as well."""
_OF = bounded(
    r"\b(?:of|von|vom|de|du|d'|di|del|della|dello|do|da|dos|van)(?: (?:my|his|her|their|mein\w*|sein\w*|ihr\w*|ma|mon|sa|son|leur|mi|su|mio|mia|suo|sua|o|a|la|il|meu|minha|seu|mijn|zijn|haar|the|der|dem))? ?$"
    r"|\b(?:mein|sein|ihr|unser)e[rs] $"
)
_GENITIVES = frozenset("жены мужа брата сестры мамы папы отца матери сына дочери".split())  # noqa: SIM905 - words
_LONGEST_OF = 16
_WITH = frozenset(["with", "mit", "avec", "con", "com", "met", "с", "со", "und", "and"])
"""Who is only there, too."""
_BEING = frozenset(["is", "am", "ist", "bin", "est", "suis", "es", "soy", "sono"])
"""Who is somebody's mother speaks of themselves."""
_PATTERNS = {
    name: (
        bounded(
            r"\b(?<!-)(?<!belle )(?<!beau )(?<!grand )(?:"
            + "|".join(part for part in words.split("|") if max(part) < _UNSPACED).replace("-", "[- ]")
            + r")\b(?![- ]in[- ]law)"
        ),
        bounded("|".join(part for part in words.split("|") if max(part) >= _UNSPACED) or r"(?!)"),
    )
    for name, words in _KIN.items()
}


def subjects(text: str) -> frozenset[str]:
    """Return the relatives and the like that ``text`` begins with, unless they are only with somebody."""
    return _relatives(text, whole=False)


def subjects_unknown(new: str, known: str) -> frozenset[str]:
    """Return of whom a text tells whom another does not name, in whatever words: a daughter is a child."""
    others = relatives(known)
    wider = {wide for wide, narrow in _WIDER.items() if others.intersection(narrow)}
    narrow = {name for wide in others for name in _WIDER.get(wide, ())}
    return (subjects(new) | owners(new)) - others - wider - narrow


@lru_cache(4_096)
def owners(text: str) -> frozenset[str]:
    """Return the relatives and the like whose things ``text`` tells of: "my wife's car", "la voiture de ma femme"."""
    said = wording(text)
    plain, folded = said.text, fold(said.text)
    return frozenset(
        name
        for name, (of_words, within) in _PATTERNS.items()
        if any(
            folded[match.end() : match.end() + 1] == "'"
            or (match.start() and match[0] in _GENITIVES)
            or _OF.search(folded, max(0, match.start() - _LONGEST_OF), match.start())
            for match in of_words.finditer(folded)
        )
        or any(plain[match.end() : match.end() + 1] in {"的", "の"} for match in within.finditer(plain))
    )


def relatives(text: str) -> frozenset[str]:
    """Return the relatives and the like that ``text`` names anywhere."""
    return _relatives(text, whole=True)


@lru_cache(4_096)
def relatives_named(word: str) -> frozenset[str]:
    """Return the relatives that a single word, in folded case, is a name of."""
    return frozenset(
        name
        for name, (of_words, within) in _PATTERNS.items()
        if of_words.fullmatch(word) or within.fullmatch(word)
    )


@lru_cache(4_096)
def _relatives(text: str, *, whole: bool) -> frozenset[str]:
    said = wording(text)
    spaced = fold(said.text) if whole else _opening(said.words)
    unspaced = said.text if whole else said.text[:_UNSPACED_OPENING]
    return frozenset(
        name
        for name, (of_words, within) in _PATTERNS.items()
        if of_words.search(spaced) or within.search(unspaced)
    )


def _opening(words: Sequence[Word]) -> str:
    plain = [word.plain for word in words[:_OPENING]]
    if plain and plain[0] in _BEING:
        return ""
    return " ".join(plain[: next((number for number, word in enumerate(plain) if word in _WITH), _OPENING)])


@lru_cache(4_096)
def named_relatives(text: str) -> frozenset[str]:
    """Return the stems of the names that stand next to a relative or the like: "her son Leo", "Leo, a friend"."""
    words = wording(text).words[:_MOST_WORDS]
    of_relatives = [number for number, word in enumerate(words) if _is_relative(word.plain)]
    naming = [number for number, word in enumerate(words) if word.plain in _NAMING and of_relatives]
    near = {number + 1 for number in naming} | {
        beside for number in of_relatives for beside in range(max(0, number - _BESIDE), number + _BESIDE + 1)
    }
    return frozenset().union(
        *(word.stems for number, word in enumerate(words) if number in near and word.text[0].isupper())
    )


@lru_cache(4_096)
def _is_relative(plain: str) -> bool:
    return any(
        of_words.fullmatch(plain) or within.fullmatch(plain) for of_words, within in _PATTERNS.values()
    )
