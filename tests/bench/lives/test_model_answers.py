import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from uuid_utils.compat import uuid7

from bench.lives.formed import open_bench
from bench.lives.model_answers import Outcome, RecordedScript, Result, read_recorded, replay, show
from recollect.model import Exchange, Kind, Memory, Scope, Source, Turn

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
CHATS = [
    {"user": "jo", "name": "Jo", "chat": "c1", "group": 0, "user_says": "I live in Gdynia.", "assistant_says": "Nice."},
    {"user": "jo", "name": "Jo", "chat": "c1", "group": 1, "user_says": "I've moved, I live in Sopot now: »an old mail«", "assistant_says": "Well."},
]  # fmt: skip
PROMPT = """Existing memories, numbered:
=====0f
[0] (fact, 2026-01-02) Keeps bees
[1] (fact, 2026-03-02, suspect) Lives in Gdynia
=====0f

Message 1, Monday 2026-03-02 09:00:
=====0f
I've moved, I live in Sopot now:
=====0f

The assistant's reply to message 1:
=====0f
Well.
=====0f"""


def item(content: str, evidence: str, **changed: Any) -> dict[str, Any]:
    given = {"evidence": evidence, "content": content, "kind": "fact", "importance": 0.7, "confidence": 1.0}
    return given | {
        "relation": "new", "about": None, "event_date": None, "valid_from": None, "valid_to": None, "affects": []
    } | changed  # fmt: skip


def row(number: str, prompt: str, *items: dict[str, Any]) -> dict[str, Any]:
    candidates = [{"content": each["content"], "label": "w", "note": "", "outcome": []} for each in items]
    answer = {"memories": list(items)}
    return {
        "n": number,
        "kind": "memories",
        "user": "jo",
        "prompt": prompt,
        "answer": answer,
        "candidates": candidates,
    }


FIRST = row(
    "1",
    "Message 1, Monday 2026-03-02 08:00:\n=====0f\nI live in Gdynia.\n=====0f",
    item("Lives in Gdynia", "I live in Gdynia"),
)
SECOND = row("2", PROMPT, item("Lives in Sopot now", "I live in Sopot now", relation="contradicts", about=1))


def lines(rows: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(each) for each in rows]


def test_a_prompt_is_read_with_the_whole_message_of_the_chat() -> None:
    _, second = read_recorded(lines([FIRST, SECOND]), lines(CHATS))

    assert second.at == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert [(each.kind, each.day, each.content) for each in second.known] == [
        (Kind.FACT, "2026-01-02", "Keeps bees"),
        (Kind.FACT, "2026-03-02", "Lives in Gdynia"),
    ]
    assert second.said[0].user.endswith("»an old mail«")
    assert [each["content"] for each in second.said[0].before] == ["I live in Gdynia.", "Nice."]
    assert second.worth == (("w", ""),)


def test_a_prompt_of_another_chat_is_refused() -> None:
    with pytest.raises(ValueError, match="lack"):
        read_recorded(lines([FIRST]), [])


def test_the_answer_names_the_memories_by_the_numbers_they_have_now() -> None:
    _, second = read_recorded(lines([FIRST, SECOND]), lines(CHATS))
    known = Memory(uuid7(), "jo", Kind.FACT, Source.EXTRACTED, "Lives in Gdynia", 0.5, NOON, NOON)
    turn = Turn(Scope("jo", "c1"), "I've moved", "2-0", NOON, "scripted")
    exchange = Exchange(uuid7(), turn, "", uuid7(), uuid7())
    script = RecordedScript(second, None)

    [shown] = script.items([exchange], [known], {known.id: 5})
    [unshown] = script.items([exchange], [], {})

    assert (shown["relation"], shown["about"]) == ("contradicts", 5)
    assert (unshown["relation"], unshown["about"]) == ("new", None)


async def test_recorded_answers_are_given_again(
    own_dsn: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = Result()
    async with open_bench(batches=True, database_url=own_dsn, data_dir=data_dir) as bench:
        for each in read_recorded(lines([FIRST, SECOND]), lines(CHATS)):
            await replay(bench, each, result)
    show(result)

    assert [(each.content, each.kept, each.date) for each in result.outcomes] == [
        ("Lives in Gdynia", True, ""),
        ("Lives in Sopot now", True, ""),
    ]
    assert result.outcomes[1].honoured is True
    assert "updates and corrections done:         1 of 1" in capsys.readouterr().out


def test_each_measure_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Result(
        [
            Outcome("1", "Keeps bees", "w", "", kept=False, happened="ignore (injected)"),
            Outcome("2", "Keeps bees", "w", "dup", kept=True, happened="add (distinct)", relation="repeats", honoured=False, dated=True),
            Outcome("3", "Is tired", "t", "", kept=True, happened="add (new)", date="invented: 2026-03-02", dated=True),
        ],
        [("forget my bees", ["Keeps bees"], [])],
    )  # fmt: skip

    show(shown)

    figures = capsys.readouterr().out
    assert "refused or kept twice: 2 of 2" in figures
    assert "trivial or wrong, kept:               1 of 1" in figures
    assert "dates invented, lost or overridden:   1 of 2" in figures
    assert "repeats and refines honoured:         0 of 1" in figures
    assert "commands to forget done:              0 of 1" in figures
