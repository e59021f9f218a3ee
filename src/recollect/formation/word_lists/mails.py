# ruff: noqa: RUF001 - people speak many languages
"""How mails and chats mark what others wrote, by language. Pure data. Never: how it is looked for."""

import re

from recollect.patterns import anchored, bounded

WROTE = anchored(
    r"^(?=.{0,300}[0-9])(?:"
    r"on .{4,200} wrote|(?:am|le|el|em|op|den|dnia|w dniu) .{4,200} (?:schrieb|a écrit|escribió|escreveu|schreef|skrev|napisał\(?a?\)?)"
    r"|il (?:giorno )?.{4,200} ha scritto|.{4,200} (?:wrote|schrieb|a écrit|escribió|escreveu|schreef|ha scritto|napisał\(?a?\)?|пишет|писала?|написала?)"
    r"|.{4,200}(?:写道|寫道|のメール|は書きました|さんが書きました|作成|작성)"
    r")[^\n]{0,60}[:：][ \t]*$",
    re.IGNORECASE,
)
"""The line in front of a quoted mail: who wrote it, and when."""

_FORWARDED = (
    r"original(?:e)? message|forwarded (?:message|mail)|begin forwarded message|ursprüngliche nachricht|originalnachricht|weitergeleitete nachricht|"
    r"anfang der weitergeleiteten nachricht|message (?:d'origine|transféré|original)|début du message (?:transféré|réexpédié)|mensaje (?:original|reenviado)|"
    r"inicio del mensaje reenviado|messaggio (?:originale|inoltrato)|inizio messaggio inoltrato|mensagem (?:original|encaminhada)|oorspronkelijk bericht|"
    r"doorgestuurd bericht|wiadomość (?:oryginalna|przekazana)|przekazana wiadomość|исходное сообщение|пересылаемое сообщение|пересланное сообщение|"
    r"原始邮件|原始郵件|转发的?邮件|轉寄的?郵件|元のメッセージ|転送(?:された)?メッセージ|원본 메시지|전달된 메시지"
)
FORWARDED = anchored(
    rf"^[ \t]*(?:[-_=*]{{2,40}}[ \t]*)?(?:{_FORWARDED})[ \t]*(?:[-_=*]{{2,40}}|[:：])[ \t]*$", re.IGNORECASE
)
"""The line above a mail that is passed on."""

HEADER = anchored(
    r"^[ \t]*\*{0,2}(?:from|to|cc|bcc|sent|date|subject|reply-to|von|an|gesendet|datum|betreff|de|à|envoyé|objet|para|enviado(?: el)?|asunto|fecha|da|a|inviato|"
    r"oggetto|data|assunto|van|aan|verzonden|onderwerp|od|do|wysłano|temat|от|от кого|кому|отправлено|дата|тема|发件人|收件人|发送时间|主题|日期|寄件者|收件者|"
    r"主旨|差出人|宛先|送信日時|件名|日時|보낸 사람|받는 사람|보낸 날짜|제목)\*{0,2}[ \t]?[:：]\*{0,2}[ \t]*\S",
    re.IGNORECASE,
)
"""A line of a mail's head."""

SUBJECT = bounded(
    r"^[ \t*]*(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|тема|主题|主旨|件名|제목)\b|@",
    re.IGNORECASE,
)
"""What the head of a mail has, and a list of places and times has not."""

OWN_WORDS = bounded(
    r"\b(?:i|we|ich|wir|je|j'|yo|io|eu|ik|ja|я|мы)\W{1,2}(?:\w+ ){0,3}?"
    r"(?:say|said|says|told|tell|wrote|write|call|called|mean|sagte|sag|sage|schrieb|nenne|dit|dis|écrit|appelle|dije|digo|llamo|escribí|dico|detto|chiamo|"
    r"disse|digo|chamo|zei|zeg|noem|mówię|powiedział\w*|napisał\w*|говорю|сказала?|написала?|называю)\b[^.!?\n]{0,60}$"
    r"|\b(?:my|mein|meine|mon|ma|mi|meu|minha|mio|mia|mijn|mój|moja|мой|моя) (?:motto|rule|name|saying|status|bio|spruch|regel|devise|règle|lema|regla|regra|regola|девиз)\b[^.!?\n]{0,30}$"
    r"|(?:我说|我說|我叫|私は|僕は)[^。！？\n]{0,30}$",
    re.IGNORECASE,
)
"""Words in front of a quote by which it is the person's own."""

ONESELF = bounded(
    r"\b(?:i|i'm|i've|i'll|i'd|my|me|we|our|us|ich|mein\w*|mir|mich|wir|unser\w*|je|j'\w+|mon|ma|mes|nous|notre|yo|mi|mis|soy|tengo|vivo|nosotros|io|mio|mia|sono|ho|noi|"
    r"eu|meu|minha|sou|tenho|nós|ik|mijn|wij|mam|jestem|mój|moja|я|мой|моя|мне|меня|мы)\b|我|俺|私|僕|나는|내|저는|제",
    re.IGNORECASE,
)
"""Somebody speaking of themselves."""
