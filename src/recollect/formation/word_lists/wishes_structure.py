# ruff: noqa: RUF001 - people speak many languages
"""Closed classes of words by which wishes to the memory are told by their build. Pure data. Never: how it is looked for."""

import re

from recollect.patterns import anchored, bounded

IMPERATIVES = (
    "remember",
    "memorize",
    "memorise",
    "forget",
    "vergiss",
    "merke",
    "behalte",
    "retiens",
    "souviens",
    "n'oublie",
    "oublie",
    "recuerda",
    "apunta",
    "olvida",
    "ricorda",
    "ricordati",
    "dimentica",
    "lembre",
    "anote",
    "esqueça",
    "onthoud",
    "vergeet",
    "запомни",
    "забудь",
    "zapamiętaj",
)
"""What tells somebody to remember or to forget, in one word."""

_MIND = r"(?:memory|memories|mind|gedächtnis|kopf|hinterkopf|mémoire|tête|memoria|mente|memória|cabeça|cabeza|geheugen|hoofd|память|памяти|уме|голове)"
_YOURS = (
    r"(?:your|deine[mrn]?|ihre[mrn]?|ta|votre|tes|tu|su|(?:la )?tua|(?:la )?sua|je|jouw|uw|своей|твоей|вашей)"
)
_OUT_OF = r"(?:from|out of|aus|de|da|dalla|del|della|uit|из)"
_DELETE = (
    r"(?:strike|erase|delete|remove|drop|purge|wipe|(?<!\ba )(?<!the )clear|take(?=[^.!?\n]{1,200} out of )|scrub|streich\w{0,3}|lösch\w{0,3}|tilg\w{0,3}|nimm|entfern\w{0,3}|wirf|schmeiß|efface\w{0,2}|supprime\w{0,2}|retire\w{0,2}|enlève\w{0,2}|ôte\w?|sors"
    r"|b[oó]rr\w{1,5}|elim[ií]n\w{1,5}|qu[ií]t\w{1,5}|s[aá]ca\w{0,4}|suprim\w{1,4}|cancell\w{1,5}|rimuov\w{1,4}|togli\w{0,3}|apag\w{1,5}|remov\w{1,3}|tir[ae]|wis|verwijder|haal|сотри\w{0,2}|удали\w{0,2}|вычеркни\w{0,2}|убери\w{0,2})"
)
REMOVAL = bounded(
    rf"(?<!\w){_OUT_OF}[ ](?:{_YOURS}|(?P<article>the|dem|la|il|het)|(?<=из )(?P<bare>))[ ]?{_MIND}(?!\w)",
    re.IGNORECASE,
)
"""Where something is to be taken from: the assistant's memory."""

DELETES = bounded(rf"(?<!\w){_DELETE}(?!\w)", re.IGNORECASE)
"""A verb of taking away."""

QUOTED = bounded(r"«[^»]{0,300}»|“[^”]{0,300}”|„[^“”]{0,300}[“”]|\"[^\"]{0,300}\"|(?<!\w)'[^']{0,300}'(?!\w)")
"""Words that are only spoken of."""

REMOVAL_UNSPACED = anchored(
    r"(?P<about>[^。！？\n]{2,80}?)[，,、]?(?:你|请|請|麻烦)*(?:把(?:它|这个|这事|这件事))?(?:从|從)你?的?(?:记忆|記憶|脑子|脑海)(?:中|里|裡)?(?:删|刪|清|抹|去|移)(?:掉|除|了|去)?(?:吧|好吗)?[。！ ]*$"
)
"""The same in Chinese; the group is what."""

ASKS_HOW = bounded(
    r"(?<!\w)(?:how|why|what|which|wie|warum|wieso|comment|pourquoi|cómo|por qué|come|perché|como|hoe|waarom|как|почему)(?!\w)",
    re.IGNORECASE,
)
"""A question, and no wish."""

SUBJECT_FIRST = anchored(
    r"(?:i|we|he|she|they|it|you|ich|wir|er|sie|es|je|j'|nous|il|elle|on|yo|io|eu|ik|we|я|мы|он|она|my|mein\w*|mon|ma|mi|mio|mia|мой|моя)(?!\w)",
    re.IGNORECASE,
)
"""A sentence that begins with who does it is no order."""

FIRST_PERSON = bounded(
    r"(?<!\w)(?:i|i['’]?(?:m|ve|d|ll)|my|mine|our|we|me|ich|mein\w{0,2}|mir|mich|unser\w{0,2}|wir|je|j['’]\w+|mon|ma|mes|notre|nos|mi|mis|nuestr[oa]s?|soy|tengo|vivo|fumo|estoy|yo|trabajo|bebo"
    r"|mio|mia|miei|mie|sono|ho|io|eu|meu|minha|meus|minhas|sou|tenho|ik|mijn|ons|onze|я|мой|моя|моё|мою|мои|моих|моей|моего|мне|меня|у меня|наш\w{0,3})(?!\w)|我|私|僕|俺",
    re.IGNORECASE,
)
"""Something of the person's."""

KEEPS = anchored(
    rf"(?:(?:please|bitte|por favor|bien|pls)[ ])?[^\W\d][\w'’-]{{1,14}}(?:[ ](?!i\b|ich\b|je\b|yo\b|io\b|ik\b|я\b)[\w'’-]{{1,14}}){{0,5}}?[ ](?:in|to|im|en|à|a|na|в|hinter)[ ](?:(?:{_YOURS}|die|the|dem|il|la)[ ])?(?:{_MIND}|ohren)"
    r"(?:[ ]behalten)?(?:,?[ ](?:that|dass|que|che|dat|что)[ ]|[ ]qu['’]|[ ]?[:：][ ]*)",
    re.IGNORECASE,
)
"""An order to keep something in mind, whatever the verb; what follows is it."""

FOR_MEMORY = anchored(
    rf"(?:for|für|fürs|pour|para|per|voor|для)[ ](?:{_YOURS}[ ]|la[ ]|il[ ]|het[ ])?(?:{_MIND}|records?|reference|notes?|notizen|unterlagen)(?:[ ]?[:：\u2013\u2014][ ]*|,[ ](?={FIRST_PERSON.pattern}))",
    re.IGNORECASE,
)
"""A label by which the person hands something over to the memory."""

REMEMBER_OTHERWISE = anchored(
    r"keep it in mind that[ ]|(?:merke?|merken sie)[ ](?:dir|sich)(?:[ ](?:doch|bitte|mal|noch|auch|gut|einfach|unbedingt)){1,4},?[ ]dass[ ]|que no se te olvide que[ ]|tieni conto che[ ]|onthou(?:d)?[ ](?:(?:goed|even)[ ])?dat[ ]|запомни-ка,?[ ](?:что[ ])?"
    r"|(?:apúntate|grab[aá]te|anótate|grava(?: aí)?|anota aí)[ ]que[ ]|schreib(?:e)? dir hinter die ohren(?:[ ]?:[ ]*|,? dass[ ])",
    re.IGNORECASE,
)
"""Idioms for it; what follows is it."""

REMEMBER_LAST = anchored(
    r"(?P<about>[^。！？\n]{2,80}?)[，,、]?(?:这一?点|这个|这事|这件事|這點)?(?:你|您)?(?:可|要|得|一定|千万|给我|給我|帮我|幫我|请)*(?:记(?:牢|好|住|清楚)|記(?:牢|好|住)|别忘|別忘)(?:了|啊|哦|喔|吧|呀|啦)*(?:[，,][^。！？\n]{0,40})?[。！ ]*$"
    r"|(?P<said>[^。！？\n]{2,80}?)(?:なので|だから|ので|から|を|は)?[、 ]?(?:ちゃんと|しっかり|必ず)?(?:記憶|メモ)(?:しといて|しておいて|しとけ)(?:ください|ね|よ)*[。！ ]*$"
)
"""The same at the end, in Chinese and Japanese; the groups are what."""

TAKES_BACK = anchored(
    r"(?:(?:(?:scratch|strike|correct|cancel) that|stimmt nicht|说错了|違った|間違えた|mejor dicho|точнее|вернее|或者说)[,.!:，、–—-]+[ ]*"
    r"|(?P<soft>quatsch|ach nein|ah non|mais non|en fait|perdón|digo|anzi|aliás|quer dizer|of nee|ой нет|不对|不對)[,.!:，、][ ]*"
    r"(?P<repaired>(?:quise|quería) decir[, ]+|je voulais dire[, ]+|ich meinte[, ]+)?)(?=\S)",
    re.IGNORECASE,
)
"""What was just said is taken back; what follows holds."""

MAKE_IT = anchored(
    r"(?:make (?:that|it)|mach (?:daraus|lieber)|disons|mettons|pon(?:lo)?|mejor|facciamo|maak er)[ ](?=(?-i:[A-Z0-9])|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)(?P<so>[^\s0-9]\S{0,30}(?:[ ]\S{1,30}){0,5}|[0-9]\S{0,20}(?:[ ](?:am|pm|uhr|o'clock|instead|not|heures|statt)(?!\w)[^.!?\n]{0,40})?)$",
    re.IGNORECASE,
)
"""Another name, number or day in place of one."""

_SPECIFIC = r"(?-i:(?=[A-ZÀ-ÖА-ЯЁ0-9])|(?=[a-zà-ÿ]{2,7}(?:day|tag|di)(?!\w)))"
_PLACE = r"(?:[\w'’.:-]{1,25}[ ]){0,2}[\w'’.:-]{1,25}"
NOT_THIS_BUT_THAT = anchored(
    rf"(?:(?:actually|well|sorry|no|no wait|oh no|ah non|en fait|nein|also|ой|нет)[,]?[ ])?(?:not|nicht|kein\w{{0,2}}|pas|no|non|não|niet|не)[ ]{_PLACE}(?:,[ ]|[ ])(?:(?:but|mais|ma|mas|maar)[ ](?!i\b){_SPECIFIC}|(?:sondern|sino|bensì|а)[ ]){_PLACE}"
    rf"|(?:(?:actually|well|sorry|no|no wait|oh no|ah non|en fait|nein|ой|нет)[,]?[ ])?(?:not|nicht|pas|niet)[ ]{_SPECIFIC}{_PLACE},[ ]{_SPECIFIC}{_PLACE}"
    rf"|(?:(?:actually|well|sorry|no|no wait|oh no|ah non|en fait|nein|ой|нет)[,]?[ ])?(?:it['’]s|its|that['’]s|c['’]est|es ist|es|è|é|это)?[ ]?{_PLACE},?[ ](?-i:and not|not|et pas|pas|und nicht|nicht|y no|e non|niet|а не)[ ]{_SPECIFIC}[\w'’-]{{1,25}}(?:[ ]\S{{1,20}})?",
    re.IGNORECASE,
)
"""One thing in place of another, a short sentence of its own."""

SPECIFIC = bounded(rf"(?<!\w){_SPECIFIC}")
"""A name, a number or a day."""

NEXT_WISH = bounded(
    r"[,;]?[ ](?:and|und|et|y|e|и|en)[ ](?P<asked>also |please |bitte |then )?"
    r"(?=(?:remember|keep in mind|note|don['’]t forget|merke? dir|retiens|recuerda|apunta|ricorda|lembre|onthoud|запомни),?[ ](?:that|about|the|dass|que?|qu['’]\w+|che|dat|что)(?!\w)"
    r"|(?P<drop>(?:forget|drop|delete|vergiss|oublie|olvida|dimentica|esqueça|vergeet|забудь),?[ ](?:that|about|the|dass|das|die|den|que?|qu['’]\w+|la|le|l['’]\w+|lo|el|che|il|o|a|dat|de|het|что|про|о|об)(?!\w)))",
    re.IGNORECASE,
)
"""Between two wishes in one sentence, of which the second is told to the assistant and says what it is about.

The groups: that it is plainly asked for, and that something is to be let go.
"""

AND = bounded(r"(?<!\w)(?:and|und|et|y|e|и|en)(?!\w)", re.IGNORECASE)
"""What comes behind it is another matter."""

SEVERAL = anchored(
    r"(?:(?:a (?:few|couple(?: of)?)|two|three|zwei|drei|deux|trois|dos|tres|due|tre|duas|twee|две|три) (?:\w{1,12} )?(?:things?|points?|notes?|sachen|dinge|choses|cosas|cose|coisas|dingen|вещи)|zweierlei)(?P<memory>[^:.!?\n]{0,40}memor\w{1,3}|[^:.!?\n]{0,40}gedächtnis|[^:.!?\n]{0,40}mémoire)?[ ]?:[ ]*",
    re.IGNORECASE,
)
"""Several wishes are announced; the group: that they are for the memory."""

DROP = anchored(
    r"(?:drop|delete|remove|forget|strike|erase|streiche?|lösche?|vergiss|oublie|efface|supprime|borra|olvida|quita|cancella|dimentica|esqueça|apague|vergeet|wis|забудь|сотри)[ ]+(?=\S)",
    re.IGNORECASE,
)
"""What the memory is to let go of, where it is plain that the memory is spoken to."""
