# ruff: noqa: RUF001 - people speak many languages
"""How people say that somebody else says something, and pass on a letter, by language. Pure data. Never: how it is looked for."""

import re

from recollect.patterns import bounded

_SAYS = (
    r"(?:says?|said|saying|goes|went|wrote|writes|texted|texts|messaged|replied|answered|asked|told|posted|tweeted|commented|shouted|yelled|screamed|whispered|mumbled|claims?|claimed|insisted|keeps saying|"
    r"sagt|sagte|sagten|sagen|gesagt|meint|meinte|meinten|schreibt|schrieb|schrieben|geschrieben|antwortet|antwortete|geantwortet|fragt|fragte|ruft|rief|behauptet|behauptete|erzählt|erzählte|"
    r"dit|disait|écrit|écrivait|répond|répondu|répète|raconte|demande|demandé|crie|lance|affirme|envoyé|"
    r"dice|dijo|decía|dicho|soltó|escribe|escribió|escrito|contesta|contestó|contestado|respondió|comentó|comenta|preguntó|repite|mandó|puso|gritó|suelta|"
    r"disse|diz|escreveu|respondeu|ha detto|scrive|ha scritto|rispose|zei|zegt|schreef|powiedział|powiedziała|mówi|napisał|napisała|pisze|"
    r"говорит|говорят|сказала?|сказали|пишет|пишут|написала?|написали|ответила?|отвечает|спросила?|спрашивает|заявила?|повторяет|кричит|твердит|крикнула?|прислала?)"
)
_TAIL = r"(?:[ \t]+[\w'’-]+){0,4}"
SPEAKS = bounded(
    rf"(?<![\w'’])(?P<speaker>[\w'’.-]+[ \t]+(?:[\w'’.-]+[ \t]+){{0,4}}?)(?P<says>{_SAYS}){_TAIL}[ \t]*(?:[:：](?=[\s\"“„«'‘])[ \t]*|,[ \t]*(?=[\"“„«»]))(?=\S)",
    re.IGNORECASE,
)
"""Somebody and what they do with the words that follow."""

SPEAKS_UNSPACED = bounded(
    r"(?P<speaker>[^\s，。！？、,.:：]{1,12}?)(?:说|說|写道|寫道|发消息|發訊息|回复|回覆|问|問|留言|喊|讲|講|言|言って|書い|から)(?:我|了|道|过|過|う|た|ました|ていた|てきた|の(?:メール|返事|メッセージ|LINE))?[：:][ \t]*(?=\S)"
)

OWN_SPEAKING = bounded(
    r"(?:^|[\s,;(])(?:i|i['’](?:ve|d|m|ll)|we|we['’]ve|ich|wir|je|j['’]\w+|yo|io|eu|ik|ja|я|мы|you|du|tu|vous|ты|вы|it|that|this|which|as|like|let['’]?s|he?re|doc|doctor|dr|gp|dentist|therapist|arzt|ärztin|hausarzt|zahnarzt|médecin|docteur|médico|médica|doctora?|врач|доктор)\b\.?[ \t]+(?:[\w'’]+[ \t]+){0,3}$",
    re.IGNORECASE,
)
"""Words in front of a verb of saying by which it is the person that speaks, or nobody."""

OWN_SPEAKING_UNSPACED = bounded(
    r"(?:我|私|僕|俺)(?:(?:跟|对|對|向|和|给|給|与|は|が|も)[^，。]{0,6}|[也就只常总總想要会會先都还還刚剛]{0,2})$|^(?:所以|就是|比如|例如|换句话|也就是|老实|话|或者)"
)

SALUTATION = bounded(
    r"(?:^|(?<=[:：?？.!\n\"]))[ \t]*(?:(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|hallo|hi|liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen|abend)|moin|cher|chère|chers|bonjour|bonsoir|salut|coucou|"
    r"hola|buenos días|buenas(?: tardes| noches)?|estimad[oa]s?|querid[oa]s?|ciao|gentile|caro|cara|olá|caro|prezad[oa]|hoi|beste|geachte|cześć|szanown\w+|drog[ia]\w*|здравствуйте|добрый день|привет|уважаем\w+|дорог(?:ая|ой|ие))[ \t]+"
    r"(?!(?:i|we|so|there|ich|ich[ ]|je|yo|claude|chatgpt|gpt|assistant|ai|bot)\b)[\w.'’-]+(?:[ \t]+[\w.'’-]+){0,3}[ \t]*[,!:，]|尊敬的[^，。:：\n]{1,12}[：:，,]|亲爱的[^，。:：\n]{1,12}[：:，,]|[^\s。、，]{1,10}(?:様|さま)(?:[、,へ]|$))",
    re.IGNORECASE | re.MULTILINE,
)
"""How a letter begins that was passed on."""

SIGNED = bounded(
    r"(?:^|(?<=[.!?,\n…]))[ \t]*(?:(?:best|kind|warm)(?: regards| wishes)?|regards|cheers|thanks|thank you|many thanks|love|yours(?: sincerely| truly| faithfully)?|sincerely|xx?|take care|"
    r"(?:viele|liebe|beste|herzliche|schöne|freundliche) grüße|mit freundlichen grüßen|lg|vg|mfg|gruß|danke|cordialement|bien à (?:vous|toi)|bises|bisous|amicalement|merci|à bientôt|"
    r"saludos|un (?:abrazo|saludo)|atentamente|besos|gracias|cordiali saluti|abraços?|atenciosamente|groetjes|pozdrawiam|с уважением|всего доброго|целую|обнимаю|спасибо)[ \t]*[,!.\n][ \t\n]*(?P<name>(?-i:[A-ZÀ-ÖØ-ÞА-ЯЁ])[\w'’-]+(?:[ \t]+(?-i:[A-ZÀ-ÖØ-ÞА-ЯЁ])[\w'’-]+){0,2})\b|此致|敬上|敬具|草々",
    re.IGNORECASE,
)
"""How a letter ends."""

_TEXTS = (
    r"(?:job )?(?:ads?|adverts?|advertisement|posting|listing|description|offer)|text|article|e-?mail|mail|letter|message|passage|paragraph|excerpt|document|transcript|post|tweet|thread|review|comment|essay|abstract|chapter|lyrics|verse|poem|contract|statement|announcement|bio|testimonial|complaint|story|quote|caption|profile|joke|text message|"
    r"(?:stellen|kontakt|wohnungs|klein)?anzeige|inserat|artikel|brief|nachricht|beitrag|rezension|bewertung|kommentar|gedicht|liedtext|beschwerde|ausschreibung|"
    r"texte|annonce|courriel|lettre|commentaire|avis|critique|témoignage|poème|paroles|"
    r"texto|anuncio|oferta|artículo|correo|carta|mensaje|reseña|comentario|poema|letra|queja|publicación|"
    r"testo|annuncio|articolo|lettera|messaggio|recensione|anúncio|mensagem|resenha|tekst|bericht|artykuł|wiadomość|"
    r"текст|объявлени\w+|стать\w+|письм\w+|сообщени\w+|отзыв\w*|комментари\w+|пост\w*|стих\w*|вакансии|вакансию|жалоб\w+"
)
POINTS_AT_TEXT = bounded(
    rf"\b(?:this|that|these|the|his|her|their|diese[rsnm]?|die|der|den|dem|das|cette?|ces|cet|ce|la|le|l['’]|est[ae]|es[ae]|el|questo|questa|essa?|esta|deze|dit|ten|to|эт\w+|его|её|ее)[ \t]*(?:[\w'’-]+[ \t]+){{0,2}}?(?:{_TEXTS})s?\b"
    r"|(?:这|這|那)(?:个|個|篇|段|封|条|條|首|份|则)[^，。\n]{0,4}(?:文章|广告|廣告|信|邮件|评论|評論|短信|消息|歌词|帖子|招聘|文字|话|話|文)?|(?:この|その)(?:求人|広告|記事|メール|手紙|文章|レビュー|口コミ|投稿|歌詞|文|メッセージ)",
    re.IGNORECASE,
)
"""A text of which something is asked."""

ASKS_OPINION = bounded(
    r"\b(?:what(?:['’]?s| is| are| do| did)? (?:you|u|your)\b.{0,30}\b(?:think|thoughts?|take|make|opinion)\b.{0,20}\b(?:this|that|it)|(?:thoughts|opinions?) on (?:this|that)|how (?:does|do) (?:this|these) (?:sound|look|read)|is this (?:ok|okay|any good|legit|true|real|a scam)|"
    r"was (?:hältst|denkst|meinst|sagst) du (?:davon|dazu|hierzu|von (?:dem|der|diese\w)|zu (?:dem|der|diese\w))|(?:t['’]en penses|tu en penses|qu['’]en penses|vous en pensez)|qué (?:te parece|opinas|piensas)|что (?:ты )?(?:думаешь|скажешь)(?: об этом)?|как тебе)\b|你(?:觉得|怎么看|認為|认为)|どう思",
    re.IGNORECASE,
)
"""A question for what the assistant thinks of a text."""

ASKS_REPLY = bounded(
    r"\b(?:reply|respond|answer|get back|antworten?|antworte|erwidern?|répond(?:re|s)|respond(?:er|e|o)|contest(?:ar|a|o)|rispond(?:ere|o)|ответ(?:ить|ь|ишь)|как ответить|draft a (?:reply|response)|say no|decline|absagen|refuser|rechazar|отказать)\b|回复|回覆|回信|返信|返事",
    re.IGNORECASE,
)
"""A wish to answer what somebody wrote."""

OWN_TEXT = bounded(
    r"\b(?:my|our|mein\w*|unser\w*|mon|ma|mes|mi|mis|nuestr\w+|mio|mia|meu|minha|mijn|мо[йяеюё]\w*|свой|своё|свою)[ \t]+(?:[\w'’-]+[ \t]+){0,2}?(?:letter|e-?mail|mail|draft|application|message|bio|profile|cv|brief|entwurf|bewerbung|anschreiben|lettre|candidature|brouillon|carta|borrador|correo|письм\w+|заявлени\w+|резюме)\b|我的(?:信|邮件|简历|草稿)|(?:私|僕)の(?:手紙|メール|文章|履歴書)|\b(?:i|ich|je|yo|я)[ \t]+(?:\w+[ \t]+){0,2}(?:wrote|written|schrieb|geschrieben|écrit|escribí|escrito|написала?)\b",
    re.IGNORECASE,
)
"""A text that is the person's own."""
