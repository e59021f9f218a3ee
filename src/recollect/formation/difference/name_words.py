"""Words that tell names from other words. Never: how."""

from recollect.patterns import bounded

UNTELLING = frozenset(
    """
    more anymore any longer now nowadays still already mehr jetzt nun noch schon plus maintenant desormais encore
    mas ahora ya todavia piu adesso ora ormai agora ja ainda теперь больше уже сейчас еще
    half quarter halb viertel demie quart media cuarto mezzo
    always often usually sometimes rarely seldom immer oft meistens manchmal selten toujours souvent parfois rarement
    siempre menudo veces raramente sempre spesso volte frequentemente altijd vaak soms zelden всегда часто обычно иногда редко
    well gut bien bene bem goed хорошо
    """.split()  # noqa: SIM905 - a list of words is read best as words
)
"""What says only that something is so now, how often or how well, or how much of an hour."""

BEFORE_GERMAN_NAMES = frozenset(
    "in nach aus von bei namens heisst heissen fur mit seit uber ist nennt und oder zu gegen ohne".split()  # noqa: SIM905 - words
)
BEFORE_GERMAN_NOUNS = frozenset(
    """
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
    mein meine meinen meinem meiner sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer
    unser unsere unserem unserer unseren dein deine deinen deinem deiner euer eure
    im am zum zur vom beim ins ans als jeden jede jedes jeder alle viele wenig mehr zwei drei vier
    """.split()  # noqa: SIM905 - words
)
GERMAN_NOUN_ENDINGS = (
    "ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "schaften", "tion", "tionen", "taet", "tat",
    "ismus", "chen", "lein", "nis", "nisse", "tum", "ling", "linge", "erei", "ent", "enz", "anz", "ik", "ist",
    "ie", "thek", "loge", "login", "meister", "meisterin", "platz", "stelle", "zeit", "arbeit", "weg", "geld",
    "zimmer", "unterricht", "kurs", "schule", "verein", "chor", "pfleger", "pflegerin", "lehrer", "lehrerin",
    "ehefrau", "nutzer", "nutzers", "nutzerin",
)  # fmt: skip
GERMAN_NOUNS = frozenset(
    """
    arbeit beruf rente urlaub freund freunde freunden freundin freundinnen kind kinder kindern frau mann leute menschen
    kopfschmerzen schmerzen ruckenschmerzen auto autos fahrrad holz wasser alkohol fleisch fisch obst gemuse zucker
    nusse allergie allergien angst lust hilfe ziel ziele plan plane job stelle firma chef chefin team kunde kunden
    haus hause wohnung miete garten stadt dorf land berge meer see wald natur luft regen schnee sonne wetter
    tag tage tagen woche wochen monat monate monaten jahr jahre jahren stunde stunden minute minuten uhr morgen abend
    mittag nacht wochenende geburtstag hochzeit feier reise reisen ausflug ferien schule uni studium klasse prufung
    antwort antworten frage fragen stichpunkt stichpunkten stichpunkte aufzahlung liste listen text sprache wort
    pflege krankenhaus klinik praxis arzt arztin zahnarzt medikament medikamente tabletten krankheit herz
    musik chor band lied buch bucher film filme spiel spiele sport training verein mannschaft
    computer handy software programm code geld euro preis rabatt bedingung balkon altbau neubau zimmer kuche bad
    hund katze tier tiere sohn tochter bruder schwester mutter vater eltern oma opa tante onkel kollege kollegin
    familie partner partnerin nachbar nachbarin mitglied mitbewohner nutzer person herr herrn firma
    """.split()  # noqa: SIM905 - words
)
"""Nouns that often stand where a name might; a few hundred would not do better, they only sharpen a rule."""

HAN_NAME = bounded(
    r"(?:住在|搬到|搬去|来自|來自|出生在|名叫|名字[是叫]|叫做|(?<!小)叫)(?P<place>[\u4e00-\u9fff]{2})"
    r"|(?P<called>[\u4e00-\u9fff\u30a1-\u30fc]{2,6})(?=(?:さん|くん|ちゃん|市|区|県|に住|に引っ越|出身))"
    r"|(?P<named>[\u30a1-\u30fc\u3041-\u3093\u4e00-\u9fff]{2,8})(?=(?:という|って名))"
    r"|(?P<work>[\u4e00-\u9fff\u30a1-\u30fc]{2,8})(?=で働)"
    r"|[「『](?P<quoted>[^「」『』]{1,20})[」』]"
)
NO_HAN_NAMES = frozenset(
    ["会社", "病院", "学校", "実家", "一人", "田舎", "都会", "家里", "这里", "那里", "自己", "什么"]
)
"""What stands in the place of a name, and is none."""
