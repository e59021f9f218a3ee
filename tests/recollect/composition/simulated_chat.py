"""A chat over many requests, its blocks kept by hand as the engine keeps them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from tests.support.recollections import NOON, recollection

from recollect.composition import Bounds, Placed, attached, place
from recollect.model import Chat, LoggedExchange, Recollection, Turn
from recollect.request_composition import compose_request
from recollect.text.tokens import estimate_tokens
from recollect.wire import COMPLETIONS, Dialect, SystemStyle, detect_turn

Said = tuple[str, str]
"""A message: its role and its text."""


def last_only(messages: Sequence[Said]) -> Sequence[Said]:
    """Return what a client sends that leaves what was said before to the server."""
    return messages[-1:]


@dataclass(frozen=True)
class Sent:
    """A request: what was said, what was added, and its bytes."""

    turn: Turn
    placed: Placed
    body: bytes


@dataclass
class SimulatedChat:
    """A chat with a frontend that resends what ``carries`` leaves of the conversation.

    Attributes:
        carries: From all messages so far, to those a request has.
        recalls: From a turn's text, to what is recalled for it and the chat was not given yet.
    """

    bounds: Bounds = field(default_factory=Bounds)
    carries: Callable[[Sequence[Said]], Sequence[Said]] = lambda messages: messages
    recalls: Callable[[str], Sequence[Recollection]] = lambda text: [recollection(f"A note on {text}.")]
    system: str = "Be kind."
    dialect: Dialect = COMPLETIONS
    style: SystemStyle = SystemStyle.ANY
    chat: Chat = field(default_factory=Chat)
    messages: list[Said] = field(default_factory=list)

    def send(self, text: str, *, after: Sequence[Said] | None = None) -> Sent:
        """Send a message behind all that was said, or behind ``after``; note what was added."""
        before = self.messages if after is None else list(after)
        said = self.carries([*before, ("user", text)])
        body = self._written(said)
        at = NOON + timedelta(minutes=len(self.chat.exchanges))
        heard = detect_turn(
            body, user_id="anna", session_id="chat-1", message_id=None, at=at, dialect=self.dialect
        )
        assert heard.turn is not None
        assert heard.body is not None
        given = {item for each in attached(heard.turn, self.chat, self.bounds) for item in each.items}
        recalled = [each for each in self.recalls(text) if each.item.id not in given]
        placed = place(heard.turn, recalled, self.chat, self.bounds, count=estimate_tokens, at=at)
        self._note(placed)
        composed = compose_request(self.dialect, heard.body, placed, self.style)
        return Sent(heard.turn, placed, body if composed is None else composed)

    def answer(self, sent: Sent, text: str = "Noted.") -> None:
        """Hear the answer to a request; the exchange is logged, once."""
        self.messages = [*self.messages, ("user", sent.turn.text), ("assistant", text)]
        if all(each.key != sent.turn.key for each in self.chat.exchanges):
            logged = LoggedExchange(
                key=sent.turn.key,
                turn_index=2 * len(self.chat.exchanges),
                said=sent.turn.text,
                reply=text,
                carried=len(sent.turn.history),
                anchor=sent.turn.anchor,
            )
            self.chat = replace(self.chat, exchanges=(*self.chat.exchanges, logged))

    def exchange(self, text: str, answer: str | None = None) -> Sent:
        """Send a message, and hear its answer."""
        sent = self.send(text)
        self.answer(sent, f"Answer to {text}." if answer is None else answer)
        return sent

    def _note(self, placed: Placed) -> None:
        kept = tuple(each for each in self.chat.injections if each.anchor not in placed.detached)
        if placed.injection and all(each.anchor != placed.injection.anchor for each in kept):
            kept = (*kept, placed.injection)
        self.chat = replace(self.chat, injections=kept)

    def _written(self, said: Sequence[Said]) -> bytes:
        system = [("system", self.system)] if self.system else []
        messages = [{"role": role, "content": text} for role, text in [*system, *said]]
        return json.dumps(
            {"model": "m", "messages": messages, "stream": True}, ensure_ascii=False, separators=(",", ":")
        ).encode()


def prefix(sent: Sent, dialect: Dialect = COMPLETIONS) -> bytes:
    """Return a request up to the end of its last message."""
    chat = dialect.read(sent.body)
    assert chat is not None
    spans = chat.message_spans()
    assert spans is not None
    last = spans[-1]
    assert last is not None
    return sent.body[: last.end]
