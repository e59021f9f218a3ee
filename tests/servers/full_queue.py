"""A port at which nobody answers."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def nobody_accepts() -> Iterator[int]:
    """Listen on a port whose queue is full: what would connect waits."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)  # noqa: FBT003 -- its only argument
            waiting.connect_ex(listening.getsockname())
        yield listening.getsockname()[1]
