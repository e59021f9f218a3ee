"""The texts of the bench: memories, questions, prompts of a size, and their bytes on the wire."""

import itertools
import json
import random
from collections.abc import Iterator

SIZES = {"2 KB": 2_000, "200 KB": 200_000}
MEMORIES = 1000

_SEED = 7
_TURN_BYTES = 1_500
_QUESTION = "QUESTION"
_PEOPLE = ("my sister", "my neighbour", "Anna", "my boss", "Yusuf", "the twins", "my doctor", "Marta")
_DEEDS = (
    *("recommended", "cancelled", "repaired", "forgot", "painted", "bought", "sold", "borrowed", "praised"),
)
_THINGS = (
    *("a blue bicycle", "the piano lessons", "a trip to Lisbon", "the garden fence", "an espresso machine"),
    *("the tax return", "a chess club", "some hiking boots", "the winter tyres", "a course in Finnish"),
)
_TIMES = ("last spring", "on Monday", "in 2019", "before the move", "at New Year", "after the storm")
_SENTENCES = tuple(map(" ".join, itertools.product(_PEOPLE, _DEEDS, _THINGS, _TIMES)))


def statements(count: int) -> Iterator[str]:
    """Yield sentences that differ from each other, the same ones in every run."""
    drawn = random.Random(_SEED)
    for number in range(count):
        yield f"{drawn.choice(_SENTENCES)} (note {number})."


class Questions:
    """Yields questions for the statements, never the same one twice in a run."""

    def __init__(self) -> None:
        self._sentences = itertools.cycle(random.Random(_SEED).sample(_SENTENCES, 997))
        self._numbers = itertools.count()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        told = f"Do you remember what I said: {next(self._sentences)} (note {next(self._numbers)})?"
        return told.encode()


def messages(size: int) -> list[dict[str, str]]:
    """Return a conversation of about ``size`` bytes of JSON which ends in the question's place.

    A long prompt is a long history, as a chat frontend sends it: turns of 1.5 KB with line ends,
    quotes and letters beyond ASCII.
    """
    found = [{"role": "system", "content": "You are a helpful assistant.\nAnswer briefly."}]
    told, number = len(json.dumps(found)), 0
    while told < size - 100:
        text = "\n".join(f'{number}. She said: "{sentence}", didn\u2019t she?' for sentence in statements(20))
        found.append(
            {
                "role": ("user", "assistant")[number % 2],
                "content": text[: min(_TURN_BYTES, size - told - 100)],
            }
        )
        told += len(json.dumps(found[-1])) + 2
        number += 1
    if number % 2:  # the last word before the question is the assistant's
        found.append({"role": "assistant", "content": "I see."})
    return [*found, {"role": "user", "content": _QUESTION}]


class Requests:
    """Makes requests of one kind to a system, whole as bytes, at next to no cost.

    Args:
        port: The port of the system.
        model: The model, which tells the mock how to answer.
        headers: Lines that go with each request, each ended.
        questions: The questions, one a request.
    """

    def __init__(self, port: int, model: str, size: int, headers: bytes, questions: Iterator[bytes]) -> None:
        self.port = port
        asked = {"model": model, "stream": model != WHOLE, "messages": messages(size)}
        self._before, _, self._after = json.dumps(asked).encode().partition(_QUESTION.encode())
        self._head = (
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
            b"Accept: */*\r\n" + headers
        )
        self._questions = questions

    def __next__(self) -> bytes:
        body = self._before + next(self._questions) + self._after
        return b"%sContent-Length: %d\r\n\r\n%s" % (self._head, len(body), body)


WHOLE = "bench-whole"
NOW = "bench-now"


def paced(tokens: int, rate: int) -> str:
    """Return the model that answers with ``tokens`` events at ``rate`` a second."""
    return f"bench-paced-{tokens}-{rate}"
