"""Identifies a user by an API key; for SDKs that use the proxy directly. Only the hash of a key is stored."""

import hashlib
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote

from recollect.errors import ConfigurationError
from recollect.model import person_of, project_name, project_of, project_scope
from recollect_proxy.identity.caller import REFUSED, Claim, Mode, opaque_id
from recollect_proxy.web.asgi import Headers, values
from recollect_proxy.web.headers import OWN_KEY

_DIGEST = "sha256:"
_DIGEST_LENGTH = 64


class ApiKey(Mode):
    """The mode ``api-key``: the request carries an API key that belongs to a user.

    ``users`` returns what ``read_key_file`` does.
    """

    def __init__(self, users: Callable[[], Mapping[str, str]]) -> None:
        self._users = users  # asked for each request, so that a removed key counts no longer

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:
        """Return the user whose key the request carries. An unknown key with our prefix, or a second key, is rejected."""
        del peer  # the key is proof enough
        presented = presented_keys(headers)
        users = self._users() if presented else {}
        owners = [users[hashed] for key in presented if (hashed := hash_of(key)) in users]
        if not owners:  # an unknown key with our prefix was revoked; other keys are for the upstream
            return REFUSED if any(key.startswith(OWN_KEY) for key in presented) else None
        if len(presented) > 1:
            return REFUSED
        return Claim(person_of(owners[0]), project=project_of(owners[0]))


def presented_keys(headers: Headers) -> list[bytes]:
    """Return the API keys of a request: bearer tokens, and the values of ``x-api-key`` (Anthropic) and ``api-key`` (Azure)."""
    return [*bearer_tokens(headers), *values(headers, b"x-api-key"), *values(headers, b"api-key")]


def bearer_tokens(headers: Headers) -> list[bytes]:
    """Return the bearer tokens of a request (RFC 6750, section 2.1)."""
    parts = [value.split(None, 1) for value in values(headers, b"authorization")]
    return [each[1].strip() for each in parts if len(each) > 1 and each[0].lower() == b"bearer"]


def hash_of(key: bytes) -> str:
    """Return the form in which a key is stored: ``sha256:`` and 64 hexadecimal digits."""
    # Without salt: our keys have 256 random bits, which can't be guessed.
    return _DIGEST + hashlib.sha256(key).hexdigest()


def named_hash(key: bytes, project: str) -> str:
    """Return the hash of a key as a file has it: with the one project that the key is for behind it, percent-encoded."""
    return f"{hash_of(key)}/{quote(project, safe=':')}" if project else hash_of(key)


def hash_and_project(named: str) -> tuple[str, str]:
    """Return the hash of a key and the one project that the key is for, "" for any, from a file's first word.

    Raises:
        ValueError: The word can be none.
    """
    digest, bound, encoded = named.partition("/")
    project = unquote(encoded)
    whole = digest.startswith(_DIGEST) and len(digest) == len(_DIGEST) + _DIGEST_LENGTH
    if not whole or (bound and project_name(project) != project):
        raise ValueError("no hash of a key")
    return digest.lower(), project


def add_key(path: Path, user_id: str, project: str = "") -> str:
    """Create a key for a user, or for one project of theirs, append its hash to the key file, and return the key.

    Raises:
        ConfigurationError: The user's id is invalid, or the file can't be written.
    """
    # A line end in it would be another line of the file, and blanks around it would be lost.
    if opaque_id(user_id) is None or user_id != " ".join(user_id.splitlines()).strip():
        raise ConfigurationError("A user's id has 1 to 256 characters, in one line.")
    key = (OWN_KEY + secrets.token_urlsafe(32).encode()).decode()
    add_line(path, "API keys", f"{named_hash(key.encode(), project)} {user_id}")
    return key


def add_line(path: Path, what: str, line: str) -> None:
    """Append a line to a key file, which only its owner reads.

    Raises:
        ConfigurationError: The file can't be written; the error begins with ``what``.
    """
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
            # A file that was edited by hand may lack its last line end.
            begins = "" if path.read_bytes()[-1:] in {b"", b"\n"} else "\n"
            file.write(f"{begins}{line}\n".encode())
    except OSError as error:
        raise ConfigurationError(f"{what}: {path} can't be written: {error.strerror}.") from error


def numbered_lines(path: Path, what: str) -> list[tuple[int, str]]:
    """Return a key file's stripped lines with their numbers, without empty lines and comments.

    Raises:
        ConfigurationError: The file can't be read; the error begins with ``what``.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{what}: {path} can't be read.") from error
    stripped = [(number, line.strip()) for number, line in enumerate(lines, start=1)]
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]


def read_key_file(path: Path) -> dict[str, str]:
    """Read a key file: one key per line, as ``sha256:HEX USER`` or ``sha256:HEX/PROJECT USER``.

    Empty lines and lines that begin with ``#`` are ignored.

    Returns:
        The user's id, or that of the one project that the key is for, by the hash of the key.

    Raises:
        ConfigurationError: The file can't be read, or a line is malformed or a duplicate; the error gives its number.
    """
    users: dict[str, str] = {}
    for number, line in numbered_lines(path, "API keys"):
        named, _, user = line.partition(" ")
        user_id = opaque_id(user.strip())
        with suppress(ValueError):  # named below, with the line's number
            digest, project = hash_and_project(named)
            if user_id is not None and digest not in users:
                users[digest] = project_scope(user_id, project)
                continue
        raise ConfigurationError(f"API keys: line {number} of {path} is not `sha256:HEX USER`.")
    return users
