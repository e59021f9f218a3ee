"""Tells by a request's path which LLM server answers it. Never: reads a body."""

from collections.abc import Sequence

from recollect_proxy.asgi import Application, Scope
from recollect_proxy.errors import PATH_OF_TWO
from recollect_proxy.routing.by_model import ByModel
from recollect_proxy.routing.destination import Destination
from recollect_proxy.routing.naming import named
from recollect_proxy.routing.paths import canonical, chat_path, is_below
from recollect_proxy.routing.refusing import refusing


class Router:
    """Knows the LLM servers.

    Args:
        default: Answers what no other takes.
        by_path: The others that have a path of their own.
        by_model: The others that answer some models below the default's path, the first that takes one first.
    """

    def __init__(
        self, default: Destination, by_path: Sequence[Destination] = (), by_model: Sequence[Destination] = ()
    ) -> None:
        self._default = default
        self._destinations = sorted([default, *by_path], key=lambda each: len(each.base), reverse=True)
        self._by_model = ByModel(default, by_model) if by_model else None
        self._is_one = not (by_path or by_model)

    def application(self, scope: Scope) -> Application | None:
        """Return what answers a request, or a WebSocket; None where its path is below none that is served.

        A path that a lenient server may take for another's is refused: what is said to one LLM must not reach another.
        """
        path: bytes = scope["raw_path"]
        found = self._below(path)
        if found is None or (scope["type"] == "websocket" and path == found.base):
            return None
        plain = canonical(path)
        read_as = found if self._is_one else self._below(plain, small=True)
        if read_as is not None and read_as is not found:
            return refusing(PATH_OF_TWO)
        if found is self._default and self._by_model is not None:
            return self._by_model
        application = found.application(scope, chat_path(plain, found.base))
        return application if self._is_one else named(application, found.name)

    def serves(self, path: bytes) -> bool:
        """Return whether a path is below one that is served."""
        return self._below(path) is not None

    def _below(self, path: bytes, *, small: bool = False) -> Destination | None:
        """Return whose path is the longest that this one lies below."""
        return next(
            (
                each
                for each in self._destinations
                if is_below(path, each.base.lower() if small else each.base)
            ),
            None,
        )
