"""How many of the secrets that people tell are masked, and how little else."""

import random
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recollect.text.secrets.secret_texts import ASSIGNED, HARMLESS, SENTENCES, redacted
from tests.support.hostile_texts import hostile_texts
from tests.support.long_texts import up_to
from tests.support.made_up_keys import BLOCKS, HEXADECIMAL, NUMBERS, SEEDS, VENDOR_KEYS, made_up
from tests.support.tables import table

from recollect.text.secrets import holds_secret, mask
from recollect.text.secrets.values import SecretKind

DISGUISED = [
    ("my netf\u200blix pass\u200bword is Tangerine41", "Tangerine41"),
    ("P\u0430ssword for the NAS: olive\u2060tree77", "tree77"),
    (
        "the \uff57\uff49\uff46\uff49 \uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44 is brunchtime8",
        "brunchtime8",
    ),
    (f"deploy with gh\u200bp_{(s := made_up(36))}", s),
    ("мой п\u0061роль: снежинка7", "снежинка7"),
]
LAID_OUT = [
    (f"the weather api key {made_up(32, HEXADECIMAL)} works", "the weather api key [redacted] works"),
    ("user/pass: clara / velvet9moon", "user/pass: clara / [redacted]"),
    ("username clara, password moonflower", "username clara, password [redacted]"),
    ("echo rosebud22 | sudo -S ls", "echo [redacted] | sudo -S ls"),
    ("net user clara Winter!77 /add", "net user clara [redacted] /add"),
    ("wpa_passphrase HomeNet kestrelnest", "wpa_passphrase HomeNet [redacted]"),
    ("curl -H 'x-api-key: qwhzmvtkplrnbdsc' x.io", "curl -H 'x-api-key: [redacted]' x.io"),
    ("my social is 514228817", "my social is [redacted]"),
    (
        "routing number 021000021, account number 4488120937",
        "routing number [redacted], account number [redacted]",
    ),
    ("sort code 20-00-00 account 55779911", "sort code [redacted] account [redacted]"),
    ("orbit cannon tragic wisdom velvet humble stereo lizard quantum fetch ripple safe", "[redacted]"),
    ("ftp://clara:s@lt@files.example.net/in", "ftp://clara:[redacted]@files.example.net/in"),
    (
        "Server=db1;User ID=sa;Password=Blue Whale 9!;Encrypt=True",
        "Server=db1;User ID=sa;Password=[redacted];Encrypt=True",
    ),
    ("the password used to be marzipan3, now it's new", "the password used to be [redacted], now it's new"),
    ("le code de ma carte bleue est le 4821", "le code de ma carte bleue est le [redacted]"),
    ("la clave del wifi es lechuza", "la clave del wifi es [redacted]"),
    ("security answer: my first pet Bello", "security answer: [redacted]"),
]
NEAR_MISSES = [
    *("pin 3300 is the reset line on this board", "safe: 5-10-20 mg a day for adults"),
    *('id="card-header-QwE45rTy67uIo89pAs"', "we need a basic introduction_to_probability_theory_2"),
    *("I think passwords are annoying", "| password | string | yes | the user's password |"),
    "| Field | Type |\n|---|---|\n| password | varchar(255) |\n| email | text |",
    *("| password | remarks |\n|---|---|\n", "Password\n\nChoose a strong one and never share it."),
    *("Username\nPassword\nLogin\n", "my social is better than my written English"),
    *("account number 3 in the list is wrong, 4488120937 is not in it", "echo hello | sudo tee /etc/motd"),
    *("net user is a Windows command", "log in with the username and password provided."),
    "Мой кот любит рыбу и пассат",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 we went to café Müller and paid 1200 yen",
    "the quick brown fox jumps over lazy dogs near every small river",
]


@table("key", VENDOR_KEYS.values())
def test_the_key_of_a_maker_is_masked_and_the_words_around_it_stay(key: str) -> None:
    assert mask(f"I use {key} for it, and it works.").text in {
        f"I use [secret: {kind}] for it, and it works." for kind in (SecretKind.KEY, SecretKind.TOKEN)
    }


@table("number", NUMBERS.values())
def test_numbers_of_cards_and_accounts_are_masked_however_they_are_grouped(number: str) -> None:
    in_groups = " ".join(number[at : at + 4] for at in range(0, len(number), 4))

    for written in (number, in_groups):
        assert written not in mask(f"Pay with {written}, please.").text


@table("block", BLOCKS.values())
def test_a_private_key_is_masked_whole(block: str) -> None:
    assert mask(f"Here:\n{block}\nThanks.").text == "Here:\n[secret: private key]\nThanks."


@table("words", SEEDS)
def test_a_wallets_words_are_masked(words: str) -> None:
    assert mask(f"my recovery phrase is: {words}").text == "my recovery phrase is: [secret: seed phrase]"


@table(("text", "secret"), [*ASSIGNED, *SENTENCES])
def test_what_a_program_is_given_and_what_people_tell_is_masked(text: str, secret: str) -> None:
    assert secret not in mask(text).text


@table(("text", "secret"), DISGUISED)
def test_a_secret_that_is_disguised_is_masked_where_it_stands(text: str, secret: str) -> None:
    masked = mask(f"{text} \u2764\ufe0f thanks").text

    assert secret not in masked
    assert masked.endswith("] \u2764\ufe0f thanks")


@table(("text", "masked"), LAID_OUT)
def test_what_is_masked_of_a_secret_told_by_its_place_is_all_of_it(text: str, masked: str) -> None:
    assert redacted(text) == masked
    assert redacted(redacted(text)) == masked


@table("text", [*NEAR_MISSES, *HARMLESS])
def test_what_comes_near_a_secret_and_is_none_stays(text: str) -> None:
    assert mask(text).text == text


@table("text", [each[0] for each in (*ASSIGNED, *SENTENCES)])
def test_masking_what_is_masked_changes_nothing(text: str) -> None:
    once = mask(text).text

    assert mask(once).text == once
    assert not mask(once).kinds


def test_the_kinds_are_told_in_order() -> None:
    said = "my wifi password is sunflowerfield, my pin is 4821"

    assert mask(said).kinds == (SecretKind.PASSWORD, SecretKind.CODE)


@settings(deadline=None)
@given(st.lists(st.sampled_from([each[0] for each in (*ASSIGNED, *SENTENCES)]) | hostile_texts, max_size=6))
def test_any_text_is_survived_and_masked_once_and_a_key_in_it_never_left(pieces: list[str]) -> None:
    text, key = " ".join(pieces), f"ghp_{made_up(36)}"
    once = mask(text).text

    assert mask(once).text == once
    assert holds_secret(text) == (once != text)
    assert key not in mask(f"{text} {key} {text}").text


PIECES = "a|1|4|key |key=|password |password is |1 |4111 |DE12 |DE12|://a:|sk-|eyJ|aA0|AAAA-|seed |mysql | -u a:|cookie: a=b; |pin |密码"
LINES = (
    *("password: gooseberry\n", "code sms 123456\n", "x" * 64 + "\n", "-----BEGIN PRIVATE KEY-----"),
    "https://",
)
PHRASES = (
    *("the door takes 1 ", "seed phrase is ", "seed phrase is apple ", "\ud800", "\x00"),
    *("[secret: password]", "Zm9v"),
)


@up_to(1_000_000)
@table("piece", [*PIECES.split("|"), *LINES, *PHRASES])
def test_a_long_run_of_anything_is_survived(piece: str, length: int) -> None:
    assert mask("my wifi password is sunflowerfield. " + piece * (length // len(piece))).text.startswith(
        "my wifi password is [secret: password]. "
    )


def test_what_stands_behind_more_places_than_are_looked_at_is_masked_as_one() -> None:
    chosen = random.Random(3)
    said = "".join(f"password: gooseberry{chosen.randint(10, 99)}\n" for _ in range(2_000))

    masked = mask(said)

    assert masked.text.endswith("[secret: unread]")
    assert "gooseberry" not in masked.text


@table("piece", ["the door code is 4821. ", "9fKd3xQ7bT2mW8vL4pZ6sR1n ", "recovery codes: a1b2-c3d4\n"])
def test_no_reader_stops_without_saying_so(piece: str) -> None:
    said = piece * 2_000 + "the gate opens with 7-1-3-8, my key is 8hT3kQ9wX2mB7vN4cZ6pL1sD"

    assert mask(said).text.endswith("[secret: unread]")


def test_a_message_compiles_nothing_once_the_reading_is_warm() -> None:
    program = (
        "import gc; from recollect.text import patterns, secrets\n"
        "def compiled(): return sum('_compiled' in vars(each) for each in gc.get_objects() if isinstance(each, patterns.Linear))\n"
        "cold = compiled(); secrets.warm(); warm = compiled()\n"
        "secrets.mask('I live in Ghent. My wifi password is sunflowerfield, the door code is 4821.')\n"
        "print(cold < warm == compiled())"
    )

    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "True"
