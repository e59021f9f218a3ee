# ruff: noqa: RUF001 - people speak many languages
"""How people announce a text that they paste, by language. Pure data. Never: how it is looked for."""

import re

from recollect.patterns import bounded

REWORKING = bounded(
    r"\b(?:translate|translation of|summari[sz]e|summary of|rewrite|reword|rephrase|paraphrase|proof-?read|(?:check|fix|correct) (?:the |my )?grammar|grammar check|spell-?check|shorten|tl;?dr|simplify|polish (?:this|the|my|up)|"
    r"(?:correct|fix|improve|edit|check) (?:this|the|my|these|following|below)|reply to (?:this|the following)|(?:respond|answer) to (?:this|the following)|make (?:this|it) (?:shorter|sound|more|less)|"
    r"übersetz(?:e|en|t|est)?\b|übersetzung (?:von|des|der)|zusammenfass(?:en|ung)\b|fasse? .{0,40}zusammen|umschreiben\b|schreib\w* .{0,40}um|umformulier(?:e|en)\b|formulier\w* .{0,40}um|korrekturles(?:en|e)\b|korrigier(?:e|en)?\b|kürz(?:e|en)|vereinfach(?:e|en)\b|"
    r"tradui(?:s|re|sez|t)\b|traduction (?:de|du)|résume[rz]?\b|reformule[rz]?\b|réécri(?:s|re|vez)\b|corrige[rz]?|relis|relire|raccourci\w*|simplifie[rz]?\b|"
    r"traduc(?:e|ir|irlo|iendo)\b|tradúce\w*|traduz(?:ca|cas|ir|a)?\b|resum(?:e|ir|a) (?:este|esta|esto|isto|o|a|el|la|los|las|lo)\b|resúme\w*|reescrib(?:e|ir)\b|reescrev(?:a|er)\b|reformula[r]?\b|corrig(?:e|ir|a)\b|corríge\w*|acorta[r]?\b|parafrase(?:a|ar|ie)\b|"
    r"riassum(?:i|ere|imi)\b|riscriv(?:i|ere)\b|corregg(?:i|ere)\b|accorcia(?:re)?\b|traduci(?:mi)?\b|tradurre\b|"
    r"vertaal\b|vertalen\b|vat .{0,40}samen|samenvat(?:ten|ting)\b|herschrijf\b|verbeter (?:deze|dit|mijn)|inkort\w*|"
    r"przetłumacz\w*|streść|podsumuj\w*|przeredaguj\w*|sparafrazuj\w*|popraw (?:ten|to|mój|tekst)|skróć|"
    r"перевед\w*|перевести|резюмир\w*|перескаж\w*|перефразир\w*|перепиш\w*|исправь\w*|сократи\w*|вычитай\w*|çevir\w*|özetle\w*)"
    r"|翻译|翻譯|译成|總結|总结|概括|润色|潤飾|改写|改寫|校对|校對|缩写|要約|翻訳|訳して|英訳|和訳|添削|校正|書き直|まとめて|번역|요약|교정|다듬",
    re.IGNORECASE,
)
"""Work that is done on somebody's text."""

_TEXTS_EN = (
    r"text|article|e-?mail|mail|letter|message|passage|paragraph|excerpt|extract|document|transcript|chat|conversation|log|logs|output|error|stack ?trace|"
    r"traceback|code|snippet|script|config\w*|post|tweet|thread|review|essay|abstract|chapter|page|section|lyrics|poem|contract|terms|policy|job (?:ad|description|posting)|"
    r"listing|description|notes|minutes|report|press release|recipe|speech|story|blog|content|prompt|quote|study|paper"
)
ANNOUNCED = bounded(
    rf"\b(?:here(?:'s|’s| is| are)|this is|below is|below are|see|attached is|consider|read|given) (?:the|an?|my|our|his|her|their|this|some)(?: [\w'-]+){{0,4}}? (?:{_TEXTS_EN})s?\b"
    rf"|\b(?:the )?following (?:[\w'-]+ ){{0,2}}?(?:{_TEXTS_EN})s?\b|^(?:the )?(?:{_TEXTS_EN})s?[ \t]*$"
    r"|\b(?:hier (?:ist|sind|kommt|der|die|das)|anbei|folgende[rnms]?|das ist)\b(?: [\wäöüß'-]+){0,4}? (?:text|artikel|e-?mail|mail|brief|nachricht|absatz|auszug|dokument|protokoll|log|ausgabe|fehler\w*|code|"
    r"beitrag|rezension|aufsatz|kapitel|vertrag|bericht|anzeige|stellenanzeige|rezept|rede|geschichte|gedicht)\w*"
    r"|\b(?:voici|voilà|ci-dessous|suivante?|c'est)\b(?: [\wéèêàç'’-]+){0,4}?[ '’](?:texte|article|mail|e-mail|courriel|lettre|message|passage|paragraphe|extrait|document|transcription|code|erreur|contrat|rapport|annonce|poème|discours)s?\b"
    r"|\b(?:aquí (?:está|tienes|va)|este es|a continuación|siguiente)\b(?: [\wáéíóúñ'-]+){0,4}? (?:texto|artículo|correo|email|carta|mensaje|párrafo|extracto|documento|transcripción|código|error|contrato|informe|anuncio|poema|discurso)s?\b"
    r"|\b(?:ecco|questo è|di seguito|seguente|aqui (?:está|vai)|este é|a seguir|seguinte)\b(?: [\wàèéìòùãõç'-]+){0,4}?[ '’](?:testo|articolo|lettera|messaggio|paragrafo|documento|codice|contratto|texto|artigo|carta|mensagem|parágrafo|código|contrato|e-?mail)\b"
    r"|\b(?:hier is|dit is|hieronder|volgende|oto|poniżej|następując\w+)\b(?: [\wąćęłńóśźż'-]+){0,4}? (?:tekst|artikel|mail|brief|bericht|document|artykuł|list|wiadomość|dokument|kod)\w*"
    r"|\b(?:вот|ниже|следующ\w+)\b(?: [\wё-]+){0,4}? (?:текст|стать\w+|письмо|сообщение|отрывок|документ|код|лог|договор|отчёт|отчет|объявление|стихотворение)\w*"
    r"|(?:以下|下面|这是|這是|如下).{0,12}(?:文章|文本|内容|內容|邮件|郵件|信|段落|文件|代码|代碼|报告|合同|新闻|原文|文字|消息)|(?:原文|文章|内容)如下"
    r"|(?:以下|次の|下記|これが).{0,12}(?:文章|文|記事|メール|手紙|テキスト|内容|コード|ログ|文書|契約書|原稿)|(?:다음|아래).{0,8}(?:글|기사|메일|편지|텍스트|내용|코드|문서)",
    re.IGNORECASE,
)
"""Words that say a text follows."""

BEFORE_IT = bounded(
    r"\b(?:this|that|above|it|das|dies\w*|obige\w*|oben|ça|cela|ceci|ci-dessus|ce texte|esto|eso|anterior|questo|sopra|isto|isso|acima|dit|bovenstaand\w*|to|powyższ\w+|"
    r"это|этот|этого|выше|text|texte?o?|email|mail|article|artikel|bunu)\b|这|這|上面|以上|これ|上記|この|이거|위",
    re.IGNORECASE,
)
"""Words that point back to a text."""

OWN_PAPERS = bounded(
    r"\b(?:my|mein\w*|mon|ma|mes|mi|mis|mio|mia|meu|minha|mijn|mój|moja|мой|моё|мое|моя) (?:\w+ )?(?:cv|resume|résumé|lebenslauf|profile?|profil|bio|situation|story|list|"
    r"currículum|curriculum|резюме|профиль)\b|\b(?:of|about) (?:me|myself|us)\b|\b(?:über|von) m(?:ich|ir)\b|\b(?:de|sur) moi\b|\b(?:de|sobre) mí\b|\bобо мне\b|我的(?:简历|情况)|私の(?:履歴書|状況)",
    re.IGNORECASE,
)
"""What a person pastes that tells of themselves."""
