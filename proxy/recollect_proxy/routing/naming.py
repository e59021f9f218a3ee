"""Adds to each response a header with the name of the LLM server that it is from."""

from recollect_proxy.web.asgi import Application, Event, Receive, Scope, Send

_NAME = b"x-recollect-upstream"


def named(application: Application, name: str) -> Application:
    """Return the application with this header added to its responses."""

    async def tell(scope: Scope, receive: Receive, send: Send) -> None:
        async def telling(event: Event) -> None:
            if event["type"] == "http.response.start":
                event = {**event, "headers": [*event["headers"], (_NAME, name.encode())]}
            await send(event)

        await application(scope, receive, telling)

    return tell
