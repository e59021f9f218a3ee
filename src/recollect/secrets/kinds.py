"""What kinds of secrets there are, and where one stands. Pure. Never: how one is found."""

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a secret is, in the word that stands in its place."""

    KEY = "API key"
    TOKEN = "token"
    SESSION = "session"
    PRIVATE_KEY = "private key"
    PASSWORD = "password"
    CODE = "code"
    CARD = "card number"
    ACCOUNT = "bank account"
    PERSON = "social security number"
    SEED = "seed phrase"
    ANSWER = "security answer"
    UNREAD = "unread"


class Found(NamedTuple):
    """Where a secret stands in a text, in characters, and what it is."""

    start: int
    end: int
    kind: Kind
