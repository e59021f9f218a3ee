# ruff: noqa: RUF001 - people speak many languages
"""Words that count, deny in other ways, or end a supposition, by language. Pure data. Never: how they are looked for."""

from recollect.patterns import bounded
from recollect.supersets import sieved

COUNTS = bounded(
    r"\b(?:both|twins?|triplets?|couples?|pair|dozens?|half|halves|twice|double|once|single|quarter|decades?|centur\w+|fortnight|teen\w*|hundreds?|thousands?|millions?|billions?|"
    r"beide\w*|zwilling\w*|drilling\w*|paar|dutzend|halb\w*|doppel\w*|einmal|zweimal|dreimal|viertel\w*|jahrzehnt\w*|hundert\w*|tausend\w*|million\w*|"
    r"jum\w+|douzaine|dizaine|quinzaine|vingtaine|trentaine|quarantaine|cinquantaine|centaine|moitié|demie?|double|tous les deux|toutes les deux|décennie|millier|"
    r"amb[oa]s|gemel[oa]s|mellizos|docena|decena|veintena|medi[oa]|mitad|doble|década|quincena|entrambi|gemell[ie]|dozzina|decina|ventina|metà|mezz[oa]|doppio|decennio|"
    r"gême[oa]s|dúzia|dezena|meia|metade|dobro|tweeling|drieling|dozijn|tientallen|helft|dubbel\w*|allebei|beiden|bliźniak\w*|bliźnięta|tuzin|połow\w+|pół|oboje|obaj|obie|"
    r"близнец\w*|двойн\w*|тройн\w*|дюжин\w*|десяток|половин\w*|пол\w*|оба|обе|двое|трое|четверо|пятеро|сотн\w*|тысяч\w*)\b|双|雙|对|對|俩|倆|半|两|兩|俩|数字"
)
"""Words by which people count without a number."""

NO_DENIAL = sieved(
    r"\b(?:sondern|sino|bensì|rather)\b|\bnot (?:only|just|merely)\b|\b(?:can['’]?t|cannot|couldn['’]?t) (?:live|do|be|go|function|wait|help|get enough|imagine)\b|\bno (?:idea|clue|wonder|doubt|problem|matter)\b"
    r"|\b(?:don['’]?t|doesn['’]?t|didn['’]?t|can['’]?t|do not) (?:forget|know|remember|get|understand|think|believe|mind|worry|care)\b|\bnot (?:sure|that|bad|too|really|very|yet)\b|\bnever (?:mind|knew)\b|n['’]t i\b"
    r"|\bnicht (?:nur|dass|schlecht|schlimm|so|sicher|sehr|ganz)\b|\bkeine? (?:ahnung|frage|problem|sorge)\b|\b(?:nicht|nie) ohne\b|\bweiß nicht\b|\bvergiss nicht\b"
    r"|\bne\b.{1,40}\bque?\b|\bn['’].{1,40}\bqu[e']|\bpas (?:seulement|que|mal|sûre?|si)\b|\b(?:sais|oublie) pas\b|\bpas sans\b"
    r"|\bno (?:solo|sólo|sé|olvides|creo|me acuerdo|tan|muy|.{1,30}(?:más que|sino|hasta))\b|\bnon (?:solo|so|dimenticare|credo|ricordo|.{1,30}che)\b"
    r"|\bnão (?:só|apenas|sei|esqueças|esqueça|lembro|.{1,30}(?:senão|até))\b|\bniet (?:alleen|zonder|vergeten|zo|zeker|slecht)\b|\bgeen (?:idee|probleem)\b"
    r"|\bnie (?:tylko|wiem|zapomnij|pamiętam|mogę bez)\b|\bне (?:только|знаю|забудь|помню|могу без|очень|так|уверен\w*)\b|\bникак не\b|\bжить не могу\b"
    r"|不(?:只|仅|但|光|知道|记得|太|是很|怎么)|离不开|離不開|少不了|忍不住|差不多|没办法|别忘|不得不|だけで(?:は)?な|しか|かもしれない|わからない|知らない|なければ|忘れない|なくちゃ|ないと"
)
"""What has the form of a denial and denies nothing of what follows, or not all of it."""

AVERSE = bounded(
    r"\b(?:can['’]?t stand|can['’]?t bear|instead|former|ex|used to|only|just|stop\w*|quit\w*|gave|give|sold|lost|left|died|dead|free|less|lack\w*|miss\w*|few|hardly|barely|rarely|except|"
    r"avoid\w*|cut out|nur|früher|ehemal\w*|verkauft\w*|verloren|gestorben|kaum|selten|außer|statt|meid\w+|verzicht\w*|ohne|seulement|que|vendu\w*|perdu\w*|mort\w*|ancien\w*|rarement|sauf|évit\w+|"
    r"solo|sólo|vend\w+|perd\w+|muri\w+|apenas|salvo|evit\w+|dejé|dejado|soltanto|morto|raramente|tranne|smess\w*|alleen|verkocht|verloren|overleden|nauwelijks|behalve|vermijd\w*|"
    r"tylko|sprzeda\w+|strac\w+|zmar\w+|rzadko|unika\w*|rzuci\w+|только|прода\w+|потеря\w+|умер\w*|редко|кроме|избега\w*|бросил\w*)\b|只|卖|賣|丢|去世|戒|避|だけ|売|亡|やめ"
)
"""What denies without a denial."""

SUBORDINATE = bounded(
    r"[,;:()]|\s(?:that|because|since|when|if|while|who|which|where|how|why|until|before|after|and|dass|weil|wenn|wo|wie|bis|bevor|nachdem|und|que|qui|parce|quand|où|comme|et|porque|cuando|donde|como|y|che|perché|quando|dove|e|"
    r"omdat|als|waar|dat|en|że|bo|gdy|kiedy|i|что|потому|когда|где|как|и)\s"
)
"""Where what is denied ends: a clause of its own begins."""

OWN_THING = bounded(
    r"\b(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr\w+|mi[oae]i?|nostr[oaie]|meus?|minhas?|noss[oa]s?|mijn|onze|mój|moja|moje\w*|nasz\w*|мо[йяеёи]\w*|наш\w*)\s+.*$"
    r"|(?:我的|我们的|私の|うちの|僕の).*$"
)
"""A thing of one's own, and what follows it in the clause."""

UNREAL_END = bounded(
    r"[,;:?!\uff0c\u3001\uff1f\u3002]|\s(?:then|would|i['’]d|we['’]d|could|should|what|how|dann|würde|alors|entonces|allora|então|dan|to by|то|бы я)\s|的话|(?:たら|だら|れば|なら)"
)
"""Where a supposition ends, and what would follow from it begins."""
