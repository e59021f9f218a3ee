"""How many of the secrets that people tell are masked, and how little else."""

import random
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recollect.text.secrets.secret_places import DISGUISED, LAID_OUT, NEAR_MISSES
from tests.recollect.text.secrets.secret_texts import ASSIGNED, HARMLESS, SENTENCES, redacted
from tests.support.hostile_texts import hostile_texts
from tests.support.long_texts import up_to
from tests.support.made_up_keys import BLOCKS, NUMBERS, SEEDS, VENDOR_KEYS
from tests.support.tables import table

from recollect.text.secrets import SecretKind, mask


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


@table("text", NEAR_MISSES)
def test_what_has_the_place_or_the_name_of_a_secret_and_is_none_stays(text: str) -> None:
    assert mask(text).text == text


@table("text", HARMLESS)
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
def test_any_text_is_survived_and_masked_once(pieces: list[str]) -> None:
    once = mask(" ".join(pieces)).text

    assert mask(once).text == once


@up_to(1_000_000)
@table(
    "piece",
    [
        *(
            "a",
            "key=",
            "password is ",
            "password: gooseberry\n",
            "1 ",
            "4111 ",
            "DE12 ",
            "://a:",
            "sk-",
            "eyJ",
        ),
        *(
            "code sms 123456\n",
            "-----BEGIN PRIVATE KEY-----",
            "mysql ",
            " -u a:",
            "cookie: a=b; ",
            "pin ",
            "\u5bc6\u7801",
        ),
        *("the door takes 1 ", "seed phrase is ", "\ud800", "[secret: password]", "Zm9v", "x" * 64 + "\n"),
    ],
)
def test_a_long_run_of_anything_is_survived(piece: str, length: int) -> None:
    said = "my wifi password is sunflowerfield. "

    assert mask(said + piece * (length // len(piece))).text.startswith(
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
