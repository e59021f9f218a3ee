"""What is expected of the demo can fail, and what is waited for can stand still."""

import httpx
import pytest
from tests.scripted.upstream import ScriptedUpstream, whole

from examples.demo import memories
from examples.demo.chat import Said
from examples.demo.memories import Changed, MemoryApi
from examples.demo.play import Outcome, judge
from examples.demo.script import SCENES, Scene

LEARNED, REPLACED, RECALLED, APART, UNDONE = SCENES
PORTO = Changed("remembered", "", "Lives in Porto")
WALNUTS = Changed("remembered", "", "Is allergic to walnuts")
BRAGA = "Lives in Braga"


@pytest.mark.parametrize(
    ("scene", "outcome", "missed"),
    [
        (LEARNED, Outcome(Said("", ""), [PORTO, WALNUTS]), []),
        (LEARNED, Outcome(Said("", ""), [WALNUTS]), ["Learned: nothing with 'Porto' was remembered"]),
        (
            REPLACED,
            Outcome(Said("", ""), [Changed("remembered", "", BRAGA)]),
            ["Replaced: nothing with 'Braga' was replaced"],
        ),
        (RECALLED, Outcome(Said("", BRAGA, (BRAGA,)), []), []),
        (
            RECALLED,
            Outcome(Said("", BRAGA), []),
            ["Recalled in another chat: 'Braga' was not recalled, or not in the answer"],
        ),
        (
            RECALLED,
            Outcome(Said("", BRAGA, (BRAGA, "Lives in Porto")), []),
            ["Recalled in another chat: 'Porto' was shown or kept"],
        ),
        (APART, Outcome(Said("", "I don't know."), []), []),
        (
            APART,
            Outcome(Said("", "", (BRAGA,)), [PORTO]),
            [f"{APART.title}: 'Braga' was shown or kept", f"{APART.title}: 'Porto' was shown or kept"],
        ),
        (UNDONE, Outcome(Said("", ""), [Changed("undone", BRAGA, "Lives in Porto")]), []),
        (
            UNDONE,
            Outcome(Said("", ""), [Changed("undone", BRAGA, "Lives in Porto")], is_formed=False),
            ["Undone: the message was not read for memories"],
        ),
    ],
)
def test_a_scene_is_judged_by_its_changes_and_its_answer(
    scene: Scene, outcome: Outcome, missed: list[str]
) -> None:
    assert judge(scene, outcome) == missed


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
