import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from bench.lives.formation import replay, score, show
from bench.lives.formed import Event, open_bench
from bench.lives.life import Life, LifeScript, read_life
from recollect.model import Asking, Exchange, Kind, Memory, Scope, Source, Turn

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def statement(number: int, content: str, evidence: str, **changed: object) -> dict[str, object]:
    given = {"id": f"m{number}", "content": content, "kind": "fact", "evidence": evidence, "importance": 0.7}
    return given | {"event_date": None, "relation": "new", "about": None} | changed


def told(person: str, *turns: tuple[str, list[dict[str, object]]], forgets: list[str] | None = None) -> Life:
    said: list[dict[str, object]] = [
        {"user": user, "assistant": "I see.", "memories": memories} for user, memories in turns
    ]
    if forgets:
        said[-1]["forgets"] = forgets
    chats = [{"chat": "c1", "at": "2026-03-02T09:00:00Z", "turns": said}]
    return read_life(json.dumps({"person": person, "language": "en", "chats": chats}))


JO = told(
    "jo",
    ("I live in Gdynia and I keep bees.", [statement(1, "Lives in Gdynia", "I live in Gdynia"), statement(2, "Keeps bees", "I keep bees")]),
    ("I've moved, I live in Sopot now.", [statement(3, "Lives in Sopot now", "I live in Sopot now", relation="contradicts", about="m1")]),
    ("As I keep bees, what do they eat in March?", [statement(4, "Is a beekeeper", "I keep bees", relation="repeats", about="m2")]),
)  # fmt: skip
ADA = told(
    "ada",
    ("My train leaves on 14 March 2026.", [statement(1, "Takes a train on 14 March 2026", "My train leaves on 14 March 2026", kind="todo", event_date="2026-03-14")]),
    ("I'm a bit tired today.", [statement(2, "Is a bit tired today", "I'm a bit tired today", importance=0.1, label="t")]),
    ("Please forget about my train.", []),
    forgets=["m1"],
)  # fmt: skip


def memory(content: str, event_at: datetime | None = None) -> Memory:
    return Memory(uuid7(), "jo", Kind.FACT, Source.EXTRACTED, content, 0.5, NOON, NOON, event_at=event_at)


def answering(life: Life) -> LifeScript:
    script = LifeScript(life)
    for label in life.labels:
        turn = Turn(Scope(life.person, "c1"), label.evidence, label.turn, NOON, "scripted")
        script.items([Exchange(uuid7(), turn, "", uuid7(), uuid7())], [], {})
    return script


def test_what_is_there_as_it_should_be_is_no_finding() -> None:
    result = score(JO, [memory("Keeps bees"), memory("Lives in Sopot now")], [], answering(JO))

    assert (result.wanted, result.superseded) == (2, 1)
    assert (result.lost, result.stayed, result.wrong_dates) == ([], [], [])


def test_a_statement_told_again_is_kept_in_either_wording() -> None:
    result = score(JO, [memory("Is a beekeeper"), memory("Lives in Sopot now")], [], answering(JO))

    assert result.lost == []


def test_a_lost_statement_comes_with_what_was_decided() -> None:
    ignored = Event("c1-0", "ignore", "injected", "Keeps bees")

    result = score(JO, [memory("Lives in Sopot now")], [ignored], answering(JO))

    assert [(each.id, each.happened) for each in result.lost] == [("m2", "ignore (injected)")]


def test_a_statement_that_took_the_place_of_a_lost_one_is_told() -> None:
    made, other = uuid7(), uuid7()
    events = [
        Event("c1-0", "add", "new", "Keeps bees", made),
        Event("c1-1", "replace", "contradicts", "Lives in Sopot now", other, made),
    ]

    result = score(JO, [memory("Lives in Sopot now")], events, answering(JO))

    assert result.lost[0].happened == "add (new); later replace (contradicts) by: Lives in Sopot now"


def test_a_lost_statement_that_no_model_was_asked_for_is_told_as_such() -> None:
    result = score(JO, [memory("Lives in Sopot now")], [], LifeScript(JO))

    assert result.lost[0].happened == "no model was asked"


def test_what_was_superseded_and_is_there_is_found() -> None:
    stored = [memory("Keeps bees"), memory("Lives in Gdynia"), memory("Lives in Sopot now")]
    event = Event("c1-1", "add", "distinct", "Lives in Sopot now", stored[2].id)

    result = score(JO, stored, [event], answering(JO))

    assert [each.id for each in result.stayed] == ["m1"]
    assert (
        "contradicts m3 (Lives in Sopot now): add (distinct) [the old was not shown]"
        in result.stayed[0].happened
    )


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        (datetime(2026, 3, 14, tzinfo=UTC), None),
        (datetime(2025, 3, 14, tzinfo=UTC), "overridden: 2025-03-14, should be 2026-03-14"),
        (None, "lost: None, should be 2026-03-14"),
    ],
)
def test_dates_are_compared(kept: datetime | None, found: str | None) -> None:
    [label, *_] = ADA.labels

    result = score(ADA, [memory(label.content, kept)], [], answering(ADA))

    assert result.dated == 1
    assert [each.happened.partition(";")[0] for each in result.wrong_dates] == ([found] if found else [])


def test_a_date_that_nobody_said_is_invented() -> None:
    result = score(JO, [memory("Keeps bees", NOON)], [], answering(JO))

    assert result.wrong_dates[0].happened.startswith("invented: 2026-03-02")


def test_what_is_trivial_or_was_to_be_forgotten_is_counted_where_it_is_there() -> None:
    stored = [memory("Takes a train on 14 March 2026"), memory("Is a bit tired today")]

    result = score(ADA, stored, [], answering(ADA))

    assert (result.wanted, result.trivial, result.forgotten) == (0, 1, 1)
    assert [each.id for each in (*result.remembered, *result.trivial_kept)] == ["m1", "m2"]


def test_the_model_names_a_memory_only_where_it_was_shown() -> None:
    script, known = LifeScript(JO), memory("Lives in Gdynia")
    turn = Turn(Scope("jo", "c1"), "I've moved.", "c1-1", NOON, "scripted")
    exchange = Exchange(uuid7(), turn, "", uuid7(), uuid7())

    [shown] = script.items([exchange], [known], {known.id: 7})
    [unshown] = script.items([exchange], [known], {})

    assert (shown["relation"], shown["about"]) == ("contradicts", 7)
    assert (unshown["relation"], unshown["about"]) == ("new", None)


def test_the_model_tells_what_is_to_be_forgotten() -> None:
    script, known = LifeScript(ADA), memory("Takes a train on 14 March 2026")
    turn = Turn(Scope("ada", "c1"), "Please forget about my train.", "c1-2", NOON, "scripted")

    [command] = script.commands(
        [Exchange(uuid7(), turn, "", uuid7(), uuid7())], [memory("Keeps bees"), known]
    )

    assert (command.asking, command.about) == (Asking.FORGET, (1,))
    assert script.chosen("my train", [known]) == (0,)


async def test_two_people_live_and_are_scored(
    own_dsn: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_bench(database_url=own_dsn, data_dir=data_dir) as bench:
        scores = [await replay(bench, life) for life in (JO, ADA)]
        owners: set[UUID] = {each.id for name in ("jo", "ada") for each in await bench.stored(name)}
    show(scores)

    assert [(each.wanted, each.lost, each.stayed) for each in scores] == [(2, [], []), (0, [], [])]
    assert scores[1].remembered == []
    assert sum(each.calls for each in scores) >= 2
    assert sum(each.stored for each in scores) == len(owners) > 0
    assert "all: kept" in capsys.readouterr().out
