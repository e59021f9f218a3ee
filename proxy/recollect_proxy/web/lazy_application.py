"""An application that is built in the background, since a start should not wait for it. Never: the application."""

import asyncio
from collections.abc import Callable

from recollect_proxy.web.asgi import Application, Receive, Scope, Send


class LazyApplication:
    """Builds an application in a thread, once: at ``start``, or else at the first request."""

    def __init__(self, build: Callable[[], Application]) -> None:
        self._build = build
        self._building: asyncio.Task[Application] | None = None

    def start(self) -> asyncio.Task[Application]:
        """Start to build it; requests wait for the returned task."""
        if self._building is None:
            self._building = asyncio.create_task(asyncio.to_thread(self._build))
        return self._building

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        application = await asyncio.shield(self.start())
        await application(scope, receive, send)
