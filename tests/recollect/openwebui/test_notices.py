"""Each notice about a person's memory is one line, whatever its words are."""

import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.engines import PATIENT, engine_over
from tests.support.recollections import NOON, passage, recalled_passage, recollection
from tests.support.stores import Store
from tests.support.tables import table
from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.composition.block import Block
from recollect.engine.turns.prompt_content import Prepared
from recollect.model import (
    Action,
    Actor,
    CarriedOut,
    Kind,
    Message,
    Reason,
    Recall,
    Recollection,
    Role,
    Scope,
    Skip,
    Turn,
    Update,
)
from recollect.text.memory_requests import Request
from recollect_openwebui.button_actions import button_name, changes_line
from recollect_openwebui.notices import LANGUAGES, Notices, language_of, status, words_in

ENGLISH = Notices("en")


def update(
    action: Action, before: str | None = None, after: str | None = None, reason: Reason = Reason.NEW
) -> Update:
    return Update(uuid7(), NOON, action, Actor.FORMATION, reason, uuid7(), before=before, after=after)


@table("count, line", [(1, "Recalled 1 memory"), (2, "Recalled 2 memories"), (11, "Recalled 11 memories")])
def test_how_many_were_recalled_is_told_in_good_english(count: int, line: str) -> None:
    assert ENGLISH.recalled([recollection("Drinks tea")] * count) == line


def test_a_line_is_done_so_that_it_does_not_shimmer_for_ever() -> None:
    assert status("Memory") == {"type": "status", "data": {"description": "Memory", "done": True}}


def test_a_memory_is_a_source_named_by_its_words_its_kind_and_its_date() -> None:
    born = datetime(1990, 5, 1, tzinfo=UTC)
    found = recollection("Was born in May", event_at=born)

    assert ENGLISH.citation(found) == {
        "type": "source",
        "data": {
            "source": {"name": "Was born in May (fact, 1990-05-01)"},
            "document": ["Was born in May"],
            "metadata": [{"source": f"recollect:{found.item.id}"}],
        },
    }


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (recollection("Tea?", kind=Kind.QA_TURN), "Tea? (question and answer, 2026-03-15)"),
        (recollection("Likes tea", kind=Kind.PREFERENCE), "Likes tea (preference, 2026-03-15)"),
        (recalled_passage("I drink tea", role=Role.USER), "I drink tea (you said, 2026-03-15)"),
        (recalled_passage("Have tea", role=Role.ASSISTANT), "Have tea (an answer said, 2026-03-15)"),
    ],
)
def test_a_source_is_named_by_what_it_is(found: Recollection, name: str) -> None:
    assert ENGLISH.citation(found)["data"]["source"] == {"name": name}


def test_a_long_memory_names_its_source_by_how_it_begins() -> None:
    name = ENGLISH.citation(recollection("Has a cat. " * 30))["data"]["source"]["name"]

    assert name.startswith("Has a cat. Has a cat.")
    assert name.endswith("\u2026 (fact, 2026-03-15)")
    assert len(name) <= 80


def test_two_parts_of_a_message_are_two_sources() -> None:
    message = uuid7()
    parts = [Recollection(passage("Tea", message_id=message, part=part), 0.9) for part in (0, 1)]

    first, second = (ENGLISH.citation(part)["data"]["metadata"][0]["source"] for part in parts)

    assert first != second


ADDED, GONE = update(Action.ADD, after="Drinks tea"), update(Action.RETIRE, "Drinks tea")
MOVED = update(Action.REPLACE, "Lives in Rome", "Lives in Oslo")
SENTENCES = [
    update(Action.ADD, after="I have a dog."),
    update(Action.REPLACE, "Lives in Rome.", "Lives in Oslo."),
    update(Action.ADD, after="I have a cat."),
]
ENDS, WAITS, ORDERS = (
    update(Action.QUARANTINE, reason=each) for each in (Reason.ENDED, Reason.APPROVAL, Reason.INSTRUCTION)
)


@table(
    ("changed", "line"),
    [
        ([], ""),
        ([WAITS], "1 waits for your approval"),
        ([ENDS, WAITS, ORDERS, ADDED], "2 wait for your approval; Remembered: Drinks tea"),
        ([ADDED], "Remembered: Drinks tea"),
        ([MOVED], "Replaced: Lives in Rome \u2192 Lives in Oslo"),
        ([update(Action.REPLACE, None, "Lives in Oslo")], "Remembered: Lives in Oslo"),
        ([update(Action.EDIT, "Tea", "Green tea")], "Replaced: Tea \u2192 Green tea"),
        ([GONE], "Forgot: Drinks tea"),
        ([update(Action.RESTORE, None, "Drinks tea")], "Remembered: Drinks tea"),
        ([update(Action.RESTORE, "Oslo", "Rome")], "Replaced: Oslo \u2192 Rome"),
        ([update(Action.RESTORE, "Rome", "Rome")], ""),
        ([update(Action.ADD, after="Tea?\nYes.", reason=Reason.KEPT_VERBATIM)], ""),
        ([update(each, "Tea", "Tea") for each in (Action.REINFORCE, Action.MARK, Action.QUARANTINE)], ""),
        ([update(Action.ADD, after="Has\na  dog"), GONE], "Remembered: Has a dog; Forgot: Drinks tea"),
        (SENTENCES, f"Remembered 2: I have a dog \u00b7 I have a cat; {ENGLISH.changes([MOVED])}"),
    ],
)
def test_what_was_changed_is_told_in_a_line_and_what_was_not_is_not(changed: list[Update], line: str) -> None:
    assert ENGLISH.changes(changed) == line


def test_what_was_undone_is_told_if_anything_was() -> None:
    assert ENGLISH.undone([GONE]) == "Undone. Forgot: Drinks tea"
    assert ENGLISH.undone([update(Action.RESTORE, "Rome", "Rome")]) == ""


@given(st.lists(st.text(st.characters(), max_size=900), max_size=9))
def test_any_words_fit_a_line(words: list[str]) -> None:
    rows = [update(Action.ADD, after=each) for each in words]

    line = ENGLISH.changes(rows)

    assert len(line) <= 300
    assert line == " ".join(line.split())


def test_a_long_statement_leaves_room_for_the_next() -> None:
    line = ENGLISH.changes([update(Action.ADD, after="word " * 100_000), GONE])

    assert line.startswith("Remembered: word word")
    assert line.endswith("\u2026; Forgot: Drinks tea")


TURN = Turn(Scope("anna", "chat-1"), "Hello", key="k1", at=NOON, model="")
FORGOT = update(Action.RETIRE, "Son Leo has coeliac disease.", reason=Reason.FORGOTTEN)
BACK = replace(update(Action.RESTORE, None, "Has a cat"), undoes=uuid7())


def prepared(*recollections: Recollection, **changed: Any) -> Prepared:
    """Return a preparation with these recollections in its block."""
    block = Block("", tuple(recollections), 0)
    given: dict[str, Any] = {"recall": Recall(), "placed": Placed(block=block)}
    return Prepared(**given | changed)


STANDING = Recollection(recollection("Is a nurse").item, 0, standing=True)
FOUND = recollection("Drinks tea")
OFF = Recall(skipped=Skip.OFF)


NOTHING_NEW = "Nothing new is remembered. What was remembered stays and is still used."
ALL_OFF = "Memory is off: nothing is recalled or kept. What was remembered stays."


@table(
    ("given", "lines"),
    [
        (prepared(), []),
        (prepared(STANDING), ["Knows 1 thing about you"]),
        (prepared(STANDING, STANDING, FOUND), ["Recalled 1 memory \u00b7 Knows 2 things about you"]),
        (prepared(carried_out=CarriedOut("", (FORGOT,))), ["Forgot: Son Leo has coeliac disease."]),
        (prepared(carried_out=CarriedOut("", (BACK,))), ["Undone. Remembered: Has a cat"]),
        (prepared(carried_out=CarriedOut("Nothing was forgotten"), recall=OFF), []),
        (prepared(carried_out=CarriedOut("", switched="resume")), ["Remembering again."]),
        (prepared(recall=OFF), ["Nothing is recalled. What you say is still remembered."]),
        (prepared(STANDING, records=False), ["Knows 1 thing about you", NOTHING_NEW]),
        (prepared(recall=OFF, records=False), [ALL_OFF]),
        (prepared(records=False), [NOTHING_NEW]),
    ],
)
def test_before_a_first_answer_stands_what_memory_knows_or_did(given: Prepared, lines: list[str]) -> None:
    assert ENGLISH.before_answer(given, TURN) == [status(each) for each in lines]


def test_what_stands_in_every_chat_or_is_off_is_said_with_its_first_answer_alone() -> None:
    later = replace(TURN, history=(Message(Role.USER, "Hello"), Message(Role.ASSISTANT, "Hello")))

    assert ENGLISH.before_answer(prepared(STANDING), later) == []
    assert ENGLISH.before_answer(prepared(records=False), later) == []


def test_the_sources_of_an_answer_are_without_what_stands_in_every_chat_where_that_is_hidden() -> None:
    recalled, standing = ENGLISH.citation(FOUND), ENGLISH.citation(STANDING)

    assert ENGLISH.citations([STANDING, FOUND], hides_standing=True) == [recalled]
    assert ENGLISH.citations([STANDING, FOUND], hides_standing=False) == [standing, recalled]


@pytest.mark.parametrize("request_name", ["stop", "resume", "leave_out", "take_in"])
def test_each_request_that_switches_memory_has_its_line(request_name: str) -> None:
    assert Request(request_name)
    assert words_in("en")[f"did.{request_name}"]


@table(
    ("told", "texts", "language"),
    [
        ("de-DE", ["I live in Rome."], "de"),
        ("pt-BR", ["Ich wohne in Rom."], "en"),
        ("zh-CN", [], "zh"),
        (None, ["Ich wohne in Rom und das ist nicht weit."], "de"),
        (None, ["Was weißt du über mich?", *["I live in Rome and I like it."] * 9], "de"),
        (None, ["OK", "Ich wohne in Rom und das ist nicht weit."], "de"),
        (None, ["Je ne sais pas où est mon chien."], "fr"),
        (None, ["No sé dónde está mi perro."], "es"),
        (None, ["\u00bfDe qué hablamos en la última charla?"], "es"),
        (None, ["What does the mark \u00bf mean?"], "en"),
        (None, ["\u6211\u4f4f\u5728\u5317\u4eac"], "zh"),
        (None, ["\u6771\u4eac\u306b\u4f4f\u3093\u3067\u3044\u307e\u3059"], "en"),
        (
            None,
            ["Plan a trip for my family.", *["\u6211\u559c\u6b22\u5468\u672b\u5f92\u6b65\u65c5\u884c"] * 9],
            "en",
        ),
        (None, ["What do I like to eat?", *["Ich wohne in Rom und das ist nicht weit."] * 9], "en"),
        (None, ["OK", "\u6211\u4f4f\u5728\u5317\u4eac"], "zh"),
        (
            None,
            ["VS Code \u600e\u4e48\u5b89\u88c5 Python \u63d2\u4ef6", *["I live in Rome and I like it."] * 9],
            "zh",
        ),
        (None, ["Today I learned the word \u4f60\u597d at school."], "en"),
        (7, [], "en"),
    ],
)
def test_a_language_is_the_frontends_or_else_the_words(told: Any, texts: list[str], language: str) -> None:
    assert language_of(told, texts) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_words_with_the_same_places(language: str) -> None:
    english, words = words_in("en"), words_in(language)

    assert words.keys() == english.keys()
    for key, text in words.items():
        assert re.findall(r"{\w+}", text) == re.findall(r"{\w+}", english[key]), key


def test_a_line_is_in_the_persons_language() -> None:
    rows = [update(Action.RETIRE, "Sohn Leo hat Zöliakie."), update(Action.RETIRE, "Wohnt in Rom.")]

    assert Notices("de").changes(rows) == "Vergessen (2): Sohn Leo hat Zöliakie \u00b7 Wohnt in Rom"
    assert Notices("de").meanwhile(rows[:1]) == "Inzwischen vergessen: Sohn Leo hat Zöliakie."


# -- The line of a person's first memories names the button that shows them --


TEA, DOG = "Drinks tea.", "Has a dog."
LONG = "Has kept bees on the roof of the house since the winter of the great storm."
HINT = "See and change it: Mine, the bookmark below."


@pytest.mark.parametrize(
    ("before", "said", "button", "line"),
    [
        ((), TEA, "Mine", f"Remembered: {TEA} {HINT}"),
        ((), LONG, "Mine", f"{HINT} Remembered: {LONG}"),
        ((), TEA, None, f"Remembered: {TEA}"),
        ((DOG,), TEA, "Mine", f"Remembered: {TEA}"),
    ],
)
async def test_only_with_the_first_ones_it_is_named_where_it_is_seen(
    before: tuple[str, ...], said: str, button: str | None, line: str, store: Store
) -> None:
    engine = engine_over(store, PATIENT)
    for each in before:
        await engine.add(store.anna, each)
    await engine.add(store.anna, said)
    [newest] = await engine.history(store.anna, limit=1)

    assert await changes_line(engine, store.anna, [newest], Notices(), button) == line


async def test_without_a_change_to_show_there_is_no_line(store: Store) -> None:
    nothing: list[Update] = []

    assert await changes_line(engine_over(store, PATIENT), store.anna, nothing, Notices(), "Mine") == ""


@pytest.mark.parametrize(
    ("content", "name"),
    [('"""\ntitle: My memories\nauthor: Recollect\n"""', "Mine"), ('"""\ntitle: Another\n"""', None)],
)
async def test_its_code_finds_the_button(
    content: str, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def get_functions_by_type(kind: str, **given: Any) -> list[SimpleNamespace]:
        assert (kind, given) == ("action", {"active_only": True})
        return [SimpleNamespace(name="Mine", content=content)]

    functions = SimpleNamespace(get_functions_by_type=get_functions_by_type)
    monkeypatch.setitem(sys.modules, "open_webui.models.functions", SimpleNamespace(Functions=functions))

    assert await button_name() == name


async def test_outside_of_open_webui_there_is_none() -> None:
    assert await button_name() is None
