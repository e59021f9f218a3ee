"""Whose turn it is, by what Open WebUI hands to a hook. Never: an engine, raises for what a hook is not handed."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from recollect.chat.turn_detection import DetectedTurn, detect_turn
from recollect.model import ROOT

_NOT_A_PERSON = ("task", "internal", "automation_id")
"""What marks background tasks, sub-agents and automations."""

_OFF = "recollect_off"
"""What the switch of a chat, a filter of its own, leaves in the metadata of a request."""


@dataclass(frozen=True, slots=True)
class Call:
    """What Open WebUI hands to a hook beside the body, each where it hands it.

    Attributes:
        user: Who speaks: the id, and what they wish as ``valves``.
        metadata: What is known of the request; the same object for all its hooks.
        request: The web request; the same object for all models that a message goes to.
        emit: Tells the person something about the answer, and keeps it with the answer.
    """

    user: Any = None
    metadata: Any = None
    request: Any = field(default=None, repr=False)
    emit: Any = field(default=None, repr=False)

    def wishes(self, wish: str) -> bool:
        """Tell whether this person wishes it; not where Open WebUI failed to read that: "off" may stand there."""
        return bool(getattr((self.user or {}).get("valves"), wish, False))

    @property
    def shows(self) -> bool:
        """Whether there is an answer in a chat to show a status with, and the person wants one."""
        known = self.metadata or {}
        has_answer = bool(known.get("chat_id") and known.get("message_id"))
        return self.emit is not None and has_answer and self.wishes("show_status")

    def detect_turn(self, body: Any, messages: list[Any], *, wish: str) -> DetectedTurn:
        """Read a person's turn as the proxy does; there is none where nobody is named or wants memory.

        Args:
            body: What the hook is handed.
            messages: What was said up to and with the person's own message.
            wish: What the person has to wish for it: recall, or remember.
        """
        user, known = self.user or {}, self.metadata or {}
        sent = known.get("user_message") or {}
        written = (sent.get("meta") or {}).get(
            "internal"
        )  # by a model: timers and sub-agents speak as the user
        if written or not user.get("id") or not self.wishes(wish):
            return DetectedTurn()
        if any(map(known.get, (*_NOT_A_PERSON, _OFF))):
            return DetectedTurn()
        request = {"model": body.get("model"), "messages": messages, "stream": body.get("stream", False)}
        return detect_turn(
            msgspec.json.encode(request),
            user_id=user["id"],
            session_id=known.get("chat_id"),
            message_id=known.get("user_message_id"),
            at=datetime.now(UTC),
            parent_id=(sent["parentId"] or ROOT) if "parentId" in sent else None,
            is_whole=True,
        )
