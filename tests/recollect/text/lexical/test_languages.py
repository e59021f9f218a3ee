"""Texts and questions of many languages find each other, with and without accents."""

from tests.support.tables import table

from recollect.text.lexical import document_terms, query_terms
from recollect.text.lexical.languages import UNDECIDED, language_of

FOUND = """
    我家的猫叫咪咪，今年三岁了。 | 我的猫叫什么名字？ | 昨天北京下雨。
    私の猫の名前はタマです。 | 猫の名前は何ですか | 東京で電車に乗りました。
    好きな食べ物はﾗｰﾒﾝです | ラーメンが好き？ | 電車で行きました
    우리 고양이는 나비라고 불러요. | 고양이의 이름은? | 어제 서울에 비가 왔다
    แมวของฉันชื่อมะลิ | แมวของฉันชื่ออะไร | เมื่อวานฝนตกที่กรุงเทพ
    Gestern habe ich mit Frau Müller über die Häuser gesprochen. | Welches Haus meinte Mueller? | Es regnet in Köln.
    Gestern habe ich mit Frau Müller über die Häuser gesprochen. | muller | Es regnet in Köln.
    Ma sœur a acheté un vélo électrique à Orléans. | velo electrique | Il pleut sur Brest.
    Nous avons adopté deux chevaux, c'est génial. | Quel cheval avons-nous adopté ? | Il pleut sur Brest.
    Mi canción favorita es de los años ochenta. | ¿Cuáles son mis canciones favoritas? | Llueve en Bilbao.
    Mi canción favorita es de los años ochenta. | cancion | Llueve en Bilbao.
    O João mora em São Paulo com a irmã dele. | joao sao paulo | Choveu ontem no Porto.
    L'amica di Chiara lavora all'università di Padova. | Dove lavorano le amiche di Chiara? | Piove a Torino.
    Mijn zus heeft twee katten en een hond. | Hoe heet de kat van mijn zus? | Het regent in Utrecht.
    Jag har köpt en ny cykel till min dotter. | Vad kostade min cykel? | Det regnade i Malmö.
    Jeg har købt et nyt hus på Fyn. | Hvor er huset, jeg har kobt? | Toget var forsinket.
    Jeg har to katter som heter Pus og Mons. | Hvor er kattene? | Toget ble ikke forsinket.
    Koirani nimi on Musti ja se on vanha. | Mikä on koirani nimi? | Junat ovat tänään myöhässä.
    A kutyám neve Bodri, és nagyon szereti a csontot. | Mi a kutyám neve? | Esik az eső Pécsett.
    Câinele meu se numește Azor și este foarte bătrân. | cainele azor | Trenul a întârziat la Cluj.
    Köpeğimin adı Karabaş ve çok yaşlı. | Köpeğim kaç yaşında? | Dün Ankara'da yağmur yağdı.
    İstanbul'da bir köpek aldım ve çok mutluyum. | ISTANBUL kopek | Dün Ankara'da yağmur yağdı.
    Мою кошку зовут Мурка, она ещё котёнок. | Как зовут мою кошку? | Вчера шёл дождь.
    Η γάτα μου λέγεται Ψιψίνα. | ΠΩΣ ΛΕΓΟΝΤΑΙ ΟΙ ΓΑΤΕΣ | Χθες έβρεξε στην Πάτρα.
    اشتريتُ السيَّارة من المدرســـة أمس | والسيارة؟ | نزل المطر في القاهرة
    הַכֶּלֶב שלי גר בירושלים | איפה הכלב | אתמול ירד גשם
    Con mèo của tôi ở Đà Nẵng | meo da nang | Trời mưa
    मेरी बिल्ली का नाम मीनू है | बिल्ली कहाँ | कल बारिश हुई
    Mój kot nazywa się Łatek | latek kot | Wczoraj padało
"""


@table(
    ("document", "question", "unrelated"),
    [line.split(" | ") for line in map(str.strip, FOUND.strip().splitlines())],
)
def test_a_question_finds_what_it_asks_for_alone(document: str, question: str, unrelated: str) -> None:
    wanted = set(query_terms(question))
    assert wanted & document_terms(document).keys()
    assert not wanted & document_terms(unrelated).keys()


@table(
    ("text", "language"),
    [
        ("ich weiß nicht was das ist", "german"),
        ("je ne sais pas où est la gare", "french"),
        ("no sé dónde está la estación", "spanish"),
        ("não sei onde fica a estação", "portuguese"),
        ("non so dove sia la stazione", "italian"),
        ("ik weet niet waar het station is", "dutch"),
        ("jag vet inte var stationen är", "swedish"),
        ("jeg ved ikke hvornår du blev født", "danish"),
        ("jeg vet ikke noe om deg", "norwegian"),
        ("minä en tiedä missä asema on", "finnish"),
        ("nem tudom hol van az állomás", "hungarian"),
        ("nu știu unde este gara", "romanian"),
        ("istasyon nerede bilmiyorum ama çok uzak değil", "turkish"),
        ("i do not know where the station is", UNDECIDED),
        ("die hard was in rome", UNDECIDED),
        ("station", UNDECIDED),
        ("ai art", UNDECIDED),
        ("dan visited paris", UNDECIDED),
        ("", UNDECIDED),
        ("weißwurst", "german"),
    ],
)
def test_function_words_and_letters_tell_the_language(text: str, language: str) -> None:
    assert language_of(text.split()) == language


def test_a_word_of_another_language_has_its_stem_and_the_undecided_one() -> None:
    assert document_terms("Wo sind die Katzen und die Bücher?") == {
        "katzen": 1,
        "katz": 1,
        "bucher": 1,
        "buch": 1,
        "buecher": 1,
    }


def test_a_contraction_in_another_language_is_no_term() -> None:
    assert document_terms("Ich weiß nicht, don't ask") == {"weiss": 1, "ask": 1}


@table(
    ("one", "other"),
    [
        ("São João", "sao joao"),
        ("Mu\u0308ller", "müller"),
        ("Müller", "mueller"),
        ("STRASSE", "straße"),
        ("Ærøskøbing Łódź Đorđe", "aeroskobing lodz dorde"),
        ("ёлка", "елка"),
        ("замо́к", "замок"),
        ("γάτα", "ΓΑΤΑ"),
        ("مُدَرِّس", "مدرس"),
        ("مدرسة", "مدرسه"),
        ("إلى آخر", "الى اخر"),
        ("کتابی", "كتابي"),
        ("וְשָׁלוֹם", "ושלום"),
        ("ＦＵＬＬ", "full"),
        ("co\u00adoperate\u200d", "cooperate"),
    ],
)
def test_spellings_of_one_word_find_each_other(one: str, other: str) -> None:
    assert set(query_terms(one)) & document_terms(other).keys()
    assert set(query_terms(other)) & document_terms(one).keys()


@table(
    ("text", "terms"),
    [
        # Letters that only look accented stay letters.
        ("їжак йод", {"їжак", "йод"}),
        ("и\u0301на и\u0306\u0301од", {"ин", "йод"}),
        # The Arabic article is taken from long enough words.
        ("والمدرسة بالسيارة للبيت", set(document_terms("مدرسة سيارة بيت"))),
        ("الله", {"الله"}),
        # Chinese is read in pairs between function characters; Japanese is cut where the script changes.
        ("我的猫喜欢牛奶", {"猫喜", "喜欢", "欢牛", "牛奶"}),
        ("他是猫", {"猫"}),
        ("猫とラーメンを食べました", {"猫", "ラー", "ーメ", "メン", "食", "べま"}),
        # Korean is read in pairs within words, Thai in triples.
        ("고양이 집", {"고양", "양이", "집"}),
        ("แมวดำ", {"แมว", "มวด", "วด\u0e4d", "ด\u0e4dา"}),
        ("มา", {"มา"}),
    ],
)
def test_each_script_is_read_in_its_own_way(text: str, terms: set[str]) -> None:
    assert document_terms(text).keys() == terms


def test_scripts_are_told_apart_without_spaces() -> None:
    assert document_terms("用Python写getUserName函数").keys() >= {"python", "getusername", "函数"}
