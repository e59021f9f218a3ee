# ruff: noqa: RUF001 - people speak many languages
"""How people say how they are just now, and since when or how often, by language. Pure data. Never: how it is looked for."""

from recollect.patterns import anchored, bounded
from recollect.supersets import sieved

BODY = bounded(
    r"\b(?:hungry|starv\w+|famished|peckish|thirsty|parched|tired|exhausted|knackered|sleepy|drowsy|shattered|bored|hangry|hungover|hiccups?|hiccuping|yawning|hunger\w*|sleepiness|boredom|tiredness|fatigued?|"
    r"hungrig|müde|durst\w*|erschöpft|kaputt|fertig|schläfrig|gelangweilt|langweil\w*|schluckauf|verkatert|"
    r"faim|affam\w*|soif|assoiff\w*|fatigué\w*|crevé\w*|épuisé\w*|claqué\w*|sommeil|ennui\w*|m['’]ennuie|s['’]ennuie|hoquet|"
    r"hambre|hambrient\w*|sed|sedient\w*|cansad\w+|agotad\w+|sueño|aburrid\w+|hipo|resac\w+|"
    r"fame|affamat\w|sete|assetat\w|stanc\w+|stanchezza|sfinit\w|esaust\w|sonno|annoiat\w|noia|singhiozzo|"
    r"fome|faminto|sede|cansaço|exaust\w+|sono|entediad\w|tédio|soluços?|"
    r"honger\w*|dorst\w*|moe|uitgeput|slaperig|verveeld|verveel|hik|"
    r"głodn\w+|spragnion\w+|zmęczon\w+|śpiąc\w+|znudzon\w+|czkawk\w+|"
    r"голод\w+|жажд\w+|уста(?:л|ла|лость|вш\w+)|сонн\w+|скучн\w+|скучает|икот\w+|вымота\w+)\b"
    r"|饿|餓|渴|[很好太真]累|疲[倦惫]|犯?困(?!难)|无聊|無聊|打嗝|お?腹[がは]?(?:す|空|減)|喉[がは]?渇|疲れ|眠い|眠た|暇|しゃっくり"
)
"""What passes by itself: hunger, thirst, sleep, weariness, boredom."""

UNDERWAY = bounded(
    r"\b(?:stuck|waiting|queu(?:e|ing)|in line|traffic|delayed|at gate|at the gate|boarding|on the (?:\S+ )?(?:train|bus|tram|plane)|annoyed|irritated|fed up|stressed|angry|cranky|in a hurry|"
    r"steck\w*|steh(?:t|e)?(?! (?:(?:so|sehr|voll|total|echt|ja) )*auf\b(?! (?:de[rm]|eine[rm])\b))|wart(?:e|et)|stau|schlange|verspätet|genervt|gestresst|sauer|wütend|in eile|"
    r"coincé\w*|attend\w*|bouchons?|embouteillages?|retard\w*|énervé\w*|agacé\w*|stressé\w*|"
    r"atascad\w+|atasco|esperando|cola|retras\w+|enfadad\w+|estresad\w+|hart[oa]|"
    r"bloccat\w|aspett\w+|coda|fila|ritardo|arrabbiat\w|stressat\w|nervos\w|"
    r"pres[oa]|trânsito|fila|atrasad\w|irritad\w|estressad\w|stressad\w|"
    r"vast|wacht\w*|file|rij|vertraag\w*|geïrriteerd|gestrest|boos|"
    r"utkn\w+|stoi|stoję|czeka\w*|korku|kolejce|opóźnion\w+|zły|zła|zestresowan\w+|"
    r"застрял\w*|жду|ждёт|ждет|сто(?:ю|ит)(?! на уч[её]те)|пробк\w+|очеред\w+|злит\w*|злюсь|раздраж\w*)\b"
    r"|堵车|堵車|排队|排隊|在等|晚点|烦|煩|生气|渋滞|待って|並んで|イライラ|遅延"
)
"""What somebody is in the middle of."""

TOWARDS_ONES_OWN = anchored(
    r" (?:at|with|by|about|auf|von|über|wegen|contre|par|de|con|com|op|van|na|на) (?:(?:il|la|el|o|a) )?(?:my|our|him|her|them|mein\w*|unser\w*|ihn|mon|ma|mes|lui|elle|mis?|mi[oae]|mio|meu|minha|mijn|hem|moj\w+|niego|nią|мо[йяеёию]\w*|него|неё|нее)\b"
)
"""Behind a mood: somebody or something of one's own that it is about; such a mood lasts."""

NOW = bounded(
    r"\b(?:now|rn|right now|atm|today|tonight|currently|at the moment|this (?:morning|evening|afternoon)|ugh|gerade|grad|grade|jetzt|heute|momentan|im moment|eben|là|maintenant|en ce moment|aujourd['’]hui|ce soir|ce matin|"
    r"ahora|ahorita|hoy|ahora mismo|esta (?:noche|tarde|mañana)|adesso|ora|oggi|stasera|stamattina|in questo momento|agora|hoje|neste momento|nu|vandaag|even|vanavond|momenteel|teraz|dziś|dzisiaj|właśnie|"
    r"сейчас|сегодня|щас)\b|现在|現在|今天|刚刚|正在|今(?!年|月|週|後)|今日"
)
"""Just now."""

LASTS = sieved(
    r"\b(?:always|constantly|chronic\w*|permanently|often|usually|every|each|since|for (?:weeks|months|years|ages|\w+ (?:weeks|months|years))|all the time|ever|never|regularly|easily|nights|mornings|evenings|most|lately|because of|diagnos\w+|pregnan\w+|transplant\w*|years?|months?|weeks?|waiting (?:list|room|staff)|jahre?n?|monate?n?|wochen?|warteliste|mois|années?|semaines?|años?|meses|semanas?|anni|mesi|settimane|anos|jaren|maanden|weken|lat|miesi\w+|tygodni\w*|лет|месяц\w*|недел\w*|"
    r"immer|ständig|dauernd|chronisch\w*|oft|meistens|jede[nrsm]?|seit|täglich|nachts|morgens|abends|nie|wochenlang|schwanger\w*|"
    r"toujours|constamment|chronique\w*|souvent|chaque|tous les|toutes les|depuis|jamais|enceinte|grossesse|"
    r"siempre|constantemente|crónic\w+|a menudo|cada|tod[oa]s l[oa]s|desde|nunca|embarazad\w+|"
    r"sempre|costantemente|cronic\w+|spesso|ogni|tutti i|tutte le|da quando|da (?:mesi|anni|settimane)|mai|incinta|constantemente|crônic\w+|muitas vezes|todos os|todas as|filh\w+|grávida|"
    r"altijd|voortdurend|chronisch|vaak|elke|sinds|nooit|zwanger|zawsze|ciągle|wiecznie|przewlek\w+|często|każd\w+|codziennie|nigdy|ciąż\w+|"
    r"всегда|постоянно|вечно|хронич\w+|часто|кажд\w+|с тех пор|после|ребёнка|ребенка|никогда|беремен\w+)\b"
    r"|总是|總是|每|经常|經常|一直|以后|以後|慢性|从来|怀孕|いつも|毎|ずっと|常に|慢性|やす[いく]|以来|から(?:ずっと|毎)"
)
"""What lasts, or comes again."""

ONCE = sieved(
    r"\b(?:just|only) (?:this once|for (?:today|now|this (?:one|time|message|answer|reply|question|chat|email|once)))\b|\b(?:this one time|for once|(?:just|only) (?:today|tonight|this time))\b"
    r"|\b(?:nur|bloß) (?:dieses (?:eine )?mal|heute|jetzt|diesmal|für (?:heute|diese\w*))\b|\bausnahmsweise\b"
    r"|\b(?:juste|seulement|rien que) (?:pour )?(?:cette fois|aujourd['’]hui|ce soir|maintenant|une fois)\b|\bexceptionnellement\b"
    r"|\b(?:solo|sólo|nada más) (?:por )?(?:esta vez|hoy|ahora)\b|\bpor una vez\b|\b(?:solo|soltanto) (?:per )?(?:questa volta|oggi|stavolta)\b|\bper una volta\b"
    r"|\b(?:só|apenas) (?:por )?(?:desta vez|dessa vez|esta vez|essa vez|hoje)\b|\b(?:alleen|enkel) (?:deze keer|vandaag|voor (?:deze keer|nu|vandaag))\b|\bvoor één keer\b"
    r"|\btylko (?:tym razem|dziś|dzisiaj|ten jeden raz)\b|\bwyjątkowo\b|\bтолько (?:в этот раз|сегодня|на этот раз|разок)\b|\bна этот раз\b|就这一次|就這一次|只(?:这|這)一?次|仅此一次|只限今天|今回だけ|今日だけ|一度だけ"
)
"""What is wanted once, and not again."""

WANTS_OF_ASSISTANT = bounded(
    r"^\W*(?:(?:so|ok|okay|and|und|et|y|e|en|i|и|bitte|please|but|aber|could you|can you) )*"
    r"(?:answer|reply|respond|call|speak|talk|use|keep|be|let['’]s|skip|treat|address|pretend|"
    r"antworte?|sprich|red|rede|nenn|duz|sei|benutz|verwende?|lass|"
    r"répond\w*|parle\w*|appelle\w*|tutoie\w*|utilise\w*|sois|"
    r"responde\w*|contesta\w*|contésta\w*|respóndeme|habla\w*|háblame|llámame|usa|trátame|sé|"
    r"rispondi\w*|parla\w*|chiamami|dammi|responda|fala|fale|chama\w*|chame|me chame|"
    r"antwoord|praat|noem|gebruik|wees|odpowiedz|odpowiadaj|mów|pisz|używaj|bądź|ответь|отвечай|говори|называй|пиши|используй|будь)\b"
    r"|\b(?:please|pls|bitte|s['’]il (?:te|vous) pla[iî]t|stp|svp|por favor|per favore|per piacere|alsjeblieft|graag|proszę|пожалуйста|"
    r"(?:can|could|would|will) you|you to|(?:kannst|könntest|würdest) du|(?:peux|pourrais)-tu|tu peux|tu pourrais|(?:puedes|podrías)|(?:puoi|potresti)|(?:podes|você pode|poderia)|(?:kun|kan|wil) je|(?:możesz|mógłbyś)|(?:можешь|можете)|"
    r"answers?|replies|antworten|réponses?|respuestas?|risposte|respostas?|antwoorden|odpowiedzi|ответы?)\b"
    r"|[请請]|回答|答えて|ください|下さい|して(?:ね|よ|$)|で(?:話|書|お願い)"
)
"""What a clause says that wants something of the assistant."""

EMPTY = frozenset(
    """very really quite pretty totally completely feels feel feeling extremely bit little minutes hour hours half
    sehr total ziemlich ganz völlig richtig fühlt stunde stunden minuten très trop vraiment complètement sent muy mucha mucho
    bastante siente molto tanta tanto tanti proprio sente muito muita bem heel erg zeer nogal bardzo strasznie очень сильно сильный
    совсем быстро morning evening tonight today morgen heute soir matin noche hoy oggi stasera hoje noite vandaag dziś сегодня вечером
    """.split()  # noqa: SIM905 - words
)
"""What is added to such a state without saying more."""
