"""A frontend that sends the whole conversation with each turn, and what comes of it upstream."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.recollect_proxy.chat.spoken import COMPLETIONS, Api
from tests.scripted.upstream import Fields, ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

REPLY = "All right."
"""What the scripted upstream says."""


@dataclass(frozen=True)
class Sent:
    """What went up."""

    body: bytes
    api: Api

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, a system message left out."""
        listed: list[dict[str, Any]] = json.loads(self.body)[self.api.listed]
        return [message for message in listed if message["role"] != "system"]

    @property
    def system(self) -> str:
        """What instructs the model; "" if nothing does."""
        body = json.loads(self.body)
        if self.api.instructs:
            instructs: str = body.get(self.api.instructs, "")
            return instructs
        system = (each["content"] for each in body[self.api.listed] if each["role"] == "system")
        return next(system, "")

    @property
    def text(self) -> str:
        """All of it as text, as a model reads it."""
        return "\n".join([self.system, *(_words(message["content"]) for message in self.messages)])

    @property
    def done(self) -> str:
        """What it tells to be done, as the user asked; "" if nothing."""
        return "\n".join(line for line in self.text.splitlines() if line.startswith("- [DONE]"))

    def begins(self, later: "Sent") -> bool:
        """Whether ``later`` begins as it does, byte for byte where the conversation ends the body."""
        is_same = self.leads_to(later)
        return is_same and (bool(self.api.instructs) or later.body.startswith(self.body.removesuffix(b"]}")))

    def leads_to(self, later: "Sent") -> bool:
        """Whether a model reads ``later`` as this, and more behind it; JSON may be spaced in another way."""
        return self.system == later.system and self.messages == later.messages[: len(self.messages)]


def _words(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return content or ""


@dataclass
class Frontend:
    """Someone's chat."""

    proxy: RunningProxy
    upstream: ScriptedUpstream
    user: User
    chat: str | None = "chat-1"
    api: Api = COMPLETIONS
    model: str = "scripted"
    messages: list[dict[str, Any]] = field(default_factory=list)
    headers: Fields = field(default_factory=list)
    answer: dict[bytes, bytes] = field(default_factory=dict)

    async def says(self, text: str | list[dict[str, Any]]) -> Sent:
        """Say the next thing, and return what went up for it."""
        self.messages.append({"role": "user", "content": text})
        sent = await self.again()
        self.messages.append({"role": "assistant", "content": REPLY})
        return sent

    async def again(self) -> Sent:
        """Send the conversation as it stands, and return what went up for it."""
        own = self.user.headers(chat=self.chat or "")
        headers = [(name, value) for name, value in own if self.chat or name != b"X-OpenWebUI-Chat-Id"]
        body = json.dumps({"model": self.model, self.api.listed: self.messages}).encode()
        answer = await self.proxy.fetch(b"POST", self.api.path, [*headers, *self.headers], body)
        assert answer.status == 200, answer.body
        self.answer = {name.lower(): value for name, value in answer.headers}
        await self.proxy.settle()
        return Sent(self.upstream.last.body, self.api)

    def back(self, turns: int = 1) -> None:
        """Take the last turns back, as who edits a message does."""
        del self.messages[-2 * turns :]


class LastOnly(Frontend):
    """A client that keeps nothing of the conversation."""

    async def says(self, text: str | list[dict[str, Any]]) -> Sent:
        """Say the next thing alone."""
        self.messages = [{"role": "user", "content": text}]
        return await self.again()
