"""Open WebUI recalls a person's words in their other chats, once, and for no other person."""

import pytest
from tests.e2e.openwebui.hosts import Host
from tests.e2e.openwebui.language_model import MODELS, REPLY, prompt
from tests.e2e.openwebui.people import (
    LISBON,
    LOCKER,
    PALMER,
    QUILL,
    WHERE,
    WHICH_LOCKER,
    Conversation,
    Person,
    temporary,
)
from tests.scripted.extraction import messages_shown

LOCKER_AND_WHERE = f"{LOCKER} {WHERE}"
SHORTER = "I want it in one short sentence."
DIARY = "I am Ottoline Marsh. I keep eleven ferrets in Kirkwall. My brother repairs church organs."
TURIN = "I have to summarize this for my office in Turin."
FIPS, HOME = "I live in Lisbon and my dog is called Fips.", "Where do I live?"
WHICH_DENTIST = "Who is my dentist, and in which street?"


async def asked(host: Host, person: Person, question: str) -> str:
    """Ask in a new chat, and return the prompt that the model was given."""
    assert await Conversation(person).says(question) == REPLY
    return prompt(host.model.chats(question)[-1])


async def test_a_fact_is_recalled_in_a_new_chat_of_who_told_it_and_of_nobody_else(
    host: Host, alice: Person, bob: Person
) -> None:
    assert await Conversation(alice).says(LISBON) == REPLY
    await host.learned(alice, LISBON)

    assert LISBON in await asked(host, alice, WHERE)
    assert "Lisbon" not in await asked(host, bob, WHERE)


async def test_titles_tags_and_follow_ups_neither_recall_nor_form(host: Host, alice: Person) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)

    chat = Conversation(alice, tasks=True)
    await chat.says(WHERE)
    await Conversation(alice).says(LOCKER)
    await host.learned(alice, LISBON, LOCKER)

    tasks = host.model.tasks(chat.id)
    assert tasks.keys() == {"title_generation", "tags_generation", "follow_up_generation"}
    assert not [each for requests in tasks.values() for each in requests if "Lisbon" in prompt(each)]
    assert await host.logged(alice) == [LISBON, WHERE, LOCKER]


async def test_a_temporary_chat_forms_nothing(host: Host, alice: Person) -> None:
    await temporary(alice).says(LISBON)
    assert host.model.chats(LISBON)
    await Conversation(alice).says(LOCKER)
    await host.learned(alice, LOCKER)

    assert await host.logged(alice) == [LOCKER]
    assert "Lisbon" not in await asked(host, alice, WHERE)


async def test_in_a_channel_nothing_is_recalled_and_nothing_learned(
    host: Host, alice: Person, bob: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)

    channel = await alice.open_channel(bob)
    assert await alice.asks_in_channel(channel, LOCKER_AND_WHERE) == REPLY
    assert "Lisbon" not in prompt(host.model.chats(LOCKER_AND_WHERE)[-1])
    await Conversation(alice).says(PALMER)
    await host.learned(alice, LISBON, PALMER)

    assert await host.logged(alice) == [LISBON, PALMER]


async def test_a_regenerated_answer_forms_once(host: Host, alice: Person) -> None:
    chat = Conversation(alice)
    await chat.says(LISBON)
    await host.learned(alice, LISBON)

    assert await chat.regenerates() == REPLY
    await Conversation(alice).says(LOCKER)
    await host.learned(alice, LISBON, LOCKER)

    assert len(await chat.messages()) == 3, "there is no second answer"
    assert len(await host.states(alice)) == 2
    assert len(host.model.pupil.extractions(LISBON)) == 1


async def test_the_prompt_of_a_regeneration_is_no_message_of_its_own(host: Host, alice: Person) -> None:
    chat = Conversation(alice)
    await chat.says(LISBON)
    await chat.regenerates(SHORTER)
    assert host.model.chats(SHORTER)
    await Conversation(alice).says(LOCKER)
    await host.learned(alice, LISBON, LOCKER)

    assert await host.logged(alice) == [LISBON, LOCKER]


async def test_a_message_to_several_models_forms_once(host: Host, alice: Person) -> None:
    chat = Conversation(alice)
    await chat.says(LISBON, models=MODELS)
    await Conversation(alice).says(LOCKER)
    await host.learned(alice, LISBON, LOCKER)

    messages = await chat.messages()
    assert [messages[each]["content"] for each in chat.answered] == [REPLY] * len(MODELS)
    assert sorted(each.json["model"] for each in host.model.chats(LISBON)) == sorted(MODELS)
    assert len(await host.states(alice)) == 2
    assert len(host.model.pupil.extractions(LISBON)) == 1


@pytest.mark.parametrize("before", [[], [LOCKER]], ids=["the first", "a later one"])
async def test_an_edited_message_replaces_what_it_taught(
    host: Host, alice: Person, before: list[str]
) -> None:
    chat = Conversation(alice)
    for each in (*before, PALMER):
        await chat.says(each)
    await host.learned(alice, *before, PALMER)
    await chat.edits(QUILL)

    await host.learned(alice, *before, QUILL)
    told = await asked(host, alice, WHICH_DENTIST)
    assert QUILL in told
    assert "Palmer" not in told


async def test_a_turn_with_a_tool_is_recalled_for_in_all_its_rounds_and_forms_once(
    host: Host, alice: Person
) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)
    host.model.looks_up.add(LOCKER_AND_WHERE)

    chat = Conversation(alice)
    assert await chat.says(LOCKER_AND_WHERE) == REPLY
    await host.learned(alice, LISBON, LOCKER)

    rounds = [each.json["messages"] for each in host.model.of_chat(chat.id)]
    assert [each[-1]["role"] for each in rounds] == ["user", "tool"]
    assert LISBON in str(rounds[0])
    assert rounds[1][: len(rounds[0])] == rounds[0]
    assert len(await host.states(alice)) == 2


async def test_a_call_of_the_api_without_a_chat_has_memory_too(host: Host, alice: Person) -> None:
    await Conversation(alice).says(LISBON)
    await host.learned(alice, LISBON)

    said = {"role": "user", "content": LOCKER_AND_WHERE}
    call = {"model": MODELS[0], "messages": [said], "stream": False}
    answer = await alice.call("POST", "/api/chat/completions", json=call)
    await host.learned(alice, LISBON, LOCKER)

    assert answer["choices"][0]["message"]["content"] == REPLY
    assert LISBON in prompt(host.model.chats(LOCKER_AND_WHERE)[-1])


async def test_what_a_model_wrote_for_a_timer_is_not_taken_for_the_persons_words(
    host: Host, alice: Person
) -> None:
    if host.name == "proxy":
        pytest.skip("nothing that Open WebUI sends to a model tells a timer from a person")
    chat = Conversation(alice)
    await chat.says(LISBON)
    await host.learned(alice, LISBON)

    await chat.is_told_by_a_timer(PALMER)
    await Conversation(alice).says(LOCKER)
    await host.learned(alice, LISBON, LOCKER)

    assert await host.logged(alice) == [LISBON, LOCKER]


async def test_what_was_said_is_remembered_though_its_answer_is_stopped(host: Host, alice: Person) -> None:
    host.model.broods.add(LISBON)
    await Conversation(alice).is_stopped(LISBON)
    await host.learned(alice, LISBON)

    assert await host.logged(alice) == [LISBON]
    assert LISBON in await asked(host, alice, WHERE)


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

    await chat.says(WHICH_LOCKER, files=[await alice.upload("diary.txt", DIARY)])

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
