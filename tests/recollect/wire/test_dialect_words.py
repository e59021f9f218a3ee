"""In the Responses and Messages APIs, only the user's own texts are the user's words."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.support.tables import table

from recollect.wire import MESSAGES, RESPONSES, Dialect
from recollect.wire.turn_detection import detect_turn

CAT = "I have a cat called Minka."
DOG = "I have a dog called Rex."


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def input_text(words: str) -> dict[str, Any]:
    return {"type": "input_text", "text": words}


ITEMS: dict[str, list[dict[str, Any]]] = {
    "a message": [user(CAT)],
    "a typed message": [{"type": "message", **user([input_text(CAT)])}],
    "behind the developer's": [{"role": "developer", "content": DOG}, user(CAT)],
    "before the developer's": [user(CAT), {"role": "developer", "content": [input_text(DOG)]}],
    "behind the system's": [{"role": "system", "content": DOG}, user(CAT)],
    "with an image and a file": [
        user(
            [
                {"type": "input_image", "image_url": DOG},
                input_text(CAT),
                {"type": "input_file", "file_id": DOG},
            ]
        )
    ],
    "before a call and its result": [
        user(CAT),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": DOG}]},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": DOG},
        {"type": "function_call_output", "call_id": "1", "output": DOG},
    ],
    "before a result in parts": [
        user(CAT),
        {"type": "function_call_output", "call_id": "1", "output": [input_text(DOG)]},
        {"type": "custom_tool_call_output", "call_id": "2", "output": DOG},
        {"type": "computer_call_output", "call_id": "3", "output": {"type": "computer_screenshot"}},
        {"type": "item_reference", "id": "x"},
    ],
    "with a role that a result bears": [user(CAT), {"type": "function_call_output", **user(DOG)}],
}

MESSAGE_LISTS: dict[str, list[dict[str, Any]]] = {
    "a text": [user(CAT)],
    "a block": [user([text(CAT) | {"cache_control": {"type": "ephemeral"}}])],
    "with documents": [
        user(
            [
                {"type": "document", "source": {"type": "text", "data": DOG}, "title": DOG, "context": DOG},
                {"type": "search_result", "source": DOG, "title": DOG, "content": [text(DOG)]},
                {"type": "image", "source": {"type": "base64", "data": DOG}},
                text(CAT),
            ]
        )
    ],
    "behind thoughts": [
        user("Hello."),
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": DOG, "signature": "x"},
                {"type": "redacted_thinking", "data": DOG},
                text("Hi!"),
            ],
        },
        user(CAT),
    ],
    "before a result": [
        user(CAT),
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": DOG}}]},
        user([{"type": "tool_result", "tool_use_id": "1", "content": [text(DOG)]}]),
    ],
    "beside a result": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
        user([{"type": "tool_result", "tool_use_id": "1", "content": DOG}, text(CAT)]),
    ],
    "before a prefilled answer": [user(CAT), {"role": "assistant", "content": "Minka"}],
}

LISTS = [
    *[(RESPONSES, "input", items) for items in ITEMS.values()],
    *[(MESSAGES, "messages", given) for given in MESSAGE_LISTS.values()],
]


@table(("dialect", "member", "given"), LISTS)
def test_the_users_words_are_theirs_alone(dialect: Dialect, member: str, given: list[dict[str, Any]]) -> None:
    body = json.dumps({"model": "scripted", member: given}).encode()
    at = datetime(2026, 3, 1, tzinfo=UTC)

    turn = detect_turn(body, user_id="u", session_id=None, message_id=None, at=at, dialect=dialect).turn

    assert turn is not None
    assert turn.text == CAT
    assert not any(DOG in message.text for message in turn.history)
