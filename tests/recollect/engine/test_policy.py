from dataclasses import replace

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
    )

    assert SHIPPED.under(flags) == replace(
        SHIPPED,
        recalls=False,
        strategy=Strategy.BOTH,
        bounds=replace(SHIPPED.bounds, placement=Placement.USER),
        summarizing=Summarizing(),
        rules=replace(SHIPPED.rules, minimum_importance=0.7),
        caps=Caps(1, 2),
    )


def test_summaries_that_are_switched_on_come_as_often_as_the_settings_say() -> None:
    assert SHIPPED.under(Flags(summaries=True)).summarizing == Summarizing(5, 4000)


def test_what_stands_in_every_chat_is_switched_alone() -> None:
    assert SHIPPED.under(Flags(standing=False)) == replace(SHIPPED, stands=False)
    assert replace(SHIPPED, stands=False).under(Flags(standing=True)) == SHIPPED


def test_a_users_flags_stand_over_everybodys() -> None:
    everybody, user = Flags(recall=False, user_cap=9), Flags(recall=True)

    assert user.over(everybody) == Flags(recall=True, user_cap=9)
