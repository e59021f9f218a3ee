"""Refuses secrets that can be guessed."""

from recollect.errors import ConfigurationError

_SHORTEST = 32
_FEWEST_CHARACTERS = 10


def require_strong(secret: str, setting: str) -> None:
    """Return if a secret can't be guessed: 32 bytes or more (RFC 7518, section 3.2), varied enough.

    Raises:
        ConfigurationError: It is too short, or made of few characters; names the setting.
    """
    if len(secret.encode()) < _SHORTEST or len(set(secret)) < _FEWEST_CHARACTERS:
        raise ConfigurationError(
            f"{setting} is too weak: take {_SHORTEST} random characters or more, as of `openssl rand -hex 32`."
        )
