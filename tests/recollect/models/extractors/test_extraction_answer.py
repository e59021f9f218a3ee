import json
import math
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.long_texts import up_to
from tests.support.tables import table

from recollect.errors import InvalidExtractionError
from recollect.model import Asking, Candidate, ExtractedCommand, Hints, Kind, Lasting, Relation, Stance, Use
from recollect.models.extractors.extraction_answer import COMMAND_LIMIT, ITEM_LIMIT, read_answer

AT = datetime(2026, 11, 21, 9, 30, tzinfo=timezone(timedelta(hours=1)))
TEA = {"content": "Prefers tea", "evidence": "I prefer tea"}


def read(answer: object) -> list[Candidate]:
    written = answer if isinstance(answer, str) else json.dumps(answer)
    return list(read_answer(written, at=AT, known=10).candidates)


def commands(answer: object) -> tuple[ExtractedCommand, ...]:
    written = answer if isinstance(answer, str) else json.dumps(answer)
    return read_answer(written, at=AT, known=10).commands


def read_one(**fields: Any) -> Candidate:
    [candidate] = read({"memories": [TEA | fields]})
    return candidate


def test_a_whole_statement_is_read() -> None:
    judged = {
        "kind": "preference",
        "importance": 0.6,
        "confidence": 0.9,
        "stance": "supposed",
        "steers": True,
    }
    linked = {"relation": "refines", "about": [2, 1], "ends": [3, 2], "affects": [4, 0, 3]}
    dated = {
        "event_date": "2026-11-20",
        "valid_from": "2026-11-01",
        "valid_to": "2027-02-28",
        "lasts": "weeks",
    }
    hints = {
        "use": "always",
        "topics": ["breakfast"],
        "questions": ["Was trinke ich?", "What shall I order?"],
    }
    read_whole = read_one(subject="my sister Clara", **judged, **linked, **dated, **hints)

    statement = Candidate(
        "Prefers tea", Kind.PREFERENCE, 0.6, "I prefer tea", confidence=0.9, relation=Relation.REFINES
    )
    known: dict[str, Any] = {"about": (2, 1), "unsettles": (4, 0), "ends": (3,)}
    assert read_whole == replace(
        statement,
        **known,
        steers=True,
        lasting=Lasting.WEEKS,
        event_at=datetime(2026, 11, 20, tzinfo=AT.tzinfo),
        holds_from=datetime(2026, 11, 1, tzinfo=AT.tzinfo),
        holds_until=datetime(2027, 2, 28, 23, 59, 59, tzinfo=AT.tzinfo),
        subject="my sister Clara",
        stance=Stance.SUPPOSED,
        hints=Hints(Use.ALWAYS, ("breakfast",), ("Was trinke ich?", "What shall I order?")),
    )


def test_an_answer_without_the_fields_that_came_later_says_what_it_said() -> None:
    candidate = read_one(
        kind="fact", importance=0.7, confidence=1.0, relation="contradicts", about=3, affects=[1]
    )

    assert (candidate.about, candidate.unsettles, candidate.ends) == ((3,), (1,), ())
    assert (candidate.subject, candidate.stance) == (None, Stance.STATED)
    assert (candidate.steers, candidate.lasting) == (False, Lasting.YEARS)
    assert candidate.hints is None
    assert commands({"memories": [TEA]}) == ()


@table(
    "answer",
    [
        f'{{"memories": [{json.dumps(TEA)}]}}',
        f"[{json.dumps(TEA)}]",
        json.dumps(TEA),
        json.dumps({"facts": TEA}),
        f'Sure! Here is the list:\n{{"memories": [{json.dumps(TEA)}]}}\nAnything else?',
        f'```json\n{{"memories": [{json.dumps(TEA)}]}}\n```',
        f"Nothing at first:\n```\n[]\n```\nbut then:\n```json\n[{json.dumps(TEA)}]\n```",
        f'```json\n{{"memories": [{json.dumps(TEA)}]}}',
        f'<think>Maybe {{"memories": []}}?</think>{{"memories": [{json.dumps(TEA)}]}}',
        f'Okay, [0] is old. </think>\n{{"memories": [{json.dumps(TEA)}]}}',
        '{"memories": [{"content": "Prefers tea", "evidence": "I prefer tea",},],}',
        f'See [0] and [1, 2]: {{"memories": [{json.dumps(TEA)},]}}',
        f'First {{"memories": []}}, no: {{"memories": [{json.dumps(TEA)}]}}',
        f'{json.dumps(TEA)}\n{{"content": 7}}',
        f'{{"memories": [{json.dumps(TEA)}, {{"content": "Lives in Lei',
        f'{{"words": "own", "wishes": [], "memories": [{json.dumps(TEA)}, {{"about": [], "content": "Lives in Lei',
        f'{{"wishes": [{{"asking": "remember", "evidence": "x", "about": []}}], "memories": [{json.dumps(TEA)}, {{"ev',
    ],
)
def test_wrapped_and_broken_answers_are_read(answer: str) -> None:
    assert [candidate.content for candidate in read(answer)] == ["Prefers tea"]


@table(
    "answer",
    [
        str({"memories": [TEA | {"about": None, "steers": True}]}),
        "Here's what's new: " + str({"memories": [TEA]}) + " That's all, isn't it?",
        "{'memories': [{'content': 'Prefers tea', 'evidence': 'I don't mind, I prefer tea'}]}",
        '{"memories": [{"content": "Prefers tea", "evidence": "I said "I prefer tea" twice"}]}',
        '{memories: [{content: "Prefers tea", evidence: "I prefer tea"}]}',
        "{\u201cmemories\u201d\uff1a [{\u201ccontent\u201d: \u201cPrefers tea\u201d\uff0c \u201cevidence\u201d: \u201cI prefer tea\u201d}]}",
        '{"memories": [{"content": "Prefers tea", "evidence": "I prefer\ntea"}]}',
        "```python\n" + str({"memories": [TEA]}) + "\n```",
        str([TEA]),
    ],
)
def test_what_is_nearly_json_is_read_whole(answer: str) -> None:
    found = read_answer(answer, at=AT, known=10)

    assert [each.content for each in found.candidates] == ["Prefers tea"]
    assert found.candidates[0].evidence
    assert found.is_whole


@table(
    ("named", "evidence"), [('a cat "Mimi"', "my cat Mimi"), ("Mimi", 'my cat "Mimi"'), ("Mimi", "my cat")]
)
@table("behind", ["", " That's all."])
def test_quotes_within_a_text_lose_no_statement_and_no_wish(named: str, evidence: str, behind: str) -> None:
    cat = f'{{"content": "Has {named}", "evidence": "{evidence}"}}'
    wish = f'{{"asking": "forget", "evidence": "{evidence}", "about": [1]}}'

    found = read_answer(
        f'{{"wishes": [{wish}], "memories": [{json.dumps(TEA)}, {cat}]}}{behind}', at=AT, known=10
    )

    told = [each.content for each in found.candidates], [each.evidence for each in found.commands]
    assert told == (["Prefers tea", f"Has {named}"], [evidence])
    assert found.is_whole


@table(
    "answer",
    [
        f'{{"memories": [{json.dumps(TEA)}, {{"content": "Lives in Lei',
        f'Well: {{"memories": [{{"content": "Has a cat" // Mimi\n}}, {json.dumps(TEA)}]}} Done',
        f'{{"memories": [{json.dumps(TEA)}, {{"evidence": "I live in Leipzig"}}]}}',
        f'{{"memories": [{json.dumps(TEA)}], "wishes": [{{"asking": "for',
        "{'memories': [{'content': 'Prefers tea', 'evidence': 'I prefer tea'}, {'content': 'Lives in",
    ],
)
def test_what_breaks_off_or_lacks_something_is_read_as_far_as_it_goes_and_known_as_such(answer: str) -> None:
    found = read_answer(answer, at=AT, known=10)

    assert [each.content for each in found.candidates] == ["Prefers tea"]
    assert not found.is_whole


@table(
    "answer",
    [
        *('{"memories": []}', '{"words": "pasted"}', '{"words": "own", "wishes": []}', "So: []", "[]", "{}"),
        *("NONE", "None.", '{"memories": null}', 'So: {"memories": []}.'),
    ],
)
def test_nothing_to_keep_is_an_answer(answer: str) -> None:
    assert read(answer) == []


@table(
    "answer",
    [
        "",
        "The user prefers tea.",
        "[0]",
        "7",
        '{"answer": true}',
        '["Prefers tea"]',
        "<think>hm, what to keep? [{",
        '{"memories": ["Prefers tea"]}',
        '{"memories": [{"evidence": "I prefer tea"}]}',
        '{"memories": [{"content": {"text": "tea"}}]}',
        '{"words": "own", "wishes": [], "memories": [{"evidence": "I prefer te',
        '{"wishes": [{"asking": "forget", "evidence": "tea", "about": [1]}], "memories": [{"evidence": "I pre',
        "9" * 10_000,
    ],
)
def test_an_answer_without_any_statement_is_invalid(answer: str) -> None:
    with pytest.raises(InvalidExtractionError) as caught:
        read(answer)

    assert "tea" not in str(caught.value)


@up_to(100_000)
@table("piece", ["[", '{"a":', '["', '"\\"'])
def test_an_answer_without_an_end_is_invalid(piece: str, length: int) -> None:
    with pytest.raises(InvalidExtractionError):
        read(piece * length)


def test_a_quoted_thought_tag_is_no_thought() -> None:
    found = read(json.dumps([TEA | {"evidence": "why </think> and <think> again?"}]))

    assert [candidate.evidence for candidate in found] == ["why </think> and <think> again?"]


def test_a_bad_statement_is_dropped_and_the_rest_kept() -> None:
    found = read({"memories": [{"content": 7}, TEA, "?", {"evidence": "x"}, None]})

    assert [candidate.content for candidate in found] == ["Prefers tea"]


@table(
    ("field", "given_value", "expected"),
    [
        # a kind that is not for statements, and an unknown relation
        *(
            ("kind", name, Kind.FACT)
            for name in ("summary", "qa_turn", "profile", "opinion", "", None, 3, ["fact"])
        ),
        *(("relation", name, Relation.NEW) for name in ("duplicate", None, 3)),
        # shares are brought between nought and one
        *(("importance", share, share) for share in (0, 0.4, 1)),
        *(("importance", share, 0.5) for share in ("high", None, True, math.nan, math.inf, 10**400, [0.4])),
        *(("importance", *pair) for pair in (("0.4", 0.4), (7, 0.7), ("10", 1.0), (50, 1.0), (-3, 0.0))),
        *(("confidence", *pair) for pair in ((0.5, 0.5), (None, 1.0), (-1, 0.0), (90, 1.0), ("sure", 1.0))),
        # the numbers of known memories
        *(("about", numbers, (3,)) for numbers in (3, "3", "[3]", [3], 3.0)),
        *(("about", numbers, (3, 0)) for numbers in ([3, 0, 3], "[3, 0]")),
        *(("about", numbers, ()) for numbers in (None, -1, "none", 10, 10**400)),
        ("about", [], ()),
        ("about", 0, (0,)),
        # the time zone of an event is the message's
        *(
            ("event_date", day, datetime(2026, 11, 20, tzinfo=AT.tzinfo))
            for day in ("2026-11-20", " 2026-11-20 ")
        ),
        *(
            ("event_date", time, datetime(2026, 11, 20, 10, tzinfo=AT.tzinfo))
            for time in ("2026-11-20T10:00:00", "2026-11-20T10:00:00Z")
        ),
        *(
            ("event_date", odd, None)
            for odd in (
                *("2026-13-40", "next Friday", "2026", "0001-01-01", "9999-12-31T23:00:00-12:00", 20261120),
                None,
            )
        ),
        # whom it tells of
        ("subject", "my sister Clara", "my sister Clara"),
        ("subject", " his\nboss ", "his boss"),
        *(("subject", nobody, None) for nobody in ("null", "The user", "", None, 7, ["Clara"])),
        # whether it steers
        *(("steers", yes, True) for yes in (True, "true", 1)),
        *(("steers", no, False) for no in (False, None, "maybe", [1])),
        # evidence that is no text
        ("evidence", ["I prefer tea", "tea"], "I prefer tea"),
        *(("evidence", nothing, "") for nothing in ([3], None, 3)),
    ],
)
def test_a_field_is_read_leniently(field: str, given_value: object, expected: object) -> None:
    name = {"event_date": "event_at"}.get(field, field)

    assert getattr(read_one(**{field: given_value}), name) == expected


def test_the_scale_of_ten_is_recognised_by_the_whole_answer() -> None:
    found = read([TEA | {"importance": 1}, TEA | {"importance": 8}, TEA | {"importance": 0.5}])

    assert [candidate.importance for candidate in found] == pytest.approx([0.1, 0.8, 0.5])


@table(
    ("since", "until", "expected"),
    [
        ("2026-03-01", "2026-03-31", ((2026, 3, 1), (2026, 3, 31, 23, 59, 59))),
        ("2026-03", "2026-04", ((2026, 3, 1), (2026, 4, 30, 23, 59, 59))),
        ("2024", " 2025 ", ((2024, 1, 1), (2025, 12, 31, 23, 59, 59))),
        ("2024-02", "2024-02", ((2024, 2, 1), (2024, 2, 29, 23, 59, 59))),
        (None, "2026-03-31T12:00:00", (None, (2026, 3, 31, 12))),
        ("2026-03-01", None, ((2026, 3, 1), None)),
        ("2026-03-31", "2026-03-01", (None, None)),
        ("2026-13", "0000-02", (None, None)),
        ("spring", "until March", (None, None)),
        (2024, ["2025"], (None, None)),
    ],
)
def test_since_and_until_when_it_holds_are_read_leniently(
    since: object, until: object, expected: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
) -> None:
    candidate = read_one(valid_from=since, valid_until=until)

    moments = [None if parts is None else datetime(*parts, tzinfo=AT.tzinfo) for parts in expected]  # type: ignore[misc,arg-type]  # as many parts as are told
    assert [candidate.holds_from, candidate.holds_until] == moments


@table(
    ("given_value", "expected"),
    [
        ([1, 3], (1, 3)),
        (["[3]", "1", 1.0], (3, 1)),
        ("[0, 2] and 4", (0, 4)),
        ([[5], [1, 2], {}, None, -1, True, "none"], (5,)),
        (7, (7,)),
        ([9, 10, 11, 10**400], (9,)),
        ([2], ()),
        (None, ()),
        ({"number": 3}, ()),
        (list(range(1000)), (0, 1, 3, 4, 5, 6, 7, 8, 9)),
        ("1 " * 50_000, (1,)),
    ],
)
def test_what_is_unsettled_is_read_leniently(given_value: object, expected: tuple[int, ...]) -> None:
    assert read_one(about=2, affects=given_value).unsettles == expected


def test_who_is_called_by_their_own_name_is_the_person() -> None:
    answer = json.dumps([TEA | {"subject": name} for name in ("Nora", "nora ellison", "Clara")])

    found = read_answer(answer, at=AT, known=0, name="Nora Ellison")

    assert [candidate.subject for candidate in found.candidates] == [None, None, "Clara"]


@table(
    ("fields", "expected"),
    [
        (
            {"use": "asked", "topics": ["old jobs"], "questions": ["Wo war ich?", "Where was I?"]},
            Hints(Use.ASKED, ("old jobs",), ("Wo war ich?", "Where was I?")),
        ),
        ({"use": "often", "topics": ["tea"]}, Hints(Use.TOPIC, ("tea",))),
        ({"use": [1], "topics": ["tea"]}, Hints(Use.TOPIC, ("tea",))),
        ({"topics": "tea", "questions": "Which tea?"}, Hints(topics=("tea",), questions=("Which tea?",))),
        ({"topics": [{"topic": "tea"}, {"no": "text"}, 3, None]}, Hints(topics=("tea",))),
        ({"topics": ["tea\n and\tcake "]}, Hints(topics=("tea and cake",))),
        ({"topics": ["tea", "tea", " "]}, Hints(topics=("tea",))),
        ({"topics": [*"abcdefgh"], "questions": [*"abc"]}, Hints(topics=(*"abcdef",), questions=("a", "b"))),
        (
            {"topics": ["t" * 81], "questions": ["q" * 100_000]},
            Hints(topics=("t" * 80,), questions=("q" * 200,)),
        ),
        (
            {"topics": ["tea"], "questions": ["Is sk-proj-" + "a1B2" * 12 + " still valid?"]},
            Hints(topics=("tea",), questions=("Is [secret: API key] still valid?",)),
        ),
        ({"use": "always", "topics": [], "questions": None}, None),
        ({}, None),
    ],
)
def test_when_it_is_needed_is_read_leniently(fields: dict[str, Any], expected: Hints | None) -> None:
    assert read_one(**fields).hints == expected


def test_words_that_there_are_not_become_the_default() -> None:
    odd = read_one(stance="sworn", lasts=["weeks"])
    assert (odd.stance, odd.lasting) == (Stance.STATED, Lasting.YEARS)

    plain = read_one(stance=" Quoted ", lasts="MOMENT")
    assert (plain.stance, plain.lasting) == (Stance.QUOTED, Lasting.MOMENT)


FORGET = {"asking": "forget", "evidence": "forget my tea", "about": [2]}


@table(
    ("answer", "expected"),
    [
        ({"wishes": [FORGET], "memories": []}, [(Asking.FORGET, "forget my tea", (2,))]),
        ({"words": "own", "wishes": [FORGET]}, [(Asking.FORGET, "forget my tea", (2,))]),
        (
            {"wishes": [FORGET | {"asking": " Correct", "about": 3}], "memories": [TEA]},
            [(Asking.CORRECT, "forget my tea", (3,))],
        ),
        (
            {"wishes": [{"asking": "remember", "evidence": "note that"}], "memories": []},
            [(Asking.REMEMBER, "note that", ())],
        ),
        ({"wishes": [FORGET | {"asking": "sing"}, FORGET | {"evidence": " "}, 7, None], "memories": []}, []),
        ({"wishes": "none", "memories": [TEA]}, []),
        ({"memories": [TEA]}, []),
        (
            json.dumps({"wishes": [FORGET], "memories": [TEA, TEA]})[:-20],
            [(Asking.FORGET, "forget my tea", (2,))],
        ),
        (
            {"wishes": [FORGET] * 1_000, "memories": []},
            [(Asking.FORGET, "forget my tea", (2,))] * COMMAND_LIMIT,
        ),
    ],
)
def test_wishes_are_understood(answer: object, expected: list[tuple[Asking, str, tuple[int, ...]]]) -> None:
    assert commands(answer) == tuple(ExtractedCommand(*each) for each in expected)


def test_what_no_database_takes_is_left_out() -> None:
    candidate = read_one(content=" Prefers\n tea\0\ud800 ", evidence="I prefer\0\ntea")

    assert candidate.content == "Prefers tea"
    assert candidate.evidence == "I prefer\ntea"


FIELDS = [
    *("memories", "content", "evidence", "about", "valid_from", "valid_to", "affects", "ends", "subject"),
    *("wishes", "asking", "steers", "stance", "words"),
]

json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner),
)


@given(st.one_of(st.text(), json_values.map(json.dumps), json_values.map(lambda value: f"so: {value}")))
def test_whatever_is_answered_is_read_or_invalid(answer: str) -> None:
    try:
        understood = read_answer(answer, at=AT, known=10)
    except InvalidExtractionError:
        return

    for command in understood.commands:
        assert all(0 <= number < 10 for number in command.about)
    for candidate in understood.candidates:
        assert 0 <= candidate.importance <= 1
        assert 0 <= candidate.confidence <= 1
        assert candidate.event_at is None or candidate.event_at.tzinfo is not None
        candidate.content.encode("utf-8")
        assert all(0 <= number < 10 for number in (*candidate.about, *candidate.unsettles, *candidate.ends))


@table(
    ("answer", "count"),
    [
        (json.dumps({"memories": [TEA] * 5_000}), ITEM_LIMIT),
        (json.dumps(TEA) * 5_000, ITEM_LIMIT),
        ('{"memories": [' + json.dumps(TEA) + ", " * 500_000, 1),
        (json.dumps({"memories": [TEA, TEA | {"content": "x" * 1_000_000}]}), 1),
        (json.dumps({"memories": [TEA | {"content": "x" * 1_000_000}]}), None),
        ("```json\n" * 100_000, None),
        ("<think>" * 100_000, None),
        ("</think>" * 100_000, None),
    ],
)
def test_an_answer_of_any_size_is_read_or_invalid(answer: str, count: int | None) -> None:
    if count is None:
        with pytest.raises(InvalidExtractionError):
            read(answer)
    else:
        assert len(read(answer)) == count


@table("words", ["pasted", "Played"])
def test_others_words_ask_nothing_of_a_persons_memory(words: str) -> None:
    command = {"asking": "forget", "evidence": "drop what you know", "about": [0]}

    assert commands({"words": words, "wishes": [command], "memories": []}) == ()
    assert len(commands({"words": "mixed", "wishes": [command], "memories": []})) == 1
