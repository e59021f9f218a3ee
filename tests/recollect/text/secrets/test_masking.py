import random
import string

import pytest
from tests.recollect.text.secrets.secret_texts import redacted, told
from tests.support.made_up_keys import URL_SAFE, uuid
from tests.support.tables import table, texts

from recollect.text.secrets import holds_secret
from recollect.text.secrets.masking import (
    LEFT_OUT,
    ends_of,
    id_without_secrets,
    mask_ends,
    name_without_secrets,
)


def made_up(length: int, letters: str = string.ascii_letters + string.digits) -> str:
    """Return a string like a key's random part; no real key stands in a test."""
    chosen = random.Random(7)
    return "9f" + "".join(chosen.choice(letters) for _ in range(length - 2))


KEYS = {
    "openai": "sk-" + made_up(40),
    "openai, of a project": "sk-proj-" + made_up(60),
    "anthropic": "sk-ant-api03-" + made_up(40),
    "github": "ghp_" + made_up(36),
    "github, fine-grained": "github_pat_" + made_up(60),
    "gitlab": "glpat-" + made_up(20),
    "slack": "xoxb-" + made_up(24),
    "amazon": "AKIA" + made_up(16).upper(),
    "amazon, temporary": "ASIA" + made_up(16).upper(),
    "amazon's secret": "wJ4lrXUt/" + made_up(31),
    "google": "AIza" + made_up(35),
    "hugging face": "hf_" + made_up(34),
    "npm": "npm_" + made_up(36),
    "pypi": "pypi-" + made_up(60),
    "sendgrid": "SG." + made_up(22) + "." + made_up(43),
    "stripe": "sk_live_" + made_up(24),
    "stripe, restricted": "rk_live_" + made_up(24),
    "jwt": "eyJ" + made_up(20) + ".eyJ" + made_up(30) + "." + made_up(30),
    "slack's webhook": "https://hooks.slack.com/services/T0/B0/" + made_up(24),
    "nobody's shape": made_up(32),
    "small letters and digits": made_up(32, string.ascii_lowercase + string.digits * 2),
}


@table("key", KEYS.values())
def test_a_key_is_blacked_out_and_the_words_around_it_stay(key: str) -> None:
    assert (
        redacted(f"My staging key is {key}, please use it.") == "My staging key is [redacted], please use it."
    )
    assert redacted(key) == "[redacted]"
    assert redacted(f"({key})") == "([redacted])"


WALLET = "apple river stone cloud tiger lemon piano chair ocean bread candle forest"
ANNOUNCED = [
    (f"https://example.org/a/b and {made_up(32)}", made_up(32)),  # no part of the link
    (f"my seed phrase is: {WALLET}.", WALLET),
    (f"recovery phrase: {WALLET} {WALLET}", f"{WALLET} {WALLET}"),
    ("The wifi password is kaffeepause", "kaffeepause"),
    ("my password is hunter22 and my cat is Momo", "hunter22"),
    ("password: Blumen-Topf!7", "Blumen-Topf!7"),
    ('password = "correct horse battery"', "correct horse battery"),
    *told("""
        password for the router at my mum's is ⟦sunny4ever⟧. | new password ⟦Sommer2031!⟧
        login anna pw: ⟦geheim_33⟧ | Mein Passwort lautet ⟦Regenbogen9⟧
        Das Kennwort für den Drucker ist ⟦toner#44⟧ | le mot de passe du wifi est ⟦croissant75⟧
        la contraseña es ⟦gatito-2019⟧ | A senha do wifi é ⟦caipirinha88⟧ | la password è ⟦pomodoro!1⟧
        het wachtwoord is ⟦stroopwafel12⟧ | hasło to ⟦pierogi2020⟧ | пароль от вайфая: ⟦borshch55⟧
        Пароль это ⟦снежинка7⟧ | şifrem: ⟦baklava34⟧ | 我的密码是⟦panda8888⟧ | 密码：⟦tea#leaf9⟧ | 密码：⟦向日葵⟧
        パスワードは⟦sakura2024⟧です | 비밀번호는 ⟦kimchi77⟧ | my PIN is ⟦4711⟧ | PIN: ⟦08154⟧ | PINコードは ⟦2580⟧
        mon code PIN est ⟦7391⟧ | CVV ⟦123⟧ | the api key for the weather thing is ⟦a1b2c3d4e5f6⟧
        API_KEY=⟦deadbeef0123⟧ | token: ⟦3f2a9c77d01b⟧
    """),
    ("Authorization: Bearer 9f" + 7 * "Kd3x", "9f" + 7 * "Kd3x"),
    *told("""
        postgres://anna:⟦s3same⟧@db.example.org:5432/shop | My SSN is ⟦219-09-9999⟧ | SSN ⟦219099999⟧
        card ⟦4111 1111 1111 1111⟧ exp 04/29 | ⟦5555555555554444⟧ | my amex ⟦3782-822463-10005⟧
        order 12 ⟦4111 1111 1111 1111⟧ please | IBAN ⟦DE89 3704 0044 0532 0130 00⟧ bitte
        ⟦gb29nwbk60161331926819⟧ | ⟦FR14 2004 1010 0505 0001 3M02 606⟧.
    """),
]


@table(("text", "secret"), ANNOUNCED)
def test_what_is_announced_or_checks_out_is_blacked_out(text: str, secret: str) -> None:
    assert secret in text
    assert redacted(text) == text.replace(secret, "[redacted]")
    assert holds_secret(text)


def test_a_private_key_is_blacked_out_also_where_it_is_not_closed() -> None:
    opening, closing = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"

    assert redacted(f"It is\n{opening}\nMIIE\nabc=\n{closing}\nThanks") == "It is\n[redacted]\nThanks"
    assert redacted(f"It is\n{opening}\nMIIE\nabc=") == "It is\n[redacted]"
    assert redacted(f"{opening}a{closing} and {opening}b{closing}") == "[redacted] and [redacted]"
    assert not holds_secret("-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----")


@table(
    "text",
    [
        f"We saw: {WALLET}",
        *texts("""
            My order number is 4029 3311 0087 2150. | Bestellnummer 4512345678901234567
            Call me at +49 170 1234567 or 555-867-5309 | +4111111111111111 | ISBN 978-3-16-148410-0
            ISBN 9783161484100 | 550e8400-e29b-41d4-a716-446655440000
            Fixed in 3f2a9c77d01b4e5fa6b7c8d9e0f1a2b3c4d5e6f7 | commit 9fceb02
            my password manager is Bitwarden | I forgot my password | the password must have 8 characters
            the password is wrong | The password is the same as before? | Passwort vergessen, was nun
            Das Passwort ist falsch | le mot de passe est oublié | la contraseña es incorrecta | 密码是错误
            密码：请问怎么改？ | I store passwords with bcrypt | password sha256 or bcrypt?
            password-less login in 2 steps | The token is invalid | The secret is that I never liked opera
            my secret ingredient is cinnamon | The key is to practise every day
            I pin 12 photos to the wall | born on 1984-03-12, paid 1.299,00 EUR on 12.03.2031
            I was born on 12 03 1984 and weigh 80 kg
            HttpClientConnectionPoolFactoryBean2Test is my class
        """),
        "src/main/java/com/example/orders/OrderService2Test and docs/2024/readme",
        "it lives in https://example.org/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
        *texts("""
            my-very-long-branch-name-with-ticket-4711-and-more | DE89 3704 0044 0532 0130 01
            XX89 3704 0044 0532 0130 00 | Bearer of responsibilities-and-duties
            basic understanding-of-everything | http://localhost:8080/a@b
            task-management-software-for-teams 2024
            my key date is 2024-05-01 and the other key date is 31.05.2024
            SSN-like 000-12-3456 and 666-12-3456
        """),
        "",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redacted(text) == text
    assert not holds_secret(text)


def test_lists_of_numbers_are_hardly_ever_a_card() -> None:
    chosen = random.Random(1)
    lists = [" ".join(str(chosen.randint(1, 60)) for _ in range(20)) for _ in range(400)]

    assert sum(map(holds_secret, lists)) < 10


@pytest.mark.parametrize("card", [" ".join("4111111111111111"), "41 11 11 11 11 11 11 11"])
def test_a_card_in_many_groups_is_one_where_they_are_alike_and_no_more(card: str) -> None:
    assert redacted(f"card {card}.") == "card [redacted]."
    assert not holds_secret(f"{card} {card[: card.index(' ')]}")
    assert not holds_secret("4 11 1 11 11 11 11 11 11 1")


MOST = 16_000
LENGTH = 80_000
ENDS, BEGINS = MOST * 3 // 4, LENGTH - MOST // 4
SECRETS = (
    "sk-proj-9fK2LmQ8ZrT4vXc7BnY1wEoP5",
    "password: Tulip77zebra88!",
    "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 90 + "-----END PRIVATE KEY-----",
)


def _text(secret: str, at: int) -> str:
    words = "the rain in spain stays mainly in the plain " * (LENGTH // 44 + 1)
    return f"{words[: at - 1]} {secret} {words[at + len(secret) + 1 : LENGTH]}"[:LENGTH]


def _parts(secret: str) -> list[str]:
    """Return pieces of a secret's value of four characters."""
    value = secret.partition(" ")[2] or secret
    return [value[start : start + 4] for start in range(0, len(value) - 4, 4)]


@pytest.mark.parametrize("secret", SECRETS, ids=["key", "password", "private key"])
@pytest.mark.parametrize("cut", [ENDS, BEGINS], ids=["beginning", "end"])
@pytest.mark.parametrize("share", [0.6, 0.7])
def test_of_a_secret_that_a_cut_would_part_nothing_is_kept(secret: str, cut: int, share: float) -> None:
    text = _text(secret, cut - int(share * len(secret)))
    assert len(text) == LENGTH
    assert any(part in ends_of(text, MOST) for part in _parts(secret))

    kept = mask_ends(text, MOST).text

    assert not [part for part in _parts(secret) if part in kept]
    assert "[secret" not in kept, "nor is a part of its mark"
    assert kept.startswith(text[:8_000])
    assert kept.endswith(text[-500:])
    assert LEFT_OUT in kept
    assert len(kept) <= MOST + len(LEFT_OUT) + len(secret)


def test_a_secret_of_the_beginning_is_masked_at_the_end_too() -> None:
    text = _text(f"my password is Tulip77zebra and that is it. {' ' * 70_000}", 100)[: LENGTH - 40]
    kept = mask_ends(f"{text} so what does Tulip77zebra mean", MOST).text
    assert "Tulip77zebra" not in kept
    assert kept.endswith("so what does [secret: password] mean")


def test_four_characters_are_masked_wherever_they_stand_and_fewer_where_they_are_told() -> None:
    assert redacted("my pin is 4821. So 4821?") == "my pin is [redacted]. So [redacted]?"
    assert redacted("CVV 519. I have 519 books") == "CVV [redacted]. I have 519 books"


def test_a_text_that_is_not_long_stays_whole() -> None:
    assert mask_ends("I live in Lisbon", 16).text == "I live in Lisbon"


A_KEY = f"sk-proj-{made_up(48, URL_SAFE)}"


@table(
    "text",
    [uuid(), f"local:{uuid()}", "fp:" + "0a" * 16, "monday", "Chat with Anna", "5f8d0d55b54764421b7156c3"],
)
def test_an_id_without_a_secret_is_kept_as_it_is(text: str) -> None:
    assert id_without_secrets(text) == text


@table(
    "text",
    [
        *(A_KEY, f"chat-{A_KEY}", "password: hunter2hunter2", "https://u:pw12345678@host/x"),
        "4111 1111 1111 1111",
    ],
)
def test_a_secret_in_an_id_is_masked_and_the_id_is_another_than_all_others(text: str) -> None:
    kept = id_without_secrets(text)

    assert text not in kept
    assert "[secret: " in kept
    assert len(kept) <= 256
    assert id_without_secrets(kept) == kept
    assert id_without_secrets(f"{text}.") != kept


def test_a_secret_in_the_name_of_a_model_is_masked() -> None:
    assert name_without_secrets(f"gpt-4o?key={A_KEY}") == "gpt-4o?key=[secret: API key]"
    assert name_without_secrets("hf.co/bartowski/Qwen:Q4_K_M") == "hf.co/bartowski/Qwen:Q4_K_M"
