"""docs/explanation/threat-model.md names tests that are there, and the figures that they find."""

import re
from pathlib import Path

from tests.recollect.formation.test_attacks import OWN, SEEN, UNSEEN, held
from tests.recollect.formation.test_instructions import ORDERS

from recollect.text.prompt_injection import is_injected

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "explanation" / "threat-model.md").read_text("utf-8")
ATTACKS = PAGE.split("## Attacks\n", 1)[1].split("\n## ", 1)[0]
FIGURES = PAGE.split("## The poisoning suite\n", 1)[1].split("\n## ", 1)[0]


def rows(section: str) -> list[list[str]]:
    """Return the cells of a table's rows, without its head."""
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_each_attack_names_tests_that_are_there() -> None:
    attacks = re.split(r"^- \*\*", ATTACKS, flags=re.MULTILINE)[1:]
    named = {attack: re.findall(r"`(tests/[\w/]+\.py)`", attack) for attack in attacks}

    assert len(attacks) > 25
    assert [attack for attack, tests in named.items() if not tests] == []
    missing = {test for tests in named.values() for test in tests if not (REPOSITORY / test).is_file()}
    assert missing == set()


def test_each_of_them_has_a_test() -> None:
    for name in set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE)):
        assert re.search(r"^\s*(async )?def test_", (REPOSITORY / name).read_text("utf-8"), re.MULTILINE), (
            name
        )


def test_the_figures_of_the_poisoning_suite_are_what_it_finds() -> None:
    told = [(held_back, false_alarms) for _, held_back, false_alarms in rows(FIGURES)]
    found = [
        (str(sum(held(SEEN))), ""),
        (str(sum(held(UNSEEN))), ""),
        (str(sum(held((*SEEN, *UNSEEN), steers=True))), ""),
        ("", str(sum(held(OWN)))),
        *((str(_injected(half, planted=True)), str(_injected(half, planted=False))) for half in HALVES),
    ]

    assert told[: len(found)] == found


HALVES = ("tune", "check")


def _injected(half: str, *, planted: bool) -> int:
    orders = [order for order in ORDERS if order.half == half and order.planted == planted]
    return sum(is_injected(order.content, order.evidence) for order in orders)
