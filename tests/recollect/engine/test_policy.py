from dataclasses import astuple, replace

from recollect.engine.policy import Policy, Summarizing
from recollect.model import Caps, Flags, Placement, Strategy

SHIPPED = Policy(caps=Caps(50, 200), summarizing=Summarizing(5, 4000))


def test_nothing_changed_leaves_the_policy_as_it_is() -> None:
    assert SHIPPED.under(Flags()) is SHIPPED


def test_what_is_changed_while_it_runs_counts_in_place_of_the_settings() -> None:
    flags = Flags(
        recall=False,
        formation=Strategy.BOTH,
        placement=Placement.USER,
        summaries=False,
        minimum_importance=0.7,
        session_cap=1,
        user_cap=2,
        lexical=False,
        history=False,
        max_memory_tokens=100,
        max_history_tokens=50,
        queries=False,
        profile=False,
    )

    assert SHIPPED.under(flags) == replace(
        SHIPPED,
        recalls=False,
        strategy=Strategy.BOTH,
        tells_queries=False,
        reach=replace(SHIPPED.reach, lexical=False, log=False),
        bounds=replace(
            SHIPPED.bounds,
            placement=Placement.USER,
            memory_tokens=100,
            later_tokens=100,
            chat_memory_tokens=800,
            history_tokens=50,
        ),
        summarizing=Summarizing(),
        rules=replace(SHIPPED.rules, minimum_importance=0.7),
        caps=Caps(1, 2),
    )


def test_summaries_that_are_switched_on_come_as_often_as_the_settings_say() -> None:
    assert SHIPPED.under(Flags(summaries=True)).summarizing == Summarizing(5, 4000)


def test_summaries_come_as_often_as_was_changed_unless_they_are_off() -> None:
    assert SHIPPED.under(Flags(summary_turns=9)).summarizing == Summarizing(9, 4000)
    assert SHIPPED.under(Flags(summary_turns=9, summaries=False)).summarizing == Summarizing()


def test_what_stands_in_every_chat_is_switched_alone() -> None:
    assert SHIPPED.under(Flags(standing=False)) == replace(SHIPPED, stands=False)
    assert replace(SHIPPED, stands=False).under(Flags(standing=True)) == SHIPPED


def test_a_users_flags_stand_over_everybodys() -> None:
    everybody, user = Flags(recall=False, user_cap=9), Flags(recall=True)

    assert user.over(everybody) == Flags(recall=True, user_cap=9)


def test_a_policy_says_of_every_flag_how_it_is() -> None:
    flags = Flags(
        record=False,
        recall=False,
        standing=False,
        formation=Strategy.BOTH,
        placement=Placement.USER,
        summaries=True,
        queries=False,
        profile=False,
        lexical=False,
        history=False,
        max_memory_tokens=100,
        max_history_tokens=50,
        summary_turns=9,
        minimum_importance=0.7,
        session_cap=1,
        user_cap=2,
        time_zone="Pacific/Auckland",
        told_zone="",
        told_name="",
    )

    assert None not in astuple(SHIPPED.flags)
    assert SHIPPED.under(SHIPPED.flags) == SHIPPED
    assert SHIPPED.under(flags).flags == flags
