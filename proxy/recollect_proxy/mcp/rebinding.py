"""Protection against DNS rebinding: a web page of another site can't reach us.

Browsers send their page's origin with every POST: a page that is not known is refused, whatever name it reached us by.
Where only this machine reaches us, only this machine's names are ours. Served to a network, other programs reach us by
names that we do not know, such as a container's: then any name will do where no page asks. Each request brings a token
besides, which no page of another site has.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from mcp.server.transport_security import TransportSecuritySettings

_LOCAL = ("localhost", "127.0.0.1", "[::1]")


class KnownHosts:
    """The names by which we are reached.

    Args:
        is_local: Whether only this machine reaches us.
        names: Further names that are ours.
        public_url: The origin by which browsers reach us, if there is one.
    """

    def __init__(self, *, is_local: bool, names: Sequence[str] = (), public_url: str | None = None) -> None:
        public = urlsplit(public_url).netloc if public_url else ""
        ours = [*_LOCAL, *names, *([public] if public else [])]
        self._hosts = [each for name in ours for each in (name, f"{name}:*")]
        self._origins = [f"{scheme}://{each}" for each in self._hosts for scheme in ("http", "https")]
        self._is_local = is_local

    def settings(self, host: str | None) -> TransportSecuritySettings:
        """Return the checks that the SDK makes of a request.

        Args:
            host: Its Host, if it has one.
        """
        also = [] if self._is_local or host is None else [host]
        return TransportSecuritySettings(
            allowed_hosts=[*self._hosts, *also], allowed_origins=list(self._origins)
        )
