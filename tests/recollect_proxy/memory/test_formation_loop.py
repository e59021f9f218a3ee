"""Recalled memories are never learned again, whatever the model extracts and however a frontend sends them back."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.recollect_proxy.frontends import Frontend, Sent
from tests.scripted.extraction import Lesson, Pupil, memories_shown, statement
from tests.scripted.upstream import Received, ScriptedUpstream, completion
from tests.servers.running_proxy import RunningProxy, User

CAT = "My cat is called Minka."
ECHOES = ("My cat is called Minka", "cat is called Minka", "called Minka", "Minka")
QUESTIONS = (
    "What is my cat called?",
    "Is my cat called something with an M?",
    "Which name did I give my cat?",
    "Please write a short rhyme on my cat.",
    "What is my cat called again, and what rhymes with that?",
)


def parroting(request: Received) -> list[dict[str, Any]]:
    """Extract everything that a request shows or ever recalled, as if the person had just said it."""
    text = "\n".join(message["content"] for message in request.json["messages"])
    lines = [
        re.sub(r"^(?:- \[[A-Z]+\] |\u2022 )| \([^()]*\)$", "", line).strip() for line in text.splitlines()
    ]
    echoed = [line for line in lines if "Minka" in line and len(line) < 200]
    told = [*dict.fromkeys([*memories_shown(request), *echoed, *ECHOES])]
    return [
        *(statement(each) for each in told),
        *(statement(each, "The person's cat goes by the name of Minka.") for each in told),
        *(statement("my cat", each) for each in memories_shown(request)),
    ]


def as_it_was(question: str, _block: str) -> list[dict[str, Any]]:
    """Send the message alone."""
    return [{"role": "user", "content": question}]


def in_the_history(question: str, block: str) -> list[dict[str, Any]]:
    """Send the block in its place of the last request, with the answer that used it."""
    return [
        {"role": "system", "content": block},
        {"role": "user", "content": f"{QUESTIONS[0]}\n\n{block}"},
        {"role": "assistant", "content": CAT.replace("My", "Your")},
        {"role": "user", "content": question},
    ]


def in_the_message(question: str, block: str) -> list[dict[str, Any]]:
    """Send the block as if the person had typed it."""
    return [{"role": "user", "content": f"{question}\n\n{block}"}]


def in_a_block_of_its_own(question: str, block: str) -> list[dict[str, Any]]:
    """Send the block's statements in the tags of another product, in front of the message."""
    told = "\n".join(line for line in block.splitlines() if line.startswith(("- ", "\u2022 ")))
    context = f"<memory_context>\nUser Context:\n1. [2026-01-01]. {CAT}\n{told}\n</memory_context>"
    return [{"role": "system", "content": context}, {"role": "user", "content": f"{context}\n{question}"}]


def by_bullets_alone(question: str, block: str) -> list[dict[str, Any]]:
    """Send the block's lines without what fences them, as a person copies them."""
    told = "\n".join(line for line in block.splitlines() if line.startswith(("- ", "\u2022 ")))
    return [{"role": "user", "content": f"{told}\n{question}"}]


WAYS = (as_it_was, in_the_history, in_the_message, in_a_block_of_its_own, by_bullets_alone)


def blocks_of(sent: Sent) -> str:
    """Return the block in a request, in whichever message."""
    texts = [sent.system, *(message["content"] for message in sent.messages)]
    found = re.findall(r"<recollect_memories>.*?</recollect_memories>", "\n".join(texts), re.DOTALL)
    return found[-1] if found else ""


def chats() -> Iterator[tuple[str, str, Callable[[str, str], list[dict[str, Any]]]]]:
    for way in WAYS:
        for number, question in enumerate(QUESTIONS):
            yield f"{way.__name__}-{number % 2}", question, way


@pytest.mark.parametrize("answer", ["All right.", "Your cat is called Minka, what a lovely name."])
async def test_a_model_that_finds_again_what_was_recalled_adds_nothing_to_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User, answer: str
) -> None:
    pupil.lessons.append(Lesson(CAT))
    await proxy.say(user, CAT, chat="told")
    [original] = await proxy.memories(user)
    await proxy.formed(user)
    pupil.extracts = parroting
    upstream.otherwise = lambda _request: completion(answer)
    asked = Frontend(proxy, upstream, user, chat="asked")
    block = blocks_of(await asked.says(QUESTIONS[0]))
    assert CAT in block
    counts = proxy.engine.counts  # of all tests that share the proxy
    re_extracted, injected = counts.re_extracted, counts.rejects["injected"]

    for chat, question, way in chats():
        frontend = Frontend(proxy, upstream, user, chat=chat, messages=way(question, block))
        await frontend.again()
    await proxy.formed(user)

    [memory] = await proxy.memories(user)
    assert (memory.id, memory.content) == (original.id, CAT)
    assert memory.provenance.evidence == original.provenance.evidence
    assert counts.re_extracted == re_extracted
    assert counts.rejects["injected"] > injected
    history = await proxy.engine.history(user.known_as)
    assert {each.action for each in history} == {"add", "reinforce"}
