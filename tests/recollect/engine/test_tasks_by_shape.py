"""A client's own questions about a chat are known by their quotes and their shape, and are not the person's words."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.support.tables import table

from recollect.engine.live.recent_exchanges import AskedRequest, RecentExchanges, asked_request
from recollect.wire.turn import detect_turn

SAID = "I moved to Leipzig last week, which tea should I buy there?"
ANSWERED = "In Leipzig there is a shop for Lapsang Souchong beside the station."
CHAT = [{"role": "user", "content": SAID}, {"role": "assistant", "content": ANSWERED}]
LINES = f"User: {SAID}\nAssistant: {ANSWERED}"
STREAM = {"stream": True}
QUIET = {"stream": False}


def said(content: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


def instructed(system: str, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "system", "content": system}, *messages]


# The fields of the chat's own requests, then the client's own request.
TASKS: list[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]] = [
    # Above the message alone, or above the whole exchange.
    ({}, {}, instructed("You name conversations. Answer with the name alone.", *said(SAID))),
    (STREAM, QUIET, instructed("You name conversations. Answer with the name alone.", *said(SAID))),
    (STREAM, {"max_tokens": 32}, instructed("Du vergibst Titel.", *said(LINES))),
    ({}, {}, instructed("用四个字以内给这段对话起个标题。", *said(f"用户: {SAID}\n助手: {ANSWERED}"))),
    (STREAM, {"stream": True}, instructed("You summarise chats for a side bar.", *said(LINES))),
    ({}, {"max_tokens": 20}, instructed("Summarise in one line.", *CHAT)),
    # Around it, in one message.
    (STREAM, QUIET, said(f"Name this conversation in three to seven words:\n\n{LINES}")),
    (
        STREAM,
        QUIET,
        said(f"```\nuser: {SAID}\n\nassistant: {ANSWERED}\n```\nGib dem Gespr\u00e4ch einen Namen."),
    ),
    (STREAM, QUIET, said(f"Generate a title for: \u201c{SAID}\u201d")),
    ({}, {"max_tokens": 16}, said(f"<message>{SAID}</message>\nTitle, please.")),
    ({}, {"response_format": {"type": "json_object"}}, said(f"{LINES}\n\nTags as JSON.")),
    # As JSON.
    ({}, {}, instructed("Return a title.", *said(json.dumps(CHAT)))),
    (
        STREAM,
        QUIET,
        said("Titre : " + json.dumps([{"from": "human", "text": SAID}, {"from": "ai", "text": ANSWERED}])),
    ),
    # Behind the chat itself.
    (
        STREAM,
        {"stream": False, "max_tokens": 30},
        [*CHAT, *said("Name this conversation in three to seven words.")],
    ),
    ({}, {"max_tokens": 30}, [*CHAT, *said("Wie hei\u00dft dieses Gespr\u00e4ch?")]),
    (
        STREAM,
        {"stream": False, "response_format": {"type": "json_schema"}},
        [*CHAT, *said("Suggest three questions.")],
    ),
]

# A person's own messages, however similar they are to earlier ones.
PERSONS: list[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]] = [
    ({}, {}, said("I have a dog called Fips.")),
    ({}, {}, said(SAID)),
    (STREAM, STREAM, said(f"Go on from here, I also have a dog:\n{LINES}")),
    (STREAM, STREAM, instructed("You are a pirate.", *said(SAID))),
    ({}, {}, said(f'I asked "{SAID}" and got no answer. I have a dog, too.')),
    ({}, {}, [*CHAT, *said("Name this conversation in three to seven words.")]),
    (STREAM, QUIET, [*CHAT, *said("I have a dog called Fips.")]),
    ({"max_tokens": 50}, {"max_tokens": 50}, [*CHAT, *said("I have a dog called Fips.")]),
    (
        STREAM,
        {"stream": True, "model": "another"},
        instructed("You are a pirate.", *CHAT, *said("Who am I?")),
    ),
    (STREAM, STREAM, CHAT),
    # Pasted, or tried once more by a client that never streams.
    ({}, {}, said(LINES)),
    ({}, {}, said(f"{LINES}\n\nI also have a dog called Fips.")),
    ({}, {}, instructed("You are a pirate.", *said(f"我有一只狗\n{LINES}"))),
    ({}, {}, instructed("You are a pirate.", *said(f"{LINES} I have a dog, too."))),
    (STREAM, STREAM, instructed("You are a pirate.", *said(f"{SAID} You did not say."))),
    (STREAM, QUIET, said(SAID)),
    (STREAM, {"stream": True, "max_tokens": 20}, [*CHAT, *said("Which is it in three words?")]),
]


def request(messages: list[dict[str, Any]], **fields: Any) -> AskedRequest:
    """Return what is known of a request without ids."""
    body = json.dumps({"model": "scripted", "messages": messages, **fields}).encode()
    at = datetime(2026, 11, 28, tzinfo=UTC)
    detected = detect_turn(body, user_id="anna", session_id=None, message_id=None, at=at)
    assert detected.turn is not None
    assert detected.body is not None
    return asked_request(detected.turn, detected.body)


def is_task(chats: dict[str, Any], fields: dict[str, Any], messages: list[dict[str, Any]]) -> bool:
    """Return whether a request is taken for a task, right after one of the chat with these fields was answered."""
    kept, chat = RecentExchanges(), request(said(SAID), **chats)
    kept.keep_request(chat, words=True)
    kept.note_answer(chat, ANSWERED, "")
    return kept.is_task(request(messages, **fields))


@table("chats, fields, messages", TASKS)
def test_a_task_is_known(
    chats: dict[str, Any], fields: dict[str, Any], messages: list[dict[str, Any]]
) -> None:
    assert is_task(chats, fields, messages)


@table("chats, fields, messages", PERSONS)
def test_what_a_person_says_next_is_no_task(
    chats: dict[str, Any], fields: dict[str, Any], messages: list[dict[str, Any]]
) -> None:
    assert not is_task(chats, fields, messages)
