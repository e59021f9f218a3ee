# ruff: noqa: RUF001 - people speak many languages
"""Names secrets, and the words around them, by language: expressions of RE2 that ignore case. Pure data."""

PASSWORDS = (
    r"pass[ -]?words?|pass[ -]?code|passphrase|passwd|passw(?:o|ö)rt|kennwort|losung(?:swort)?|mot[ ]secret|mots?[ ]de[ ]passe|mdp"
    r"|contraseña|contrasena|senha|palavra-passe|parola[ ]d['’]ordine|wachtwoord|hasło|haslo|hasła|парол(?:ь|я|ем)|şifre(?:m|si|miz|niz|nizi)?|parola(?:m|n|s[ıi]|n[ıi]z)?|pwd|pw"
    r"|heslo|lösenord(?:et)?|adgangskode|passord(?:et)?|salasana|jelszó|jelsza(?:m|va|vad)|mật[ ]khẩu|kata[ ]sandi|nenosiri|κωδικός(?:[ ]πρόσβασης)?|паролата"
    r"|كلمة[ ](?:ال)?(?:مرور|سر)|الباسورد|رمز[ ]عبور|ה?סיסמ[הא]|पासवर्ड|পাসওয়ার্ড"
    r"|(?:clave|clé|clef|chiave|chave|sleutel)[ ](?:(?:del?|du|do|da|van)[ ]){0,1}(?:(?:la|het)[ ])?wi-?fi"
)
"""Of scripts that put spaces between words."""

PASSWORDS_UNSPACED = "密码|密碼|口令|解锁码|パスコード|合言葉|パスワード|비밀번호|비번|암호|รหัสผ่าน(?:ใหม่)?(?:ของ(?:คุณ|ฉัน))?(?:คือ)?"

TOKENS = (
    r"(?:api|access|secret|auth|bearer|client|private|refresh|session|deploy|webhook|licen[cs]e)?[ _-]?(?:key|token|secret)s?"
    r"|api-?schlüssel|zugriffsschlüssel|zugangstoken|(?:clé|cle|clave|chave|chiave|klucz|ключ|token|jeton)[ ](?:d')?api"
    r"|api[- ]ключ|токен|token[ ]de[ ]acceso|jeton|密钥|密鑰|令牌|apiキー|トークン|api 키|토큰"
)

PINS = (
    r"(?:sim-?)?pins?(?:[ -]?(?:code|number|nummer|kod))?|code[ ]pin|código[ ]pin|codice[ ]pin|пин(?:-?код)?|geheimzahl|geheimnummer|pincode"
    r"|otp|tan|mtan|one[- ]time[ ](?:code|password|pin)|einmal(?:code|passwort)|2fa[- ]?(?:code)?|mfa[ ]code"
    r"|(?:verification|confirmation|authentication|authenticator|security|sms|login|two-factor|2-step|sign-in|access)[ -]codes?"
    r"|(?:bestätigungs|sicherheits|freischalt|verifizierungs|sms-)-?code|code[ ]de[ ](?:vérification|confirmation|sécurité|validation)"
    r"|código[ ]de[ ](?:verificación|confirmación|seguridad|verificação|confirmação|segurança)|codice[ ]di[ ](?:verifica|conferma|sicurezza)"
    r"|(?:verificatie|bevestigings|beveiligings)code|kod[ ](?:weryfikacyjny|potwierdzający|sms)|код[ ](?:подтверждения|из[ ]смс|безопасности)"
    r"|pinコード|pin码|pin[ ]번호|暗証番号|验证码|驗證碼|校验码|认证码|認証コード|確認コード|인증[ ]?번호|인증[ ]?코드|확인[ ]?코드"
)
"""Names of numbers with four digits or more."""

CHECKS = r"cvv2?|cvc2?|csc|security[ ]code|código[ ](?:cvv|de[ ]seguridad)|(?:karten)?prüf(?:nummer|ziffer)|код[ ]безопасности|cryptogramme(?:[ ]visuel)?"
"""Names of the three or four digits on a card's back."""

CODES = (
    r"(?:alarm|door|gate|entry|access|garage|lock|unlock|safe|vault|security|intercom|key ?box|lockbox|phone|sim|card|bank|burglar|house|building|front door|back door|voicemail|login|verification|backup|recovery|activation|master|entrance|keypad|bitlocker recovery)[ -](?:codes?|combos?|combinations?|keys?)"
    r"|(?:house|home|burglar) alarm|(?:code|combo|combination)(?: number)? (?:for|to|of) (?:the |my |our )?(?:\p{L}+ )?(?:alarm|door|gate|house|flat|garage|lock|safe|vault|phone|card|building|locker|shed|keypad|bike lock|bike)"
    r"|(?:tür|alarm|tor|tresor|safe|zugangs|sicherheits|schließfach|garagen|entsperr|zutritts|haus|pin|freischalt|wiederherstellungs|handy)-?(?:codes?|kombination)|geheimcode|zahlenkombination|kombination|code (?:für|vom|von der) (?:den |die |das )?(?:alarm\p{L}*|tür|tor|tresor|safe|haus\p{L}*|garage|handy|schloss)"
    r"|digicode|interphone|code (?:secret|d['’]accès|d['’]entrée|de (?:la |l['’]|ma |mon |notre )?(?:porte|carte|alarme|immeuble|entrée|sécurité|coffre|bâtiment|résidence|garage)|du (?:portail|coffre|garage|cadenas|bâtiment|portillon|téléphone|wifi))|(?:code|clé|clef) (?:du )?wi-?fi|clé de sécurité"
    r"|clave(?: secreta)?(?: (?:del?|de la|para(?: el| la)?|pal|d) ?\p{L}+){0,2}|código (?:secreto|de (?:la |el )?(?:puerta|alarma|acceso|entrada|seguridad|tarjeta|caja fuerte)|del? (?:portal|garaje|candado|edificio))|combinación"
    r"|codice (?:segreto|d['’]accesso|del? \p{L}+)|código (?:de acesso|secreto|do portão|da porta)|toegangscode|kod do \p{L}+"
    r"|коды? (?:от|для (?:двер|сейф|домофон|подъезд|ворот|вход|карт|телефон|вай|сигнал|квартир)\p{L}*|доступа|подъезда|домофона|сейфа|двери|ворот)(?: \p{L}+){0,2}|кодовое слово|ключ (?:от|доступа)(?: \p{L}+)?"
    r"|門禁碼|门禁码|开锁码|安全码|安全碼|恢复码|暗証|ロック番号|解錠番号"
)
"""Names of codes with digits that open a thing."""

ANYTHING_SENT = r"codes?|código|codice|kodem?|kod|код|コード|코드"
"""A number that may be a program as well, a discount, or a place."""

SENT = (
    r"\btext(?:ed|s)?\b|\bsms\b|\bmessaged me|\bsent me|\bemailed|geschickt|\bschickt|bekommen|reçu|envoyé|enviaron|mandaron|recibí|mandato|inviato|ricevuto|recebi|enviaram"
    r"|mandaram|kreeg|gestuurd|ontvangen|otrzyma|przysłali|dostał|прислали|пришёл|пришел|смс|短信|発行|届いた|送られ|문자|받은"
)
"""That it came by a message."""

ANSWERS = (
    r"security[ ]answer|answers?[ ]to[ ](?:my|the|our|his|her)[ ](?:security|secret)[ ]question|secret[ ]answer|mother['’]s[ ]maiden[ ]name"
    r"|antwort[ ]auf[ ](?:meine|die|unsere)[ ](?:sicherheits|geheim)frage|réponse[ ]à[ ](?:ma|la)[ ]question[ ](?:secrète|de[ ]sécurité)"
    r"|respuesta[ ]a[ ](?:mi|la)[ ]pregunta[ ](?:de[ ]seguridad|secreta)|risposta[ ]alla[ ](?:mia[ ])?domanda[ ](?:di[ ]sicurezza|segreta)"
    r"|resposta[ ](?:à|da|para[ ]a)[ ](?:minha[ ])?pergunta[ ](?:de[ ]segurança|secreta)|antwoord[ ]op[ ](?:mijn|de)[ ](?:beveiligings|geheime[ ])vraag"
    r"|odpowiedź[ ]na[ ](?:moje[ ])?pytanie[ ](?:bezpieczeństwa|pomocnicze)|ответ[ ]на[ ](?:мой[ ])?(?:секретный|контрольный)[ ]вопрос"
    r"|密保问题的?答案|安全问题的?答案|秘密の質問の答え|보안[ ]질문의?[ ]답"
)

LOGINS = (
    r"log-?ins?|credentials?|creds|zugangsdaten|anmeldedaten|identifiants?|credenciales|datos de acceso|credenziali|логин|вход|учётка"
    r"|账号|帳號|账户|アカウント|ログイン"
)

SEEDS = (
    r"(?:seed|recovery|secret|backup|mnemonic|wallet)[ -]?(?:phrase|words|seed)|mnemonic|seed|wiederherstellungs(?:phrase|wörter)"
    r"|phrase[ ](?:de[ ]récupération|secrète)|frase[ ](?:semilla|de[ ]recuperación|di[ ]recupero|de[ ]recuperação)|herstelzin"
    r"|fraza[ ]odzyskiwania|сид-фраза|seed-фраза|助记词|シードフレーズ"
)

PERSONS = (
    r"ssn|social[ ]security(?:[ ](?:number|no\.?))?|(?:my|his|her|their)[ ]social|passport|(?:national[ ])?(?:identity|id)[ -]?(?:card|number|no\.?)"
    r"|national[ ]insurance|ni[ ](?:number|no\.?)|nino|driver['’]?s?[ ]licen[cs]e|tax[ ](?:id|number)|reisepass(?:nummer)?|personalausweis(?:nummer)?|ausweisnummer|passnummer|steuer-?(?:id|nummer|identifikationsnummer)"
    r"|(?:sozial|renten)versicherungsnummer|passeport|carte[ ]d['’]identité|numéro[ ](?:de[ ]sécu(?:rité[ ]sociale)?|fiscal)|pasaporte|dni|nie|nif|cédula|curp|rut"
    r"|passaporto|passaporte|carta[ ]d['’]identità|codice[ ]fiscale|cpf|cartão[ ]de[ ]cidadão|paspoort(?:nummer)?|bsn|burgerservicenummer|rijksregisternummer|paszport(?:u)?|pesel|dowód[ ]osobisty|dowodu"
    r"|паспорт(?:а|е|у|ом)?|снилс|инн|tc[ ]?kimlik(?:[ ]no)?|kimlik[ ]no|pasaport(?:um|umun|u|unuz)?|personnummer|fødselsnummer|cpr-?(?:nummer)?|henkilötunnus|rodné[ ]číslo|osobní[ ]číslo|cnp|егн|oib|αφμ|αμκα"
    r"|aadhaar|aadhar|आधार|पासपोर्ट|pan[ ](?:card|number)|hộ[ ]chiếu|cccd|căn[ ]cước|paspor|nik|ktp"
    r"|身份证|身份證|身分證|护照|護照|社会安全号|社保号|マイナンバー|旅券|パスポート|在留カード|免許証|주민등록번호|주민번호|여권|운전면허"
    r"|บัตรประชาชน|หนังสือเดินทาง|جواز|الهوية|תעודת[ ]זהות|דרכון|کد[ ]ملی"
)
"""Names of the papers and numbers that a state gives to people."""

COPULAS = r"used[ ]to[ ]be|is|was|are|['’]s|ist|sind|lautet|lauten|heißt|heisst|war|wäre|est|sont|c['’]est|es|son|era|è|é|to jest|это|был|будет|je|olarak|är|er|on|είναι|là|adalah|ni|هي|هو|است|היא|है|হল"

PARTICLES = "是|为|為|改成|改为|は|が|を|은|는|이|가"
"""Particles of Chinese, Japanese and Korean before a value; each touches the word before it."""

CHANGED = r"chang\p{L}*|reset\p{L}*|set\b|änder\p{L}*|geändert|gesetzt|changé|mis\b|cambi\p{L}*|mud\p{L}*|alterei|veranderd|gewijzigd|zmieni\p{L}*|сменил\p{L}*|поменял\p{L}*|изменил\p{L}*"
TO = {
    "wort": "auf|in|zu",
    "mot": "pour|en|par|à",
    "mdp": "pour|en|par|à",
    "contra": "a|por|para",
    "senha": "para|por",
    "palavra": "para|por",
    "wacht": "naar|in|op",
    "has": "na",
    "парол": "на",
    "p": "to",
}
"""The words before a changed value, by the beginning or the end of a password's name."""

_ENDS_IT = """
    and but so please for with on in at since because und aber bitte für mit et mais pour avec y pero para con ma per
    mas com maar voor met ale dla и а но для
    geändert gesetzt gestellt changed
    """
ENDS_IT = frozenset(_ENDS_IT.split())
"""Words that may follow an ordinary word that is a password."""

_PURPOSE = """
    manager managers policy policies reset resets generator field hash hashes must should needs need has have can may can't cannot
    muss müssen soll sollte doit debe deve moet musi должен not n't nicht pas no non não niet nie не if when because strength
    """
PURPOSE = frozenset(_PURPOSE.split())
"""Words that, between the name and the sign, say something else of it."""

_SAID_OF_ONE = """
    wrong right correct incorrect invalid valid expired expiring required needed missing empty weak strong stronger weaker secure insecure safe
    unsafe long longer short shorter simple complex same different stored saved hashed encrypted changed reset forgotten lost gone
    secret private protected shared known unknown compromised leaked stolen fine good better bad ok okay working hard easy annoying
    terrible there here this that what case-sensitive sensitive important optional mandatory necessary complicated old new up
    bitwarden keepass 1password lastpass dashlane sha-1 sha-256 sha256 sha512 md5 bcrypt argon2 argon2i argon2id scrypt base64
    oauth oauth2 utf-8 utf8 2fa mfa null none true false available enabled disabled ready set unset hidden visible public temporary
    permanent default unique random too very still always never already something anything nothing everything likely probably just
    really actually only also now your their our his her possible impossible plain plaintext key essential critical useless
    enter type choose create use please confirm forgot welcome
    falsch richtig korrekt ungültig gültig abgelaufen vergessen weg geändert sicher unsicher nötig leer gespeichert geheim
    zurückgesetzt gehackt wichtig schwach stark lang kurz einfach schwer neu alt etwas weiterhin
    faux fausse incorrecte incorrect expiré oublié perdu obligatoire sûr trop faible fort forte important importante long longue court
    courte bon bonne mauvais mauvaise quelque
    incorrecta equivocada equivocado caducada olvidada seguro segura obligatoria necesaria demasiado débil fuerte larga corta
    algo importante buena mala nueva
    sbagliata sbagliato scaduta dimenticata sicura troppo debole forte lunga corta corretta errata qualcosa nuova
    generates ensures ensure requires uses
    errada incorreta expirada esquecida muito fraca longa curta inválida nova
    verkeerd fout verlopen vergeten veilig zwak sterk lang kort belangrijk iets
    złe błędne zapomniane słabe silne długie krótkie za zbyt nowe coś
    неверный неправильный истёк истек забыт слабый надёжный слишком длинный короткий простой сложный новый
    yanlış
    错误 錯誤 不对 忘了 忘记了 已过期 过期了 什么 多少 違います 間違っています 忘れました 忘れた 何
    """
SAID_OF_ONE = frozenset(_SAID_OF_ONE.split())
"""Words that describe a password."""

SAID_ENDINGS = (
    *("ing", "ed", "able", "ible", "ful", "less", "ly"),
    *("iert", "lich", "bar", "ig", "los"),
    *("ée", "és", "ado", "ada", "ido", "ida", "ato", "ata", "uto", "uta", "mente"),
    *("ный", "ная", "ное", "ены", "лен", "шен"),
)
"""How words end that tell how something is."""
