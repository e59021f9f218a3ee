"""Who and what is deleted in Open WebUI is erased, by the filter's engine or by the proxy's memory API."""

from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.language_model import prompt
from tests.e2e.openwebui.people import LISBON, LOCKER, WHERE, Conversation, Person
from tests.support.waiting import until

_SECONDS = 60.0


async def left(host: Host, person: Person, *said: str) -> None:
    """Wait until this is all that is logged of a person, and all that is remembered."""

    async def is_so() -> bool:
        return await host.logged(person) == [*said] and await host.memories(person) == sorted(said)

    await until(is_so, seconds=_SECONDS)


async def two_chats(host: Host, person: Person) -> Conversation:
    chat = Conversation(person)
    await chat.says(LISBON)
    await Conversation(person).says(LOCKER)
    await host.learned(person, LISBON, LOCKER)
    return chat


async def test_who_is_deleted_is_erased_and_nobody_else(host: Host, alice: Person, bob: Person) -> None:
    for person in (alice, bob):
        await Conversation(person).says(LISBON)
        await host.learned(person, LISBON)

    await host.administrator.delete(alice)

    await left(host, alice)
    assert await host.memories(bob) == [LISBON]


async def test_a_deleted_chat_takes_with_it_what_only_it_taught(host: Host, alice: Person) -> None:
    chat = await two_chats(host, alice)

    await alice.delete_chat(chat.id)

    await left(host, alice, LOCKER)
    await Conversation(alice).says(WHERE)
    assert "Lisbon" not in prompt(host.model.chats(WHERE)[-1])


async def test_a_chat_that_the_administrator_deletes_is_its_owners(host: Host, alice: Person) -> None:
    chat = await two_chats(host, alice)

    await host.administrator.delete_chat(chat.id)

    await left(host, alice, LOCKER)


async def test_all_chats_take_with_them_what_they_taught(host: Host, alice: Person, bob: Person) -> None:
    await two_chats(host, alice)
    await two_chats(host, bob)

    await alice.delete_all_chats()

    await left(host, alice)
    assert await host.memories(bob) == sorted([LISBON, LOCKER])
