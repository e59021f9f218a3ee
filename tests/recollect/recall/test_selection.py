"""What of the ranked goes into the prompt, and why the rest does not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.support.recollections import memory, recalled_passage
from tests.support.recollections import recollection as statement
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.model import Drop, Kind, Memory, Provenance, Recollection
from recollect.recall import PromptTexts, SelectionContext, SelectionLimits, select
from recollect.recall.needed_statements import Needs
from recollect.recall.selection import is_judged

HERE = SelectionContext("chat-1", asks_for_chats=False)


def recollection(content: str, **changed: Any) -> Recollection:
    """Return a summary, which ranks with the messages; statements are judged by themselves."""
    made = statement(content, **changed)
    assert isinstance(made.item, Memory)
    return replace(made, item=replace(made.item, kind=Kind.SUMMARY))


def passage(content: str, *, score: float = 0.9, session: str = "chat-1", **changed: Any) -> Recollection:
    return recalled_passage(content, score=score, session_id=session, **changed)


def reasons(
    ranked: Sequence[Recollection], around: SelectionContext = HERE, how: SelectionLimits | None = None
) -> list[Drop | None]:
    wanted = frozenset(each.item.id for each in ranked if is_judged(each.item))
    done = select(ranked, around, how or SelectionLimits(), relevant=True, needs=Needs(wanted=wanted))
    assert [each.item for each in done] == [each.item for each in ranked]
    return [each.dropped for each in done]


def test_what_nobody_asks_for_is_left_out_altogether() -> None:
    done = select([recollection("tea")], HERE, SelectionLimits(), relevant=False)

    assert [each.dropped for each in done] == [Drop.IRRELEVANT]
    assert select([], HERE, SelectionLimits(), relevant=True) == []


GREEN, RED, CATS = "green tea", "a red bicycle", "two cats"


def test_no_more_is_taken_than_may_be() -> None:
    ranked = [recollection(each) for each in (GREEN, RED, CATS)]

    assert reasons(ranked, how=SelectionLimits(limit=2)) == [None, None, Drop.LIMIT]
    assert reasons(ranked, how=SelectionLimits(limit=0)) == [Drop.LIMIT] * 3


OLD, MESSAGE = uuid7(), uuid7()
BEST, NOON_TEA = recollection(GREEN, score=1.5), recollection("I drink green tea at noon")
PARTS = [passage(text, message_id=MESSAGE) for text in (GREEN, RED, CATS)]
FORMED = Recollection(memory("a boat", provenance=Provenance("chat-1", (MESSAGE,))), 0.9)
ABANDONED = [
    Recollection(memory(GREEN, provenance=Provenance("chat-1", (OLD,))), 0.9),
    Recollection(memory(RED, provenance=Provenance("chat-1", (OLD, MESSAGE))), 0.9),
    Recollection(memory(CATS, provenance=Provenance()), 0.9),
    passage("soup with leek", message_id=OLD),
    passage("cake with plums"),
]
WEAK = [passage(text, score=0.3) for text in ("soup with leek", "rice for four", "cake with plums")]
AGAIN = [passage("I took the tram to the harbour today") for _ in range(40)]
SAME = Drop.SAME_SOURCE


@table(
    ("ranked", "around", "dropped"),
    [
        # behind the cliff, which is measured from the best of all, also where that is left out
        (
            [recollection(text, score=score) for text, score in ((GREEN, 0.8), (RED, 0.4), (CATS, 0.39))],
            {},
            [None, None, Drop.CLIFF],
        ),
        ([BEST, recollection(RED, score=0.5)], {"given": [BEST.item.id]}, [Drop.GIVEN, Drop.CLIFF]),
        ([BEST, recollection(RED, score=0.9)], {"given": [BEST.item.id]}, [Drop.GIVEN, None]),
        # weak in this session, where another's is strong
        ([passage("Rex is my dog", session="chat-9", score=1.1), *WEAK], {}, [None, *[Drop.CLIFF] * 3]),
        # learned only from what the turn takes the place of
        (ABANDONED, {"abandoned": frozenset({OLD})}, [Drop.ABANDONED, None, None, Drop.ABANDONED, None]),
        (ABANDONED, {}, [None, None, None, SAME, None]),
        # more than two of one message, or what a statement was learned from, also if that was given before
        (PARTS, {}, [None, None, SAME]),
        ([*PARTS, FORMED], {}, [SAME, SAME, SAME, None]),
        ([FORMED, *PARTS], {}, [None, SAME, SAME, SAME]),
        ([*PARTS[:1], FORMED], {"given": [FORMED.item.id]}, [SAME, Drop.GIVEN]),
        ([passage("I bought a boat"), FORMED], {"given": [FORMED.item.id]}, [None, Drop.GIVEN]),
        # said in the prompt already, and not in part
        *(
            ([NOON_TEA], {"prompt": PromptTexts(["", prompt])}, [Drop.IN_PROMPT])
            for prompt in (
                "Earlier: I DRINK  green\r\n\t\u3000tea at\u00a0noon. Much else.",
                "tea green drink I at noon",
            )
        ),
        ([NOON_TEA], {"prompt": PromptTexts(["I drink tea"])}, [None]),
        # what repeats something taken, by characters in a script without spaces; no words repeat nothing
        (
            [
                recollection("I drink green tea at noon on Sundays"),
                recollection("On Sundays I drink green tea at noon!"),
                recollection("I drink black coffee at noon on Mondays"),
            ],
            {},
            [None, Drop.REPEATS, None],
        ),
        ([recollection("我喜欢喝绿茶"), recollection("我喜欢喝绿茶。")], {}, [None, Drop.REPEATS]),
        ([recollection("!?"), recollection("?!")], {}, [None, None]),
        # of a log that says one thing many times only the first passages are compared
        (
            [*AGAIN, passage("The harbour has a museum"), statement("Likes museums")],
            {},
            [None, *[Drop.REPEATS] * 23, *[Drop.LIMIT] * 17, None],
        ),
    ],
)
def test_of_the_ranked_some_are_left_out(
    ranked: list[Recollection], around: dict[str, Any], dropped: list[Drop | None]
) -> None:
    assert reasons(ranked, replace(HERE, **around)) == dropped


# -- summaries -------------------------------------------------------------------------------------

SUMMARY = Recollection(memory("We spoke.", kind=Kind.SUMMARY, provenance=Provenance("chat-2")), 0.9)


@table(
    ("around", "dropped"),
    [({}, Drop.OTHER_SESSION), ({"asks_for_chats": True}, None), ({"session_id": "chat-2"}, None)],
)
def test_a_summary_leaves_its_session_only_if_chats_are_asked_for(
    around: dict[str, Any], dropped: Drop | None
) -> None:
    assert reasons([SUMMARY], replace(HERE, **around)) == [dropped]


# -- whatever comes --------------------------------------------------------------------------------

scores = st.floats(0, 2, allow_nan=False)
ids = st.sampled_from([UUID(int=number) for number in range(4)])
anything = st.lists(
    st.builds(
        passage,
        st.text(max_size=30),
        score=scores,
        session=st.sampled_from(["chat-1", "chat-2"]),
        message_id=ids,
    ),
    max_size=12,
)


@given(
    ranked=anything,
    limit=st.integers(0, 5),
    prompt=st.lists(st.text(max_size=30), max_size=3),
    asks_for_chats=st.booleans(),
    given=st.sets(ids),
)
def test_the_bounds_hold_whatever_is_ranked(
    *, ranked: list[Recollection], limit: int, prompt: list[str], asks_for_chats: bool, given: set[UUID]
) -> None:
    ranked.sort(key=lambda each: -each.score)
    around = SelectionContext("chat-1", asks_for_chats, given, PromptTexts(prompt))

    done = select(ranked, around, SelectionLimits(limit=limit), relevant=True)

    taken = [each for each in done if each.dropped is None]
    assert [each.item for each in done] == [each.item for each in ranked]
    assert len(taken) <= limit
    assert not given & {each.item.id for each in taken}
    assert all(each.score >= 0.5 * taken[0].score for each in taken)
    assert all(sum(one.item.id == each.item.id for one in taken) <= 2 for each in taken)
