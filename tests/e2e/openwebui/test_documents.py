"""What stands in a document that a person attaches is not taken for their own words."""

import pytest
from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.language_model import REPLY, prompt
from tests.e2e.openwebui.people import Conversation, Person
from tests.scripted.extraction import messages_shown

DIARY = "I am Ottoline Marsh. I keep eleven ferrets in Kirkwall. My brother repairs church organs."
LISBON = "I live in Lisbon with my dog Pipa."
WHERE = "In which city do I live with my dog?"
LOCKER = "My locker at the pool has the number 417."
WHICH = "Which number does my locker at the pool have?"
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


async def test_who_else_is_asked_for_an_answer_is_told_nothing_that_is_remembered(
    host: Host, alice: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await Conversation(alice).says(LOCKER)
    await host.learned(alice, LISBON, LOCKER)
    chat = Conversation(alice, legacy=True, tasks=True)
    await chat.says(WHERE)

    await chat.says(WHICH, files=[await alice.upload("diary.txt", DIARY)])

    shown = prompt(host.model.of_chat(chat.id)[-1])
    assert LOCKER in shown
    assert "ferrets" in shown
    tasks = host.model.tasks(chat.id)
    assert "query_generation" in tasks, "nothing was searched for"
    asked = [prompt(each) for requests in tasks.values() for each in requests]
    embedded = [
        str(each.json) for each in host.model.upstream.received if each.target.endswith(b"/embeddings")
    ]
    assert embedded
    assert not [each for each in asked + embedded if "Lisbon" in each or "417" in each]
