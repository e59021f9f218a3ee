# ruff: noqa: RUF001 - people speak many languages
"""How people ask for a story, or give somebody a part to play, by language. Pure data. Never: how it is looked for."""

import re

from recollect.patterns import anchored, bounded

_POLITE = (
    r"(?:please|pls|hey|hi|ok|okay|so|now|then|and|well|(?:can|could|will|would) (?:you|u)|i(?:['’]d like| want| need) you to|let['’]?s|bitte|kannst du|könntest du|also|jetzt|und|"
    r"s['’]il (?:te|vous) pla[iî]t|peux-tu|tu peux|pourrais-tu|alors|et|por favor|puedes|podrías|ahora|y|bueno|пожалуйста|можешь|а|и|теперь|давай)"
)
_BEGINS = rf"(?:^|(?<=[.!?\n,;:…]))[ \t]*(?:{_POLITE}[ ,]+){{0,3}}"

_GENRES = (
    r"(?:(?:short |love |horror |ghost |bedtime |fairy |fan )?(?:story|stories|tale|fairytale|fiction|fanfic)|poem|limerick|haiku|sonnet|ballad|scene|screenplay|script|dialogue|monologue|sketch|fable|novel|chapter|lyrics|song|rap|joke|legend|"
    r"(?:kurz|liebes|gruppen)?geschichten?|märchen|gedicht|ballade|szene|dialog|monolog|drehbuch|roman|kapitel|lied|liedtext|witz|fabel|krimi|erzählung|"
    r"histoire|conte|récit|poème|scène|dialogue|roman|nouvelle|chanson|blague|fable|légende|chapitre|"
    r"cuento|historia|relato|poema|escena|diálogo|novela|canción|chiste|fábula|leyenda|capítulo|microrrelato|"
    r"racconto|storia|poesia|favola|conto|história|verhaal|gedicht|sprookje|opowiadanie|wiersz|bajk[ęa]|"
    r"сказк\w+|рассказ\w*|истори[юя]|стих\w*|стихотворение|сцен[уык]\w*|диалог|роман|песн[юя]|анекдот|басн[юя]|повесть|глав[уа]|легенд[уа])"
)
WRITE_A_STORY = bounded(
    rf"{_BEGINS}(?:write|compose|draft|tell|make up|invent|create|give|start|continue|generate|schreibe?n?|erzähle?n?|dichte|erfinde|verfasse?|écri(?:s|vez|re)|raconte[rz]?|invente[rz]?|compose[rz]?|rédige[rz]?|"
    rf"escrib(?:e|ir|eme)|escríbeme|cuenta|cuéntame|inventa|invéntate|redacta|crea|scriv(?:i|imi)|racconta\w*|escreva|conte|schrijf|vertel|napisz|opowiedz|напиши|сочини|придумай|расскажи|составь)\b"
    rf"(?:[ \t]+[\w'’-]+){{0,6}}?[ \t]+{_GENRES}\b",
    re.IGNORECASE,
)
"""An order to invent something; what follows it is invented."""

WRITE_A_STORY_UNSPACED = bounded(
    r"(?:写|寫|编|編|讲|講|创作|創作)(?:一|个|個|篇|首|段|则|我|给|給|点){0,4}[^，。！？\n我]{0,8}(?:故事|小说|小說|童话|童話|诗|詩|剧本|劇本|场景|笑话|歌词|寓言|散文|科幻|传说)"
)
"""The same in Chinese; what stands inside and behind is invented."""

STORY_BEFORE = bounded(
    r"(?:物語|小説|童話|話|詩|ストーリー|短編|台本|シーン|歌詞|怪談|昔話|俳句)を?(?:一つ|ひとつ|短く)?(?:書いて|作って|つくって|考えて|創作して|語って|聞かせて)"
)
"""The same in Japanese, where what is invented stands before, from the sentence's beginning on."""

PLAY_A_PART = bounded(
    rf"{_BEGINS}(?:"
    r"(?:pretend|imagine|suppose|act|behave|talk|speak|role-?play|play|be|assume)\b[ ,]*(?:like |as if |as though |as |that |to be |the role of )*(?=you\b|you['’]re\b|a |an |the |my (?:boss|interviewer|landlord|teacher))"
    r"|(?:stell dir vor|tu(?:e)? so|spiel(?:e)?|nimm an|sei)\b[ ,]*(?:als ob |als |dass )?(?=du |ein |eine |einen )"
    r"|(?:imagine|fais comme si|suppose|joue|sois|mets-toi)\b[ ,]*(?:que |le rôle d['’]|dans la peau d['’])?(?=tu |t['’]|vous |un |une )"
    r"|(?:haz como si|imagina|imagínate|finge|supón|actúa|juega|sé|haz de)\b[ ,]*(?:que |como )?(?=eres|fueras|seas|fueses|tú |un |una )"
    r"|(?:fai finta|immagina|finja|faça de conta|doe alsof|stel je voor|udawaj|wyobraź sobie)\b[ ,]*(?:di essere|che|que|dat|że)?(?= ?(?:sei|tu|você|je|jesteś|un))"
    r"|(?:представь(?:те)?|вообрази|притворись|сыграй|будь|изображай|допустим)\b[ ,]*(?:себе,? )?(?:что |будто |как будто )?(?=ты |вы |что ты|роль)"
    r"|(?:假装|假裝|想象|想像|假设|假設|扮演|装作|扮作)(?:一下)?(?:你|自己|一个|一位)"
    r")",
    re.IGNORECASE,
)
"""An order to be somebody; who that is stands behind, to the sentence's end."""

YOU_ARE = bounded(
    r"(?:^|(?<=[.!?\n…。！？]))[ \t]*(?:(?:from now on|now|for this|in this (?:game|scene|story)|ab jetzt|jetzt|maintenant|ahora|теперь)[ ,]+)?"
    r"(?:you(?:['’]re| are| will be) (?:now )?(?:a|an|the|my)\b|du bist (?:jetzt )?(?:ein|eine|mein|meine|der|die)\b|tu es (?:maintenant )?(?:un|une|mon|ma)\b|vous êtes un|(?:tú )?(?:ahora )?eres un|ты (?:теперь |— ?|- ?)\w+|你(?:现在|現在)?是(?:一个|一位|一名|我的)|あなたは)",
    re.IGNORECASE,
)
"""A sentence that says who the assistant is."""

WHAT_IF = bounded(
    rf"{_BEGINS}(?:(?:imagine|suppose|let['’]?s (?:say|imagine|pretend|suppose)|pretend|what if|assume)(?: that)? i(?:['’]m|['’]d|['’]ve)?\b"
    r"|(?:imagine|suppose|imaginons|admettons|disons)(?: que| qu['’])? ?j(?:e\b|['’])|(?:imagina|imagínate|supón|supongamos|pongamos|digamos)(?: que)? (?:yo |me |soy|tengo|gano|vivo)|"
    r"(?:angenommen|mal angenommen|nehmen wir an),? (?:dass )?ich|(?:допустим|предположим|вообразим),? (?:что )?(?:я|у меня))|(?:假设|假設|假如|如果|要是)我|もし(?:も)?(?:私|僕|俺)",
    re.IGNORECASE,
)
"""What the person supposes of themselves, to the clause's end."""

LETS_PLAY = bounded(
    r"(?:\b(?:let['’]?s|wanna|want to|can we|shall we|lass uns|on (?:fait|joue)|faisons|vamos a|hagamos|juguemos|давай(?:те)?)[ \t]+(?:[\w'’-]+[ \t]+){0,3}?(?:role-?play\w*|rollenspiel|rp|jeu de rôle|juego de rol|jugar un rol|ролев\w+|сыграем)|\A\W{0,5}role-?play\b|角色扮演|ロールプレイ)",
    re.IGNORECASE,
)
"""A game in which also the person plays a part: all that follows in the paragraph belongs to it."""

GOES_ON = anchored(
    r"[ \t\n]*(?:he|she|they|it|his|her|their|one day|er|sie|sein\w*|ihr\w*|eines tages|il|elle|ils|elles|son|sa|ses|un jour|él|ella|ellos|su|sus|un día|он|она|они|его|её|ее|однажды)\b|[ \t\n]*(?:他|她|它|彼|彼女|主角|主人公|有一天|ある日)",
    re.IGNORECASE,
)
"""A sentence that goes on telling of somebody."""

ONE_SELF = bounded(
    r"\b(?:i|i['’](?:m|ve|ll|d)|my|mine|we|our|ich|wir|mein\w*|unser\w*|je|j['’]\w+|mon|ma|mes|nous|notre|nos|yo|mi|mis|soy|tengo|vivo|nosotros|nuestr\w+|io|mio|mia|eu|meu|minha|ik|mijn|mój|moja|moje\w*|мо[йяеёи]\w*|я|мы|наш\w*|у меня|мне)\b|(?<!给)(?<!幫)(?<!帮)我|私|僕|俺|うち",
    re.IGNORECASE,
)
"""The person, not as the one a story is told to."""
