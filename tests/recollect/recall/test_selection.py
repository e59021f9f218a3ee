"""What of the ranked goes into the prompt, and why the rest does not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.recollections import NOON, memory
from tests.support.recollections import recollection as statement
from uuid_utils.compat import uuid7

from recollect.model import Drop, Kind, Memory, Passage, Provenance, Recollection, Role
from recollect.recall import PromptTexts, SelectionContext, SelectionLimits, select
from recollect.recall.needs import Needs
from recollect.recall.selection import is_judged

HERE = SelectionContext("chat-1", user_wide=False)


def recollection(content: str, **changed: Any) -> Recollection:
    """Return a summary, which ranks with the messages; statements are judged by themselves."""
    made = statement(content, **changed)
    assert isinstance(made.item, Memory)
    return replace(made, item=replace(made.item, kind=Kind.SUMMARY))


def passage(content: str, *, score: float = 0.9, session: str = "chat-1", **changed: Any) -> Recollection:
    given: dict[str, Any] = {
        "message_id": uuid7(),
        "exchange_id": uuid7(),
        "session_id": session,
        "turn_index": 0,
        "part": 0,
        "role": Role.USER,
        "content": content,
        "said_at": NOON,
    }
    return Recollection(Passage(**given | changed), score)


def reasons(
    ranked: Sequence[Recollection], around: SelectionContext = HERE, how: SelectionLimits | None = None
) -> list[Drop | None]:
    wanted = frozenset(each.item.id for each in ranked if is_judged(each.item))
    done, _ = select(ranked, around, how or SelectionLimits(), relevant=True, needs=Needs(wanted=wanted))
    assert [each.item for each in done] == [each.item for each in ranked]
    return [each.dropped for each in done]


def test_what_nobody_asks_for_is_left_out_altogether() -> None:
    done, user_wide = select([recollection("tea")], HERE, SelectionLimits(), relevant=False)

    assert [each.dropped for each in done] == [Drop.IRRELEVANT]
    assert user_wide is False


def test_of_nothing_nothing_is_taken() -> None:
    assert select([], HERE, SelectionLimits(), relevant=True) == ([], True)


def test_no_more_is_taken_than_may_be() -> None:
    ranked = [recollection("green tea"), recollection("a red bicycle"), recollection("two cats")]

    assert reasons(ranked, how=SelectionLimits(limit=2)) == [None, None, Drop.LIMIT]
    assert reasons(ranked, how=SelectionLimits(limit=0)) == [Drop.LIMIT] * 3


def test_behind_the_cliff_nothing_is_taken() -> None:
    ranked = [
        recollection("green tea", score=0.8),
        recollection("a red bicycle", score=0.4),
        recollection("two cats", score=0.39),
    ]

    assert reasons(ranked) == [None, None, Drop.CLIFF]


def test_the_cliff_is_measured_from_the_best_of_all_also_where_that_is_left_out() -> None:
    given = recollection("green tea", score=1.5)
    around = replace(HERE, given=[given.item.id])

    assert reasons([given, recollection("a red bicycle", score=0.5)], around) == [Drop.GIVEN, Drop.CLIFF]
    assert reasons([given, recollection("a red bicycle", score=0.9)], around) == [Drop.GIVEN, None]


def test_what_was_learned_only_from_what_the_turn_takes_the_place_of_is_left_out() -> None:
    old, other = uuid7(), uuid7()
    around = replace(HERE, abandoned=frozenset({old}))
    ranked = [
        Recollection(memory("green tea", provenance=Provenance("chat-1", (old,))), 0.9),
        Recollection(memory("a red bicycle", provenance=Provenance("chat-1", (old, other))), 0.9),
        Recollection(memory("two cats", provenance=Provenance()), 0.9),
        passage("soup with leek", message_id=old),
        passage("cake with plums"),
    ]

    assert reasons(ranked, around) == [Drop.ABANDONED, None, None, Drop.ABANDONED, None]
    assert Drop.ABANDONED not in reasons(ranked)


def test_what_is_weak_in_this_session_does_not_keep_out_what_is_strong_in_another() -> None:
    strong = passage("Rex is my dog", session="chat-9", score=1.1)
    weak = [passage(text, score=0.3) for text in ("soup with leek", "rice for four", "cake with plums")]

    assert reasons([strong, *weak]) == [None, *[Drop.CLIFF] * 3]


def test_two_at_most_come_from_one_message() -> None:
    message_id = uuid7()
    parts = [passage(text, message_id=message_id) for text in ("green tea", "a red bicycle", "two cats")]
    formed = Recollection(memory("a boat", provenance=Provenance("chat-1", (message_id,))), 0.9)

    assert reasons(parts) == [None, None, Drop.SAME_SOURCE]
    assert reasons([*parts, formed]) == [Drop.SAME_SOURCE, Drop.SAME_SOURCE, Drop.SAME_SOURCE, None]
    assert reasons([formed, *parts]) == [None, Drop.SAME_SOURCE, Drop.SAME_SOURCE, Drop.SAME_SOURCE]


def test_what_a_statement_given_before_was_learned_from_is_not_given_behind_it() -> None:
    message_id = uuid7()
    formed = Recollection(memory("a boat", provenance=Provenance("chat-1", (message_id,))), 0.9)
    around = replace(HERE, given=[formed.item.id])

    said = passage("I bought a boat", message_id=message_id)

    assert reasons([said, formed], around) == [Drop.SAME_SOURCE, Drop.GIVEN]
    assert reasons([passage("I bought a boat"), formed], around) == [None, Drop.GIVEN]


@pytest.mark.parametrize(
    "prompt", ["Earlier: I DRINK  green\ntea at noon. Much else.", "tea green drink I at noon"]
)
def test_what_the_prompt_says_already_is_left_out(prompt: str) -> None:
    around = replace(HERE, prompt=PromptTexts(["", prompt]))

    assert reasons([recollection("I drink green tea at noon")], around) == [Drop.IN_PROMPT]


def test_what_the_prompt_says_in_part_is_taken() -> None:
    around = replace(HERE, prompt=PromptTexts(["I drink tea"]))

    assert reasons([recollection("I drink green tea at noon, and only then")], around) == [None]


def test_what_repeats_something_taken_is_left_out() -> None:
    ranked = [
        recollection("I drink green tea at noon on Sundays"),
        recollection("On Sundays I drink green tea at noon!"),
        recollection("I drink black coffee at noon on Mondays"),
    ]

    assert reasons(ranked) == [None, Drop.REPEATS, None]


def test_texts_of_a_script_without_spaces_are_compared_by_characters() -> None:
    ranked = [
        recollection("\u6211\u559c\u6b22\u559d\u7eff\u8336"),
        recollection("\u6211\u559c\u6b22\u559d\u7eff\u8336\u3002"),
    ]

    assert reasons(ranked) == [None, Drop.REPEATS]


def test_of_a_log_that_says_one_thing_many_times_only_the_first_passages_are_compared() -> None:
    again = [passage("I took the tram to the harbour today") for _ in range(40)]

    found = reasons([*again, passage("The harbour has a museum"), statement("Likes museums")])

    assert found == [None, *[Drop.REPEATS] * 23, *[Drop.LIMIT] * 17, None]


def test_texts_without_any_word_repeat_nothing() -> None:
    assert reasons([recollection("!?"), recollection("?!")]) == [None, None]


# -- the session first -----------------------------------------------------------------------------

OWN = [passage("green tea"), passage("a red bicycle"), passage("two cats")]
ELSEWHERE = passage("a wooden boat", session="chat-2")


def test_where_the_session_gives_enough_the_others_are_left_out() -> None:
    done, user_wide = select([ELSEWHERE, *OWN], HERE, SelectionLimits(), relevant=True)

    assert [each.dropped for each in done] == [Drop.OTHER_SESSION, None, None, None]
    assert user_wide is False


def test_where_it_gives_too_little_the_others_are_searched_too() -> None:
    done, user_wide = select([ELSEWHERE, *OWN[:2]], HERE, SelectionLimits(), relevant=True)

    assert [each.dropped for each in done] == [None, None, None]
    assert user_wide is True


def test_where_before_is_asked_for_the_others_are_searched_too() -> None:
    assert reasons([ELSEWHERE, *OWN], replace(HERE, user_wide=True)) == [None] * 4


def test_a_summary_does_not_leave_its_session_unless_before_is_asked_for() -> None:
    summary = Recollection(
        memory("We spoke of boats.", kind=Kind.SUMMARY, provenance=Provenance("chat-2")), 0.9
    )

    assert reasons([summary]) == [Drop.OTHER_SESSION]
    assert reasons([summary], replace(HERE, user_wide=True)) == [None]
    assert reasons([summary], replace(HERE, session_id="chat-2")) == [None]


def test_what_belongs_to_no_session_belongs_to_each() -> None:
    by_hand = recollection("a stone house")

    done, user_wide = select([by_hand, *OWN[:2]], HERE, SelectionLimits(), relevant=True)

    assert [each.dropped for each in done] == [None] * 3
    assert user_wide is False


# -- whatever comes --------------------------------------------------------------------------------

scores = st.floats(0, 2, allow_nan=False)
ids = st.sampled_from([UUID(int=number) for number in range(4)])
anything = st.lists(
    st.builds(
        lambda content, score, session, message_id: passage(
            content, score=score, session=session, message_id=message_id
        ),
        st.text(max_size=30),
        scores,
        st.sampled_from(["chat-1", "chat-2"]),
        ids,
    ),
    max_size=12,
)


@given(
    ranked=anything,
    limit=st.integers(0, 5),
    prompt=st.lists(st.text(max_size=30), max_size=3),
    user_wide=st.booleans(),
    given=st.sets(ids),
)
def test_the_bounds_hold_whatever_is_ranked(
    *, ranked: list[Recollection], limit: int, prompt: list[str], user_wide: bool, given: set[UUID]
) -> None:
    ranked.sort(key=lambda each: -each.score)
    around = SelectionContext("chat-1", user_wide, given, PromptTexts(prompt))

    done, _ = select(ranked, around, SelectionLimits(limit=limit), relevant=True)

    taken = [each for each in done if each.dropped is None]
    assert [each.item for each in done] == [each.item for each in ranked]
    assert len(taken) <= limit
    assert not given & {each.item.id for each in taken}
    assert all(each.score >= 0.5 * taken[0].score for each in taken)
    assert all(sum(one.item.id == each.item.id for one in taken) <= 2 for each in taken)
