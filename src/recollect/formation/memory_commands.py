# ruff: noqa: RUF001 - people speak many languages
"""What a person asks of the memory itself, as far as the form of a sentence tells it. Pure. Never: a model, what is known.

A model understands such commands in any words. These patterns serve where there is no model, and before it has answered.
English, German, Spanish, French, Italian, Portuguese, Polish, Turkish, Hindi in Latin letters, Chinese, Korean,
Arabic. Only what is said plainly counts; when unsure, nothing is asked.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from recollect.model import Asking, Memory
from recollect.text.cues.memory_requests import request_in
from recollect.text.patterns import anchored, bounded

MOST_COMMANDS = 5
"""The most commands that are read from one message."""

LONGEST_STATEMENT = 500
"""Characters of a statement."""

_READ = 20_000
_LONGEST_SENTENCE = 600
"""The most characters of a sentence that is read as a command, and of the text read after a colon."""
_LONGEST_CORRECTION = 80
_MOST_LEAD_INS = 4
_SENTENCE = bounded(
    r"[^.!?\u2026\u3002\uff01\uff1f\u061f\n]+(?:(?:\.(?=\S)|(?<=\b[^\W\d])\.|(?<=\b(?:dr|mr|st|no|nr|ca))\.|(?<=\b(?:mrs|tel|bzw))\.|(?<=[ (][0-9])\.(?= [a-z])|(?<=[0-9]{2})\.(?= [a-z]))"
    r"[^.!?\u2026\u3002\uff01\uff1f\u061f\n]*)*[.!?\u2026\u3002\uff01\uff1f\u061f]*",
    re.IGNORECASE,
)
_MARKS = " \t.!\u3002\uff01\u2026,;:\uff1a\uff0c\u060c-"
_QUESTION = ("?", "\uff1f", "\u061f")
_LEAD_IN = anchored(
    r"[\s,.:;\u2013\u2014-]*(?:(?:hey|hi|ok(?:ay)?|oh|and|also|so|but|now|then|btw|by the way|ps|please|pls|kindly|just|thanks|quick thing|(?:could|can|would|will) you(?: please)?|you can|i(?:'d| would) like you to|i want you to"
    r"|und|ach|also|bitte|mal|übrigens|dann|du kannst|(?:kannst|könntest|würdest|magst) du(?: bitte)?|por favor|oye|y|che|ah|(?:puedes|podrías)|s'il (?:te|vous) plaît|stp|svp|et|(?:tu )?(?:peux|pourrais)(?:-tu)?"
    r"|per favore|e|senti|(?:puoi|potresti)|(?:pode(?:s|ria)?)|proszę|lütfen|ya|aur|haan|please yaar)(?!\w)|请|請|麻烦(?:你)?|那|对了[，,]?|(?:أ|ا)رجوك|من فضلك|لو سمحت(?:ي)?)[\s,:\uff0c\u060c]*",
    re.IGNORECASE,
)
_THAT = r"[\s,:\uff1a\uff0c\u2013-]*(?:(?:that|dass|daß|que|che|że|iż|ki|أن(?:ه|ني)?|إن(?:ه|ني)?)(?!\w)[\s,:]*|qu')?"
_TASK = r"(?:to|me to|how|when|what|who|where|why|if|whether|the time|zu|wie|wann|was|wer|wo|ob|cuando|cómo|comment|quand|come|quando|como|jak|kiedy)(?!\w)"
_REMEMBER_BEFORE = anchored(
    r"(?:(?:remember(?! (?:the (?!following)|that (?:song|time|day|one)(?!\w)))|(?:don't|dont|do not|never) forget|keep (?:it )?in (?:mind|memory)|bear in mind|commit (?:it )?to memory|make a note|note down|memori[sz]e|take note"
    r"|(?:note|reminder)(?: to self| for later)?(?=:| that)|(?:for|add|save|store)(?: this| it)? (?:to|in|into|the|your|my|later|future)(?: your)?(?: memory| records?| reference)|for the record(?=:)"
    r"|merk(?:e)? (?:dir|es dir)|behalt\w*(?: im (?:kopf|hinterkopf|gedächtnis))|vergiss nicht(?!.{0,80} zu \w+en$)|denk\w* (?:bitte )?daran|notier\w* dir|speicher\w*(?: dir)?(?=:| dass|, dass)|fürs gedächtnis"
    r"|recu[eé]rda(?:me|te)?|acu[eé]rdate(?: de)?|no (?:te )?olvides(?:e)?(?!(?: de)? \w{2,}[aei]r(?!\w))|ten en cuenta|an[oó]ta(?:te|lo)?|ap[uú]nta(?:te|lo)?|guarda(?: en (?:tu )?memoria)"
    r"|retiens|retenez|souviens-toi|souvenez-vous|n'oublie(?:z)? pas(?! d[e'])|garde\w* (?:bien )?en (?:tête|mémoire)|note bien|prends note"
    r"|ricorda(?:ti|telo)?|non dimenticare|tieni (?:bene )?(?:a mente|conto|presente)|segna(?:ti)?(?=:| che)|annota(?:ti)?"
    r"|lembr[ae](?:-te|-se)?(?: de)?|não (?:te )?esqueças?(?: de)?(?! \w{2,}[aei]r(?!\w))|guarda aí|grava aí|anota(?: aí)?|memoriza"
    r"|zapamiętaj|pamiętaj|nie zapomnij|zapisz sobie|miej na uwadze|unutma(?=[:,])|aklında (?:tut|olsun)(?=[:,])|yaad rakh(?:na|o|iye|iyega|lo)?|note kar(?:lo| lo)?"
    r"|تذكر(?:ي)?|احفظ(?:ي|ها|يها)?|لا تنس(?:ي|ى)?)(?!\w)(?! "
    + _TASK
    + r")|记住|記住|记得(?=我|：|:)|别忘了(?=我|：|:)|记一下|기억해\s?(?:줘|둬)?[:,])"
    r"(?: (?:doch|bitte|mal|please|this|the following|lo siguiente|bien))*[哈啊吧哦]?" + _THAT,
    re.IGNORECASE,
)
_REMEMBER_BEHIND = bounded(
    r"(?P<about>.{3,300}?)[\s,\u060c\uff0c、.;–-]{1,3}(?:(?:please |so |and ){0,2}(?:remember|don't forget|keep) (?:that|this|it)(?: in mind)?(?: please| because.{0,60})?|(?:bitte )?merk(?:e)? dir das|vergiss das nicht|recuérdalo|no lo olvides"
    r"|retiens-le|souviens-t'en|ne l'oublie pas|ricordatelo|non dimenticarlo|lembra-te disso|zapamiętaj to|yaad rakh(?:na|o|lo)(?: warna .{0,40})?|bunu (?:unutma|hatırla|aklında tut)|unutma(?: bunu)?|(?:لا تنس(?:ي)?|تذكر(?:ي)?) (?:ذلك|هذا)"
    r"|(?:请|這個|这个)?(?:你(?:要|可)?)?(?:记住|記住|记牢|记好)了?|别忘了?[啊哦]?|(?:꼭 )?(?:기억해\s?(?:줘|둬)(?:요)?|잊지 ?마(?:세요)?))",
    re.IGNORECASE,
)
_WHO_REMEMBERS = bounded(r"(?<!\w)(?:I|we|they|he|she)$", re.IGNORECASE)
""""Your store looks great, I remember it" tells what somebody does, and asks for nothing."""
_REMEMBER_LAST = anchored(
    r"(?P<about>.{3,500}?)(?:다?고|라는 ?(?:거|것)(?:을|를)?)?\s?(?:기억해\s?(?:줘|둬)|잊지 ?마)(?:요|세요)?$|(?P<turkish>.{3,500}?),? (?:unutma|aklında tut|hatırında tut)$",
    re.IGNORECASE,
)
_FORGET_BEFORE = anchored(
    r"(?:(?:(?:forget|delete|erase|remove|wipe|drop|purge|clear)(?: from (?:your |the )?memory)?(?: about| (?:that|what|the fact that)(?: (?:i|we) (?:said|told you)(?: about)?)?| (?:everything|all|anything)(?: (?:that )?(?:i|you) \w+(?: you)?)?(?: about)| what you know about| the memory (?:about|of|that))?"
    r"|(?:you (?:don't|do not) (?:need|have) to|no longer|don't|stop) (?:remember|keep)(?:ing)?"
    r"|vergiss(?: (?:bitte|alles|das|was ich (?:dir )?(?:gesagt|erzählt) habe))*(?: (?:über|von|mit))?|lösch\w*(?: bitte)?(?: aus deinem (?:gedächtnis|speicher))?|streich\w*(?: bitte)? aus deinem gedächtnis|merk dir nicht mehr"
    r"|olvida(?:te)?(?: de)?(?: lo (?:que te (?:dije|conté))?(?: (?:de|sobre))?)?|borra(?: de tu memoria)?|elimina|oublie(?:z)?(?: ce que je t'ai dit(?: (?:sur|de))?)?|efface(?: de ta mémoire)?|supprime"
    r"|dimentica(?:ti)?(?: (?:di|quello che ho detto (?:su|di)))?|cancella(?: dalla (?:tua )?memoria)?|rimuovi(?: dalla (?:tua )?memoria)?|esque(?:ce|ça)(?: o que (?:eu )?disse(?: sobre)?)?|apaga(?: da (?:tua )?memória)?"
    r"|zapomnij(?: (?:o(?: tym)?))?|usuń(?: z pamięci)?|bhool ja(?:o|na|iye)?|انس(?:ي|ى)?|امسح(?:ي)?|احذف(?:ي)?)(?!\w)|忘记|忘掉|忘了(?!带)|删掉|删除|别再记)"
    + _THAT,
    re.IGNORECASE,
)
_FORGET_LAST = anchored(
    r"(?P<about>.{2,400}?)(?:(?:은|는|을|를|이라는 ?거|라고 한 ?거|거)?\s?(?:잊어\s?(?:줘|버려)|지워\s?줘|삭제해\s?줘)(?:요)?|(?:[ıiuü])? ?(?:unut|sil|unutabilirsin|silebilir misin)(?: lütfen| artık)?"
    r"|(?: (?:ko|wali baat|ke baare mein|ki baat))? (?:bhool ja(?:o|na|iye)?|mita do|delete kar(?:do| do)?|hata do)|(?:这件事|的事情?)?[，,]?(?:你)?(?:就)?(?:把它)?(?:忘了吧|忘掉吧?|从记忆里删掉|删掉吧?)"
    r"|,? (?:kannst du|du kannst)(?: bitte)? (?:das )?(?:vergessen|löschen)|,? (?:you can )?forget (?:it|that)(?: now)?)$",
    re.IGNORECASE,
)
_ITSELF = anchored(
    r"(?:it|that|this|about (?:it|that)|es|das|lo|la|ça|le|lo|isso|to|o tym|onu|bunu|那个|它|那件事|그거|그것)?(?: idea| now| bitte)?$",
    re.IGNORECASE,
)
_EVERYTHING = anchored(
    r"(?:me|mich|mí|moi|me too|mim|mnie)$|(?:everything|all|alles|todo|tout|tutto|tudo|wszystko|her şeyi?|sab(?: kuch)?|كل شي[ءئ]?|所有|一切|全部|전부|모든 것|다)"
    r"(?:(?: (?:that )?(?:you (?:know|have|remember)|i (?:ever )?(?:said|told you))| was du (?:über mich )?weißt| lo que sabes| ce que tu sais| quello che sai| o que sabes?| co wiesz| tum jaante ho| ما تعرفه?)?"
    r"(?: (?:about|of|über|von|de|sobre|sur|su|di|o|hakkımda|عني) ?(?:me|mich|mir|mí|moi|mim|mnie)?)?(?: (?:mere baare mein|hakkımda|عني))?)?(?:关于我的.{0,6})?$",
    re.IGNORECASE,
)
_ABOUT_ME = bounded(
    r"^关于我的(?:所有|一切|全部)|^나에 대해 |^benim hakkımda |^mere baare mein ", re.IGNORECASE
)
_TEXT = bounded(
    r"\b(?:lines?|paragraphs?|sentences?|words?|commas?|comments?|files?|columns?|rows?|functions?|class(?:es)?|code|tests?|loop|message|essay|satz|absatz|kommas?|zeilen?|datei|phrase|ligne|virgule|fichier|frase|línea|párrafo|archivo|riga|linha|zdanie|plik)\b"
    r"|段|行|句|文件|줄|문장|파일",
    re.IGNORECASE,
)
_CORRECT = anchored(
    r"(?:(?:no|nope|wait|sorry|actually|nein|halt|moment|quatsch|ach|non|ah non|pardon|désolée?|perdón|scusa|não|desculpa|nie|przepraszam|hayır|pardon|nahi|nahin|arre|لا|عفوا)[,.!\s\u060c]+(?:wait,? |nein,? |no,? )?)?"
    r"(?:(?:i (?:said|meant|mean)|correction:|(?:scratch|strike) that[,:]|make (?:it|that)(?= (?-i:[A-Z]))"
    r"|ich (?:sagte|meinte|meine)|korrektur:|korrigiere(?: bitte)?:|dije|quise decir|corrección:|j'ai dit|je voulais dire|ho detto|volevo dire|intendevo"
    r"|eu (?:disse|quis dizer)|queria dizer|powiedział[ae]?m|miałe?a?m na myśli|demek istedim|maine (?:kaha|bola) (?:tha)?|mera matlab|قصدت|قلت)(?!\w)|不对[，,]?(?:我是?说)?|我是?说|我的意思是|내 말은)[\s,:\u060c\uff0c]*",
    re.IGNORECASE,
)
_NO = anchored(
    r"(?:no|nope|nein|non|não|nie|hayır|nahi|nahin|لا|that(?:'s| is| was) (?:wrong|not right|not true)|(?:das )?stimmt nicht(?: mehr)?|c'est faux|no es cierto|non è vero)[,.:;]\s+(?=(?:my|our|i live|i have|i work|i am|i'm|it'?s|mein|ich (?:wohne|habe|bin|heiße|arbeite)|meine|j'(?:habite|ai)|je (?:suis|vis)|mon|ma|vivo|tengo|mi|soy|abito|ho|mio|mia|moro|tenho|meu|minha|mieszkam|mam|mój|moja)(?!\w))(?!.{0,20}(?:question|frage|idea|not sure|nicht sicher|pas sûre?|idee|pregunta|duda|segur))"
    r"|不[，,](?=我)|아니[,] ?(?=나|내|저)",
    re.IGNORECASE,
)
_NOT_BUT = bounded(
    r"^(?:no[,:]? |nein[,:]? |non[,:]? |actually,? )?(?:.{2,60}?, (?:not|nicht|no|pas|non|não|nie|nahi) (?-i:[A-Z0-9])[^,]{0,30}|.{2,50} (?:değil|nahi)[,]? .{2,40}|(?:not|nicht|no es|non è|não é|nie)(?! only| nur| solo| soltanto| só| tylko) .{2,25},? (?:but|sondern|sino|bensì|mas|tylko|lecz) .{2,40}|不是.{1,20}(?:，|,)?(?:而)?是.{1,20})$",
    re.IGNORECASE,
)
_QUOTED = bounded(
    r"[\"\u201c\u201e\u00ab\u2018'](?=\w)[^\"\u201d\u201c\u00bb\n]{4,300}[\"\u201d\u201c\u00bb\u2019'](?!\w)"
)


@dataclass(frozen=True, slots=True)
class MemoryCommand:
    """A command to the memory that a person put plainly.

    Attributes:
        asking: What is asked for.
        about: What to remember or to forget, or what is so, in the person's words; "" where nothing is named.
        broad: Whether everything known of the person is to be forgotten.
        meant: The memories that a model took it to mean; None: no model was asked.
        is_beside_others: Whether a model understood it of a message that holds others' words, too, as pasted ones.
    """

    asking: Asking
    about: str
    broad: bool = False
    meant: tuple[Memory, ...] | None = None
    is_beside_others: bool = False


def read_commands(authored: str) -> tuple[MemoryCommand, ...]:
    """Return the memory commands in a text, in order: usually none, at most ``MOST_COMMANDS``.

    None are questions about what is remembered, orders that belong to the task at hand ("don't forget to add
    tests"), reminders, and "forget it".

    Args:
        authored: The person's own words, without what they quote. Its first 20,000 characters are read.
    """
    return tuple(islice(_commands(authored[:_READ]), MOST_COMMANDS))


def asks_to_forget(text: str) -> bool:
    """Tell whether a message asks to forget something."""
    return any(command.asking is Asking.FORGET for command in read_commands(text))


def statement_of(command: MemoryCommand) -> str:
    """Return the subject of a command as a statement that can be kept: one line, at most 500 characters."""
    plain = " ".join(command.about.split()).strip(" ,;:-\u2013\u2014")
    if len(plain) > LONGEST_STATEMENT:
        plain = plain[:LONGEST_STATEMENT].rpartition(" ")[0] or plain[:LONGEST_STATEMENT]
    return plain[:1].upper() + plain[1:]


def sentences_with(words: str, text: str, *, leading: bool = False) -> str:
    """Return the whole sentences of a text in which words stand, as they stand there; "" where they do not.

    Args:
        words: What stands in it.
        text: The text. It is read to its end.
        leading: Whether the sentence before them belongs to it, unless that is a question.
    """
    start = text.find(words) if words else -1
    if start < 0:
        return ""
    before: re.Match[str] | None = None
    first, last = start, start + len(words)
    for each in _SENTENCE.finditer(text):
        if each.end() <= start:
            before = each if any(map(str.isalnum, each[0])) else before
        elif each.start() < start + len(words):
            first, last = min(first, each.start()), max(last, each.end())
    if leading and before is not None and not before[0].endswith(_QUESTION):
        first = before.start()
    return text[first:last].strip()


def _broad_or_about(words: str) -> MemoryCommand | None:
    """Return a command to forget what these words name; None where they name nothing of the person's."""
    about = words.strip(_MARKS)
    if _EVERYTHING.match(about) or _ABOUT_ME.search(about):
        return MemoryCommand(Asking.FORGET, "", broad=True)
    if _ITSELF.match(about) or _TEXT.search(about):
        return None
    return MemoryCommand(Asking.FORGET, about)


def _commands(text: str) -> Iterator[MemoryCommand]:
    before = ""
    for found in _SENTENCE.finditer(text):
        sentence = found[0].strip()
        command = _command(sentence, before) if any(map(str.isalnum, sentence)) else None
        if command and command.asking is Asking.REMEMBER and not command.about:
            following = text[found.end() : found.end() + _LONGEST_SENTENCE].lstrip(" \t\n:")
            command = MemoryCommand(Asking.REMEMBER, following.partition("\n\n")[0].strip())
        # What points at a list or at a chat is done before the answer, or not at all.
        if command and not request_in(sentence):
            yield command
        before = sentence


def _command(sentence: str, before: str) -> MemoryCommand | None:
    is_question = sentence.endswith(_QUESTION)
    plain = _without_lead_in(sentence)
    bare = plain.rstrip(_MARKS + "".join(_QUESTION))
    # "Can you remember that I ...?" asks for it, "Remember that we ...?" whether it is known.
    if _QUOTED.search(sentence) or (is_question and plain == sentence):
        return None
    if begun := _REMEMBER_BEFORE.match(bare):
        return _to_remember(bare[begun.end() :].strip(_MARKS), before)
    if len(sentence) > _LONGEST_SENTENCE:
        return None
    forgotten = _to_forget(bare)
    if forgotten or is_question:
        return forgotten
    return _to_remember_behind(bare) or _correction(sentence.rstrip(_MARKS), bare)


def _to_remember_behind(bare: str) -> MemoryCommand | None:
    for shape in (_REMEMBER_BEHIND, _REMEMBER_LAST):
        if (kept := shape.fullmatch(bare)) and not _WHO_REMEMBERS.search(
            kept[kept.lastgroup or "about"][-8:]
        ):
            return MemoryCommand(Asking.REMEMBER, kept[kept.lastgroup or "about"].strip(_MARKS))
    return None


def _to_forget(bare: str) -> MemoryCommand | None:
    if begun := _FORGET_BEFORE.match(bare):
        return _broad_or_about(bare[begun.end() :])
    ended = _FORGET_LAST.match(bare)
    return _broad_or_about(_without_lead_in(ended["about"])) if ended else None


def _to_remember(about: str, before: str) -> MemoryCommand | None:
    """Return a command to remember. "That" refers to what was said before, unless that is a question."""
    if _ITSELF.match(about):
        return MemoryCommand(Asking.REMEMBER, "" if before.endswith(_QUESTION) else before.rstrip(_MARKS))
    return MemoryCommand(Asking.REMEMBER, about)


def _correction(whole: str, bare: str) -> MemoryCommand | None:
    """Return a correction; its "no" or "sorry" may be taken for a lead-in, so the whole sentence is looked at too."""
    for words in (whole, bare):
        for shape in (_CORRECT, _NO):
            if found := shape.match(words):
                return (
                    MemoryCommand(Asking.CORRECT, words[found.end() :].strip(_MARKS))
                    if words[found.end() :]
                    else None
                )
    is_short = len(bare) <= _LONGEST_CORRECTION
    return MemoryCommand(Asking.CORRECT, bare) if is_short and _NOT_BUT.match(bare) else None


def _without_lead_in(sentence: str) -> str:
    at = 0
    for _ in range(_MOST_LEAD_INS):
        found = _LEAD_IN.match(sentence, at)
        if found is None or found.end() == at:
            break
        at = found.end()
    return sentence[at:].lstrip()
