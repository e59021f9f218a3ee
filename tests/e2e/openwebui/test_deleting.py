"""What is deleted in our memory API is gone for Open WebUI, too."""

from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.language_model import prompt
from tests.e2e.openwebui.people import Conversation, Person

LISBON = "I live in Lisbon with my dog Pipa."
WHERE = "In which city do I live with my dog?"
AND_NOW = "And what is the name of my dog?"


async def test_what_is_deleted_in_our_api_is_told_no_more_from_the_next_turn_on(
    host: Host, alice: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    asking = Conversation(alice)
    await asking.says(WHERE)
    assert LISBON in prompt(host.model.chats(WHERE)[-1])

    async with host.memory_api() as api:
        listed = await api.api(b"GET", f"/users/{alice.id}/memories")
        [memory] = listed.json["memories"]
        deleted = await api.api(b"DELETE", f"/users/{alice.id}/memories/{memory['id']}")
        assert deleted.status in {200, 204}

    await asking.says(AND_NOW)
    assert "Lisbon" not in prompt(host.model.chats(AND_NOW)[-1])
    await Conversation(alice).says(WHERE)
    assert "Lisbon" not in prompt(host.model.chats(WHERE)[-1])
