# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""What speaks against two statements being one: denials, and words that exclude each other. Pure. Never: a model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from recollect.formation.wording import Word, wording
from recollect.lexical.folding import fold

_DENYING = """
    no not never none nobody nothing without cannot nor neither nowhere dont doesnt didnt cant couldnt wont isnt
    arent wasnt hasnt havent hadnt wouldnt shouldnt
    nicht nichts nie niemals nimmer ohne weder kein keine keinen keinem keiner keines
    pas jamais sans aucun aucune nunca jamas sin ningun ninguno ninguna nadie tampoco nao sem nem nenhum nenhuma
    non senza nessun nessuno nessuna niet geen nooit zonder inte aldrig ingen inget inga utan ikke
    ei eivat nem nincs soha nu niciodata fara degil yok hayir nie nigdy bez
    не нет никогда без ни δεν οχι χωρις لا ليس لم لن بدون לא אין בלי नहीं không chẳng
    """
_DENIALS = frozenset(_DENYING.split())
_FRENCH_DENIALS = frozenset({"n", "ne", "rien", "personne"})
_ITALIAN_DENIALS = frozenset({"mai"})
_BEHIND = "nicht nichts nie niemals nimmer niet nooit inte aldrig ikke degil yok नहीं لا не нет никогда"
_WHOLE_CLAUSE = frozenset(_BEHIND.split())
"""Denials that may stand behind what they deny."""
_WITHOUT = frozenset("without ohne sans sin sem senza zonder utan fara bez без χωρις".split())  # noqa: SIM905 - words
"""Denials of what follows alone, be that but a pronoun."""
_UNSPACED_DENIAL = re.compile(
    "不(?![错錯过過管仅僅但])|[没沒無无]|未(?![来來])|(?<![特区區性级級分个個])[别別](?![人的墅])"
    "|(?<![少危])ない|なく|ません|ず(?=[にっ]|$)|않|(?:^| )안 |못|없|ไม่|ບໍ່|មិន"
)
_AVERSIONS = re.compile(
    r"\b(?:allerg|intoleran|avoid|dislik|hate|hating|detest|loath|refus|quit|stopped|gave up|given up|vegan|vegetari"
    r"|meide|vermeide|hass|unvertr|aufgehort|deteste|evite|arrete|horreur|horrip|repugn|asco|aborrec|ekl|widerlich|detest|odia|evita|dejo de|dejado de|odeia|parou"
    r"|smesso|schif|ненавид|терпеть|вынос|против|избега|бросил|аллерг|непереносим)|過敏|过敏|アレルギー|嫌い|苦手|讨厌|討厭|避け|やめ|戒"
)

_GROUPS = (
    (
        r"left|link(?:e[mnrs]?|s)|gauche|izquierd[oa]s?|sinistr[oa]|esquerd[oa]|лев\w+|左",
        r"right|recht(?:e[mnrs]?|s)|droite?|derech[oa]s?|destr[oa]|direit[oa]|прав\w+|右",
    ),
    (
        r"before|vor|bevor|avant|antes|prima|до|перед|前",
        r"after|nach|nachdem|apres|despues|dopo|depois|после|后|後",
    ),
    (
        r"mornings?|morgens?|fruhmorgens|vormittags?|matins?|mananas?|mattin[ao]|manhas?|утр\w+|早上|朝",
        r"noon|midday|mittags?|midi|mediodia|mezzogiorno|meio-dia|中午|昼",
        r"afternoons?|nachmittags?|apres-midi|tardes?|pomeriggi?o?|下午",
        r"evenings?|abends?|soirs?|soirees?|ser[ae]|вечер\w*|晚上|夜",
        r"nights?|nachts?|nuits?|noches?|nott[ei]|noites?|ноч\w+|深夜",
    ),
    (
        r"north(?:ern)?|nord\w{0,6}|norte|север\w*|北",
        r"south(?:ern)?|sud\w{0,6}|sul|юг\w*|南",
        r"east(?:ern)?|ost(?:en|lich)?|este|восток\w*|东|東",
        r"west(?:ern|en|lich)?|ouest|oeste|ovest|запад\w*|西",
    ),
    (
        r"sisters?|schwestern?|s\u0153urs?|soeurs?|hermanas?|sorell[ae]|irma|сестр\w+|姐姐|妹妹|姉|妹",
        r"brothers?|bruder|bruders|freres?|hermanos?|fratell[oi]|irmao|брат\w*|哥哥|弟弟|兄|弟",
    ),
    (
        r"mother|mum|mom|mutter|mama|mere|madre|mae|мам\w+|мать|матер\w+|妈妈|媽媽|母",
        r"father|dad|vater|papa|pere|padre|pai|отц\w*|отец|пап\w+|爸爸|父",
    ),
    (
        r"daughters?|tochter\w*|filles?|hijas?|figli[ae]|filhas?|доч\w+|女儿|女兒|娘",
        r"sons?|sohn\w*|fils|hijos?|figlio|filhos?|сын\w*|儿子|兒子|息子",
    ),
    (
        r"grandmother|grandma|gran|oma|grossmutter|grand-mere|mamie|abuela|nonna|бабушк\w+|奶奶|祖母",
        r"grandfather|grandpa|opa|grossvater|grand-pere|papi|abuelo|nonno|дедушк\w+|爷爷|祖父",
    ),
    (
        r"wife|frau|ehefrau|femme|epouse|esposa|mujer|moglie|жен\w+|妻子?|老婆",
        r"husband|mann|ehemann|mari|epoux|esposo|marido|marito|муж\w*|丈夫|夫|老公",
    ),
    (r"aunt|tante|tia|zia|т[её]т\w+", r"uncle|onkel|oncle|tio|zio|дяд\w+"),
    (r"niece|nichte|sobrina|племянниц\w+", r"nephew|neffe|neveu|sobrino|племянник\w*"),
    (r"he|his|him", r"she|her|hers"),
    (
        r"red|rot(?:e[mnrs]?|s)?|rouges?|roj[oa]s?|ross[oaei]|красн\w+|红|紅|赤",
        r"green|grune?[mnrs]?|verte?s?|verdes?|verdi|зел[её]н\w+|绿|綠|緑",
        r"blue|blaue?[mnrs]?|bleue?s?|azul(?:es)?|blu|син\w+|голуб\w+|蓝|藍|青",
        r"yellow|gelbe?[mnrs]?|jaunes?|amarill[oa]s?|giall[oaei]|ж[её]лт\w+|黄",
        r"black|schwarze?[mnrs]?|noire?s?|negr[oa]s?|ner[oaei]|ч[её]рн\w+|黑|黒",
        r"white|weiss(?:e[mnrs]?|s)?|blanc(?:he)?s?|blanc[oa]s?|bianc[oahei]+|бел\w+|白",
        r"brown|braune?[mnrs]?|marron|коричнев\w+",
        r"gr[ae]y|graue?[mnrs]?|gris(?:es?)?|grigi[oa]|сер\w{2,3}|灰",
        r"orange",
        r"purple|lila|violett?e?|morad[oa]|фиолетов\w+|紫",
        r"pink|rosa|rose|rosado|розов\w+|粉色|ピンク",
        r"turquoise|teal|turkis\w*|turquesa|turchese|бирюзов\w+",
        r"beige|creme|cream|ocker|ocre|ochre|бежев\w+|米色|ベージュ",
    ),
    (
        r"spring|fruhling|fruhjahr|printemps|primavera|весн\w+|春",
        r"summer|sommer|ete|verano|estate|лет[оа]м?|夏",
        r"autumn|fall|herbst|automne|otono|autunno|осен\w+|秋",
        r"winter|hiver|invierno|inverno|зим\w+|冬",
    ),
    (
        r"is|are|am|has|have|ist|sind|bin|hat|habe|est|suis|ont|es|soy|tiene|tengo|ha|sono|ho",
        r"was|were|had|used to|war|waren|hatte|hatten|etait|avait|era|fue|tenia|aveva|fu",
    ),
    (
        r"buy|buys|bought|kauft|kaufte|gekauft|achete|compra|comprado|купил\w*|买",
        r"sells?|sold|verkauft|verkaufte|vendu?|vende|vendido|продал\w*|卖",
    ),
    (
        r"starts?|started|began|begins?|beginnt|begonnen|angefangen|commence|commencee|empieza|empezo|начал\w*|开始",
        r"stops?|stopped|ends?|ended|quit|endet|beendet|aufgehort|arrete|termine|dejo|termina|закончил\w*|бросил\w*|停止",
    ),
    (
        r"always|immer|toujours|siempre|sempre|всегда|总是|いつも",
        r"sometimes|manchmal|parfois|a veces|a volte|иногда|有时|時々",
        r"rarely|seldom|selten|rarement|raramente|редко|很少",
    ),
    (
        r"all|every|alle|tous|toutes|todos|todas|tutti|все",
        r"some|einige|quelques|algunos|algunas|alcuni|некоторые",
    ),
    (
        r"more than|mehr als|plus de|mas de|at least|mindestens|au moins|al menos|больше|以上",
        r"less than|fewer than|weniger als|moins de|menos de|at most|hochstens|au plus|como mucho|меньше|以下",
    ),
    (
        r"older|altere[nrs]?|ainee?|mayor|maggiore|старш\w+",
        r"younger|jungere[nrs]?|cadett?e?|menor|minore|младш\w+",
    ),
    (r"upstairs|upper|obere[nrs]?|haut", r"downstairs|lower|untere[nrs]?|bas"),
    (r"from|aus|ab|desde|из", r"to|nach|hacia|в"),
    (r"for|fur|pour|для", r"against|gegen|contre|contra|contro|против"),
    (r"private(?:ly)?|privat\w*|prive|privad[oa]", r"public(?:ly)?|offentlich\w*|publique|public[oa]"),
    (
        r"hot|heiss\w*|warm\w*|chaude?s?|caliente|cald[oa]|горяч\w+",
        r"cold|kalt\w*|froide?s?|fri[oa]|freddo|холодн\w+",
    ),
    (
        r"cats?|katzen?|kater|chats?|chatte|gat[oa]s?|gatt[oaie]|кош\w+|кот\w{0,2}|猫|貓",
        r"dogs?|hunde?[ns]?|hundin|chiens?|chienne|perr[oa]s?|can[ei]|cachorr[oa]|собак\w+|狗|犬",
    ),
    (r"tea|tees?|cha|чай|茶", r"coffee|kaffees?|cafe|caffe|кофе|咖啡"),
)

_TASTES = (
    r"likes?|loves?|enjoys?|mag|liebt|mochte|aime|adore|gusta|encanta|ama|adora|gosta|любит|нравится|喜欢|喜歡|好き",
    r"dislikes?|hates?|detests?|loathes?|hasst|verabscheut|deteste|hait|odia|odeia|ненавидит|讨厌|討厭|嫌い",
)
"""Who does not like something dislikes it: two denials are none."""


def _member(words: str) -> re.Pattern[str]:
    spaced = "|".join(part for part in words.split("|") if part[0] < "\u2e80")
    unspaced = "|".join(part for part in words.split("|") if part[0] >= "\u2e80")
    pattern = rf"\b(?:{spaced})\b" if spaced else ""
    return re.compile("|".join(part for part in (pattern, unspaced) if part))


_SETS = tuple(tuple(_member(words) for words in group) for group in (_TASTES, *_GROUPS))


@dataclass(frozen=True, slots=True)
class Polarity:
    """What a statement denies and affirms.

    Attributes:
        denied: The stems of what it denies.
        affirmed: The stems of the rest.
        denies: Whether it denies anything.
        is_averse: Whether a word in it says that something is avoided or not borne.
        denies_aversion: Whether it denies that.
    """

    denied: frozenset[str]
    affirmed: frozenset[str]
    denies: bool
    is_averse: bool
    denies_aversion: bool


def excluding_words(new: str, known: str) -> tuple[str, str] | None:
    """Return the words by which two texts exclude each other, as left and right do; None if none do."""
    start = (
        polarity(new).denies != polarity(known).denies
    )  # then the first, tastes, say the same by two words
    for members_new, members_known in zip(
        _memberships(new)[start:], _memberships(known)[start:], strict=True
    ):
        if members_new and members_known and not members_new.keys() & members_known.keys():
            return next(iter(members_new.values())), next(iter(members_known.values()))
    return None


def denied_words(new: str, known: str) -> frozenset[str]:
    """Return the stems of what one of two texts denies and the other affirms.

    To be allergic to something and not to eat it go together: an aversion in one excuses a denial in the other.
    """
    one, other = polarity(new), polarity(known)
    if one.denies != other.denies:
        denying, plain = (one, other) if one.denies else (other, one)
        if plain.is_averse and not denying.denies_aversion:
            return frozenset()
    return ((one.denied & other.affirmed) - other.denied - one.affirmed) | (
        (other.denied & one.affirmed) - one.denied - other.affirmed
    )


@lru_cache(4_096)
def _memberships(text: str) -> tuple[dict[int, str], ...]:
    said = fold(wording(text).text)
    found: list[dict[int, str]] = []
    for members in _SETS:
        matches = ((number, member.search(said)) for number, member in enumerate(members))
        found.append({number: match[0] for number, match in matches if match})
    return tuple(found)


@lru_cache(4_096)
def polarity(text: str) -> Polarity:
    """Return what ``text`` denies and affirms, clause by clause."""
    said = wording(text)
    denied: set[str] = set()
    affirmed: set[str] = set()
    denies = False
    refused: list[str] = []
    for _, clause in groupby(said.words, key=lambda word: word.clause):
        words = list(clause)
        start = _denial(words, said.language)
        denies |= start is not None
        for number, word in enumerate(words):
            is_denied = start is not None and number >= start
            (denied if is_denied else affirmed).update(word.stems)
            refused += [word.plain] * is_denied
    return Polarity(
        frozenset(denied),
        frozenset(affirmed),
        denies,
        is_averse=_AVERSIONS.search(fold(said.text)) is not None,
        denies_aversion=_AVERSIONS.search(" ".join(refused)) is not None,
    )


def _denial(words: Sequence[Word], language: str) -> int | None:
    """Return from which word on a clause is denied; None where it is not."""
    for number, word in enumerate(words):
        if word.plain.endswith("n't") or _denies(word.plain, language):
            has_more = any(later.stems for later in words[number + 1 :])
            is_of_rest = word.plain in _WITHOUT or (has_more and word.plain not in _WHOLE_CLAUSE)
            return number if is_of_rest else 0
    unspaced = "".join(f"{word.text} " if word.is_hangul else word.text for word in words if word.is_unspaced)
    return 0 if unspaced and _UNSPACED_DENIAL.search(unspaced) else None


def _denies(word: str, language: str) -> bool:
    if word in _DENIALS:
        return not (word == "no" and language == "portuguese")
    return (language == "french" and word in _FRENCH_DENIALS) or (
        language == "italian" and word in _ITALIAN_DENIALS
    )
