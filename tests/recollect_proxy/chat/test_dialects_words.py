"""Whose words the words of a response's input, or of Anthropic's messages, are; and what is no turn at all."""

from typing import Any

from tests.raw_client import Fields
from tests.recollect_proxy.given import WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.spoken import MESSAGES, RESPONSES, Spoken
from tests.running_proxy import RunningProxy, User
from tests.scripted_upstream import ScriptedUpstream, whole

CAT = "I have a cat called Minka."
DOG = "I have a dog called Rex."
IN_BOTH = in_turn("api", [RESPONSES, MESSAGES])


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


@in_turn(("api", "member", "given"), LISTS)
async def test_the_users_words_are_theirs_alone(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    other_user: User,
    api: Spoken,
    member: str,
    given: list[dict[str, Any]],
) -> None:
    upstream.answers.append(whole(api.whole("Nice.")))
    body = api.body("", **{member: given})

    await proxy.fetch(b"POST", api.path, other_user.headers(), body)

    assert upstream.last.body == body
    begun = (
        "Minka" if given[-1].get("content") == "Minka" else ""
    )  # a prefilled answer is a part of the answer
    assert (await proxy.logged(other_user))[-2:] == [("user", CAT), ("assistant", f"{begun}Nice.")]
    [memory] = await proxy.memories(other_user)
    assert memory.content == CAT


# -- no turn ---------------------------------------------------------------------------------------

TITLE = "### Task:\nGenerate a concise title summarizing the chat history"
OTHERS: dict[str, tuple[str, dict[str, Any], str, Fields, bytes]] = {
    "a task that says so": (CAT, {}, "chat-1", [(b"X-Recollect-Task", b"title")], b"task"),
    "a title": (TITLE, {}, "chat-1", [], b"task"),
    "a temporary chat": (CAT, {}, "temporary:1", [], b"temporary"),
    "a channel": (CAT, {}, "channel:1", [], b"channel"),
    "no words": ("", {}, "chat-1", [], b"empty"),
    "two identities": (CAT, {}, "chat-1", [(b"X-OpenWebUI-User-Id", b"mallory")], b"bad-identity"),
    "no chat": (CAT, {"input": 7, "messages": 7}, "chat-1", [], b"unreadable"),
}


@IN_BOTH
@in_turn(("words", "fields", "chat", "extra", "why"), OTHERS.values())
async def test_what_is_no_persons_turn_passes_as_it_is_and_is_not_remembered(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    other_user: User,
    api: Spoken,
    words: str,
    fields: dict[str, Any],
    chat: str,
    extra: Fields,
    why: bytes,
) -> None:
    await given_memory(proxy, other_user, CAT)
    upstream.answers.append(whole(api.whole("All right.")))
    body = api.body(words, **fields)

    answer = await proxy.fetch(b"POST", api.path, other_user.headers(chat=chat, extra=extra), body)

    assert answer.header(b"x-recollect-skipped") == why
    assert answer.header(b"x-recollect-memories") == b"0"
    assert answer.body == api.whole("All right.")
    assert upstream.last.body == body
    assert await proxy.logged(other_user) == []


@IN_BOTH
async def test_nobodys_chat_passes_as_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream, api: Spoken
) -> None:
    answer = await proxy.fetch(b"POST", api.path, [(b"X-Api-Key", b"sk-1")], api.body(WHICH_TEA))

    assert answer.header(b"x-recollect-skipped") == b"no-identity"
    assert upstream.last.body == api.body(WHICH_TEA)
    assert upstream.last.values(b"x-api-key") == [b"sk-1"]


@IN_BOTH
async def test_instructions_can_show_that_a_frontend_asks_for_itself(
    proxy: RunningProxy, other_user: User, api: Spoken
) -> None:
    reviewer = "You are Open WebUI's private memory reviewer."

    answer = await proxy.fetch(
        b"POST", api.path, other_user.headers(), api.body(CAT, **{api.instructs: reviewer})
    )

    assert answer.header(b"x-recollect-skipped") == b"task"


async def test_a_second_yes_in_another_conversation_is_another_turn(
    proxy: RunningProxy, upstream: ScriptedUpstream, other_user: User
) -> None:
    follow: list[dict[str, Any]] = [
        {"previous_response_id": "resp_1"},
        {"previous_response_id": "resp_2"},
        {"conversation": "conv_1"},
        {"conversation": {"id": "conv_2"}},
        {"conversation": {"id": "conv_2"}},  # sent again
    ]

    for fields in follow:
        upstream.answers.append(whole(RESPONSES.whole("Well.")))
        await proxy.fetch(b"POST", RESPONSES.path, other_user.headers(), RESPONSES.body("Yes.", **fields))
        await proxy.settle()

    assert [words for role, words in await proxy.logged(other_user) if role == "user"] == ["Yes."] * 4
