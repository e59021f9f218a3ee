"""Lets only requests of known users through to the LLM servers. Never: tells who somebody is."""

import structlog

from recollect_proxy.asgi import Application, Scope, peer_of
from recollect_proxy.errors import IDENTITY_REQUIRED
from recollect_proxy.identity import Identity
from recollect_proxy.routing.paths import canonical
from recollect_proxy.routing.refusing import refusing
from recollect_proxy.routing.router import Router

_MODELS = b"/models"
_READ = frozenset({"GET", "HEAD"})

log = structlog.get_logger(__name__)


class IdentifiedOnly:
    """A router that refuses what is of nobody known.

    Not the list of models, for which frontends ask in nobody's name; nor what a browser asks before it may send credentials
    (the Fetch standard, "CORS-preflight fetch").

    Args:
        router: Finds the application of what is let through.
        identity: Tells who is known.
    """

    def __init__(self, router: Router, identity: Identity) -> None:
        self._router = router
        self._identity = identity

    def application(self, scope: Scope) -> Application | None:
        """Return the application that answers a request or a WebSocket; None if no server has its path."""
        application = self._router.application(scope)
        if application is None or _is_for_everybody(scope):
            return application
        caller = self._identity.identify(scope["headers"], peer_of(scope))
        if caller.user_id is not None:
            return application
        log.info("refused", reason=str(caller.skip))
        return refusing(IDENTITY_REQUIRED)

    def serves(self, path: bytes) -> bool:
        """Return whether some server has this path."""
        return self._router.serves(path)


def _is_for_everybody(scope: Scope) -> bool:
    if scope["type"] != "http":
        return False
    is_list = scope["method"] in _READ and canonical(scope["raw_path"]).endswith(_MODELS)
    return is_list or scope["method"] == "OPTIONS"
