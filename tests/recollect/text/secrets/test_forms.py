"""One secret in the many forms in which people and models write it: glued, split, in other digits, in Markdown."""

from hashlib import sha256
from itertools import product

from tests.recollect.text.secrets.secret_texts import told
from tests.support.tables import table, texts

from recollect.text import read_table
from recollect.text.secrets import mask

CARD, AMEX = "4318736022367385", "378282246310005"
CARD_GROUPS = [CARD[at : at + 4] for at in range(0, 16, 4)]
CHINESE, SPANISH, FOREIGNER = "110101199003077758", "48213907L", "X3921874Y"
TOUCHED = texts("""
    我的信用卡号是{} | カード番号は{}です | 카드번호는{}입니다 | หมายเลขบัตร{}ครับ | ប័ណ្ណ{}ខ្ញុំ | моякарта{}вот | card{}
    卡号,{},谢谢 | _{}_ | **{}** | nr_{} | <b>{}</b> | 番号：{}。
""")
BETWEEN = [
    *("_", "\n", "\r\n", "\t", "\u2009", "\u202f", "\xa0", "\u3000", "\u200b", "\u2011", "–", "—", "·"),
    *("|", "/", "*", "+", ",", ", ", "; ", ":", " - ", "__", "~", "="),
]
DIGITS = ["٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "০১২৩৪৫৬৭৮৯", "๐๑๒๓๔๕๖๗๘๙", "０１２３４５６７８９"]
NUMBERS = [
    *((each.format(number), number) for each, number in product(TOUCHED, (CARD, AMEX))),
    *((each.format(number), number) for each, number in product(TOUCHED[:6], (CHINESE, SPANISH, FOREIGNER))),
    *((f"mine is {each.join(CARD_GROUPS)} thanks", CARD_GROUPS[2]) for each in BETWEEN),
    *((f"卡号{each.join(CARD_GROUPS)}谢谢", CARD_GROUPS[2]) for each in BETWEEN),
    *((f"{each.join(CARD)} is it", each.join(CARD)) for each in "_\n\u2009-·"),
    *(
        (f"身份证{each.join((CHINESE[:6], CHINESE[6:14], CHINESE[14:]))}啊", CHINESE[6:14])
        for each in BETWEEN[:9]
    ),
    *((f"NIF {SPANISH[:8]}{each}{SPANISH[8:]}.", SPANISH[:8]) for each in ("-", " ", "_", "\u2009")),
    *(
        (f"رقم {(written := number.translate(str.maketrans('0123456789', digits)))}", written)
        for number, digits in product((CARD, " ".join(CARD_GROUPS), CHINESE), DIGITS)
    ),
]
PAPERS = [
    *(
        (each.format(number), number)
        for each, number in product(
            (
                *(
                    "我的护照号是{}",
                    "护照{}下个月到期",
                    "私の旅券は{}です",
                    "여권번호는{}입니다",
                    "หนังสือเดินทาง{}",
                ),
                *("my passport is {}", "паспорт {}", "passaporto n. {}", "**Passport number:** {}"),
                *("护照号是\n\n`{}`", "جواز السفر {}"),
            ),
            ("E12345678", "EA1234567"),
        )
    ),
    *told("""
        我的社会安全号码是⟦219-09-9999⟧ | SSN ⟦219_09_9999⟧ | IBANは⟦DE89370400440532013000⟧です
        счёт⟦DE89370400440532013000⟧вот | IBAN ⟦DE89_3704_0044_0532_0130_00⟧ | 주민등록번호는 ⟦900101-1234568⟧이에요
        mój PESEL to ⟦44051401359⟧ | meu número é ⟦529.982.247-25⟧ | sono ⟦RSSMRA85T10A562S⟧
        TC kimlik no: ⟦10000000146⟧ | mijn BSN is ⟦123456782⟧ | 身分證⟦A123456789⟧喔 | マイナンバーは⟦123456789018⟧です
        आधार नंबर ⟦२३४१ २३४१ २३४६⟧ है | это ⟦112-233-445 95⟧ | NI number: ⟦QQ 12 34 56 C⟧
        c'est ⟦1 84 12 76 451 089 46⟧ | se on ⟦131052-308T⟧ | soy ⟦12.345.678-5⟧
        soy ⟦BADD110313HCMLNS09⟧ | I am ⟦S1234567D⟧ | I am ⟦ABCPE1234F⟧ | תעודת זהות ⟦123456782⟧
        hộ chiếu ⟦C1234567⟧
    """),
]
ANNOUNCING = texts("""
    Your new password is | Here's a strong password for your account: | How about this password?
    ### Your new password | **New password** | Dein neues Passwort lautet: | Tu nueva contraseña es:
    Voici ton nouveau mot de passe : | La tua nuova password è: | Twoje nowe hasło to: | Ваш новый пароль:
    你的新密码是： | 新しいパスワードは： | 새 비밀번호는: | كلمة المرور الجديدة هي: | Yeni şifreniz: | Mật khẩu mới là:
    รหัสผ่านใหม่: | הסיסמה החדשה היא: | आपका नया पासवर्ड है:
""")
WRITTEN = [
    *("{} **{}**", "{} `{}`", "{} *{}*", "{} __{}__", "{} <b>{}</b>", "> {} **{}**", "* {} `{}`\n* Next"),
    *("{}\n{}", "{}\n\n    {}", "{}\n\n```\n{}\n```", "{}\n```text\n{}\n```\nKeep it safe."),
    *("> {}\n> ```\n> {}\n> ```", "{}\n\n> {}", "{}\n\n> **{}**", "{}\n\n- {}", "{}\n\n- `{}`"),
    *("{}\n\n1. **{}**", "{}\n\n**{}**\n\nLet me know!", "{}\n\n***{}***", "{}\n\n<code>{}</code>"),
]
PASSWORDS = [
    *(
        (form.format(name, value), value)
        for form, name, value in product(WRITTEN, ANNOUNCING, ("Xk7#pQ2v!mL9", "tangerine-falcon-42"))
    ),
    *(
        (f"Your new passphrase is:\n\n{form}", "amber horse battery staple")
        for form in ("**amber horse battery staple**", "```\namber horse battery staple\n```")
    ),
    (
        "| Field | Value |\n|---|---|\n| User | anna |\n| **New Wi-Fi password** | `Xk7#pQ2v!mL9` |",
        "Xk7#pQ2v!mL9",
    ),
    ("`Xk7#pQ2v!mL9` — that's your new password.", "Xk7#pQ2v!mL9"),
    ("Your password has been set to **Xk7#pQ2v!mL9**.", "Xk7#pQ2v!mL9"),
    ("Here are three passwords:\n\n1. `Qz8!aa`\n2. `Xk7#pQ2v!mL9`\n3. `77Ab!x`", "Xk7#pQ2v!mL9"),
    ("Your verification code:\n\n**483920**", "483920"),
    ("你的验证码是\n\n> 483920", "483920"),
]
WORD_LISTS = read_table("recollect.text.secrets", "wallet_words")

ORDINARY = [
    *texts("""
        My flight LH1284 leaves at 09:40 from gate B47, seat 23F.
        Order 4029-3311-0087 shipped on 12.03.2026 and costs 48,90 EUR.
        Call me on +49 170 1234567 or 0171 555 0164.
        My number is 07700 900123, the office is 020 7946 0958.
        We bought 4 kg of flour, 12 eggs and 3 l of milk for 48213 won.
        The ISBN is 978-3-16-148410-0 and the EAN 4006381333931.
        I ran 10 km in 48:21 and 42.195 km in 3:41:20.
        Population grew from 48213907 to 51234567 between 2010 and 2020.
        Pi is 3.14159265358979323846 and e is 2.71828182845904523536.
        Loss at step 4318: 0.4318736022367385, accuracy 0.9876543210123456.
        Coordinates 52.520008, 13.404954 and 48.8566, 2.3522.
        The years 2019, 2020, 2021, 2022, 2023 were warm. | Scores: 4521, 4522, 4523, 4524, 4525, 4526.
        Ticket 2024-0117-4433 is closed, build 20240117.4 passed.
        UUID 550e8400-e29b-41d4-a716-446655440000 belongs to the test.
        Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it.
        The room is 12.5 x 8.4 m, that is 105 m2, at 1,250 euros.
        My postcode is SW1A 1AA, house 10, flat 4B.
        He was born on 1984-03-12 and weighs 80.5 kg at 183 cm.
        Version 10.2.1 of Python 3.11.7 fails on macOS 14.4.1.
        The temperature was -12.5 °C at 06:00 and 3.2 °C at 14:00.
        Invoice 2026/10/000345, customer number 88213, VAT 19 %.
        Bus 100, 200 and N7 stop here every 12 minutes until 00:45.
        Ports 80, 443, 8080 and 5432 are open on 192.168.1.24.
        MAC 00:1A:2B:3C:4D:5E, IPv6 2001:db8:85a3::8a2e:370:7334.
        Room 4410, floor 44, tower 2, ask for extension 7731.
        The novel has 48213 words on 312 pages in 27 chapters.
        License plate KW-19-ZZP and B-MW 4711 were parked outside.
        Train ICE 1027, coach 23, seats 61 and 63, 14:52 from track 7.
        My step count: 12034, 9876, 15002, 8123, 10450.
        Row 1: 12 34 56 78; row 2: 23 45 67 89; row 3: 34 56 78 90.
        I paid 1299.00 for 2 and 2599.00 for 4 of model GSR-12V-15.
        Bestellnummer 302-4471823-9912345, Lieferung am 04.11.2026.
        Meine Kundennummer ist 48213907, der Zählerstand 128344.
        PLZ 20257 Hamburg, Hausnummer 148, 3. Stock links.
        Der Kurs stieg von 1,0834 auf 1,0921 in 24 Stunden.
        Das Rezept braucht 250 g Mehl, 125 ml Milch und 2 Eier bei 180 Grad.
        Am 24.12.2025 um 18:30 kommen 14 Leute, 6 davon Kinder.
        Die Wohnung hat 78,5 qm und kostet 1.150 Euro kalt.
        Reisepass läuft 2027 ab, Termin am 03.11. um 10:20 beantragen.
        Mein Personalausweis ist seit 14 Tagen weg.
        Meine Steuer-ID finde ich nicht, seit 2 Wochen suche ich.
        Mi pedido 48213907 llega el 12/11/2026 entre 10 y 14 h.
        Mi DNI caduca en 2028 y mi pasaporte en marzo de 2031.
        Vivimos en la calle Goya 117, piso 3, código postal 28009.
        El vuelo IB3166 sale a las 7:25 de la puerta K84.
        La receta lleva 500 g de arroz, 1,5 l de caldo y 12 gambas.
        Tengo 3 hijos de 4, 7 y 11 años y 2 gatos.
        Mon numéro de commande est le 2026-114-8832, livraison le 14.
        Il habite 12 rue Monge, 75005 Paris, 4e étage, porte 42.
        Mon passeport expire en 2029, j'ai payé 86 euros.
        Le train 8417 part à 17h45 voie 9, voiture 14, place 56.
        Ho comprato 3 biglietti a 48,50 euro per il 12 dicembre 2026.
        Il codice postale è 00185, il civico 148, interno 7.
        La mia carta d'identità scade tra 10 anni, nel 2036. | O voo TP1234 sai às 06:15 do portão 23.
        Moro no 148, apartamento 302, CEP 01310-100. | Paguei 1.234,56 reais em 12 vezes de 102,88.
        Meu passaporte vence em 2030 e custou 257,25. | Mijn huisnummer is 148, postcode 1012 AB, 3 hoog.
        De trein van 14:52 rijdt vandaag van spoor 7, 12 minuten later.
        Zamówienie 48213907 przyjdzie 12.11.2026, zapłaciłam 129,99 zł.
        Mój dowód wydano w 2019 roku, ważny 10 lat.
        Mieszkam przy ulicy Długiej 148 m. 12, 00-238 Warszawa.
        Заказ № 48213907 придёт 12.11.2026, сумма 1 299 рублей.
        Мой паспорт истекает в 2029 году, мне 45 лет. | Телефон: 8 (495) 123-45-67, добавочный 112.
        Квартира 148, этаж 12, подъезд 3, метраж 54,3. | Поезд 027 отправляется в 23:59 с 4 пути.
        我的订单号是4821390，11月12日到，花了1299元。 | 我家门牌号是1203，邮编200040，电话021-62345678。 | 手机号13812345678，微信同号，晚上8点后打。
        航班CA1384在09:40起飞，登机口B47。 | 我的护照明年3月到期，办新的要160元。 | 身份证快到期了，2026年12月去换。 | 这本书312页，48万字，定价59.80元。
        今天走了12034步，跑了5.2公里，用时31分48秒。 | 血压128/82，心率72，体重63.5公斤。 | 彩票号码是03 08 15 21 27 33，没中。
        会议号 482 139 077，周三10:00开始。 | 注文番号は250-4471823-9912345で、12月4日に届きます。 | 郵便番号は150-0041、部屋は1203号室です。
        パスポートは2029年に切れます、手数料は16000円でした。 | 体重は63.5キロ、身長は172センチです。 | 電話は03-1234-5678、内線112です。
        新幹線のぞみ127号、7号車12番E席です。 | 주문번호 48213907, 11월 12일 도착, 129,000원이에요. | 여권은 2029년에 만료되고 비용은 53000원이었어요.
        전화는 010-1234-5678이고 우편번호는 04524예요. | 오늘 12,034보 걸었고 5.2km 뛰었어요.
        รถไฟขบวน 27 ออก 23:59 น. ราคา 1,250 บาท | หนังสือเดินทางหมดอายุปี 2572 ค่าทำ 1,000 บาท
        เบอร์โทร 081-234-5678 ห้อง 1203 | رقم الطلب ٤٨٢١٣٩٠ ويصل يوم ١٢ نوفمبر ٢٠٢٦
        ينتهي جواز سفري في 2029 وعمري 45 سنة | اشتريت 3 تذاكر بسعر 48.5 دينار
        הדרכון שלי פג ב-2029, שילמתי 285 שקל | ההזמנה 48213907 תגיע ב-12.11
        मेरा पासपोर्ट 2029 में खत्म होगा, फीस 1500 रुपये थी | आज १२०३४ कदम चला और ५.२ किलोमीटर दौड़ा
        मेरा फोन 98765 43210 है, फ्लैट 1203 | Siparişim 48213907, 12.11.2026'da gelecek, 1.299 TL ödedim.
        Pasaportum 2029'da bitiyor, harç 5.638 TL. | Hộ chiếu của tôi hết hạn năm 2029, phí 200000 đồng.
        Min bestilling 48213907 kommer 12.11.2026 kl. 14.
    """),
    "Mitt personnummer glömmer jag aldrig, men koden till gymmet är ny varje vecka.",
    "Passport renewal costs 93.50 and takes 6 weeks, photo 35x45 mm.",
    "My driver's license expires in 2028, class B since 2009.",
    "ID card photo must be 600x600 pixels, under 240 KB.",
    "Tips for a strong password:\n\n- Length: at least 12 characters\n- Mix of symbols\n- No names from 1984",
    "To reset your password:\n\n1. **Open settings**\n2. Click *Security*\n3. Enter the 6-digit code we send you",
    "A good password should be:\n\n- **Long**: 16 characters or more\n- **Unique**",
    "### Password\n\nChoose one with at least 12 characters.",
    "**Password rules**\n\n`minLength = 12`",
    "Change your password:\n\n```bash\npasswd anna\n```",
    "Hash the password:\n\n```python\nhashed = bcrypt.hashpw(password, salt)\n```",
    "Here is how to store the password:\n\n```python\nimport hashlib\nprint(len(password))\n```",
    "| Setting | Default |\n|---|---|\n| password_min_length | 12 |\n| session_timeout | 3600 |",
    "| Feature | Password login | Passkey |\n|---|---|---|\n| Phishing | weak | strong |\n| Setup | 2 minutes | 5 minutes |",
    "Did you forget your password?\n\n**Click the link in the mail from 12:40**",
    "I changed my password\n\n> yesterday at 12:40",
    "The password manager costs 36 euros a year:\n- 1Password\n- Bitwarden",
    "What is the key to a good marinade? 48 hours and 3 cloves of garlic.",
    "My wallet has 12 pockets and my backup is 48 GB.",
    "apple, banana, cherry, lemon, orange, grape, melon, peach, plum, pear, mango, kiwi",
    "They run, jump, swim, climb, dance, sing, paint, draw, cook, bake, read, and write every day.",
    "1. abandon\n2. ability\n3. able\n4. about\n5. above\n6. absent\n7. absorb\n8. abstract\n9. absurd\n10. abuse\n11. access\n12. accident",
    *texts("""
        The verification took 48 hours and 3 mails, code of conduct included.
        Code 4521 in module 12 fails with error 0x80070057 on line 312.
        The door is 2040 mm high and 826 wide, RAL7016. | HS code 8471.30.00, tariff 0 %, 4821 units.
        Dose: 5-10-20 mg a day, safe up to 40 mg. | Serial SN48213907A, firmware 2.4.18, made in 2023.
        Part 48213907-B fits models from 2016 to 2019.
        The game ended 48-21 after 39 minutes, attendance 73907. | Sudoku row: 4 3 1 8 7 3 6 0 2
        Phone tree: press 1 for sales, 2 for support, 0 for a person.
        RGB 255, 140, 0 is #FF8C00; hex 0x4318.
        Sum: 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 = 91 | 4, 8, 15, 16, 23, 42
        Credit card debt rose to 1.13 trillion in 2024, 4.2 % more.
    """),
    "I have 3 cards: a Visa since 2012, an Amex since 2019 and a debit card ending in 4411.",
    "Timestamps 1700000000, 1700003600 and 1700007200000 are an hour apart.",
    "Tracking number 1Z999AA10123456784, DHL 00340434161094042557.",
    "Reference RF18539007547034 is on the slip.",
    "IMEI 490154203237518? no idea where that is printed.",
    "GTIN 04006381333931 and SKU 48213907X were swapped.",
    "My bib is 20417, start block C, 10:15.",
    "Flat 4, 12 Hill St, EH2 3JZ; buzzer 7.",
    " ".join(["abandon"] * 12),
    # The line below a name may say something else.
    *("my pin board\n2024 was the best year", "I don't know what my pin is\nBus 4821 leaves at ten"),
    *("my pin is\nbroken", "I lost my passport\n2024 was bad", "forgot my pin\n14:30 dentist"),
    *("- pin board\n- 4821 nails", "- passport\n- 2 shirts", "I changed my door lock\n1500 euros!"),
    *("Tokens\n48,213\nRequests\n1,200", "my password manager\n1password is great"),
    *("Passwort vergessen\nes ist 2024 passiert", "mi pasaporte caduca\nen 2028", "мой паспорт\n2029 год"),
    "密码忘了\n2024年的事",
]


def _phrase(language: str, size: int) -> list[str]:
    """Return a wallet's words for so many bytes, as BIP 39 makes them."""
    entropy, check_bits = bytes(range(1, size + 1)), size // 4
    bits = (int.from_bytes(entropy, "big") << check_bits) | sha256(entropy).digest()[0] >> (8 - check_bits)
    words = WORD_LISTS[language].split()
    return [words[bits >> 11 * at & 2047] for at in reversed(range((size * 8 + check_bits) // 11))]


PHRASES = [
    _phrase(language, size)
    for language, size in (
        *((each, 16) for each in WORD_LISTS),
        *(("english", each) for each in (20, 24, 28, 32)),
    )
]
BETWEEN_WORDS = [" ", ", ", "\n", "、", " / ", "\u3000", "-"]
SEEDS = [
    *((between.join(words), words) for words, between in product(PHRASES, BETWEEN_WORDS)),
    *((f"My wallet backup\n{' '.join(words)}\nok", words) for words in PHRASES),
    *(
        ("\n".join(f"{number}. **{word}**" for number, word in enumerate(words, 1)), words)
        for words in PHRASES
    ),
    *(
        ("\n".join(f"| {number} | {word} |" for number, word in enumerate(words, 1)), words)
        for words in PHRASES
    ),
    *(
        (f"these are my 12 words: {' '.join(words).upper()}", [each.upper() for each in words])
        for words in PHRASES[:1]
    ),
]


@table(("text", "secret"), [*NUMBERS, *PAPERS, *PASSWORDS])
def test_a_secret_is_masked_whatever_touches_and_splits_it_and_in_whatever_markdown_it_is(
    text: str, secret: str
) -> None:
    assert secret in text
    assert secret not in mask(text).text


@table(("text", "words"), SEEDS)
def test_the_words_of_a_wallet_are_known_by_their_checksum(text: str, words: list[str]) -> None:
    masked = mask(text).text

    assert not [word for word in words[1:-1] if len(word) > 1 and word in masked]
    assert "[secret: seed phrase]" in masked


@table("words", PHRASES)
def test_words_whose_checksum_does_not_hold_stay(words: list[str]) -> None:
    text = " ".join((*words[1:], words[0]))

    assert mask(text).text == text


@table("text", ORDINARY)
def test_ordinary_sentences_with_numbers_stay(text: str) -> None:
    assert mask(text).text == text


def test_of_a_password_in_markdown_the_marks_around_it_stay() -> None:
    assert mask("Your new password is:\n\n> **`Xk7#pQ2v!mL9`**\n\nKeep it.").text == (
        "Your new password is:\n\n> **`[secret: password]`**\n\nKeep it."
    )


ON_TWO_LINES = [
    *texts("""
        my pin{}is 4931 | my pin is{}4931 | my pin for the gym{}4931 | 4931{}is my pin
        my pin was changed{}to 4931 | > my pin{}> is 4931 | - my pin{}- 4931 | **my pin**{}**is 4931**
        ## PIN{}`4931` | my pin<br>is{}4931 | Der Code für die Haustür ist{}4931
        mon code pin{}est le 4931 | мой пин-код{}— 4931 | mój pin{}to 4931 | 暗証番号は{}4931です | 验证码{}是4931
        비밀번호{}는 abc4931 | mật khẩu là{}Tulip4931 | كلمة المرور{}هي Tulip4931
    """),
    "Fyi, what you'll need for the back of the house is that the alarm{}code is 4931, ok?",
]


@table(("text", "line_break"), [*product(ON_TWO_LINES, ("\n", "\r\n", "\v", "\x85", "\u2028"))])
def test_a_line_break_between_a_name_and_its_value_hides_nothing(text: str, line_break: str) -> None:
    assert "4931" not in mask(text.format(line_break)).text
