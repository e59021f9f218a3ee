"""How an answer of the Responses API can end, whatever names its events go by."""

import json
from typing import Any

import pytest
from tests.support.tables import table

from recollect.wire import RESPONSES, Reply


def heard(*events: dict[str, Any], as_stream: bool = True) -> Reply:
    """Hear events that go by no name, or one whole answer."""
    reader = RESPONSES.listen("text/event-stream" if as_stream else "application/json", "")
    for event in events:
        data = json.dumps(event).encode()
        reader.feed(b"data: " + data + b"\n\n" if as_stream else data)
    return reader.finish()


def test_an_error_is_one_without_a_name_too() -> None:
    assert heard({"type": "error", "code": "x", "message": "No.", "param": None, "sequence_number": 1}).failed


@table(
    "kind",
    [
        "function_call",
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "mcp_approval_request",
    ],
)
def test_a_call_that_the_client_has_to_answer_is_one(kind: str) -> None:
    item = {"type": kind}

    assert heard({"type": "response.output_item.done", "item": item}).has_tool_calls
    assert heard({"status": "completed", "output": [item]}, as_stream=False).has_tool_calls


@table(
    "kind",
    ["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"],
)
def test_a_call_that_the_server_answers_is_none(kind: str) -> None:
    item = {"type": kind}

    assert not heard({"type": "response.output_item.done", "item": item}).has_tool_calls
    assert not heard({"status": "completed", "output": [item]}, as_stream=False).has_tool_calls


@pytest.mark.parametrize(
    ("status", "failed"),
    [("completed", False), ("incomplete", False), ("cancelled", False), ("failed", True)],
)
def test_how_it_ended_is_told(status: str, failed: bool) -> None:  # noqa: FBT001 -- a parameter of the test
    streamed = heard(
        {"type": "response.output_text.delta", "delta": "Min"},
        {"type": f"response.{status}", "response": {"status": status}},
    )
    whole = heard(
        {"status": status, "output": [{"content": [{"type": "output_text", "text": "Min"}]}]}, as_stream=False
    )

    assert (streamed.failed, whole.failed) == (failed, failed)
    assert (streamed.text, whole.text) == ("Min", "Min")
    assert whole.complete


def test_a_response_in_the_background_has_said_nothing_yet() -> None:
    assert heard({"status": "queued", "background": True, "output": []}, as_stream=False).text == ""
