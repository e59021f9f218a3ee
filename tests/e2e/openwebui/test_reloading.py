"""The filter goes on where Open WebUI loads it anew, and where an administrator changes its valves."""

import pytest
from tests.e2e.openwebui.hosts import FILTER, FILTER_NAME, Host
from tests.e2e.openwebui.language_model import prompt
from tests.e2e.openwebui.people import LISBON, WHERE, Conversation, Person
from tests.servers.folders import database_folder
from tests.support.waiting import until


@pytest.fixture
def host(host: Host) -> Host:
    """Open WebUI with the filter."""
    if host.name != "filter":
        pytest.skip("of the proxy Open WebUI loads nothing, and it has no valves")
    return host


async def recalled(host: Host, person: Person) -> bool:
    """Ask in a new chat, and return whether the model was told."""
    await Conversation(person).says(WHERE)
    return LISBON in prompt(host.model.chats(WHERE)[-1])


async def test_an_edited_filter_remembers_and_recalls_at_once(host: Host, alice: Person) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    content = FILTER.read_text() + "\n# edited by the administrator\n"
    await host.administrator.edit_filter(FILTER_NAME, content)

    assert await recalled(host, alice)


async def test_with_a_blank_database_url_it_brings_its_own_database(host: Host, alice: Person) -> None:
    with database_folder() as folder:
        await host.administrator.change_valves(FILTER_NAME, database_url="", data_dir=str(folder))
        try:
            await Conversation(alice).says(LISBON)
            await until(lambda: recalled(host, alice), seconds=120)
            assert (folder / "postgres").exists()
            assert await host.memories(alice) == []
        finally:
            data_dir = str(host.server.log_file.parent / "recollect")
            await host.administrator.change_valves(
                FILTER_NAME, database_url=host.database.dsn, data_dir=data_dir
            )

    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    assert await recalled(host, alice)
