"""A person's chat, as a frontend has it: OpenAI's SDK before the proxy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openai import AsyncOpenAI

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam


@dataclass(frozen=True, slots=True)
class Said:
    """A message to the model, and its answer.

    Attributes:
        text: The message.
        answer: The answer.
        recalled: The beginnings of the memories that went into the prompt.
    """

    text: str
    answer: str
    recalled: tuple[str, ...] = ()


class Chat:
    """One chat of one person: each message carries the ones before it."""

    def __init__(self, client: AsyncOpenAI, *, model: str, headers: Mapping[str, str]) -> None:
        """Begin a chat.

        Args:
            client: The SDK's, whose base URL is the proxy's.
            model: The model's name.
            headers: They name the person and the chat.
        """
        self._client = client
        self._model = model
        self._headers = {**headers, "x-recollect-include": "memories"}
        self._messages: list[ChatCompletionMessageParam] = []

    async def say(self, text: str) -> Said:
        """Say something, and read the answer, with the memories that went into its prompt."""
        self._messages.append({"role": "user", "content": text})
        completion = await self._client.chat.completions.create(
            model=self._model, messages=self._messages, extra_headers=self._headers
        )
        answer = (completion.choices[0].message.content or "") if completion.choices else ""
        self._messages.append({"role": "assistant", "content": answer})
        shown = (completion.model_extra or {}).get("memories", [])
        return Said(text, answer, tuple(str(memory["preview"]) for memory in shown))
