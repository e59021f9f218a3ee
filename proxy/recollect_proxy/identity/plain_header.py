"""Identifies a user by a plain header, which is believed only from trusted peers."""

import hmac
import re
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TypeAlias
from urllib.parse import urlsplit

from recollect.errors import ConfigurationError
from recollect_proxy.identity.caller import OPENWEBUI_USER, REFUSED, Claim, Mode, header_text, require_strong
from recollect_proxy.web.asgi import Headers, values

_NAME = b"x-openwebui-user-name"
_NEEDLESS = re.compile(rb"%(?:2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])")
"""Percent-escapes of unreserved characters: letters, digits and ``-._~`` (RFC 3986, section 2.3)."""

Network: TypeAlias = IPv4Network | IPv6Network


def is_within(peer: str | None, networks: Sequence[Network]) -> bool:
    """Return whether an address is in one of some networks; where there are none, any is."""
    if not networks:
        return True
    try:
        address = ip_address((peer or "").partition("%")[0])  # without the zone of an IPv6 address
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)  # a socket for both families shows IPv4 peers so
    return any((mapped or address) in network for network in networks)


class PlainHeader(Mode):
    """The mode ``header``: a plain header names the user. A trusted network, a shared secret or both vouch for it.

    Args:
        header: The lower-case name of the header with the user's id.
        networks: The trusted networks, in CIDR notation; empty: any address is trusted.
        hosts: The host names under which pages may use the proxy.
        secret_header: The lower-case name of the header with the shared secret.
        secret: The shared secret; None: none is required.

    Raises:
        ConfigurationError: The secret is too weak, or a network is not valid CIDR.
    """

    def __init__(
        self,
        header: str,
        *,
        networks: Sequence[str] = (),
        hosts: Sequence[str] = (),
        secret_header: str,
        secret: str | None = None,
    ) -> None:
        self._header = header.encode()
        self._hosts = frozenset(host.lower() for host in hosts)
        self._secret_header = secret_header.encode()
        self.headers = frozenset({self._header, self._secret_header})
        self.secrets = frozenset({self._secret_header})
        self._secret = secret.encode() if secret is not None else None
        if secret is not None:
            require_strong(secret, "RECOLLECT_SHARED_SECRET")
        try:
            self._networks: tuple[Network, ...] = tuple(ip_network(network) for network in networks)
        except ValueError as error:
            raise ConfigurationError(f"RECOLLECT_TRUSTED_NETWORKS: {error}") from error

    def claim(self, headers: Headers, peer: str | None) -> Claim | None:
        """Return the named user, or a rejection; None if the header is absent or empty."""
        users = values(headers, self._header)
        if not any(value.strip() for value in users):
            return None
        if not (is_within(peer, self._networks) and self._knows_secret(headers)):
            return REFUSED
        # A page can set any header, and its browser may be in a trusted network; but no page knows the secret.
        if self._secret is None and (_is_another_sites(headers) or self._is_misled(headers)):
            return REFUSED
        # No encoder escapes unreserved characters. A sender that does tries to pass as another user.
        if len(users) != 1 or _NEEDLESS.search(users[0]):
            return REFUSED
        is_openwebuis = (
            self._header in OPENWEBUI_USER and {name.lower() for name, _ in headers} >= OPENWEBUI_USER
        )
        return Claim.from_text(header_text(users[0]), by_openwebui=is_openwebuis, name=_name(headers))

    def _is_misled(self, headers: Headers) -> bool:
        """Whether a web page sent this under a host name that may be another site's (DNS rebinding).

        A page's request has ``Origin`` (RFC 6454, section 7) or ``Sec-Fetch-Site`` (Fetch Metadata).
        """
        if not (values(headers, b"sec-fetch-site") or _web_origins(headers)):
            return False  # not a page; Sec-Fetch-Mode would be no evidence, since Node sends it
        # A foreign name may resolve to our address, but the page's browser then sends that name.
        return not all(_is_own_host(value, self._hosts) for value in values(headers, b"host"))

    def _knows_secret(self, headers: Headers) -> bool:
        if self._secret is None:
            return True
        given = values(headers, self._secret_header)
        # Takes the same time wherever they differ, so that the secret can't be guessed byte by byte.
        return len(given) == 1 and hmac.compare_digest(given[0], self._secret)


def _name(headers: Headers) -> str | None:
    names = values(headers, _NAME)
    return header_text(names[0]) if len(names) == 1 else None


def _is_own_host(value: bytes, known: frozenset[str]) -> bool:
    """Whether the host in ``Host`` (RFC 9110, section 7.2) is an IP address, localhost or a known name."""
    try:
        host = urlsplit("//" + value.decode("ascii")).hostname or ""
    except ValueError:
        return False  # no browser sends such a host
    name = host.removesuffix(".")  # a fully qualified name may end so
    return name == "localhost" or name.endswith(".localhost") or name in known or _is_address(host)


def _is_address(host: str) -> bool:
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_another_sites(headers: Headers) -> bool:
    """Whether a web page of another origin sent this (Fetch standard; Fetch Metadata, section 2.3)."""
    if any(value in {b"cross-site", b"same-site"} for value in values(headers, b"sec-fetch-site")):
        return True
    hosts = values(headers, b"host")
    own = {scheme + host for scheme in (b"http://", b"https://") for host in hosts}
    return any(origin not in own for origin in _web_origins(headers))


def _web_origins(headers: Headers) -> list[bytes]:
    """Return the web origins in ``Origin``, ``null`` included; those of desktop programs (``app://...``) are left out."""
    return [value for value in values(headers, b"origin") if value.startswith((b"http:", b"https:", b"null"))]
