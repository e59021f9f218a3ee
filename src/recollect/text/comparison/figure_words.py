# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""The names of numbers, months, weekdays and units, in the languages people chat in most. Never: how they are read.

In folded case and without accents, as `recollect.text.lexical.folding.fold` gives them. What is another word
as well in one of the languages ("once", "sei", "one") is left out.
"""

from recollect.text.lexical.folding import fold

_NUMBER_WORDS = {
    "1.5": "anderthalb eineinhalb полтора полторы",
    "2": "two twice zweimal zwei deux dois duas twee två два две двух 둘 두",
    "3": "three thrice dreimal tre drei trois tres três drie три трех 셋 세",
    "4": "four vier quatre cuatro quattro quatro fyra четыре четырех 넷 네",
    "5": "five fünf cinq cinco cinque vijf пять пяти 다섯",
    "6": "six sechs seis zes шесть шести 여섯",
    "7": "seven sieben sept siete sette sete zeven семь семи 일곱",
    "8": "eight acht huit ocho otto oito åtta восемь восьми 여덟",
    "9": "nine neun nueve nove negen девять девяти 아홉",
    "10": "ten zehn dix diez dieci dez tien десять десяти",
    "11": "eleven elf onze undici одиннадцать",
    "12": "twelve zwölf douze doce dodici doze twaalf tolv двенадцать dozen dutzend douzaine docena",
    "13": "thirteen dreizehn treize trece tredici treze dertien тринадцать",
    "14": "fourteen vierzehn quatorze catorce quattordici catorze veertien четырнадцать",
    "15": "fifteen fünfzehn quinze quince quindici vijftien пятнадцать",
    "16": "sixteen sechzehn seize dieciséis sedici dezesseis zestien шестнадцать",
    "17": "seventeen siebzehn diecisiete diciassette dezessete zeventien семнадцать",
    "18": "eighteen achtzehn dieciocho diciotto dezoito achttien восемнадцать",
    "19": "nineteen neunzehn diecinueve diciannove dezenove negentien девятнадцать",
    "20": "twenty zwanzig vingt veinte venti vinte twintig двадцать",
    "30": "thirty dreißig trente treinta trenta trinta dertig тридцать",
    "40": "forty vierzig quarante cuarenta quaranta quarenta veertig сорок",
    "50": "fifty fünfzig cinquante cincuenta cinquanta cinquenta vijftig пятьдесят",
    "60": "sixty sechzig soixante sesenta sessanta sessenta zestig шестьдесят",
    "70": "seventy siebzig setenta settanta zeventig семьдесят",
    "80": "eighty achtzig ochenta ottanta oitenta tachtig восемьдесят",
    "90": "ninety neunzig noventa novanta negentig девяносто",
    "100": "hundred hundert ciento cien cento honderd сто",
    "1000": "thousand tausend mille mil duizend тысяча тысячи тысяч",
}
_MONTH_WORDS = {
    1: "january januar jänner janvier enero gennaio janeiro januari январь января январе jan",
    2: "february februar février febrero febbraio fevereiro februari февраль февраля феврале feb",
    3: "march märz mars marzo março maart март марта марте mar",
    4: "april avril abril aprile апрель апреля апреле apr",
    5: "may mai mayo maggio maio mei maj мая",
    6: "june juni juin junio giugno junho июнь июня июне jun",
    7: "july juli juillet julio luglio julho июль июля июле jul",
    8: "august août agosto augustus augusti август августа августе aug",
    9: "september septembre septiembre settembre setembro сентябрь сентября сентябре sept",
    10: "october oktober octobre octubre ottobre outubro октябрь октября октябре oct okt",
    11: "november novembre noviembre novembro ноябрь ноября ноябре nov",
    12: "december dezember décembre diciembre dicembre dezembro декабрь декабря декабре dec dez",
}
_WEEKDAY_WORDS = {
    1: "monday mondays montag montags lundi lundis lunes lunedì maandag måndag понедельник понедельникам segundas",
    2: "tuesday tuesdays dienstag dienstags mardi mardis martes martedì dinsdag tisdag вторник вторникам terça terças",
    3: "wednesday wednesdays mittwoch mittwochs mercredi mercredis miércoles mercoledì woensdag onsdag среду средам quartas",
    4: "thursday thursdays donnerstag donnerstags jeudi jeudis jueves giovedì donderdag torsdag четверг четвергам quintas",
    5: "friday fridays freitag freitags vendredi vendredis viernes venerdì vrijdag fredag пятницу пятница пятницам sextas",
    6: "saturday saturdays samstag samstags sonnabend samedi samedis sábado sábados sabato zaterdag lördag субботу субботам",
    7: "sunday sundays sonntag sonntags dimanche dimanches domingo domingos domenica zondag söndag воскресенье воскресеньям",
}
_UNIT_WORDS = {
    "kilometre": "km kilometer kilometers kilometre kilometres kilometern kilometro kilometros kilomètres км километров",
    "mile": "mi mile miles meile meilen milles millas miglia",
    "metre": "m meter metern meters metre metres metro metros metri м метров",
    "centimetre": "cm centimeter zentimeter centimetres centimetros см",
    "foot": "ft foot feet",
    "inch": "in inch inches zoll pouces pulgadas",
    "kilogram": "kg kilo kilos kilogram kilograms kilogramm кг",
    "gram": "g gram grams gramm grammes gramos grammi гр грамм",
    "milligram": "mg milligram milligrams milligramm мг",
    "microgram": "mcg µg μg ug microgram micrograms mikrogramm",
    "pound": "lb lbs pound pounds pfund livres libras",
    "stone": "st stone",
    "litre": "l liter litern litre litres litro litros litri л литров",
    "millilitre": "ml milliliter millilitres мл",
    "minute": "min mins minute minutes minuten minuto minutos minuti минут минуты",
    "hour": "h hr hrs hour hours stunde stunden std heure heures hora horas ora ore uur час часа часов",
    "day": "day days tag tage tagen jour jours día días giorno giorni dia dias dag dagen день дня дней",
    "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken неделя неделю недели недель",
    "month": "month months monat monate monaten mois mes meses mese mesi mês maand maanden месяц месяца месяцы месяцев",
    "year": "year years yr yrs jahr jahre jahren an ans année années año años anno anni ano anos jaar год года годы лет",
    "percent": "% percent prozent pourcent procent процентов",
    "degree": "° °c grad degrees degrés grados gradi",
    "fahrenheit": "°f fahrenheit",
    "euro": "€ eur euro euros евро",
    "dollar": "$ usd dollar dollars dólares долларов",
    "sterling": "£ gbp quid",
    "franc": "chf franken francs",
    "yen": "¥ jpy yen",
    "rouble": "₽ rub рублей рубля руб",
    "rupee": "₹ inr rupees",
}
_PERIOD_WORDS = {
    "quarter": "quarter quartal trimestre trimester kwartaal квартал",
    "fortnight": "fortnight quinzaine quincena quindicina quinzena",
    "half year": "halbjahr semestre semester halfjaar полугодие",
    "weekend": "weekend weekends wochenende wochenenden weekenden выходные выходным",
    "night": "night nacht nuit noche notte noite ночь",
}
_ADVERBS = {
    "day": "daily täglich quotidiennement quotidien diariamente giornalmente quotidianamente dagelijks ежедневно",
    "week": "weekly wöchentlich hebdomadaire semanalmente semanal settimanalmente settimanale wekelijks еженедельно",
    "month": "monthly monatlich mensuel mensuellement mensualmente mensual mensilmente mensile mensalmente mensal maandelijks ежемесячно",
    "year": "yearly annually jährlich annuel annuellement anualmente anual annualmente annuale jaarlijks ежегодно",
    "quarter": "quarterly vierteljährlich trimestriel trimestralmente trimestral trimestrale ежеквартально",
    "fortnight": "fortnightly biweekly vierzehntägig quindicinale quincenal quinzenal tweewekelijks",
    "half year": "halbjährlich semestriel semestral semestrale halfjaarlijks",
}


def _folded(table: dict[str, str]) -> dict[str, str]:
    return {fold(word): meaning for meaning, words in table.items() for word in words.split()}


NUMBERS = _folded(_NUMBER_WORDS)
NUMBERS_OF = {
    "italian": {"due": "2"},
    "spanish": {"dos": "2", "once": "11"},
    "french": {"cent": "100"},
    "swedish": {"fem": "5", "sex": "6", "sju": "7", "nio": "9", "tio": "10"},
    "danish": {
        "to": "2",
        "fire": "4",
        "fem": "5",
        "seks": "6",
        "syv": "7",
        "otte": "8",
        "ni": "9",
        "ti": "10",
    },
    "norwegian": {"to": "2", "fire": "4", "fem": "5", "seks": "6", "syv": "7", "ti": "10"},
}
"""Number words that are other words in other languages."""
MONTHS = {fold(word): month for month, words in _MONTH_WORDS.items() for word in words.split()}
_DOUBTFUL = "may march mars mai mar jan feb apr jun jul aug sept oct okt nov dec dez juli"
DOUBTFUL_MONTHS = frozenset(_DOUBTFUL.split())
"""What is a month only with a capital, beside a number, or behind one of `BEFORE_MONTHS`."""
_BEFORE = "en in im de since until by depuis seit bis ab début fin desde hasta"
BEFORE_MONTHS = frozenset(_BEFORE.split())
WEEKDAYS = {fold(word): day for day, words in _WEEKDAY_WORDS.items() for word in words.split()}
HAN_WEEKDAYS = {
    character: day
    for day, characters in enumerate(("一月", "二火", "三水", "四木", "五金", "六土", "日天"), 1)
    for character in characters
}
WORKDAYS = tuple(
    map(
        fold,
        (
            "weekdays",
            "on workdays",
            "working days",
            "werktags",
            "unter der woche",
            "en semaine",
            "jours de travail",
            "jours de boulot",
            "jours ouvrés",
            "entre semana",
            "días laborables",
            "durante la settimana",
            "giorni feriali",
            "dias úteis",
            "по будням",
            "平日",
            "工作日",
        ),
    )
)
UNITS = _folded(_UNIT_WORDS)
CURRENCIES = {sign: UNITS[sign] for sign in "€$£¥₽₹"}
PERIODS = (
    {word: unit for word, unit in UNITS.items() if unit in _ADVERBS and len(word) > 1}
    | {"an": "year"}
    | _folded(_PERIOD_WORDS)
)
PERIOD_ADVERBS = _folded(_ADVERBS)
HAN_PERIODS = {
    "天": "day", "日": "day", "晚": "night", "晩": "night", "周": "week", "週": "week", "星期": "week", "月": "month",
    "年": "year", "季度": "quarter", "季": "quarter", "四半期": "quarter", "半年": "half year", "两周": "fortnight",
    "隔週": "fortnight", "週末": "weekend", "周末": "weekend",
}  # fmt: skip
COMPOUND_TENS = ("hundert", "honderd", "tausend", "duizend")
"""What a German or Dutch number word is composed with."""
HAN_DIGITS = dict(zip("〇一二三四五六七八九", range(10), strict=True)) | {"两": 2, "兩": 2}
HAN_TENS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000}
