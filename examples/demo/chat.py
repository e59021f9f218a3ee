"""A person's chat, as a frontend has it: OpenAI's SDK before the proxy. Never: what is expected of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openai import AsyncOpenAI

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam


@dataclass(frozen=True, slots=True)
class Said:
    """Something said to the model, and what came of it.

    Attributes:
        injected: How many memories went into the prompt.
        skipped: Why none did, if none did.
        memories: Their beginnings, where the answer shows them.
    """

    text: str
    answer: str
    injected: int
    skipped: str | None
    memories: tuple[str, ...] = ()


class Chat:
    """One chat of one person: each message carries what was said before it."""

    def __init__(self, client: AsyncOpenAI, *, model: str, headers: Mapping[str, str]) -> None:
        """Begin a chat.

        Args:
            client: The SDK's, whose base URL is the proxy's.
            model: Whom to talk to.
            headers: Who talks, and in which chat.
        """
        self._client = client
        self._model = model
        self._headers = dict(headers)
        self._messages: list[ChatCompletionMessageParam] = []

    async def tell(self, text: str) -> Said:
        """Say something, and read the answer as it streams."""
        self._messages.append({"role": "user", "content": text})
        response = await self._client.chat.completions.with_raw_response.create(
            model=self._model, messages=self._messages, extra_headers=self._headers, stream=True
        )
        stream = response.parse()
        pieces = [choice.delta.content or "" async for chunk in stream for choice in chunk.choices[:1]]
        return self._said(text, "".join(pieces), response.headers)

    async def ask(self, text: str) -> Said:
        """Say something, and read the answer as a whole, with the memories that went into its prompt."""
        self._messages.append({"role": "user", "content": text})
        response = await self._client.chat.completions.with_raw_response.create(
            model=self._model,
            messages=self._messages,
            extra_headers={**self._headers, "x-recollect-include": "memories"},
        )
        completion = response.parse()
        shown = (completion.model_extra or {}).get("memories", [])
        answer = (completion.choices[0].message.content or "") if completion.choices else ""
        memories = tuple(str(memory["preview"]) for memory in shown)
        return self._said(text, answer, response.headers, memories)

    def _said(
        self, text: str, answer: str, headers: Mapping[str, str], memories: tuple[str, ...] = ()
    ) -> Said:
        self._messages.append({"role": "assistant", "content": answer})
        return Said(
            text,
            answer,
            injected=int(headers.get("x-recollect-memories", "0")),
            skipped=headers.get("x-recollect-skipped"),
            memories=memories,
        )
