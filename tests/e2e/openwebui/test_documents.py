"""What stands in a document that a person attaches is not taken for their own words."""

import pytest
from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.language_model import REPLY, prompt
from tests.e2e.openwebui.people import Conversation, Person
from tests.scripted_extraction import messages_shown

DIARY = "I am Ottoline Marsh. I keep eleven ferrets in Kirkwall. My brother repairs church organs."
TURIN = "I have to summarize this for my office in Turin."


@pytest.mark.parametrize("legacy", [True, False], ids=["searched", "offered"])
async def test_an_attached_document_is_not_taken_for_what_its_reader_said(
    host: Host, alice: Person, *, legacy: bool
) -> None:
    diary = await alice.upload("diary.txt", DIARY)

    assert await Conversation(alice, legacy=legacy).says(TURIN, files=[diary]) == REPLY
    await host.learned(alice, TURIN)

    shown = prompt(host.model.chats(TURIN)[-1])
    assert "ferrets" in shown, "the model was given no document"
    assert ("<attached_files>" in shown) is not legacy
    assert await host.logged(alice) == [TURIN]
    learned = [words for each in host.model.pupil.extractions() for words in messages_shown(each)]
    assert not [words for words in learned if "ferrets" in words or "diary.txt" in words]
