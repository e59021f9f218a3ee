"""Routes a request to an LLM server by its path. Never: reads a body."""

from collections.abc import Sequence

import structlog

from recollect_proxy.chat.answer_relay import RecallReports
from recollect_proxy.identity.identity import Identity
from recollect_proxy.routing.by_model import ByModel
from recollect_proxy.routing.destination import Destination, is_below, named
from recollect_proxy.web.asgi import Application, Scope, peer_of, values
from recollect_proxy.web.errors import IDENTITY_REQUIRED, PATH_OF_TWO, Refusing
from recollect_proxy.web.paths import canonical

_VERSION = b"/v1"
_MODELS = b"/models"
_TAGS = b"/api/tags"
"""Ollama's list."""


class Router:
    """Finds the application that answers a request; ``by_model`` are chosen below the default's path, in order of precedence."""

    def __init__(
        self, default: Destination, by_path: Sequence[Destination] = (), by_model: Sequence[Destination] = ()
    ) -> None:
        self._default = default
        self._destinations = sorted([default, *by_path], key=lambda each: len(each.base), reverse=True)
        self._by_model = ByModel(default, by_model) if by_model else None
        self._is_one = not (by_path or by_model)

    def application(self, scope: Scope) -> Application | None:
        """Return the application that answers a request or a WebSocket; None if no server has its path.

        If a lenient server may read the path as another server's, the request is refused: a message to one LLM must
        not reach another.
        """
        path: bytes = scope["raw_path"]
        found = self._below(path)
        if found is None or (scope["type"] == "websocket" and path == found.base):
            return None
        plain = canonical(path)
        read_as = found if self._is_one else self._below(plain, small=True)
        if read_as is not None and read_as is not found:
            return Refusing(PATH_OF_TWO)
        if found is self._default and self._by_model is not None:
            failure = found.refusal(path, plain, found.base)
            return self._by_model if failure is None else Refusing(failure)
        application = found.application(scope, plain, found.base)
        return application if self._is_one else named(application, found.name)

    def lists_models(self, path: bytes) -> bool:
        """Return whether this is, letter by letter, the path by which a server's models are listed."""
        lists = ((each.base or _VERSION) + _MODELS for each in self._destinations)
        return path in lists or any(path == each.base + _TAGS for each in self._destinations)

    def serves(self, path: bytes) -> bool:
        """Return whether some server has this path."""
        return self._below(path) is not None

    def _below(self, path: bytes, *, small: bool = False) -> Destination | None:
        """Return the server with the longest base of this path; None if there is none."""
        return next(
            (
                each
                for each in self._destinations
                if is_below(path, each.base.lower() if small else each.base)
            ),
            None,
        )


_READ = frozenset({"GET", "HEAD"})

log = structlog.get_logger(__name__)


class IdentifiedOnly:
    """A router that refuses requests without an identity.

    It lets pass the list of models, for which a frontend may ask in no user's name, and a browser's preflight without
    credentials (the Fetch standard, "CORS-preflight fetch"). Neither may have a body, which a lenient server might
    take for a chat.
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
