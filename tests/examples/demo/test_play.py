"""What is expected of the demo can fail, and what is waited for can stand still."""

import pytest

from examples.demo.chat import Said
from examples.demo.memories import Changed
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
