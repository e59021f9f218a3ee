"""Rejects shared secrets that are easy to guess."""

from recollect.errors import ConfigurationError

_SHORTEST = 32
_FEWEST_CHARACTERS = 10


def require_strong(secret: str, setting: str) -> None:
    """Check that a secret has at least 32 bytes (RFC 7518, section 3.2) and ten different characters.

    Raises:
        ConfigurationError: It does not; the error names ``setting``.
    """
    if len(secret.encode()) < _SHORTEST or len(set(secret)) < _FEWEST_CHARACTERS:
        raise ConfigurationError(
            f"{setting} is too weak: take {_SHORTEST} random characters or more, as of `openssl rand -hex 32`."
        )


def is_strong(secret: str) -> bool:
    """Whether a secret can't be guessed, as ``require_strong`` has it."""
    try:
        require_strong(secret, "")
    except ConfigurationError:
        return False
    return True
