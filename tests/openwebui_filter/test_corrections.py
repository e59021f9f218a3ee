"""What a user takes back, has answered anew, or asks of the memory, through the filter's hooks."""

from typing import Any

from tests.openwebui_filter.openwebui import Chat
from tests.openwebui_filter.telling import formed, nothing_waits
from tests.people import Person

from recollect.engine import Engine
from recollect.model import STATEMENTS

PALMER = "My dentist is Doctor Palmer in Mill Lane."
QUILL = "My dentist is Doctor Quill in Castle Street."
WHICH_DENTIST = "Who is my dentist, and in which street?"
LOCKER = "Remember that my locker at the pool is number 417."
WHICH_LOCKER = "Which number is my locker at the pool?"


async def contents(engine: Engine, user_id: str) -> str:
    return "\n".join(memory.content for memory in (await engine.page(user_id, limit=100)).memories)


async def test_an_edited_first_message_is_recalled_no_more(
    memory: Any, engine: Engine, alice: Person
) -> None:
    chat = Chat(memory, alice)
    await chat.says(PALMER)
    await formed(memory, alice, 1)
    await chat.edits(QUILL)
    await nothing_waits(memory, alice)

    told = await Chat(memory, alice).says(WHICH_DENTIST)

    assert "Quill" in told
    assert "Palmer" not in told
    assert "Palmer" not in await contents(engine, alice)


async def test_what_followed_on_an_edited_message_is_recalled_no_more(
    memory: Any, engine: Engine, alice: Person
) -> None:
    chat = Chat(memory, alice)
    await chat.says("Good morning!")
    await chat.says(PALMER)
    await chat.says("He also has a parrot called Coco in the waiting room.")
    await formed(memory, alice, 3)
    await chat.edits(QUILL, back=2)
    await nothing_waits(memory, alice)

    told = await Chat(memory, alice).says("What is the parrot in the waiting room called?")

    assert "Coco" not in told
    assert "Coco" not in await contents(engine, alice)
    assert "Quill" in await contents(engine, alice)


async def test_an_answer_given_anew_is_neither_another_exchange_nor_an_edit(
    memory: Any, engine: Engine, alice: Person
) -> None:
    chat = Chat(memory, alice)
    await chat.says(PALMER)
    await formed(memory, alice, 1)

    await chat.asks_again("A fine dentist.")
    await nothing_waits(memory, alice)

    await formed(memory, alice, 1)
    assert (await contents(engine, alice)).count("Palmer") == 1


async def test_what_is_asked_to_be_remembered_is_without_any_model_and_the_next_answer_can_say_so(
    memory: Any, engine: Engine, alice: Person
) -> None:
    chat = Chat(memory, alice)
    await chat.says(LOCKER)
    await formed(memory, alice, 1)

    await chat.says("Thank you.")

    assert "- [DONE] Remembered, as the user asked: " in str(chat.sent["messages"])
    statements = [
        each.content for each in (await engine.page(alice, limit=9)).memories if each.kind in STATEMENTS
    ]
    assert len(statements) == 1
    assert "locker at the pool is number 417" in statements[0]
    assert "417" in await Chat(memory, alice).says(WHICH_LOCKER)


async def test_what_is_asked_to_be_forgotten_is_told_in_no_chat_any_more(memory: Any, alice: Person) -> None:
    await Chat(memory, alice).says(LOCKER)
    await formed(memory, alice, 1)
    asked = Chat(memory, alice)
    assert "417" in await asked.says(WHICH_LOCKER)
    forgetting = Chat(memory, alice)

    await forgetting.says("Please forget my locker at the pool.")
    await nothing_waits(memory, alice)
    await forgetting.says("Thank you.")

    assert "- [DONE] Forgotten, as the user asked" in str(forgetting.sent["messages"])
    assert "417" not in str(forgetting.sent["messages"])
    assert "417" not in await Chat(memory, alice).says(WHICH_LOCKER)
    await asked.says("And now?")
    assert "417" not in str(asked.sent["messages"])
