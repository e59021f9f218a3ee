"""The filter shows its work in Open WebUI: lines over an answer, and its sources."""

import pytest
from tests.e2e.openwebui.hosts import MEMORIES, Host
from tests.e2e.openwebui.language_model import MODELS
from tests.e2e.openwebui.people import LISBON, WHERE, Conversation, Person
from tests.support.waiting import until

DIARY = "I am Ottoline Marsh. I keep eleven ferrets in Kirkwall."
WHERE_AND_DIARY = "In which city do I live with my dog, and what stands in this diary?"

_SECONDS = 60.0
_OFF, _UNDO = "recollect_off", "recollect_undo"


@pytest.fixture
def host(host: Host) -> Host:
    """Open WebUI with the filter, and what stands beside it."""
    if host.name != "filter":
        pytest.skip("the proxy shows what it does by other means")
    return host


async def documents(chat: Conversation) -> list[str]:
    """Return the texts of the sources under the last answer, in order."""
    sources = (await chat.answer()).get("sources") or []
    return [text for source in sources for text in source["document"]]


async def test_what_was_recalled_is_shown_and_is_a_source_of_the_answer(host: Host, alice: Person) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    chat = Conversation(alice)
    await chat.says(WHERE)

    await until(lambda: has_documents(chat, LISBON), seconds=_SECONDS)
    assert "Recalled 1 memory" in await chat.statuses()
    [source] = (await chat.answer())["sources"]
    assert source["source"]["name"].startswith(f"{LISBON} (fact, 20")
    assert source["metadata"][0]["source"].startswith("recollect:")


async def has_documents(chat: Conversation, *texts: str) -> bool:
    return await documents(chat) == list(texts)


async def test_sources_of_a_document_keep_their_numbers_before_what_was_recalled(
    host: Host, alice: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    chat = Conversation(alice, legacy=True)
    await chat.says(WHERE_AND_DIARY, files=[await alice.upload("diary.txt", DIARY)])

    await until(lambda: has_documents(chat, DIARY, LISBON), seconds=_SECONDS)
    assert "Recalled 1 memory" in await chat.statuses()


async def test_the_switch_and_the_button_are_offered_with_every_model(alice: Person) -> None:
    offered = (await alice.call("GET", "/api/models"))["data"]

    for model in (each for each in offered if each["id"] in MODELS):
        assert [each["id"] for each in model["filters"]] == [_OFF]
        assert {each["id"] for each in model["actions"]} == {_UNDO, MEMORIES}
        icons = [each["icon"] for each in (*model["filters"], *model["actions"])]
        assert all(icon.startswith("data:image/svg+xml;base64,") for icon in icons)
