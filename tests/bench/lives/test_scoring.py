from dataclasses import replace
from typing import Any

import pytest

from bench.lives.life import Life, read_life
from bench.lives.scoring import Block, Given, bullets, covers, score, score_table


def statement(number: int, content: str, evidence: str, **changed: object) -> dict[str, object]:
    given = {"id": f"m{number}", "content": content, "kind": "fact", "evidence": evidence, "importance": 0.7}
    return given | {"event_date": None, "relation": "new", "about": None} | changed


def question(ask: str, **changed: object) -> dict[str, object]:
    given: dict[str, object] = {"at": "2026-06-01T08:00:00Z", "before": [], "ask": ask, "type": "oneself"}
    return given | changed


TURNS: list[dict[str, Any]] = [
    {"user": "I live in Gdynia and I keep bees.", "assistant": "I see.", "memories": [statement(1, "Lives in Gdynia", "I live in Gdynia"), statement(2, "Keeps bees", "I keep bees")]},
    {"user": "I've moved, I live in Sopot now.", "assistant": "I see.", "memories": [statement(3, "Lives in Sopot now", "I live in Sopot now", relation="contradicts", about="m1")]},
    {"user": "As I keep bees, what do they eat in March?", "assistant": "Pollen.", "memories": [statement(4, "Is a beekeeper", "I keep bees", relation="repeats", about="m2")]},
]  # fmt: skip
QUESTIONS = [
    question("Where do I live?", must=["m3"], stale=["m1"]),
    question("What is the capital of Peru?", type="unrelated"),
    question("And how many?", type="follow-up", must=["m2"], before=[{"user": "Do I keep bees?", "assistant": "Yes."}]),
]  # fmt: skip
CHATS = [{"chat": "c1", "at": "2026-03-02T09:00:00Z", "turns": TURNS}]
JO: Life = read_life({"person": "jo", "language": "en", "chats": CHATS, "questions": QUESTIONS})
HOME, PERU, BEES = JO.questions
SOPOT, BEEKEEPER = "[FACT] Lives in Sopot now (2026-03-02)", "[FACT] Is a beekeeper (2026-03-02)"


def given(asked: int, *lines: str, standing: tuple[str, ...] = (), tokens: int = 100) -> Given:
    block = Block(lines, standing, tokens, tuple(10 for _ in lines))
    return score(JO, JO.questions[asked], block)


@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("[FACT] Lives in Sopot now (2026-03-02)", True),
        ("[FACT] Lives in Sopot, now", True),
        ("[SAID] I've moved, I live in Sopot now. (2026-03-02)", True),
        ("[SAID] ... so I live in Sopot (2026-03-02)", True),
        ("[SAID] I've moved (2026-03-02)", False),
        ("[FACT] Keeps bees", False),
    ],
)
def test_a_line_says_a_statement_in_its_words_or_those_it_rests_on(line: str, *, is_said: bool) -> None:
    assert covers(line, "Lives in Sopot now", "I live in Sopot now") is is_said


def test_what_is_needed_is_found_in_any_of_its_wordings() -> None:
    found = given(2, BEEKEEPER)

    assert (found.must, found.found, found.missing, found.noise) == (1, 1, (), ())


def test_what_is_neither_needed_nor_allowed_is_noise_and_what_is_missing_is_told() -> None:
    found = given(0, BEEKEEPER)

    assert (found.missing, found.noise) == (("Lives in Sopot now",), (BEEKEEPER,))


def test_a_standing_line_is_no_noise_but_may_be_what_is_needed() -> None:
    found = given(0, BEEKEEPER, SOPOT, standing=("Is a beekeeper", "Lives in Sopot now"))

    assert (found.block.stands, found.block.standing_tokens) == ((True, True), 20)
    assert (found.noise, found.is_whole) == ((), True)


def test_what_was_superseded_misleads_unless_the_line_says_what_holds_as_well() -> None:
    assert given(0, SOPOT, "[FACT] Lives in Gdynia (2026-03-02)").stale == ("m1",)
    assert given(0, "[SAID] I live in Gdynia, no: I live in Sopot now").stale == ()


def test_a_line_that_says_only_what_another_said_is_counted() -> None:
    assert given(0, SOPOT, "[SAID] I live in Sopot now").dup == 1


def test_only_bullets_that_the_request_does_not_hold_itself_were_added() -> None:
    added = "Notes:\n- [FACT] one\n  more of it\n* two\n- said"

    assert list(bullets(added, ["my list:\n- said"])) == ["[FACT] one", "two"]


def test_the_table_tells_all_by_type_and_by_language() -> None:
    found = [given(0, SOPOT, tokens=100), given(1, BEEKEEPER, tokens=200), replace(given(2), language="de")]

    rows = {
        cells[1]: cells[2:] for cells in ([each.strip() for each in line.split("|")] for line in score_table(found).splitlines())
    }  # fmt: skip

    assert rows["all"][:7] == ["3", "1/2 = 50 %", "50 %", "50 %", "0 %", "0", "1/1"]
    assert rows["all"][7:9] == ["150", "195"]
    assert rows["oneself"][:2] == ["1", "1/1 = 100 %"]
    assert rows["language de"][:2] == ["1", "0/1 = 0 %"]
