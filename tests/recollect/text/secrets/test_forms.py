"""One secret in the many forms in which people and models write it: glued, split, in other digits, in Markdown."""

from hashlib import sha256
from itertools import product

from tests.recollect.text.secrets.ordinary_numbers import ORDINARY
from tests.support.tables import table, texts

from recollect.text.secrets import mask
from recollect.text.word_tables import read_table

CARD, AMEX = "4318736022367385", "378282246310005"
CARD_GROUPS = [CARD[at : at + 4] for at in range(0, 16, 4)]
CHINESE, SPANISH, FOREIGNER = "110101199003077758", "48213907L", "X3921874Y"
TOUCHED = texts("""
    我的信用卡号是{} | カード番号は{}です | 카드번호는{}입니다 | หมายเลขบัตร{}ครับ | ប័ណ្ណ{}ខ្ញុំ | моякарта{}вот | card{}
    卡号,{},谢谢 | _{}_ | **{}** | nr_{} | <b>{}</b> | 番号：{}。
""")
BETWEEN = [
    *(
        "_",
        "\n",
        "\r\n",
        "\t",
        "\u2009",
        "\u202f",
        "\xa0",
        "\u3000",
        "\u200b",
        "\u2011",
        "–",
        "—",
        "·",
        "|",
        "/",
        "*",
        "+",
    ),
    *(",", ", ", "; ", ":", " - ", "__", "~", "="),
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
                    "my passport is {}",
                ),
                *(
                    "паспорт {}",
                    "passaporto n. {}",
                    "**Passport number:** {}",
                    "护照号是\n\n`{}`",
                    "جواز السفر {}",
                ),
            ),
            ("E12345678", "EA1234567"),
        )
    ),
    ("我的社会安全号码是219-09-9999", "219-09-9999"),
    ("SSN 219_09_9999", "219_09_9999"),
    ("IBANはDE89370400440532013000です", "DE89370400440532013000"),
    ("счётDE89370400440532013000вот", "DE89370400440532013000"),
    ("IBAN DE89_3704_0044_0532_0130_00", "DE89_3704_0044_0532_0130_00"),
    ("주민등록번호는 900101-1234568이에요", "900101-1234568"),
    ("mój PESEL to 44051401359", "44051401359"),
    ("meu número é 529.982.247-25", "529.982.247-25"),
    ("sono RSSMRA85T10A562S", "RSSMRA85T10A562S"),
    ("TC kimlik no: 10000000146", "10000000146"),
    ("mijn BSN is 123456782", "123456782"),
    ("身分證A123456789喔", "A123456789"),
    ("マイナンバーは123456789018です", "123456789018"),
    ("आधार नंबर २३४१ २३४१ २३४६ है", "२३४१ २३४१ २३४६"),
    ("это 112-233-445 95", "112-233-445 95"),
    ("NI number: QQ 12 34 56 C", "QQ 12 34 56 C"),
    ("c'est 1 84 12 76 451 089 46", "1 84 12 76 451 089 46"),
    ("se on 131052-308T", "131052-308T"),
    ("soy 12.345.678-5", "12.345.678-5"),
    ("soy BADD110313HCMLNS09", "BADD110313HCMLNS09"),
    ("I am S1234567D", "S1234567D"),
    ("I am ABCPE1234F", "ABCPE1234F"),
    ("תעודת זהות 123456782", "123456782"),
    ("hộ chiếu C1234567", "C1234567"),
]
ANNOUNCING = texts("""
    Your new password is | Here's a strong password for your account: | How about this password?
    ### Your new password | **New password** | Dein neues Passwort lautet: | Tu nueva contraseña es:
    Voici ton nouveau mot de passe : | La tua nuova password è: | Twoje nowe hasło to: | Ваш новый пароль:
    你的新密码是： | 新しいパスワードは： | 새 비밀번호는: | كلمة المرور الجديدة هي: | Yeni şifreniz: | Mật khẩu mới là:
    รหัสผ่านใหม่: | הסיסמה החדשה היא: | आपका नया पासवर्ड है:
""")
WRITTEN = [
    *(
        "{} **{}**",
        "{} `{}`",
        "{} *{}*",
        "{} __{}__",
        "{} <b>{}</b>",
        "> {} **{}**",
        "* {} `{}`\n* Next",
        "{}\n{}",
        "{}\n\n    {}",
    ),
    *(
        "{}\n\n```\n{}\n```",
        "{}\n```text\n{}\n```\nKeep it safe.",
        "> {}\n> ```\n> {}\n> ```",
        "{}\n\n> {}",
        "{}\n\n> **{}**",
    ),
    *(
        "{}\n\n- {}",
        "{}\n\n- `{}`",
        "{}\n\n1. **{}**",
        "{}\n\n**{}**\n\nLet me know!",
        "{}\n\n***{}***",
        "{}\n\n<code>{}</code>",
    ),
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


@table(("text", "secret"), [*NUMBERS, *PAPERS])
def test_a_number_is_masked_whatever_it_touches_and_whatever_splits_it(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in mask(text).text


@table(("text", "secret"), PASSWORDS)
def test_a_password_is_masked_in_whatever_markdown_it_is_given(text: str, secret: str) -> None:
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
NO_SECRET_BELOW = [
    *(
        "my pin board\n2024 was the best year",
        "I don't know what my pin is\nBus 4821 leaves at ten",
        "my pin is\nbroken",
    ),
    *(
        "I lost my passport\n2024 was bad",
        "forgot my pin\n14:30 dentist",
        "- pin board\n- 4821 nails",
        "- passport\n- 2 shirts",
    ),
    *(
        "I changed my door lock\n1500 euros!",
        "Tokens\n48,213\nRequests\n1,200",
        "my password manager\n1password is great",
    ),
    *(
        "Passwort vergessen\nes ist 2024 passiert",
        "mi pasaporte caduca\nen 2028",
        "мой паспорт\n2029 год",
        "密码忘了\n2024年的事",
    ),
]


@table(("text", "line_break"), [*product(ON_TWO_LINES, ("\n", "\r\n", "\v", "\x85", "\u2028"))])
def test_a_line_break_between_a_name_and_its_value_hides_nothing(text: str, line_break: str) -> None:
    assert "4931" not in mask(text.format(line_break)).text


@table("text", NO_SECRET_BELOW)
def test_the_line_below_a_name_may_say_something_else(text: str) -> None:
    assert mask(text).text == text
