"""The systems that are compared, each as a load sees it. Never: starting one."""

from collections.abc import Iterator
from dataclasses import dataclass

from bench.servers import Server
from bench.speed.client import Target
from bench.speed.prompts import Requests
from bench.watching import family


@dataclass(frozen=True)
class System:
    """A server that is compared, and how it is spoken to.

    Attributes:
        headers: Lines that go with each request.
        server: The server; None: nothing stands between, and the mock is asked directly.
        same_question: Whether it is asked the same question again and again.
    """

    name: str
    title: str
    port: int
    headers: bytes = b"Authorization: Bearer sk-of-the-client\r\n"
    server: Server | None = None
    same_question: bool = False

    def processes(self) -> list[int]:
        """Return its processes, of which the direct way has none."""
        return family(self.server.process.pid) if self.server else []

    def target(self, model: str, size: int, questions: Iterator[bytes]) -> Target:
        """Return it as a load sees it."""
        asked = _repeated(next(questions)) if self.same_question else questions
        return Target(self.port, Requests(model, size, self.headers, asked))


_THE_SAME: list[bytes] = []


def _repeated(question: bytes) -> Iterator[bytes]:
    """Yield one question for ever, the same one in the whole run."""
    _THE_SAME.append(question)
    while True:
        yield _THE_SAME[0]
