"""Lets only requests of known users through to the LLM servers. Never: identifies a person."""

import structlog

from recollect_proxy.chat.answer_relay import RecallReports
from recollect_proxy.identity import Identity
from recollect_proxy.routing.router import Router
from recollect_proxy.web.asgi import Application, Scope, peer_of, values
from recollect_proxy.web.errors import IDENTITY_REQUIRED, Refusing

_READ = frozenset({"GET", "HEAD"})

log = structlog.get_logger(__name__)


class IdentifiedOnly:
    """A router that refuses requests without an identity.

    It lets pass the list of models, for which a frontend may ask in no user's name, and a browser's preflight without
    credentials (the Fetch standard, "CORS-preflight fetch"). Neither may have a body, which a lenient server might
    take for a chat.

    Args:
        router: Finds the application for requests that pass.
        identity: Tells who is known.
        reports: Counts refused requests.
    """

    def __init__(self, router: Router, identity: Identity, reports: RecallReports) -> None:
        self._router = router
        self._identity = identity
        self._reports = reports

    def application(self, scope: Scope) -> Application | None:
        """Return the application that answers a request or a WebSocket; None if no server has its path."""
        application = self._router.application(scope)
        if application is None or isinstance(application, Refusing) or self._is_for_everybody(scope):
            return application
        caller = self._identity.identify(scope["headers"], peer_of(scope))
        if caller.user_id is not None:
            return application
        log.info("request_refused", reason=str(caller.skip))
        return Refusing(IDENTITY_REQUIRED, self._reports.skip(caller.skip))

    def serves(self, path: bytes) -> bool:
        """Return whether some server has this path."""
        return self._router.serves(path)

    def _is_for_everybody(self, scope: Scope) -> bool:
        if scope["type"] != "http" or _has_body(scope):
            return False
        if scope["method"] == "OPTIONS":
            named = (b"origin", b"access-control-request-method")
            return all(values(scope["headers"], name) for name in named)
        return scope["method"] in _READ and self._router.lists_models(scope["raw_path"])


def _has_body(scope: Scope) -> bool:
    lengths = values(scope["headers"], b"content-length")
    return bool(values(scope["headers"], b"transfer-encoding")) or any(each.strip(b" 0") for each in lengths)
