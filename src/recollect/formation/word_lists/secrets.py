# ruff: noqa: RUF001 - people speak many languages
"""The shapes of keys, and the words that announce a secret, by language. Pure data. Never: what is done with it."""

import re

from recollect.patterns import anchored, bounded

KEYS = bounded(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{16,}"
    r"|gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[\w-]{16,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}"
    r"|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}"
    r"|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[\w-]{20,}"
    r"|(?:hf|npm|gsk|r8|whsec|shpat|shpss|dckr_pat|lin_api|dop_v1)_[A-Za-z0-9]{20,}"
    r"|(?:pypi|pplx|xai|nvapi|tskey|vault)-[A-Za-z0-9_-]{20,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"
    r"|[0-9]{8,10}:AA[\w-]{32,34}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{40,}"
    r"|https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,}|https://discord(?:app)?\.com/api/webhooks/[\w/-]{20,}"
    r")",
    re.ASCII,
)
"""Keys and tokens that their makers give a shape of its own."""

_IS = (
    r"(?:[\"'`]?\s{0,3}(?:[:=：＝]{1,2}|=>|->|→)\s{0,3}|\s{1,3}(?:[\u2013\u2014-]\s{1,3})|\s{1,3}(?:is|was|are|ist|sind|lautet|lauten|heißt|heisst|war|est|sont|c['\u2019]est|"
    r"es|son|era|è|é|era|to|jest|to jest|это|был|будет|je|olarak)\s{1,3}[:：]?\s{0,3}"
    r"|\s{0,3}(?:是|为|為|改成|改为|は|が|を|입니다|은|는)\s{0,3}[:：]?\s{0,3})"
)
_BETWEEN = (
    r"(?:[ \t]{1,3}(?!(?:manager|policy|policies|reset|generator|field|hash|must|should|needs?|has|have|can|may|can't|"
    r"muss|müssen|soll|sollte|doit|debe|deve|moet|musi|должен|is|ist|est|es|è|é|это)\b)[^\s:=：＝,.;!?]{1,20}){0,7}?"
)
_PASSWORDS = (
    r"pass[ -]?words?|pass[ -]?code|passphrase|passwd|passw[oö]rt(?:er)?|\w{2,20}passwort|kennwort|losung|mot[ ]secret|mot[ ]de[ ]passe|mdp|"
    r"contraseña|contrasena|senha|palavra-passe|wachtwoord|hasło|haslo|пароль|пароля|şifre|şifrem|parola|parole"
)
_PASSWORDS_UNSPACED = (
    "密码|密碼|口令|解锁码|パスコード|合言葉|パスワード|暗証番号|비밀번호|كلمة المرور|كلمة السر"
)
ANNOUNCED_PASSWORD = bounded(
    rf"(?:\b(?:{_PASSWORDS}|pwd|pw)\b(?![-\u2019]|'(?!\s?[:=]))(?:{_BETWEEN}(?P<told>{_IS})|[ \t]{{1,2}}(?=\S{{0,40}}[0-9]))"
    rf"|(?:{_PASSWORDS_UNSPACED})(?:\s?{_IS}|\s{{0,2}}(?=[\x21-\x7e]{{4}})))"
    r"(?P<quoted>[\"'`\u201c\u201e\u00ab\u300c](?=[^\"'`\u201d\u201c\u00bb\u300d\n]{3,80}[\"'`\u201d\u201c\u00bb\u300d]))?"
    r"(?P<secret>(?(quoted)[^\"'`\u201d\u201c\u00bb\u300d\n]{3,80}|[^\s\u3002\uff0c\u3001]{3,200}))",
    re.IGNORECASE,
)
"""A password, and what follows."""

_TOKENS = (
    r"(?:api|access|secret|auth|bearer|client|private|refresh|session|deploy|webhook|licen[cs]e)?[ _-]?(?:key|token|secret)|"
    r"api-?schlüssel|zugriffsschlüssel|zugangstoken|(?:clé|cle|clave|chave|chiave|klucz|ключ|token|jeton)[ ](?:d')?api|"
    r"api[- ]ключ|токен|token[ ]de[ ]acceso|jeton"
)
ANNOUNCED_TOKEN = bounded(
    rf"(?:(?<![A-Za-z])(?:{_TOKENS})s?\b{_BETWEEN}{_IS}|(?:密钥|密鑰|令牌|APIキー|トークン|API 키|토큰)\s?{_IS})"
    r"[\"'`\u201c\u201e]?(?P<secret>[A-Za-z0-9][\w.~+/=-]{7,})",
    re.IGNORECASE,
)
"""A token, and what follows."""

ANNOUNCED_NUMBER = bounded(
    r"(?:"
    r"(?:\b(?:pin(?:[ -]?(?:code|number|nummer))?|code[ ]pin|código[ ]pin|пин(?:-?код)?|geheimzahl|geheimnummer)\b|PINコード|暗証番号|PIN码|密码|密碼)"
    rf"(?:{_BETWEEN}{_IS}|\s{{0,2}}|[ \t]{{1,2}}(?:[^\W\d]\w{{0,15}}[ \t]){{1,4}})(?P<pin>[0-9]{{4,8}})(?![\w.,]*[0-9])"
    r"|\b(?:cvv|cvc|cvv2|cvc2|csc|security[ ]code|código[ ](?:cvv|de[ ]seguridad)|kartenprüfnummer|код[ ]безопасности|(?:karten)?prüf(?:nummer|ziffer)|cryptogramme)\b"
    rf"(?:{_BETWEEN}{_IS}|\s{{0,2}})(?P<code>[0-9]{{3,4}})(?![\w.,]*[0-9])"
    r"|\b(?:ssn|social[ ]security(?:[ ]number)?)\b"
    rf"(?:{_BETWEEN}{_IS}|\s{{0,2}})(?P<person>[0-9]{{3}}[ -]?[0-9]{{2}}[ -]?[0-9]{{4}})(?![\w.,]*[0-9])"
    r")",
    re.IGNORECASE,
)
"""A PIN, a card's check code or a social security number, and the digits."""

_PHRASES = (
    r"(?:seed|recovery|secret|backup|mnemonic|wallet)[ -]?(?:phrase|words|seed)|mnemonic|seed|passphrase|wiederherstellungs"
    r"(?:phrase|wörter)|phrase[ ](?:de[ ]récupération|secrète)|frase[ ](?:semilla|de[ ]recuperación|di[ ]recupero|de[ ]recuperação)|"
    r"herstelzin|fraza[ ]odzyskiwania|сид-фраза|seed-фраза"
)
_CODES = (
    r"(?:(?:alarm|door|gate|entry|access|garage|lock|unlock|safe|vault|security|intercom|key ?box|lockbox|phone|sim|card|bank|burglar|house|building|front door|back door|voicemail|login|verification|backup|recovery|activation|master|entrance|keypad)[ -](?:code|combo|combination)s?"
    r"|(?:code|combo|combination)(?: number)? (?:for|to|of) (?:the |my |our )?(?:\w+ )?(?:alarm|door|gate|house|flat|garage|lock|safe|vault|phone|card|building|locker|shed|keypad|bike lock|bike)"
    r"|\w*(?:tür|alarm|tor|tresor|safe|zugangs|sicherheits|schließfach|garagen|entsperr|zutritts|haus|pin|freischalt|wiederherstellungs)-?(?:code|codes|kombination)|geheimzahl|geheimnummer|geheimcode|zahlenkombination|kombination|code (?:für|vom|von der) (?:den |die |das )?(?:alarm\w*|tür|tor|tresor|safe|haus\w*|garage|handy|schloss)"
    r"|digicode|interphone|code (?:secret|d['’]accès|d['’]entrée|de (?:la |l['’])?(?:porte|carte|alarme|immeuble|entrée|sécurité|coffre|bâtiment|résidence|garage)|du (?:portail|coffre|garage|cadenas|bâtiment|portillon|téléphone|wifi))|(?:code|clé|clef) (?:du )?wi-?fi|clé de sécurité"
    r"|clave(?: secreta)?(?: (?:del?|de la|para(?: el| la)?|pal|d) ?[^\W\d]\w{0,20}){0,2}|código (?:secreto|de (?:la |el )?(?:puerta|alarma|acceso|entrada|seguridad|tarjeta|caja fuerte)|del? (?:portal|garaje|candado|edificio))|combinación"
    r"|codice (?:segreto|d['’]accesso|del? \w+)|código (?:de acesso|secreto|do portão|da porta)|toegangscode|pincode|kod do \w+"
    r"|код(?:ы)?[ ](?:от|для(?=[ ](?:двер|сейф|домофон|подъезд|ворот|вход|карт|телефон|вай|сигнал|квартир))|доступа|безопасности|подъезда|домофона|сейфа|двери|ворот)(?:[ ][^\W\d]\w{1,20}){0,2}|кодовое слово|ключ[ ](?:от|доступа)(?:[ ]\w{1,20})?"
    r"|門禁碼|门禁码|验证码|驗證碼|开锁码|安全码|安全碼|恢复码|认证コード|認証コード|暗証|ロック番号|解錠番号)"
)
ANNOUNCED_CODE = bounded(
    rf"(?:(?<!\w){_CODES}(?!\w)|(?:门禁码|門禁碼|验证码|驗證碼|开锁码|安全码|认证コード|認証コード|解錠番号))"
    rf"(?:{_BETWEEN}{_IS}|\s{{0,3}}[(]?)[\"'`\u201c\u201e#]?(?P<secret>(?=[^\s,;]{{0,30}}[0-9])[^\s,;\u3002\uff0c\u3001()]{{4,40}}(?:[ ,]{{1,2}}(?=[^\s,;]{{0,30}}[0-9])(?=[^\s,;]*[-\w])[^\s,;]{{4,40}}){{0,12}})",
    re.IGNORECASE,
)
"""A code that opens something, and what follows that has digits: four of them, or letters as well."""

SAFE_WORDS = bounded(
    r"\b(?:tresor|safe|vault|coffre(?:-fort)?|caja fuerte|сейф|padlock|vorhängeschloss|cadenas|candado|combination lock|zahlenschloss)\b[^.!?\n0-9]{0,40}?[:=\s][ ]?(?P<secret>[0-9]{1,3}(?:[-\u2013/ ][0-9]{1,3}){2,5})(?![\w-])",
    re.IGNORECASE,
)
"""A safe, and the numbers that open it."""

_LOGINS = r"log-?ins?|credentials?|creds|zugangsdaten|anmeldedaten|identifiants?|credenciales|datos de acceso|credenziali|логин|вход|учётка|账号|帳號|账户|アカウント|ログイン"
ANNOUNCED_LOGIN = bounded(
    rf"(?:\b(?:{_LOGINS})\b|账号|帳號|ログイン)[^.!?\n\u3002]{{0,60}}?(?:[/|:,，、]|\b(?:and|with|und|mit|et|avec|y|con|и|kennwort|pass)\b)[ \t]*(?P<secret>(?=[^\s/]*[0-9])(?=[^\s/]*[^\W\d])[^\s/,]{{6,60}})",
    re.IGNORECASE,
)
"""What one logs in with: behind a name, a word of letters and digits."""

SECRET_FIRST = bounded(
    rf"(?<!\S)[\"'`\u201c]?(?P<secret>(?=[^\s\"]{{0,40}}[0-9])[^\s\"'`\u201d]{{4,60}})[\"'`\u201d]?[ \t]{{1,2}}(?:is|was|ist|war|lautet|est|c['\u2019]est|es|era|è|é|это|[\u2013\u2014=-])[ \t]{{1,2}}"
    rf"(?:(?:my|the|our|his|her|their|new|old|current|mein\w*|unser\w*|das|die|der|neue[srn]?|mon|ma|le|la|notre|mi|el|nuestr[oa]|мой|моя|наш|новый)[ \t]+){{0,3}}(?:[\w'\u2019-]{{1,20}}[ \t]+){{0,2}}?(?:{_PASSWORDS}|pwd|pw|pins?|pin-?code|пин(?:-?код)?|{_CODES})(?!\w)",
    re.IGNORECASE,
)
"""A secret in front of the word that says what it is."""

ANNOUNCED_PHRASE = bounded(
    rf"\b(?:{_PHRASES})\b[^\n:=]{{0,30}}?(?:[:=]|\bis\b|\bist\b|\best\b|\bes\b|\bè\b|\blautet\b|\bsind\b|\bare\b|\bson\b|\bsont\b|\u2014)\s{{0,3}}[\"'\u201c\u201e]?"
    r"(?P<secret>(?:[0-9]{1,2}[.)][ ]?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:[0-9]{1,2}[.)][ ]?)?[a-z]{3,8}){11,23})\b"
)
"""The words of a wallet's seed, 12 to 24 of them (BIP 39)."""

HARMLESS = anchored(
    r"(?:wrong|right|correct|incorrect|invalid|valid|expired|required|needed|missing|empty|weak|strong|secure|insecure|"
    r"safe|unsafe|long|short|same|different|stored|saved|hashed|encrypted|changed|reset|forgotten|lost|gone|secret|private|"
    r"protected|shared|known|unknown|compromised|leaked|stolen|fine|good|working|hard|easy|annoying|terrible|there|here|"
    r"this|that|what|case[- ]sensitive|bitwarden|keepass|1password|lastpass|dashlane|sha-?\d+|md5|bcrypt|argon2i?d?|scrypt|"
    r"base64|oauth2?|utf-?8|2fa|mfa|null|none|true|false|optional|mandatory|"
    r"falsch|richtig|korrekt|ungültig|gültig|abgelaufen|vergessen|weg|geändert|sicher|unsicher|nötig|leer|gespeichert|geheim|"
    r"zurückgesetzt|gehackt|faux|fausse|incorrecte?|expiré|oublié|perdu|obligatoire|sûr|incorrecta?|equivocada|caducada|"
    r"olvidada|segura?|obligatoria|necesaria|sbagliata|scaduta|dimenticata|sicura|errada|incorreta|expirada|esquecida|"
    r"verkeerd|fout|verlopen|vergeten|veilig|złe|błędne|zapomniane|неверный|неправильный|истёк|истек|забыт|слабый|надёжный|"
    r"yanlış|错误|錯誤|不对|忘了|忘记了|已过期|过期了|違います|間違っています|忘れました|忘れた)",
    re.IGNORECASE,
)
"""What is said of a password, and is none."""
