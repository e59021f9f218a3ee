"""Secrets told by what they open and how they look, in many languages, and what only looks like one."""

from tests.recollect.text.secrets.secret_texts import redacted, told
from tests.support.long_texts import up_to
from tests.support.tables import table, texts

from recollect.formation.wording import without_secrets
from recollect.model import Candidate, Kind
from recollect.text.secrets import mask

REDACTED = "[redacted]"

TOLD = [
    *told("""
        our new flat's wifi is HolzweG, the key's ⟦quokka-ladder-57⟧, works fine
        the lockbox by the bins opens with ⟦7-1-3-8⟧ | mum's alarm: ⟦zero-four-six-one⟧ turns it off
        ⟦cedar-mango-88⟧ is what gets you into the wifi | gate keypad ⟦4471#⟧, don't let the dog out
    """),
    ("backup codes for the mail account:\nk3pd-99wm\nt7fx-q2ha\n", "t7fx-q2ha"),
    *told("""
        the SIM unlocks with ⟦83 07⟧ | my debit card ⟦4012.8888.8888.1881⟧ got declined
        card ⟦55555 5555555 4444⟧ expires in May
        Der Router heißt Nordlicht und der Schlüssel ist ⟦moewe-Keks-12⟧
        Die Schranke am Parkplatz geht mit ⟦3 9 1 5⟧ auf | Das Handy entsperre ich mit ⟦602914⟧
        Der Tresor im Büro öffnet sich mit ⟦12-30-07⟧ | La boîte à clés s'ouvre avec le ⟦51 72⟧
        le wifi du gîte, c'est GiteDuLac et la clé: ⟦truite-verte-40⟧
        codes de secours du compte : 4h8k-zz1p, ⟦9m2c-v0xt⟧ | El portal se abre con ⟦0258⟧
        la clave del router es ⟦tapir-lunar-33⟧ y va bien | La cassetta delle chiavi si apre con ⟦4-4-0-9⟧
        la password del wifi di casa è ora ⟦pesce-palla-71⟧ | O cofre abre com ⟦77-03-19⟧
        De sleutelkluis gaat open met ⟦8 2 6 1⟧ | Домофон открывается кодом ⟦38В4071⟧
        сейф открывается на ⟦19-44-03⟧ | 家里的wifi密码是⟦panda-tofu-36⟧ | 保险柜用⟦7 3 9 2 0 1⟧打开
        大门密码 ⟦2468*⟧ 别告诉别人 | 玄関のキーボックスは⟦5-8-1-3⟧で開きます | 金庫の番号は⟦481516⟧です
        conf is postgres://app:⟦Wq7!tundra⟧@10.0.0.3/prod
    """),
]
"""Half by which the rules were made."""

TOLD_UNSEEN = [
    *told("""
        we swapped the router, it's Bramble-Guest and the passkey is ⟦otter.kazoo.19⟧
        You get into the shed with ⟦9-0-0-6⟧ | door at grandma's place takes ⟦one-seven-seven-two⟧
        ⟦5519⟧ gets you through the side gate | To disarm the alarm you punch in ⟦80 41⟧ and wait
    """),
    ("recovery codes:\n- 77hq-m2rz\n- p0vd-31xk", "p0vd-31xk"),
    *told("""
        my phone unlocks with ⟦190256⟧ | my amex is ⟦3782.822463.10005⟧ and it's maxed out
        the card ending? whole thing is ⟦601111 11111111 17⟧ | Mit ⟦dachs-wolke-08⟧ kommst du ins WLAN
        Für die Haustür tippst du ⟦null-acht-drei-fünf⟧
        Das Fahrradschloss lässt sich mit ⟦7-2-7-1⟧ öffnen | Meine SIM-PIN: ⟦55 83⟧
        Le portail, il faut taper ⟦61B9⟧ pour entrer | le digicode de l'immeuble est passé à ⟦20 A 47⟧
        L'alarme se désactive avec ⟦9034⟧ | con ⟦mochuelo-azul-27⟧ te conectas al wifi
        La caja fuerte del hotel: ⟦3-8-8-1⟧ | códigos de recuperación: hd83-0plk y ⟦mm20-x7sd⟧
        L'allarme si spegne digitando ⟦60 18⟧ | il lucchetto della bici è ⟦4 0 7⟧
        o portão abre com ⟦5190#⟧ | Het alarm gaat eruit met ⟦37-12⟧
        Чтобы войти в подъезд, набери ⟦25К6610⟧ | вайфай называется Ромашка, ключ ⟦kedr-lisa-90⟧
        резервные коды от почты: 7dk2-ppq9, ⟦0xw4-hh31⟧ | 单元门按⟦309876⟧就能进 | 路由器的密钥是⟦mao-tea-55⟧
        自転車の鍵は⟦3-7-0⟧で開く | スマホのロック解除は⟦772910⟧です
    """),
]
"""Half that was looked at only when the rules were done."""

HARMLESS = [
    *texts("""
        order 2-9-0-4 was delayed, the number is 88-3041-A
        my gate at the airport is B47 and the flight LH1284 leaves 09:40
        the locker room is on floor 3, room 3127 | my password manager is Bitwarden
        I forgot my PIN again | We moved to 2904 Alder Street, flat 17 | call me on 0171 555 0164
        The boiler is a GSR-12V-15, bought for 1299 euros | ISBN 978-3-16-148410-0 is on my desk
        the door is 2040 mm high and 826 wide | we won 3-2 against Leeds, then lost 0-4-1
        keyboard shortcut: ctrl-shift-9 | my alarm rings at 0545 every day
        the key to the 2019 treaty is article 50 | Der Schlüssel zum Erfolg: 10000 Stunden üben
        Der Zug ICE 1027 fährt um 14:52 von Gleis 7 | Das Tor ist 2500 mm breit und kostet 3890 Euro
        Meine Hausnummer ist 148, PLZ 20257 | la porte d'embarquement est la K32 à 17h45
        le code postal de ma mère est 34070 | la clave está en dormir 8 horas, lo leí en 2018
        el portal de la calle Goya 117 abre a las 0900 | la chiave inglese da 24-27 mi serve domani
        o portão do prédio custou 4500 reais | het alarm gaat om 0630 af
        код модели стиральной машины WW90-T4040 | квартира 148, домофон не работает с 2021 года
        我家门牌号是1203，邮编200040 | 鍵は2019年に作り直しました | IBAN of the club starts with DE and has 22 characters
        The name of my donkey number 3 is canary-0-3.
    """),
    "My doctor put me on 20 mg lisinopril because my blood pressure was 160/95.",
]
"""Near misses, first half."""

HARMLESS_UNSEEN = texts("""
    the safe costs 4820 dollars and weighs 310 kg | I need the key by 15-10-2026
    our router is a TL-WR841N, bought in 2021 | the phone opens at 9 and the shop is at 2217 King Road
    unlocked level 4096 in the game with 77 stars | my account is with Barclays since 2009
    licence plate is KW-19-ZZP | the gate code changes every 90 days, annoying
    password must have 12 characters and one number | the card game Uno has 108 cards
    API 3.14.2 broke my build on python 3.11 | The backup takes 45-50 minutes for 3000 files
    my marathon time is 3-41-20, bib 20417 | the museum opens with a party in 2027
    we get in with 40 people, tickets are 1250 each | Der Alarm ging um 03:15 los, 2 Mal in 2025
    Das WLAN hat 250 Mbit und kostet 3990 Cent im Monat | Die Karte 1:25000 vom Harz suche ich noch
    Das Konto habe ich 1998 bei der Sparkasse eröffnet | la carte au 1:50000 coûte 1390 centimes
    l'alarme sonne à 0615 tous les jours | la caja fuerte pesa 1200 kilos
    abrí la cuenta en 2016 con 5000 euros | il codice postale è 00185 Roma
    o cofre tem 1500 moedas de 1974 | de sleutel past op slot nummer 4711 uit 1985
    карта метро 2024 года стоит 5000 рублей | 这把钥匙是2018年配的，花了1500块 | 門は2015年に開きました
    my score went from 1200-1350 on the chess account
""")
"""Near misses, second half."""

TOLD_LATER = [
    *told("""
        the airbnb host left the code on a note: ⟦6612⟧ for the front door
        Grandad's phone passcode? it's ⟦1-1-9-4⟧, he tells everybody
        our wlan pw hasn't changed since 2019, still ⟦heron_lake_2207⟧
        garage: ⟦0 7 7 3⟧ then the green button | I log into the bank with ⟦88120⟧ and my thumb
        my new visa, ⟦4012-888888-881881⟧, came today
        Unser Gartentor hat jetzt ein Zahlenschloss, ⟦5-0-2⟧, merkt sich leicht
        Die Alarmanlage schaltest du mit ⟦vier-vier-neun-eins⟧ scharf | Mein Handycode lautet ⟦270391⟧
        Netzwerk heißt Fuchsbau, Passwort ⟦luchs.moos.64⟧
        J'entre dans le parking en composant le ⟦7 0 3 B⟧ | Le coffre de mamie : ⟦14-52-08⟧
        mes codes de récupération : 92kd-a01m, ⟦zz8r-44tp⟧ | para entrar al gimnasio marco ⟦6 1 9 0⟧
        el candado de la bici va con ⟦7-7-2⟧ | la chiave wifi è ⟦grillo-verde-18⟧
        a senha do portão é ⟦4402⟧ | de code van de voordeur is ⟦18-73⟧
        код от подъезда поменяли на ⟦41К0982⟧ | ячейка в банке открывается на ⟦6 2 0 4⟧
        健身房储物柜的密码是⟦4 8 1 0⟧ | 家の電子錠は⟦6-6-0-2⟧#で開けてね | オートロックの番号、⟦2580⟧です | the front door code is ⟦1207⟧
        the front gate is ⟦1207#⟧ | I logged in with the password ⟦quokka15⟧ | my pin is ⟦one, two, three⟧
        export STRIPE=⟦sk_live_9aKd82LmQpXw⟧
    """)
]
"""Written when the rules were done; those that were missed then mended them once more."""

HARMLESS_LATER = texts("""
    my login form runs on Flask 2.4.1 and keeps the password hashed | login: [
    I scored 4-1-2 in the league | our bus is the 0730 from gate C | the door company is Abus, since 1924
    Passwort vergessen, schon 3 Mal | Die Tür ist 1985 eingebaut worden
    le code de la route 2024 est difficile | la porte 3 est au 12 rue Monge
    mi clave es la constancia, 30 días | il codice fiscale è lungo 16 caratteri | o alarme toca às 0600
    het slot kostte 89 euro | код товара 5510-33 | 密码学课本有512页 | 鍵を3本なくした
    I bought a WH-1000XM5 and a key rack | phone is 0171 555 0188 | Lieferung DE-5521-KX kommt Freitag
    room 4410, ask for the key | version 10-2-1 opens with errors | the safe word is not needed
    I unlock my bike with a key from 2015 | flight opens at 1540 | my pin collection has 340 pieces
    The door is RAL7016 | front door is 1207 | Unsere Haustür ist RAL7016 | I logged in with iPhone15
    The portal is Windows365 | Un, deux, trois soleil is my favourite pin
    backup codes are a pain, I lost all 10
""")
"""The same of near misses."""


@table(("text", "secret"), [*TOLD, *TOLD_UNSEEN, *TOLD_LATER])
def test_what_opens_something_is_blacked_out(text: str, secret: str) -> None:
    clean = redacted(text)

    assert REDACTED in clean
    assert secret not in clean


@table("text", [*HARMLESS, *HARMLESS_UNSEEN, *HARMLESS_LATER])
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
        ("Login: marta, password Quark-2207!", None),
        ("Tiene una tarjeta con número 4012.8888.8888.1881, caduca en 03/31", None),
        ("La cassetta in giardino si apre con 4-4-0-9", "La cassetta in giardino si apre con [redacted]"),
    ],
)
def test_what_a_statement_says_beside_its_secret_is_kept(content: str, kept: str | None) -> None:
    clean = without_secrets(Candidate(content, Kind.FACT, 0.5, content))

    assert (redacted(clean.content) if clean else None) == kept
