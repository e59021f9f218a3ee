"""An outage of the database costs no answer and no memory."""

from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.language_model import REPLY, prompt
from tests.e2e.openwebui.people import Conversation, Person
from tests.support.waiting import until

LISBON = "I live in Lisbon with my dog Pipa."
WHERE = "In which city do I live with my dog?"
LOCKER = "My locker at the pool has the number 417."
WHICH_LOCKER = "Which number is my locker at the pool?"


async def test_while_the_database_is_stopped_chats_are_answered_and_what_is_said_is_not_lost(
    host: Host, alice: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)

    await host.database.stop()
    try:
        chat = Conversation(alice)
        assert await chat.says(WHERE) == REPLY
        assert "Lisbon" not in prompt(host.model.chats(WHERE)[-1])
        assert await chat.says(LOCKER) == REPLY
    finally:
        await host.database.start()

    await host.learned(alice, LISBON, LOCKER)

    async def recalled_again() -> bool:
        await Conversation(alice).says(WHICH_LOCKER)
        return LOCKER in prompt(host.model.chats(WHICH_LOCKER)[-1])

    await until(recalled_again)
    assert "Lisbon" not in host.server.log, "what a person said is logged"
