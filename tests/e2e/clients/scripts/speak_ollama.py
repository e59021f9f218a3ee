"""The Ollama SDK for Python asks a question."""

from collections.abc import Callable, Iterable
from typing import Any

from ollama import Client, ResponseError  # type: ignore[import-not-found]  # of the clients' own environment
from task import TASK, tell  # type: ignore[import-not-found]  # beside this script

client = Client(host=TASK.address, headers={**TASK.headers, "Authorization": f"Bearer {TASK.key}"})
messages = [{"role": "user", "content": TASK.question}]


def pieces(answer: Iterable[Any], read: Callable[[Any], str]) -> list[str]:
    return [piece for piece in map(read, answer) if piece]


if TASK.way == "chat":
    tell({"said": client.chat("scripted", messages).message.content})
elif TASK.way == "stream":
    tell({"said": pieces(client.chat("scripted", messages, stream=True), lambda part: part.message.content)})
elif TASK.way == "generate":
    tell({"said": client.generate("scripted", TASK.question).response})
elif TASK.way == "streamed-generate":
    answer = client.generate("scripted", TASK.question, stream=True)
    tell({"said": pieces(answer, lambda part: part.response)})
else:
    try:
        client.pull("scripted")
    except ResponseError as error:
        tell({"name": type(error).__name__, "status": error.status_code, "told": error.error})
