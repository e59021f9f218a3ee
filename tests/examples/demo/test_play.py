"""What is expected of the demo can fail, and what is waited for can stand still."""

from collections.abc import Mapping, Sequence

import httpx
import pytest
from tests.scripted_upstream import ScriptedUpstream, whole

from examples.demo import memories
from examples.demo.chat import Said
from examples.demo.memories import MemoryApi, Remembered
from examples.demo.play import Asked, judge
from examples.demo.script import ALICE, BOB, PEOPLE, other

OWN = "I'm allergic to Quinces."
BOBS = "My boat is called Kittiwake."
UNKNOWN = "I don't know."


def said(answer: str, *memories: str) -> Said:
    return Said("?", answer, injected=len(memories), skipped=None, memories=memories)


def missed(
    *, own: Said | None = None, others: Said | None = None, stores: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """Return what did not come out as it must for Alice."""
    asked = Asked(own or said(OWN, OWN), others or said(UNKNOWN))
    held: dict[str, Sequence[str]] = {"Alice": [OWN], "Bob": [BOBS], **(stores or {})}
    kept = {name: [Remembered("qa_turn", text) for text in texts] for name, texts in held.items()}
    return [each.text for each in judge(ALICE, asked, kept) if not each.met]


def test_everything_as_it_must_be_is_no_failure() -> None:
    assert missed() == []


@pytest.mark.parametrize("own", [said(OWN), said(UNKNOWN, OWN)])
def test_an_own_word_must_be_both_injected_and_said(own: Said) -> None:
    assert missed(own=own) == ["Alice was reminded of their own words in a new chat"]


@pytest.mark.parametrize("others", [said(BOBS), said(UNKNOWN, BOBS)])
def test_a_word_of_the_other_must_neither_be_injected_nor_said(others: Said) -> None:
    assert missed(others=others) == ["nothing of Bob's was shown to Alice"]
    assert missed(own=said(OWN + BOBS, OWN)) == ["nothing of Bob's was shown to Alice"]


def test_a_store_must_hold_its_own_and_nothing_of_the_other() -> None:
    assert missed(stores={"Alice": []}) == ["Alice's store holds what Alice told"]
    assert missed(stores={"Alice": [OWN, BOBS]}) == ["nothing of Bob's is in Alice's store"]


def test_the_words_that_tell_the_two_apart_are_their_own() -> None:
    assert (other(ALICE), other(BOB)) == (BOB, ALICE)
    for person in PEOPLE:
        told = " ".join(person.tells).lower()
        strange = " ".join((*other(person).tells, *(p.asks for p in PEOPLE))).lower()
        assert all(word in told and word not in strange for word in person.words)


def backlog(*, formed: int, failed: int = 0) -> bytes:
    return b'{"formation":{"pending":0,"formed":%d,"failed":%d}}' % (formed, failed)


@pytest.mark.parametrize(
    ("answers", "all_formed"),
    [
        ([backlog(formed=0), b'{"formation":null}', backlog(formed=1), backlog(formed=2)], True),
        ([backlog(formed=1, failed=1)], False),
        ([backlog(formed=1)], False),
    ],
)
async def test_formation_is_waited_for_unless_it_stands_still(
    answers: list[bytes], monkeypatch: pytest.MonkeyPatch, *, all_formed: bool
) -> None:
    monkeypatch.setattr(memories, "_POLL_SECONDS", 0.01)
    patience = 30.0 if all_formed else 0.1
    async with ScriptedUpstream(lambda _request: whole(answers[-1])) as server:
        server.answers.extend(whole(answer) for answer in answers)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as client:
            api = MemoryApi(client, "the token")

            assert await api.formed(2, patience=patience) is all_formed

        assert server.last.target == b"/memory/health"
