"""The keys of integrations and of further administrators: a file of hashes, read again when it changes.

An invalid file opens nothing, and is logged. It keeps hashes, and no key.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from ipaddress import ip_network
from pathlib import Path
from typing import TypeAlias

from recollect.errors import ConfigurationError
from recollect_proxy.access.principal import ADMIN_TOKEN_NAME, Principal, TokenKind
from recollect_proxy.identity.api_key import add_line, hash_and_project, hash_of, named_hash, numbered_lines
from recollect_proxy.identity.plain_header import Network, is_within
from recollect_proxy.settings.watched_file import WatchedFile
from recollect_proxy.web.headers import OWN_KEY

_FIELDS = 5
_ANY = "*"
_LONGEST_NAME = 64


class KeyRole(StrEnum):
    """The roles of keys that stand for no person."""

    ADMIN = "admin"
    READER = "reader"
    ACTING = "acting"


AccessKey: TypeAlias = tuple[Principal, tuple[Network, ...]]
"""The owner of a key, and the networks it may be sent from; none: any address."""


class AccessKeys:
    """The file of keys, as it is now: an added key works from the next request on, and a removed one no longer does."""

    def __init__(self, path: Path) -> None:
        """Take the file, which may not exist yet. Raises ConfigurationError: it is there, and can't be read."""
        self._file = WatchedFile[Mapping[str, AccessKey]](
            path, read_access_keys, absent={}, event="access_keys_read_failed"
        )

    def principal_of(self, key: bytes, peer: str | None) -> Principal | None:
        """Return the principal of a key; None if the key is unknown, or not allowed from ``peer``."""
        principal, networks = self._file.value().get(hash_of(key), (None, ()))
        return principal if is_within(peer, networks) else None

    def has(self, principal: Principal, peer: str | None) -> bool:
        """Whether a key stands for ``principal`` still, and may be sent from ``peer``."""
        keys = self._file.value().values()
        return any(owner == principal and is_within(peer, networks) for owner, networks in keys)


def read_access_keys(path: Path) -> dict[str, AccessKey]:
    """Read a file of keys: a line each, ``HASH ROLE NAME NETWORKS USERS``, the last two `*` for any; or ``HASH/PROJECT ROLE ...``.

    Raises:
        ConfigurationError: It can't be read, or a line makes no sense; names the line.
    """
    keys: dict[str, AccessKey] = {}
    for number, line in numbered_lines(path, "Access keys"):
        try:
            named, role, name, networks, users = line.split(None, _FIELDS - 1)
            digest, project = hash_and_project(named)
            allowed = () if networks == _ANY else tuple(map(ip_network, networks.split(",")))
            require_own_name(name, keys.values())
            principal = Principal(
                TokenKind(KeyRole(role)), name, None, "" if users == _ANY else users, project
            )
        except ValueError as error:
            raise ConfigurationError(
                f"Access keys: line {number} of {path} is not `sha256:HEX ROLE NAME NETWORKS USERS`."
            ) from error
        keys[digest] = (principal, allowed)
    return keys


def require_own_name(name: str, others: Iterable[AccessKey]) -> None:
    """Check that no other key has this name: audits and the sessions of pages go by names.

    Raises:
        ValueError: It is the admin token's, or another key's.
    """
    if name == ADMIN_TOKEN_NAME or any(owner.name == name for owner, _networks in others):
        raise ValueError(f"the name {name} is taken")


def add_access_key(
    path: Path,
    role: KeyRole,
    name: str,
    *,
    networks: Sequence[str] = (),
    users: str = "",
    project: str = "",
) -> str:
    """Make a key, and write its hash to the file; return the key, which is kept nowhere.

    Args:
        path: The file.
        role: The role of the key.
        name: Its name in audits: one word.
        networks: The networks that may send it, as CIDR; empty: all.
        users: How the ids of users begin for whom an integration may act; "" for any.
        project: The one project in which it may act for them; "" for any, and their own memory.

    Raises:
        ConfigurationError: Something of it makes no sense, or the file can't be written.
    """
    if not 0 < len(name) <= _LONGEST_NAME or len(name.split()) != 1 or not name.isprintable():
        raise ConfigurationError("A key's name is one word of 64 characters at most.")
    if users and (len(users.split()) != 1 or not users.isprintable()):
        raise ConfigurationError("What users' ids begin with is one word.")
    if (users or project) and role is not KeyRole.ACTING:
        raise ConfigurationError(
            "Only a key that acts for users can be held to some of them, or to a project."
        )
    try:
        named = [str(ip_network(network)) for network in networks]
    except ValueError as error:
        raise ConfigurationError(f"Not a network: {error}.") from error
    try:
        require_own_name(name, read_access_keys(path).values() if path.exists() else ())
    except ValueError as error:
        raise ConfigurationError(f"Access keys: {error}.") from error
    key = OWN_KEY.decode() + secrets.token_urlsafe(32)
    line = f"{named_hash(key.encode(), project)} {role} {name} {','.join(named) or _ANY} {users or _ANY}"
    add_line(path, "Access keys", line)
    return key
