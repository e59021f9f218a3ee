# ruff: noqa: RUF001 - people speak many languages
"""How people tell what opens something, by language. Pure data. Never: how it is looked for.

The expressions with look-around see one sentence at a time, and only one that ``MAY_UNLOCK`` and digits are in. A value is what may be such a secret; whether it is one its digits tell.
"""

import re

from recollect.text.patterns import bounded, linear

_DIGIT_NAMES = (
    r"zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|"
    r"zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|"
    r"due|tre|quattro|cinque|sei|sette|otto|nove|um|dois|três|quatro|sete|oito|nul|een|twee|drie|vijf|zes|zeven|negen|"
    r"ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять"
)
DIGITS_BY_NAME = {
    name: str(digit)
    for digit, names in enumerate(
        (
            "zero oh null zéro cero nul ноль 零 〇",
            "one eins un uno um een один 一",
            "two zwei zwo deux dos due dois twee два 二",
            "three drei trois tres tre três drie три 三",
            "four vier quatre cuatro quattro quatro четыре 四",
            "five fünf cinq cinco cinque vijf пять 五",
            "six sechs seis sei zes шесть 六",
            "seven sieben sept siete sette sete zeven семь 七",
            "eight acht huit ocho otto oito восемь 八",
            "nine neun neuf nueve nove negen девять 九",
        )
    )
    for name in names.split()
}
"""What digits are called, one by one."""

VALUE = (
    r"[\"'`“„«「#]?(?P<secret>"
    rf"(?:{_DIGIT_NAMES})(?:[ ,-]{{1,2}}(?:{_DIGIT_NAMES})){{2,11}}(?!\w)"
    r"|(?<![0-9])[0-9]{1,4}(?:[ .–/-](?:[0-9]{1,4}|(?-i:[A-Z])(?=[ .-][0-9]))){1,11}(?![0-9])(?:[ ]?[#*])?(?![\w.,:/-]?[0-9a-z])"
    r"|(?=[!-~А-я]{0,40}[0-9])[0-9A-Za-zА-я][!-+\--:=?-Z^-zА-я]{2,60}"
    r")"
)
_IS = (
    r"(?:['’]s[ ]|[ ]?[:=：][ ]?|[ ](?:is|was|takes|wants|needs|ist|lautet|est|c['’]est|es|è|é|это|je)[ ](?:now |jetzt |nun |ora |ahora |agora |nu |теперь )?"
    r"|[ ](?:is now|est passée? à|changed to|[–—-])[ ]|[ ]?(?:是|为|為|改成|は|が)[ ]?)"
)
_FEW = r"(?:[ ][^\s.!?:;,]{1,20}){0,4}?"

_KEYS = (
    r"(?:\b(?:pass[ -]?)?keys?|(?:wlan-?|netzwerk|sicherheits)?schlüssel|clés?|clefs?|clave|chiave|chave|sleutel|klucz|ключ(?:ик)?|контрольное слово"
    r"|password|passwort|passwörter|mot de passe|contraseña|senha|wachtwoord|пароль)"
)
KEY_IS = bounded(
    rf"(?:{_KEYS}(?!\w)(?:{_FEW}{_IS}|(?P<bare>[ ]))|(?:密钥|密鑰|密码|密碼|口令|キー|パスワード)(?:{_IS})?){VALUE}",
    re.IGNORECASE,
)
"""A key, and what it is; whether it is one for a lock its look tells."""

_LOCKED = (
    r"\b(?:(?:sim-?)?pin(?:-?(?:code|nummer))?|lock ?box|key ?(?:box|safe)|safe|vault|(?:front |back |side |garage |garden )?(?:door|gate)|alarm|padlock|bike lock|lock|keypad|intercom|"
    r"\w{0,20}(?:tür|tresor|schloss|kasten|schlüsselbox|alarmanlage|tor)|sim|"
    r"coffre(?:-fort)?|portail|digicode|cadenas|boîte à clés?|alarme|interphone|caja fuerte|portal|candado|alarma|"
    r"cassaforte|lucchetto|cancello|cassetta|allarme|cofre|portão|cadeado|kluis|poort|hangslot|slot|sleutelkluis(?:je)?|"
    r"сейф|домофон|подъезд|замок|калитк\w|ворота|сигнализаци\w)"
)
LOCK_IS = bounded(
    rf"{_LOCKED}(?!\w){_FEW}(?:{_IS}|[ ](?:keypad|code|pin|combo|combination|codice|código)[ ](?:is[ ])?)(?:the[ ]|le[ ]|il[ ]|el[ ])?{VALUE}"
    rf"|(?<=keypad[ ]){VALUE.replace('secret', 'pad')}"
    rf"|(?:门|門|门锁|保险柜|保險櫃|金庫|玄関|自転車|スマホ|携帯|鍵)[^\s。！？，、]{{0,8}}?(?:密码|密碼|号码|番号|解除|コード|暗証)(?:番号|コード)?(?:{_IS})?[ ]?{VALUE.replace('secret', 'code')}",
    re.IGNORECASE,
)
"""What is locked, and what opens it."""

ENTRY_IS = bounded(
    r"(?:(?:front |back |side |garage |garden )?(?:door|gate)|\w{0,20}(?:tür|tor)|portail|portal|cancello|portão|poort|калитк\w|ворота)(?!\w)"
    rf"{_FEW}(?:['’]s|[ ](?:is|was|ist|est|c['’]est|es|è|é|это|je)(?:[ ]\w{{1,8}})?)[ ](?:the[ ]|le[ ]|il[ ]|el[ ])?[\"'`“„«]?\Z",
    re.IGNORECASE,
)
"""A door or gate that is something, up to what it is: as well its colour or the number of the house."""

WORD_WITH_NUMBER = bounded(r"[^\W\d_]+[0-9]{1,4}")
"""A word joined with a short number, as things are named that are made."""

_OPENS = (
    r"\b(?:opens?|unlocks?|unlocked|disarms?|log(?:s|ged)?|sign(?:s|ed)?|gets?|lets?|turns?|goes|works|"
    r"geht|gehen|öffne[tn]?|entsperre?n?|komm[est]{0,2}|lässt|logge|entschärf\w{0,3}|deaktivier\w{0,3}|"
    r"(?:s['’])?ouvr\w{1,3}|déverrouill\w{1,3}|désactive|entre|connect\w{1,3}|"
    r"abr\w{1,3}|abierto|desbloque\w{1,4}|desactiva\w?|conecta\w?|apaga|entra\w?|"
    r"apr[ei]\w{0,3}|sblocc\w{1,4}|spegne|disattiva\w?|accedi\w{0,2}|desliga|desativa|"
    r"gaat|kom(?:t|en)?|ontgrendel\w{0,2}|open|otwiera|"
    r"открыва\w{2,6}|открой\w{0,2}|разблокир\w{2,6}|отключа\w{2,6}|снима\w{2,6})"
)
_WITH = (
    r"(?:with|using|via|by (?:typing|entering|pressing|dialling)|mit|mittels|avec|en tapant|con|digitando|tecleando|com|met|z|с|через|кодом|паролем|на|по коду)"
    r"(?:[ ](?:the|a|dem|der|le|la|les|el|il|lo|o|os|i|de|het|код\w{0,3}))?(?:[ ](?:code|number|combination|pin|password|passphrase|key|kombination|chiffres|código|clave|codice|senha|кода))?[ :]{1,2}"
)
OPENS_WITH = bounded(
    rf"{_OPENS}(?!\w)(?:[ ][^\s.!?:;,]{{1,20}}){{0,6}}?[ ]{_WITH}{VALUE}|\bоткрыва\w{{2,6}}[ ]{VALUE.replace('secret', 'code')}",
    re.IGNORECASE,
)
"""Something opens with something."""

NAMES_CODE = linear(
    r"(?i)(?:codes?|passwort|kombination)(?:\W|$)|(?:^|\W)(?:pass(?:word|key|phrase)|pwd?|pins?|combo|combination|kennwort|mot de passe|clave|contraseña"
    r"|códigos?|codic[ei]|combinazione|senha|wachtwoord|пин|код\w{0,2}|парол\w)(?:\W|$)|密码|密碼|口令|番号|コード|暗証|パスワード"
)
"""What is typed or said to get in, by its name."""

ANY_VALUE = bounded(
    rf"(?<![\w.,:/+#-]){VALUE}|(?<=[぀-ヿ一-鿿]){VALUE.replace('secret', 'behind')}",
    re.IGNORECASE,
)
"""Anything that may be what opens something."""

PUNCHED_IN = bounded(
    rf"\b(?:(?:punch|type|key|tap|enter|dial|press)(?:es|s|ing)?(?: in)?|tipp\w{{1,3}}|gib(?:st|t)?|wähl\w{{1,3}}|tap(?:er?|es|ez)|compos(?:er?|es|ez)|saisi[rst]{{1,3}}|"
    r"marc[ao]s?|tecle[ao]s?|puls[ao]s?|digit\w{1,5}|toets|tik|набер\w{1,3}|набира\w{2,4}|введ\w{1,3}|вводи\w{1,3}|нажм\w{1,3})"
    rf"(?:[ ](?:du|man|ich|you|we|le|el|il|o|de|den|in))?(?:[ ](?:code|código|codice|код|zahl))?[ ]{VALUE}",
    re.IGNORECASE,
)
"""Somebody types something; a secret where the sentence is about what is locked."""

LOCKED = linear(
    r"(?i)(?:tür|tresor|schloss|kasten|schlüsselbox|alarmanlage|tor)(?:\W|$)"
    rf"|(?:^|\W)(?:{_LOCKED.removeprefix(chr(92) + 'b').replace(chr(92) + 'w{0,20}', '')}|wi-?fi|wlan|router|handy|phone|garage|locker|to get in|haustür"
    r"|parking|voordeur|deur|pour entrer|j'entre|allarme|para entrar|per entrare|войти)|门|門|柜|保险|手机|金庫|玄関|錠|ロック|鍵"
)
"""That something is locked, anywhere in a sentence."""

OPENED_BY = bounded(
    rf"(?:^|(?<=[\s,;:(“\"'])){VALUE}[\"'”]?[ ](?:(?:is|it is|ist|est|es|è|é|это)[ ](?:what|how|was|ce qui|ciò che|lo que)?[ ]?)?"
    r"(?:gets?|lets?|opens?|unlocks?|disarms?|turns?|will (?:get|let|open|unlock)|öffnet|entsperrt|ouvre|déverrouille|abre|apre|sblocca|открывает|разблокирует)(?!\w)"
    r"(?:[ ](?:you|me|us|them|everyone|it|one|the|das|die|den|la|le|el|il|o))(?!\w)"
    rf"|\b(?:mit|met)[ ]{VALUE.replace('secret', 'code')}[ ](?:(?:kommst|kommt|komme|kommen|gehst|geht|kan|kom|kun)[ ]|öffne|entsperr|auf\b|rein\b|open\b|naar binnen)"
    rf"|\b(?:con|com|avec|с)[ ]{VALUE.replace('secret', 'key')}[ ](?:(?:te|se|me|ti|si|on|tu|je|você|можно)[ ])?(?:conect|entr|abr|acced|apr|ouvre|déverr|войти|открыть)"
    rf"|(?:用|按|输入|輸入|输)[ ]?{VALUE.replace('secret', 'zh')}[ ]?(?:就|来|才|即)?(?:能|可以|可)?(?:打开|开|解锁|进|登录|登陆|開|解鎖|連)"
    rf"|{VALUE.replace('secret', 'ja')}[ ]?で(?:開|解除|解錠|入れ|入る|ロック|ログイン)",
    re.IGNORECASE,
)
"""What opens something stands before."""

_SOME_DIGIT = rf"[\"'`“„«「#]?(?:[^\s]*[0-9]|(?:{_DIGIT_NAMES})[ ,-])"
MAY_OPEN = linear(
    r"(?i)[ ](?:gets?|lets?|opens?|unlocks?|disarms?|turns?|will (?:get|let|open|unlock)|öffnet|entsperrt|ouvre|déverrouille|abre|apre|sblocca"
    r"|открывает|разблокирует)[ ](?:you|me|us|them|everyone|it|one|the|das|die|den|la|le|el|il|o)"
    rf"|(?:mit|met|con|com|avec|с)[ ]{_SOME_DIGIT}|[用按输輸]|で(?:開|解|入|ロ)"
)
"""Without any of these ``OPENED_BY`` finds nothing."""

MAY_OPEN_WITH = linear(
    rf"(?i){_OPENS.removeprefix(chr(92) + 'b')}[ ](?:[^\s.!?:;,]+[ ])*?{_WITH}{_SOME_DIGIT}|открыва\w{{2,6}}[ ]"
)
"""The same of ``OPENS_WITH``."""

NAMES_KEY = linear(f"(?i){_KEYS.replace(chr(92) + 'b', '')}|密钥|密鑰|密码|密碼|口令|キー|パスワード")
"""The same of ``KEY_IS``."""

CODES_NAMED = linear(
    r"(?i)(?:recovery|backup|rescue|scratch|emergency|one-time|2fa|login|security|verification|authenticator)[ -](?:code|key)s?"
    r"|(?:wiederherstellungs|ersatz|notfall|backup|sicherungs)-?(?:code|schlüssel)[ns]?"
    r"|codes? de (?:secours|récupération|sauvegarde)|códigos? de (?:recuperación|respaldo|recuperação|segurança|seguridad)|codici? di (?:recupero|backup|riserva)|herstel-?codes?|back-?up-?codes?"
    r"|(?:резервн|аварийн)\w{2} код\w{0,2}|код\w? восстановления|备用码|恢复码|備用碼|リカバリーコード|バックアップコード"
)
"""Codes that let somebody in who lost the other way, by their name."""

CODES_FOLLOW = bounded(
    r"(?!\w)[^\n:：]{0,60}?(?:[:：]|\bare\b|\bsind\b|\bsont\b|\bson\b|\bsono\b|\bsão\b|\bzijn\b|は|是|\n|[ ](?=[a-z]{0,5}[0-9]))",
    re.IGNORECASE,
)
"""Behind that name: one or a list of them follows."""

CODE_IN_LIST = bounded(
    r"(?:[\s,;/&、，•]|[-*][ ]|[0-9]{1,2}[.)][ ]|(?:and|und|et|y|e|en|и|和|と)[ ]){0,6}(?P<secret>[0-9A-Za-z]{3,12}(?:[- ](?=[0-9A-Za-z]*[0-9])[0-9A-Za-z]{3,12}){0,5})(?![\w-])"
)
"""The next of a list of codes."""

GOES_ON_WITHOUT_UNIT = bounded(
    r"[\"'”»]?(?:\s*$|\s*[.,;:!?)\]。，！、？\n…]|[ ](?:and|but|then|so|when|if|at|on|in|to|for|it|or|twice|please|now|btw|since|because|und|aber|auf|ein|aus|rein|dann|wenn|um|öffnen|et|mais|pour|puis|quand"
    r"|ou|y|pero|para|cuando|o|e|ma|per|poi|quando|mas|en|maar|als|и|но|а|чтобы|когда|then|[-–—(])(?![\w])|[぀-ヿ一-鿿])"
)
"""Behind a bare number: no thing that it counts."""

MAY_UNLOCK = linear(
    "(?i)"
    + "|".join(f"(?:{each.pattern})" for each in (LOCKED, NAMES_CODE, NAMES_KEY, MAY_OPEN, MAY_OPEN_WITH))
)
"""Without any of these nothing that opens something is told."""

SENTENCE_WITH_DIGITS = linear(
    rf"(?i)(?:[0-9]|(?:{_DIGIT_NAMES})[ ,-]{{1,2}}(?:{_DIGIT_NAMES}))(?:[^\n.!?\x{{3002}}\x{{ff01}}\x{{ff1f}}]|[.!?][^\s.!?])*"
)
"""The rest of a sentence, from its first digit on."""
