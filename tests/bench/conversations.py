"""Labelled conversations for tests, made of as few words as a test wants to say, and what replays them. Never: a test."""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import Progress

from bench.recall.dataset import LabelledConversation

TITLE = "### Task:\nWrite a title.\n<chat_history>\nUSER: Hello\n</chat_history>"
"""A frontend asks this, and no person."""


def turn(name: str, text: str, **changed: Any) -> dict[str, Any]:
    """Return a user's turn."""
    return {
        "id": name,
        "session": "1",
        "date": None,
        "speaker": "user",
        "role": "user",
        "text": text,
    } | changed


def reply(name: str, text: str, **changed: Any) -> dict[str, Any]:
    """Return an assistant's turn."""
    return turn(name, text, speaker="assistant", role="assistant") | changed


def question(name: str, text: str, *evidence: str, **changed: Any) -> dict[str, Any]:
    """Return a question about these turns."""
    own = {"id": name, "text": text, "category": "plain", "asked_at": None, "before": None}
    return own | {"evidence": list(evidence)} | changed


def conversation(
    turns: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]] = (), name: str = "anna"
) -> dict[str, Any]:
    """Return a conversation."""
    return {"id": name, "turns": list(turns), "questions": list(questions)}


def labelled(given: Mapping[str, Any]) -> LabelledConversation:
    """Return a conversation as it is read from a file."""
    return msgspec.convert(given, LabelledConversation)


def fact(conversation_id: str, text: str, *evidence: str) -> dict[str, Any]:
    """Return a fact that rests on these turns."""
    return {"conversation": conversation_id, "fact": text, "evidence": list(evidence)}


def unseen() -> Progress:
    """Return a progress that nobody is shown."""
    return Progress(console=Console(file=io.StringIO()))


def write(path: Path, *lines: Mapping[str, Any]) -> Path:
    """Write a file of conversations or facts, and return where it is."""
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


TEA = conversation(
    [
        turn("t1", "Every morning I drink green tea from Uji.", date="2026-03-01T09:00:00"),
        reply("t2", "That sounds refreshing.", date="2026-03-01T09:00:00"),
        turn("t3", "Which volcano erupted in the year 79?", date="2026-03-01T09:00:00"),
        reply("t4", "Mount Vesuvius; it buried Pompeii and Herculaneum.", date="2026-03-01T09:00:00"),
        turn("t5", "I play the cello in an orchestra.", session="2", date="2026-03-02T09:00:00"),
        reply("t6", "How lovely.", session="2", date="2026-03-02T09:00:00"),
    ],
    [
        question("q1", "What tea do I drink in the morning?", "t1", category="habits"),
        question("q2", "Which city did you tell me that Vesuvius buried?", "t4", category="facts"),
        question("q3", "Which instrument do I play in the orchestra?", "t5", before="t5", category="early"),
        question("q4", "zzyzx qwrtp vlkjh?", category="none"),
    ],
)
"""A chat with an assistant: q3 is asked before what answers it was said, q4 has no answer."""

FRIENDS = conversation(
    [
        turn("D1:1", "I adopted a beagle called Rufus.", speaker="Carla", date="2023-05-08T13:56:00"),
        turn(
            "D1:2",
            "Congratulations! My pottery course starts soon.",
            speaker="Dario",
            date="2023-05-08T13:56:00",
        ),
        turn("D1:3", "Rufus ate my running shoes.", speaker="Carla", date="2023-05-08T13:56:00"),
    ],
    [question("q5", "Who starts a pottery course?", "D1:2", category="adversarial")],
    name="friends",
)
"""Two people, and nobody who assists."""
