"""A client's key names the user: for people who point an SDK at us. Only the key's hash is kept."""

import hashlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from recollect.errors import ConfigurationError
from recollect_proxy.asgi import Headers, values
from recollect_proxy.headers import OWN_KEY
from recollect_proxy.identity.caller import REFUSED, Claim, opaque_id

_BEARER = b"bearer"
_DIGEST = "sha256:"
_DIGEST_LENGTH = 64


class ApiKey:
    """The mode ``api-key``: keys that belong to users, known by their SHA-256.

    A key is random and long, so that a plain hash of it can't be reversed; and since it is compared
    by the hash of what was presented, the hash itself is no key. A key that nobody was given is some
    other server's: the mode does not apply to it.

    Args:
        users: From the hash of a key, as ``hash_of`` makes it, to the user it belongs to.
    """

    def __init__(self, users: Mapping[str, str]) -> None:
        self._users = dict(users)

    @property
    def headers(self) -> frozenset[bytes]:
        """None: the key may be the upstream's too."""
        return frozenset()

    @property
    def secrets(self) -> frozenset[bytes]:
        """None by name: a key of our making is known by how it begins."""
        return frozenset()

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:
        """Return whose key the request carries."""
        del peer  # the key is proof enough
        presented = presented_keys(headers)
        owners = [self._users[hashed] for key in presented if (hashed := hash_of(key)) in self._users]
        if not owners:  # one of our making that we do not know was revoked; others are for the upstream
            return REFUSED if any(key.startswith(OWN_KEY) for key in presented) else None
        return Claim(owners[0]) if len(presented) == 1 else REFUSED


def presented_keys(headers: Headers) -> list[bytes]:
    """Return the API keys of a request: bearer tokens, and the keys of Azure and Anthropic clients."""
    bearers = [value.split(None, 1) for value in values(headers, b"authorization")]
    keys = [parts[1].strip() for parts in bearers if len(parts) > 1 and parts[0].lower() == _BEARER]
    return [*keys, *values(headers, b"x-api-key"), *values(headers, b"api-key")]


def hash_of(key: bytes) -> str:
    """Return what a key is known by."""
    return _DIGEST + hashlib.sha256(key).hexdigest()


def add_key(path: Path, user_id: str) -> str:
    """Make a key for a user, and write its hash to the file of keys; return the key, which is kept nowhere.

    Raises:
        ConfigurationError: The id can't be one, or the file can't be written.
    """
    if opaque_id(user_id) is None or user_id != " ".join(user_id.splitlines()).strip():
        raise ConfigurationError("A user's id has 1 to 256 characters, in one line.")
    key = (OWN_KEY + secrets.token_urlsafe(32).encode()).decode()
    try:
        with os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8"
        ) as file:
            file.write(f"{_end_of_line(path)}{hash_of(key.encode())} {user_id}\n")
    except OSError as error:
        raise ConfigurationError(f"API keys: {path} can't be written: {error.strerror}.") from error
    return key


def _end_of_line(path: Path) -> str:
    """Return what ends the file's last line, where an editor left it open."""
    return "" if path.read_bytes()[-1:] in {b"", b"\n"} else "\n"


def read_key_file(path: Path) -> dict[str, str]:
    """Read the users of keys: a line each, ``sha256:HEX USER``; empty lines and ``#`` are passed over.

    Raises:
        ConfigurationError: The file can't be read, or a line makes no sense; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"API keys: {path} can't be read.") from error
    users: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        digest, _, user = line.strip().partition(" ")
        user_id = opaque_id(user.strip())
        whole = digest.startswith(_DIGEST) and len(digest) == len(_DIGEST) + _DIGEST_LENGTH
        if user_id is None or not whole or digest.lower() in users:
            raise ConfigurationError(f"API keys: line {number} of {path} is not `sha256:HEX USER`.")
        users[digest.lower()] = user_id
    return users
