"""Memories of an edited message are replaced."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from tests.recollect_proxy.frontends import Frontend, Sent
from tests.scripted.extraction import Lesson, Pupil, messages_shown
from tests.scripted.upstream import Answer, Received, ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

from recollect.engine.background import inbox

PALMER = "My dentist is Doctor Palmer in Mill Lane."
QUILL = "My dentist is Doctor Quill in Castle Street."
WHICH_DENTIST = "Who is my dentist, and in which street?"
VOLVO = "I drive a green Volvo."
SAAB = "I drive a black Saab now."
BOAT = "My boat Heron lies in Falmouth."


@dataclass
class Thread(Frontend):
    """A chat whose frontend says of each message which it is, and on which it follows.

    Attributes:
        ids: The ids of the messages so far, in order.
    """

    ids: list[str] = field(default_factory=list)

    async def says(self, text: str | list[dict[str, Any]]) -> Sent:
        """Say the next thing."""
        parent = self.ids[-1] if self.ids else ""
        self.ids += f"said-{uuid4()}", f"answered-{uuid4()}"
        self.headers = [
            (b"X-Recollect-Message", self.ids[-2].encode()),
            (b"X-Recollect-Parent", parent.encode()),
        ]
        return await super().says(text)

    async def edits(self, text: str, *, back: int = 1) -> Sent:
        """Say something else in the place of the message that many turns back."""
        self.back(back)
        del self.ids[-2 * back :]
        return await self.says(text)


@pytest.fixture
def thread(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> Thread:
    return Thread(proxy, upstream, user, chat="thread")


@pytest.fixture
def taught(pupil: Pupil) -> Pupil:
    pupil.lessons += [Lesson(each) for each in (PALMER, QUILL, VOLVO, BOAT)]
    pupil.lessons.append(Lesson(SAAB, "I drive a black Saab.", "contradicts", VOLVO))
    return pupil


async def asked(thread: Thread, question: str) -> str:
    """Ask in a new chat, and return the whole prompt."""
    sent = await Frontend(thread.proxy, thread.upstream, thread.user, chat=f"new-{uuid4()}").says(question)
    await thread.proxy.formed(thread.user)
    return sent.text


async def formed(thread: Thread) -> list[str]:
    return await thread.proxy.statements(thread.user)


@pytest.mark.usefixtures("taught")
async def test_an_edited_first_message_takes_the_place_of_what_it_taught(thread: Thread) -> None:
    await thread.says(PALMER)
    assert await formed(thread) == [PALMER]

    await thread.edits(QUILL)

    assert await formed(thread) == [QUILL]
    told = await asked(thread, WHICH_DENTIST)
    assert "Quill" in told
    assert "Palmer" not in told


async def test_a_message_that_is_edited_while_it_is_formed_teaches_nothing(
    thread: Thread, pupil: Pupil, extraction: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "GONE_DELAY", timedelta(seconds=0.1))
    pupil.lessons += [Lesson(PALMER), Lesson(QUILL)]
    go_on = asyncio.Event()

    def late(request: Received) -> Answer:
        answer = pupil(request)
        return (go_on, *answer) if PALMER in "\n".join(messages_shown(request)) else answer

    extraction.otherwise = late
    before = len(extraction.received)
    await thread.says(PALMER)
    await extraction.requests(before + 1)

    await thread.edits(QUILL)
    go_on.set()

    assert await formed(thread) == [QUILL]
    assert "Palmer" not in await asked(thread, WHICH_DENTIST)
    history = await thread.proxy.engine.history(thread.user.known_as)
    assert [each.after for each in history] == [QUILL]
