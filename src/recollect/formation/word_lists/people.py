# ruff: noqa: RUF001 - people speak many languages
"""How people speak of those around them, by language. Pure data. Never: who they are."""

from recollect.patterns import anchored, bounded

_ROOT = 5
_PEOPLE = (
    r"(?:(?:grand|step|half|ex|great|god|foster)-?)*(?:mother|mum|mom|mommy|father|dad|daddy|sister|brother|sis|bro|son|daughter|kid|child|wife|husband|hubby|partner|girlfriend|boyfriend|fianc[eé]e?|aunt|auntie|uncle|cousin|niece|nephew|ma|pa|nan|gran|granny|parent|twin)"
    r"(?:-in-law)?s?|kids|children|wives|(?:best )?(?:friend|mate|buddy|pal|neighbou?r|boss|manager|colleague|coworker|co-worker|flatmate|roommate|housemate|landlord|landlady|teacher|coach|client|tenant|classmate|student|supervisor|professor|ex|employee|team ?mate|doctor|dentist|therapist|trainer|mechanic|bloke|guy|lady|woman|girl|boy|nanny|cleaner|lawyer)s?"
    r"|(?:groß|schwieger|stief|halb|ur|paten|zwillings|ex-?)*(?:mutter|mama|mami|vater|papa|schwester|bruder|sohn|tochter|kind|eltern|oma|opa|onkel|tante|cousin|cousine|neffe|nichte|schwager|schwägerin|enkel|enkelin)n?s?|kinder|frau|mann|ehefrau|ehemann|freund(?:in)?|partner(?:in)?|verlobte[rn]?|kumpel|nachbar(?:n|in)?|chef(?:in)?|kolleg(?:e|en|in)|mitbewohner(?:in)?|vermieter(?:in)?|lehrer(?:in)?|trainer(?:in)?|kund(?:e|in)|bekannte[rn]?|ärztin|arzt|typ|dame|junge|mädchen"
    r"|(?:grand-|belle-|beau-|demi-)?(?:mère|père|maman|papa|sœur|soeur|frère|fils|fille|enfant|mamie|papi|papy|oncle|tante|cousine?|nièce|neveu|femme|mari|épouse|époux|conjointe?|compagn(?:e|on)|copine|copain|ami[e]?|pote|meilleure? amie?|voisine?|patronne?|chef(?:fe)?|collègue|coloc(?:ataire)?|proprio|propriétaire|prof|professeure?|client[e]?|type|mec|dame|gars)s?"
    r"|(?:ex)?(?:madre|padre|mamá|papá|hermanas?|hermanos?|hij[oa]s?|abuel[oa]s?|tí[oa]s?|prim[oa]s?|sobrin[oa]s?|suegr[oa]s?|cuñad[oa]s?|esposa|esposo|mujer|marido|novi[oa]|pareja|amig[oa]s?|vecin[oa]s?|jef[ea]s?|colegas?|compañer[oa]s?|caser[oa]|profe(?:sor|sora)?|señora?|chic[oa]|tipo)"
    r"|(?:mamma|babbo|papà|sorell[ae]|fratell[oi]|figli[oae]|nonn[oa]|zi[oa]|cugin[oa]|nipote|suocer[oa]|cognat[oa]|moglie|marito|fidanzat[oa]|ragazz[oa]|compagn[oa]|amic[oai]|vicin[oa]|capo|colleg[ah]|coinquilin[oa]|tizi[oa]|signor[ea])"
    r"|(?:mãe|pai|mamãe|papai|irmã(?:o|s)?|irmãos|filh[oa]s?|avó|avô|vó|vô|tias?|tios?|prim[oa]s?|sobrinh[oa]s?|sogr[oa]|cunhad[oa]|esposa|namorad[oa]|noiv[oa]|companheir[oa]|vizinh[oa]s?|chefe|patrão|patroa|moç[oa]|senhora?)"
    r"|(?:schoon|groot|stief)?(?:moeder|vader|zus|zusje|broer|broertje|zoon|dochter)|oma|opa|oom|nicht|neef|vrouw|man|vriend(?:in)?|buurman|buurvrouw|baas|collega|huisgeno(?:ot|te)|kinderen|meneer|mevrouw|jongen|meisje"
    r"|(?:mam[aęy]|matk[ai]|tat[a]|ojciec|siostr[ay]|brat|syn|córk[ai]|babci[a]|dziadek|ciocia|wujek|kuzyn(?:ka)?|żona|mąż|dziewczyna|chłopak|przyjaciel|przyjaciółka|kolega|koleżanka|sąsiad(?:ka)?|szef(?:owa)?|facet|pani)"
    r"|(?:мам[аыуе]|мать|пап[аыуе]|отец|отца|сестр[аыуе]|брат[ау]?|сын[ау]?|доч(?:ь|ка|ери)|бабушк[аи]|дедушк[аи]|дед|тёт[яи]|тет[яи]|дяд[яи]|племянни[кц]\w*|жен[аыуе]|муж[ау]?|девушка|парень|друг|подруг[аи]|приятель|сосед(?:ка)?|начальни[кц]\w*|шеф|коллег[аи]|кузин\w?|тёщ[аи]|тещ[аи]|свекров\w*|дет[иь]|мужик|женщина)"
)
_HAN_PEOPLE = "妈妈?|媽媽?|爸爸?|父亲|母亲|父親|母親|哥哥?|弟弟?|姐姐?|妹妹?|儿子|兒子|女儿|女兒|孩子|老婆|老公|妻子|丈夫|爷爷|奶奶|外公|外婆|舅舅|阿姨|姑姑|叔叔|表[哥弟姐妹]|堂[哥弟姐妹]|女朋友|男朋友|女友|男友|朋友|闺蜜|邻居|鄰居|老板|老闆|上司|领导|同事|同学|同學|室友|房东|客户|老师"
_KANA_PEOPLE = "お?(?:母|父|兄|姉)(?:さん|ちゃん)?|弟|妹|息子|娘|子ども|子供|妻|夫|旦那|嫁|彼女|彼氏|祖母|祖父|おばあちゃん|おじいちゃん|叔父|叔母|いとこ|従兄弟|友達|友人|親友|隣人|隣の人|上司|同僚|先輩|後輩|先生|大家さん|ルームメイト"
_OWNER = r"(?:my|our|a|the|mein[er]?|unsere?|ein[er]?|mon|ma|mes|notre|nos|un|une|le|la|mi|mis|nuestr[oa]s?|una|el|(?:il |la )?mi[oa]|nostr[oa]|(?:o |a )?(?:meu|minha|noss[oa])|um|uma|mijn|onze|een|de|mój|moja|nasz\w?|мой|моя|мои|наш\w?|у мо[её]\w+)"
OTHERS = bounded(
    rf"^\W*(?:(?:and|so|but|well|anyway|btw|also|und|aber|also|et|mais|y|pero|e|ma|mas|en|maar|a|i|ale|и|а|но)[ ,]+){{0,2}}{_OWNER} (?:[\w'’-]+ ){{0,2}}?(?:{_PEOPLE})(?![\w'’-])(?: (?P<name>(?!(?:is|has|and|or|und|ist|hat|et|est|y|e|en|i|и)\b)[\w'’-]+))?"
)
"""Somebody else as what a clause begins with; what may be a name behind."""

UNSPACED_OTHERS = bounded(
    rf"^\W*(?:我(?:的|们|家)?(?:{_HAN_PEOPLE})|(?:(?:私|僕|俺|うち)の)?(?:{_KANA_PEOPLE})[はが])"
)

SHARES = anchored(
    r"(?:[ \w'’-]{0,30}?) ?(?:\b(?:and|&|und|et|y|e|en|i|и) (?:i|me|myself|ich|moi|yo|io|eu|ik|ja|я|mich|mir|mij)\b)|\s*(?:和|跟|与)我|\s*と"
)
"""Words by which the person joins them."""

TOO = anchored(
    r"\W*(?:(?:and|und|et|y|e|en|i|и) )?(?:so (?:do|am|have) i|i (?:do|am|have|did) (?:too|as well)|me too|same here|ich auch|moi aussi|yo también|anch['’]io|eu também|ik ook|ja też|я тоже|我也|私も)"
)
"""Words by which the person says that it is so of them as well."""

SELF_AGAIN = bounded(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself|we|us|our|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|j['’](?=\w)|moi|m['’](?=\w)|mon|ma|mes|nous|notre|nos|yo|mi|mis|mí|conmigo|nos|nosotr[oa]s|nuestr\w+|io|mi[oae]i?|noi|ci|nostr\w|eu|meus?|minhas?|mim|comigo|"
    r"ik|mij|mijn|wij|ons|onze|ja|mnie|mój|moja|moje|nam|nasz\w*|я|меня|мне|мной|мо[йяеёи]\w*|мы|нас|нам|наш\w*)\b|我|私|僕|俺|うち"
)
"""Words by which the person has a part in it."""

_ANYBODY = bounded(
    rf"(?<![\w-])(?:{_PEOPLE}|he|she|they|his|her|their|er|sie|ihr\w*|il|elle|ils|elles|él|ella|lui|lei|ele|ela|hij|zij|он|она|они|его|её|ее)(?![\w'’-])|{_HAN_PEOPLE}|{_KANA_PEOPLE}|他|她|彼"
)


def people_in(text: str) -> frozenset[str]:
    """Return how a text speaks of anybody else: the beginnings of these words."""
    return frozenset(found[0][:_ROOT] for found in _ANYBODY.finditer(text.casefold()))
