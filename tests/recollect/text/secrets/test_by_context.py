"""Secrets told by what they open and how they look, in many languages, and what only looks like one."""

from tests.long_texts import up_to
from tests.secret_texts import redacted
from tests.tables import table

from recollect.formation.verification import without_secrets
from recollect.model import Candidate, Kind
from recollect.text.secrets import mask

REDACTED = "[redacted]"

TOLD = [
    ("our new flat's wifi is HolzweG, the key's quokka-ladder-57, works fine", "quokka-ladder-57"),
    ("the lockbox by the bins opens with 7-1-3-8", "7-1-3-8"),
    ("mum's alarm: zero-four-six-one turns it off", "zero-four-six-one"),
    ("cedar-mango-88 is what gets you into the wifi", "cedar-mango-88"),
    ("gate keypad 4471#, don't let the dog out", "4471#"),
    ("backup codes for the mail account:\nk3pd-99wm\nt7fx-q2ha\n", "t7fx-q2ha"),
    ("the SIM unlocks with 83 07", "83 07"),
    ("my debit card 4012.8888.8888.1881 got declined", "4012.8888.8888.1881"),
    ("card 55555 5555555 4444 expires in May", "55555 5555555 4444"),
    ("Der Router heißt Nordlicht und der Schlüssel ist moewe-Keks-12", "moewe-Keks-12"),
    ("Die Schranke am Parkplatz geht mit 3 9 1 5 auf", "3 9 1 5"),
    ("Das Handy entsperre ich mit 602914", "602914"),
    ("Der Tresor im Büro öffnet sich mit 12-30-07", "12-30-07"),
    ("La boîte à clés s'ouvre avec le 51 72", "51 72"),
    ("le wifi du gîte, c'est GiteDuLac et la clé: truite-verte-40", "truite-verte-40"),
    ("codes de secours du compte : 4h8k-zz1p, 9m2c-v0xt", "9m2c-v0xt"),
    ("El portal se abre con 0258", "0258"),
    ("la clave del router es tapir-lunar-33 y va bien", "tapir-lunar-33"),
    ("La cassetta delle chiavi si apre con 4-4-0-9", "4-4-0-9"),
    ("la password del wifi di casa è ora pesce-palla-71", "pesce-palla-71"),
    ("O cofre abre com 77-03-19", "77-03-19"),
    ("De sleutelkluis gaat open met 8 2 6 1", "8 2 6 1"),
    ("Домофон открывается кодом 38В4071", "38В4071"),
    ("сейф открывается на 19-44-03", "19-44-03"),
    ("家里的wifi密码是panda-tofu-36", "panda-tofu-36"),
    ("保险柜用7 3 9 2 0 1打开", "7 3 9 2 0 1"),
    ("大门密码 2468* 别告诉别人", "2468*"),
    ("玄関のキーボックスは5-8-1-3で開きます", "5-8-1-3"),
    ("金庫の番号は481516です", "481516"),
    ("conf is postgres://app:Wq7!tundra@10.0.0.3/prod", "Wq7!tundra"),
]

HARMLESS = [
    "order 2-9-0-4 was delayed, the number is 88-3041-A",
    "my gate at the airport is B47 and the flight LH1284 leaves 09:40",
    "the locker room is on floor 3, room 3127",
    "my password manager is Bitwarden",
    "I forgot my PIN again",
    "We moved to 2904 Alder Street, flat 17",
    "call me on 0171 555 0164",
    "The boiler is a GSR-12V-15, bought for 1299 euros",
    "ISBN 978-3-16-148410-0 is on my desk",
    "the door is 2040 mm high and 826 wide",
    "we won 3-2 against Leeds, then lost 0-4-1",
    "keyboard shortcut: ctrl-shift-9",
    "my alarm rings at 0545 every day",
    "the key to the 2019 treaty is article 50",
    "Der Schlüssel zum Erfolg: 10000 Stunden üben",
    "Der Zug ICE 1027 fährt um 14:52 von Gleis 7",
    "Das Tor ist 2500 mm breit und kostet 3890 Euro",
    "Meine Hausnummer ist 148, PLZ 20257",
    "la porte d'embarquement est la K32 à 17h45",
    "le code postal de ma mère est 34070",
    "la clave está en dormir 8 horas, lo leí en 2018",
    "el portal de la calle Goya 117 abre a las 0900",
    "la chiave inglese da 24-27 mi serve domani",
    "o portão do prédio custou 4500 reais",
    "het alarm gaat om 0630 af",
    "код модели стиральной машины WW90-T4040",
    "квартира 148, домофон не работает с 2021 года",
    "我家门牌号是1203，邮编200040",
    "鍵は2019年に作り直しました",
    "IBAN of the club starts with DE and has 22 characters",
    "The name of my donkey number 3 is canary-0-3.",
    "My doctor put me on 20 mg lisinopril because my blood pressure was 160/95.",
]


@table(("text", "secret"), TOLD)
def test_what_opens_something_is_blacked_out(text: str, secret: str) -> None:
    clean = redacted(text)

    assert REDACTED in clean
    assert secret not in clean


@table("text", HARMLESS)
def test_what_opens_nothing_stays(text: str) -> None:
    assert redacted(text) == text


@up_to(80_000)
@table("piece", ["the door takes 1 ", "one two ", "codes de secours : a1b2 ", "1-"])
def test_a_long_text_about_locks_is_survived(piece: str, length: int) -> None:
    text = piece * (length // len(piece))

    assert mask(mask(text).text).text == mask(text).text


@table(
    ("content", "kept"),
    [
        (
            "Moved to Ghent in May, the door code is 583926#",
            "Moved to Ghent in May, the door code is [redacted]",
        ),
        ("外婆下个月搬来南京同住，门锁密码改为771904", "外婆下个月搬来南京同住，门锁密码改为[redacted]"),
        ("The door code is 583926#", None),
        ("Tiene una tarjeta con número 4012.8888.8888.1881, caduca en 03/31", None),
        ("La cassetta in giardino si apre con 4-4-0-9", None),
    ],
)
def test_what_a_statement_says_beside_its_secret_is_kept(content: str, kept: str | None) -> None:
    clean = without_secrets(Candidate(content, Kind.FACT, 0.5, content))

    assert (redacted(clean.content) if clean else None) == kept
