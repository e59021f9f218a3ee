# ruff: noqa: RUF001 - people speak many languages
"""Words by which a sentence asks, wishes or supposes rather than says, by language. Pure data. Never: how they are looked for."""

from recollect.patterns import anchored, bounded
from recollect.supersets import sieved

_LEAD = (
    r"(?:(?:so|and|but|ok|okay|also|well|hey|hi|now|then|btw|cool|super|great|thanks|thank you|please|pls|und|aber|also|ach|ja|na|hm+|danke|hallo|"
    r"jetzt|et|mais|alors|bon|merci|du coup|y|pero|bueno|vale|gracias|oye|e|ma|allora|grazie|mas|então|obrigad[oa]|en|maar|dus|dank je|"
    r"a|i|no|więc|dzięki|но|так|ну|а|и|спасибо)[ ,.!…:]+){0,3}"
)
ASKS = bounded(
    rf"^\W*{_LEAD}[¿¡\s]{{0,3}}(?:"
    r"(?:what|which|how|why|where|when|who|whose|whom)(?:'s|'re|'d|'ll)?\b(?!,)(?! (?:i|we|my|our)\b)"
    r"|(?:was|welche\w*|wie|warum|wieso|weshalb|wozu|wo|wohin|woher|womit|wann|wer|wem|wen|wessen|ob|wieviele?)\b(?! (?:ich|wir)\b)"
    r"|(?:qu'est|est-ce|que|quoi|quels?|quelles?|combien|comment|pourquoi|où|quand|qui|à quoi|c'est quoi|y a-t-il|peut-on|puis-je|dois-je)\b"
    r"|(?:qué|que tal|cuál(?:es)?|cuánt[oa]s?|cómo|por qué|dónde|cuándo|quién(?:es)?|se puede)\b"
    r"|(?:che|cosa|quale?|quali|quant[oaie]|come|perché|dove|quando|chi)\b(?! (?:fame|sonno|stanchezza|noia|barba|sete)\b)"
    r"|(?:qual|quais|quant[oa]s?|como|por que|onde|quem|o que|dá para|tem como)\b"
    r"|(?:wat|welke?|hoe|waarom|waar|wanneer|wie) (?:\w+)"
    r"|(?:co|jaki\w*|jaka|jakie|który|która|ile|jak|dlaczego|gdzie|kiedy|kto|czy)\b"
    r"|(?:что|как(?! (?:я|мы)\b)|какая|какой|какие|какое|какую|сколько|почему|зачем|где|куда|откуда|когда|кто|чем|можно|нужно ли|есть ли)\b)"
)
"""A clause that opens as questions do, whether or not a mark ends it; in doubt it does."""

ASKS_UNSPACED = bounded(
    r"[吗嗎]$|[吗嗎呢][？?，。\s]*$|什么|什麼|怎么|怎麼|怎样|哪[里儿个些种]|为什么|多少|几[次个点号天岁]|是不是|有没有|能不能|可不可以|谁"
    r"|(?:です|ます|でしょう|ました|ません)か[？?。]*$|かな[？?。]*$|何[がをでのかに度時]|どこ|いくら|どう(?:し|す|や)|なぜ|どれ|どの|どんな|誰|いつ"
)
REQUESTS = bounded(
    rf"^\W*{_LEAD}(?:write|give|tell|show|translate|explain|make|suggest|recommend|list|find|help|draft|summari[sz]e|describe|compare|name|generate|create|pick|check|fix|convert|calculate|"
    r"schreib\w*|gib|zeig\w*|übersetz\w*|erklär\w*|mach\w*|nenn\w*|empfiehl|such\w*|hilf|erzähl\w*|fass\w*|rechne|vergleiche?|"
    r"écris|donne\w*|dis|montre\w*|tradui[st]\w*|explique\w*|fais|propose\w*|conseille\w*|trouve\w*|aide\w*|raconte\w*|résume\w*|"
    r"escribe\w*|escríbe\w*|dame|dime|muestra\w*|traduce\w*|tradúce\w*|explica\w*|explíca\w*|haz\w*|sugiere\w*|recomiéndame|busca\w*|ayuda\w*|cuénta\w*|"
    r"scrivi\w*|dammi|dimmi|mostra\w*|traduci\w*|spiega\w*|fammi|suggerisci\w*|consiglia\w*|trova\w*|aiuta\w*|racconta\w*|"
    r"escreve|escreva|dá-me|me dá|diz|mostra|traduz\w*|explica|faz|sugere|recomenda|ajuda\w*|conta|"
    r"schrijf|geef|zeg|laat|vertaal|leg|maak|noem|zoek|vertel|"
    r"napisz|daj|powiedz|pokaż|przetłumacz|wyjaśnij|zrób|poleć|znajdź|pomóż|opowiedz|"
    r"напиши|дай|скажи|покажи|переведи|объясни|сделай|посоветуй|найди|помоги|расскажи|назови)\b"
    r"|^\W*(?:请|請|帮我|幫我|给我|給我|麻烦|翻译|翻譯|写|寫|讲|推荐|解释)|(?:ください|下さい|お願いします|教えて|ほしいです|書いて|訳して)[。!！]*$"
)
"""A clause that asks the assistant to do something."""

ANY_SELF = bounded(
    r"\b(?:i|i['’](?:m|ve|d|ll)|im|ive|me|my|mine|we|we['’](?:re|ve)|our|us|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|j['’](?=\w)|moi|mon|ma|mes|nous|notre|nos|"
    r"yo|mi|mis|mí|conmigo|nosotr[oa]s|nuestr\w+|io|mio|mia|miei|mie|noi|nostr[oaie]|eu|meus?|minhas?|mim|nós|nossos?|nossas?|"
    r"ik|mij|mijn|wij|ons|onze|ja|mój|moja|moje\w*|mnie|mi|my|nasz\w*|я|меня|мне|мной|мо[йяеёиюх]\w*|мы|нас|нам|наш\w*)\b"
    r"|(?<!给)(?<!幫)(?<!帮)我|私|僕|俺|うち"
)
"""Words in which a person speaks of themselves; of the pronouns also those that other languages have."""

_BY_ORDER = r"(?:suppose|imagine|assum(?:e|ing)|pretend)"
_GERMAN_MAL = r"(?: (?:mal|doch|bitte|nur|einfach|jetzt|einmal)){0,2}"
_SUPPOSING_SELF = (
    rf"(?:(?:(?:can|could|may|shall|should|if) (?:i|we) |(?<!\bi )(?<!\bi'd )(?<!\bi'm )(?<!\bi am )(?<!\bi just )(?<!\bwe )(?<!\bje )(?<!can't )(?<!cannot )(?<!can not )(?<!couldn't )(?<!n't even )){_BY_ORDER}|"
    r"supposing|let['’]s (?:say|assume|suppose|pretend)|(?:^|[,.:] ?)say (?=i\b|my\b|we\b)|hypothetically|what if|picture this|"
    rf"angenommen|nehmen wir{_GERMAN_MAL} an|nimm{_GERMAN_MAL} an(?=,)|gesetzt den fall|stelle? dir{_GERMAN_MAL} vor|(?:stellt euch|stellen sie sich){_GERMAN_MAL} vor(?=,| (?:dass|ich|wir|mein\w*)\b)|stellen wir uns{_GERMAN_MAL} vor|sagen wir{_GERMAN_MAL} mal|mal gesetzt|"
    r"imaginons|imaginez|supposons|supposez|admettons|(?<!nous )(?<!ne )(?:mettons|disons) qu(?:e|(?=['’]))|"
    r"supongamos|supón|suponiendo|imagina|imagínate|imaginemos|digamos que|pongamos|"
    r"supponiamo|immagina|immaginiamo|mettiamo (?:che|caso)|diciamo che|poniamo|ammettiamo|"
    r"suponha(?:mos)?|supondo|imagina|imaginemos|digamos que|vamos supor|faz de conta|"
    r"stel(?= (?:dat|ik|wij|we|mijn)\b)|(?:^|(?<=[,.:;] ))stel(?=, (?:dat|ik|wij|we|mijn)\b)|stel je(?: eens| even)? voor|neem aan|laten we(?: eens)? zeggen|"
    r"załóżmy|przypuśćmy|wyobraź(?:my|cie)? sobie|powiedzmy,? że|"
    r"допустим|предположим|представ(?:ь(?:те)?|им)(?: себе)?|скажем|вообраз(?:им|и(?:те)?)(?: себе)?)"
)
_NOT_SUBJUNCTIVE = (
    r"(?!(?:para|sara|clara|lara|tamara|cara|rara|prepara|compara|separa|clase|base|fase|frase)s?\b)"
)
"""Spanish words and names that only end as verbs do of what is not so."""

_UNREAL_IF = (
    r"if (?:i|we|my [\w'’-]+|our [\w'’-]+)(?: (?:only|ever|suddenly|really|just))?(?: (?:were|was|had|could|lived|got|went|won|became|quit|left|bought|lost|took|ran|owned|worked|moved|earned|\w{3,}ed)\b|['’]d\b)"
    r"|(?:if only)\b|(?:were|had) i (?=\w)"
    r"|(?:wenn|falls|sofern)\b[^,;.?!]{0,80}?\b(?:wär\w*|hätt\w*|würd\w*|könnt(?:e|en)|müsst(?:e|en)|dürft(?:e|en)|käm\w*|ging(?:e|en)|bekäm\w*|gäb\w*|wohnte|zöge)\b"
    r"|(?:^|[,.] ?)(?:wär|wäre|hätte|würde|käme|bekäme) (?:ich|wir|mein\w*)\b(?! gern)"
    r"|(?:si|s['’])[ ]?(?:j['’]|je |on |nous |m(?:on|a|es) [\w'’-]+ |c['’])(?:(?:ne|me|y|en|la|le|les) |(?:n|m|l)['’]){0,2}(?!(?:fais|fait|sais|sait|vais|connais|plait|plais)\b)\w*(?:ais|ait|ions|aient)\b"
    rf"|si (?:[\w]+ ){{0,3}}?{_NOT_SUBJUNCTIVE}\w*(?:ara|iera|ase|iese|uera|uese|yera|yese|jera|dara)(?:n|s|mos)?\b"
    r"|se (?!llam)(?:[\w]+ ){0,3}?(?:fossi|\w*[aei]ssi|\w{1,}(?:sse|ssimo|ssero|ssem|ssemos))\b"
    r"|als (?:ik|wij|we|mijn \w+)\b[^,;.?!]{0,60}?\b(?:zou|zouden|had|hadden|was|waren)\b"
    r"|gdyby\w*|jeśliby\w*|если бы?\b|кабы\b|будь я\b"
)
IMAGINES = sieved(rf"(?<![\w'’]){_SUPPOSING_SELF}(?!\w)|(?:假设|假設|假如|设想|想象一下)|仮に")
"""What opens a clause in which all is only supposed, also whose the things in it are."""

BEGINS_CLAUSE = bounded(
    rf"(?:^|[.:;…]| -)\W{{0,5}}{_LEAD}$"
    r"|\b(?:and|so|but|und|aber|also|et|mais|y|pero|e|ma|mas|en|maar|dus|i|a|ale|więc|и|а|но|ну) $|[\u3040-\u30ff\u4e00-\u9fff]$"
)
"""What may stand before words that open a clause; behind other words they are thrown in, or said of what went before."""

_ASIDE = (
    r"(?:speaking|(?:just )?for (?:a (?:moment|second|minute)|the sake of argument|example|instance)|say|"
    r"zum beispiel|nur mal|für einen moment|par exemple|un instant|por (?:ejemplo|un momento|exemplo|um momento)|per (?:esempio|un momento)|"
    r"bijvoorbeeld|even|na (?:przykład|chwilę|moment)|например|на (?:минутк?у|секунду|мгновение))"
)
_COMMA = r" ?[,:\uff0c\uff1a\u3001]"
TAKES_ALONG = anchored(rf"(?:,? {_ASIDE})?{_COMMA}")
"""The comma between an opening and the clause that it opens."""

TAKES_ALONG_SUBORDINATE = anchored(
    rf"(?:,? {_ASIDE})?{_COMMA} ?(?:that|dass|daß|que|qu(?=['’])|che|dat|że|iż|что|будто)(?!\w)"
)
"""The same with the word that makes it a clause of that opening, wherever it stands."""

SUPPOSES = sieved(rf"(?<![\w'’])(?:{_UNREAL_IF})")
"""What opens a condition that is not fulfilled."""

SUPPOSES_UNSPACED = bounded(
    r"(?:如果|要是|倘若|若是|若)(?:我|我们)(?:现在|現在|真的)?(?:是|有|住|会|當|当|在|变成)|もし(?:も)?(?=[^。！？]{0,40}(?:たら|だら|なら|れば|とすれば|としたら))|仮に"
)
POSSESSIVE = bounded(
    r"^(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr\w+|(?:il|la|i|le) (?:mi\w+|nostr\w)|(?:o|a|os|as) (?:meus?|minhas?|noss[oa]s?)|mijn|onze|mój|moja|moje|nasz\w*|мо[йяеёи]\w*|наш\w*)\s+\S+(?:\s+(?:de|du|des|d['’]|of|von|für|di|da|do|van|del|de la|for|at|in|à|в|w)\s+\S+)?\s*$"
    r"|^我的?[^，。]{1,6}$|^(?:私|うち|僕)の[^、。]{1,8}$"
)
"""Somebody's own thing, named and nothing said of it: it is there whatever the sentence asks or supposes."""

OWNED = bounded(
    r"(?:\b(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr\w+|mi[oae]i?|nostr[oaie]|meus?|minhas?|noss[oa]s?|mijn|onze|mój|moja|moje\w*|nasz\w*|мо[йяеёи]\w*|наш\w*)\s+|(?<![帮给幫給])我(?:家的?|的|(?=[妈爸媽哥姐弟妹儿女兒老]))|(?:私|うち|僕)の)"
    r"(\S+(?:\s+\S+){0,2})"
)
"""A thing of one's own, in a sentence that asks for something."""

POINTS = bounded(
    r"\b(?:(?:the )?(?:first|second|third|last|latter|former|other|same) one|(?:this|that) one|both|it|he|she|they|him|her|them|(?:das|die|den|der) (?:erste|zweite|dritte|letzte|andere|gleiche)\w*|letztere\w*|er|sie|ihn|es|beide|"
    r"(?:le|la) (?:premier|première|deuxième|second|seconde|dernier|dernière|même)|il|elle|ils|elles|celui-là|celle-là|(?:el|la) (?:primer[oa]|segund[oa]|últim[oa]|mism[oa])|él|ella|ellos|ellas|es[ea]|"
    r"(?:il|la) (?:prim[oa]|second[oa]|stess[oa])|quest[oa]|quell[oa]|lui|lei|loro|(?:o|a) (?:primeir[oa]|segund[oa]|mesm[oa])|ele|ela|eles|elas|ess[ea]|(?:de|het) (?:eerste|tweede|laatste|zelfde)|hij|zij|ze|het|die|"
    r"pierwsz\w+|drugi\w*|ten sam|ona|ono|oni|перв\w+|втор\w+|последн\w+|он|она|оно|они|его|её|их)\b|它|他|她|这个|那个|第[一二三]个|それ|これ|あれ|[一二三]番目|彼"
)
"""Words that point to what was named before, by whomever."""

REACTIONS = frozenset(
    """super nice one lovely brilliant cool great awesome nice perfect thanks thank wow haha lol cheers sweet fine good amazing
    danke prima toll klasse gut fein genial lieb merci parfait génial top d'accord accord gracias vale perfecto genial
    guay estupendo grazie perfetto ottimo bello bene obrigado obrigada ótimo perfeito legal bedankt leuk mooi fijn
    dzięki dziękuję świetnie спасибо отлично круто супер понятно ясно здорово much many more another other else idea
    sehr noch mehr andere beaucoup autre idée mucho otra otro idea molto altro muito outra еще ещё больше
    """.split()  # noqa: SIM905 - words
)
"""What a person answers without saying anything."""
