import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.tables import table

from recollect.model import ROOT, Skip, Turn
from recollect.wire import MESSAGES, RESPONSES, DetectedTurn, detect_turn

AT = datetime(2026, 11, 21, tzinfo=UTC)
HELLO = {"role": "user", "content": "hello"}


def heard(*messages: dict[str, Any], **told: Any) -> DetectedTurn:
    given: dict[str, Any] = {"user_id": "ann", "session_id": "s", "message_id": "m1", "at": AT}
    return detect_turn(json.dumps({"model": "m", "messages": messages}).encode(), **given | told)


def turn_of(found: DetectedTurn) -> Turn:
    assert found.turn is not None
    return found.turn


def test_a_persons_turn_is_heard_and_may_be_remembered() -> None:
    said = heard(HELLO)

    assert (turn_of(said).text, turn_of(said).key, said.forms, said.skip) == ("hello", "m1", True, None)
    assert said.body is not None


@pytest.mark.parametrize(
    ("message", "skip"),
    [
        ({"role": "assistant", "content": "hello"}, Skip.EMPTY),
        ({"role": "user", "content": "### Task:\nYou are an autocompletion system."}, Skip.TASK),
    ],
)
def test_what_is_no_turn_of_a_person_is_skipped(message: dict[str, Any], skip: Skip) -> None:
    assert heard(message) == DetectedTurn(skip=skip)


def test_what_cant_be_read_is_skipped() -> None:
    assert heard() == DetectedTurn(skip=Skip.UNREADABLE)


@pytest.mark.parametrize("recall", [True, False])
def test_a_channel_has_no_memory(*, recall: bool) -> None:
    assert heard(HELLO, session_id="channel:1", recall_in_temporary=recall) == DetectedTurn(skip=Skip.CHANNEL)


def test_a_temporary_chat_may_recall_but_never_forms() -> None:
    assert heard(HELLO, session_id="temporary:1") == DetectedTurn(skip=Skip.TEMPORARY)

    said = heard(HELLO, session_id="temporary:1", recall_in_temporary=True)

    assert (turn_of(said).text, said.forms) == ("hello", False)


@table(
    "kept",
    [
        {"previous_response_id": "resp_1"},
        {"conversation": "conv_1"},
        {"conversation": {"id": "conv_1"}},
        {"previous_response_id": "resp_1", "conversation": None},
    ],
)
@table("is_whole", [None, False, True])
def test_what_the_server_keeps_lacks_nothing(*, kept: dict[str, Any], is_whole: bool | None) -> None:
    assert told(is_whole, **kept) == (True, True)


@table("named", [{}, {"previous_response_id": None}, {"conversation": {"id": 7}}])
@table("is_whole", [None, False, True])
def test_without_it_a_request_is_whole_as_it_says(*, named: dict[str, Any], is_whole: bool | None) -> None:
    assert told(is_whole, **named) == (False, is_whole)


def told(is_whole: bool | None, **fields: Any) -> tuple[bool, bool | None]:  # noqa: FBT001 -- what is told on
    body = json.dumps({"model": "m", "input": "hello", **fields}).encode()
    said = detect_turn(
        body, user_id="a", session_id="s", message_id="m", at=AT, dialect=RESPONSES, is_whole=is_whole
    )
    return turn_of(said).is_kept, turn_of(said).is_whole


@table(
    ("message_id", "parent_id", "carried", "parent"),
    [
        ("m2", "m1", True, "m1"),
        ("m1", ROOT, False, ROOT),
        ("m2", ROOT, True, None),  # a frontend that leaves its header empty
        (None, "m1", True, None),
        ("m2", None, True, None),
    ],
)
def test_what_a_turn_follows_on_is_known_by_the_frontends_ids_alone(
    message_id: str | None, parent_id: str | None, *, carried: bool, parent: str | None
) -> None:
    before = [HELLO, {"role": "assistant", "content": "Hi!"}] if carried else []

    found = heard(*before, HELLO, message_id=message_id, parent_id=parent_id)

    assert turn_of(found).parent == parent


CACHED = {"type": "text", "text": "hello", "cache_control": {"type": "ephemeral"}}
TOOLS = [{"name": "Bash", "input_schema": {}}]


def of_agent(*messages: dict[str, Any], **fields: Any) -> DetectedTurn:
    body = json.dumps({"model": "m", "messages": messages, **fields}, separators=(",", ":")).encode()
    return detect_turn(
        body, user_id="ann", session_id="s", message_id=None, at=AT, dialect=MESSAGES, by_agent=True
    )


@pytest.mark.parametrize("fields", [{}, {"tools": []}, {"tools": None}])
def test_an_agent_that_lets_the_model_call_no_tools_asks_for_itself(fields: dict[str, Any]) -> None:
    assert of_agent(HELLO, **fields).skip is Skip.TASK
    assert heard(HELLO).skip is None


def test_words_in_a_later_part_are_no_file_where_an_agent_joins_messages_of_its_person() -> None:
    parts = ["Go on, please.", "Then look at main.py\nI prefer tabs."]
    joined = {"role": "user", "content": [{"type": "text", "text": each} for each in parts]}

    assert turn_of(of_agent(joined, tools=TOOLS)).text == "\n".join(parts)


def test_an_agent_asks_for_itself_behind_a_chat_whose_end_is_not_to_be_cached() -> None:
    answer = {"role": "assistant", "content": "Hi."}
    said = {"role": "user", "content": [CACHED]}
    told = {"role": "system", "content": "Agents."}
    summary = {"role": "user", "content": [{"type": "text", "text": 'Summarize "cache_control": too.'}]}
    cached_answer = {"role": "assistant", "content": [CACHED]}

    for ends in ((said, told), (HELLO, answer, said), (said, answer, said, told), (HELLO,)):
        persons = of_agent(*ends, tools=TOOLS)
        assert (turn_of(persons).text, persons.forms) == ("hello", True)
    for asks in ((said, answer, summary), (HELLO, cached_answer, summary, told)):
        aside = of_agent(*asks, tools=TOOLS)
        assert (turn_of(aside).text, aside.forms) == ("", False)


def test_results_of_tools_with_an_agents_reminder_are_no_turn() -> None:
    results = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": "a.txt"},
            {"type": "text", "text": "<system-reminder>Mind the list.</system-reminder>"},
        ],
    }
    called = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {}}]}

    assert turn_of(of_agent(HELLO, called, results, tools=TOOLS)).text == "hello"
