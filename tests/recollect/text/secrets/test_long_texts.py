"""A long text is cut to the parts that are kept, and no secret survives a cut in part."""

import pytest

from recollect.text.secrets.masking import LEFT_OUT, ends_of, mask_ends

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
    assert kept.startswith(text[:8_000])
    assert kept.endswith(text[-500:])
    assert LEFT_OUT in kept
    assert len(kept) <= MOST + len(LEFT_OUT) + len(secret)


def test_a_secret_of_the_beginning_is_masked_at_the_end_too() -> None:
    text = _text(f"my password is Tulip77zebra and that is it. {' ' * 70_000}", 100)[: LENGTH - 40]
    kept = mask_ends(f"{text} so what does Tulip77zebra mean", MOST).text
    assert "Tulip77zebra" not in kept
    assert kept.endswith("so what does [secret: password] mean")


def test_a_text_that_is_not_long_stays_whole() -> None:
    assert mask_ends("I live in Lisbon", 16).text == "I live in Lisbon"
