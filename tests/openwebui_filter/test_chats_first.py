"""Formation yields to Open WebUI's chats where a model that is near extracts: it may be the one that answers them."""

import asyncio
from typing import Any

from tests.openwebui_filter.openwebui import Chat
from tests.openwebui_filter.telling import DOG
from tests.scripted.extraction import Pupil
from tests.scripted.upstream import Answer, End, Received, ScriptedUpstream
from tests.support.people import Person
from tests.support.waiting import until

from recollect.model import STATEMENTS


async def test_an_extraction_is_given_up_for_a_chat_and_done_when_that_is_over(
    taught: Any, pupil: Pupil, model: ScriptedUpstream, alice: Person, bob: Person
) -> None:
    begun: list[Received] = []

    def answer(request: Received) -> Answer:
        if begun:
            return pupil(request)
        begun.append(request)
        return (End.SILENCE,)

    model.otherwise = answer
    await Chat(taught, alice).says(DOG)
    await until(lambda: bool(begun))

    stopped = asyncio.create_task(Chat(taught, bob).is_stopped("Hello?"))
    async with asyncio.timeout(5):
        await begun[0].client_left.wait()
    await stopped

    async def learned() -> bool:
        engine = (await taught._engine()).engine
        page = await engine.page(alice, limit=9)
        return any(memory.kind in STATEMENTS for memory in page.memories)

    await until(learned)
    assert len(pupil.extractions(DOG)) == 1
