"""Where a person wants it, the filter keeps what is said in a folder's chats to that folder."""

import pytest
from tests.e2e.openwebui.hosts import FILTER_NAME, Host
from tests.e2e.openwebui.language_model import prompt
from tests.e2e.openwebui.people import LISBON, LOCKER, WHERE, WHICH_LOCKER, Conversation, Person
from tests.support.waiting import until


async def asked_in(host: Host, person: Person, folder: str, question: str) -> str:
    """Ask in a new chat in a folder, and return the prompt that the model was given."""
    await Conversation(person, folder=folder).says(question)
    return prompt(host.model.chats(question)[-1])


async def test_a_folders_chats_recall_what_was_said_in_it_and_the_persons_own(
    host: Host, alice: Person
) -> None:
    if host.name == "proxy":
        pytest.skip("Open WebUI sends no folder along")
    made = await alice.call("POST", "/api/v1/folders/", json={"name": "Moving house"})
    folder = made["id"]
    await alice.set_valves(FILTER_NAME, folders=True)
    await Conversation(alice).says(LOCKER)
    await host.learned(alice, LOCKER)
    first = Conversation(alice, folder=folder)
    await first.says(LISBON)

    async def is_formed() -> bool:  # it yields to chats: nobody asks meanwhile
        return await host.states(alice) == ["formed", "formed"]

    await until(is_formed, seconds=60)
    assert "Lisbon" in await asked_in(host, alice, folder, WHERE)
    assert "417" in await asked_in(host, alice, folder, WHICH_LOCKER)
    assert "Lisbon" not in await asked_in(host, alice, "", WHERE)
    await first.says(f"And again: {WHERE}")
    rows = await host.rows("SELECT user_id, title FROM recollect.projects WHERE owner = $1", alice.id)
    assert [(each["user_id"], each["title"]) for each in rows] == [
        (f"{alice.id}\x1f{folder}", "Moving house")
    ]
