"""The doctor says of each thing whether it is there, and what to set, as the proxy would see it."""

import json
from pathlib import Path
from typing import Any

from tests.recollect_proxy.openwebui.requests_of_openwebui import (
    OTHER_SECRET,
    SECRET,
    body,
    captured,
    headers,
    token,
)
from tests.recollect_proxy.settings import changed, proxy_settings
from tests.tables import table

from recollect.model import Skip
from recollect_proxy.identity import add_key, make_identity
from recollect_proxy.openwebui.captured_request import CapturedRequest
from recollect_proxy.openwebui.diagnosis import Finding, Status, diagnose, is_from_a_person
from recollect_proxy.settings.proxy_settings import ProxySettings

SIGNED = proxy_settings(identity="openwebui-jwt", openwebui_jwt_secret=SECRET)
PLAIN = proxy_settings()
CHECKS = ["identity", "chat id", "message id", "parent id", "task", "other memory", "way"]


def found(
    request: CapturedRequest, settings: ProxySettings = SIGNED, *, aged: bool = False
) -> dict[str, Finding]:
    return {finding.check: finding for finding in diagnose(request, settings, aged=aged)}


def missing(request: CapturedRequest, settings: ProxySettings = SIGNED, *, aged: bool = False) -> list[str]:
    return [
        name for name, each in found(request, settings, aged=aged).items() if each.status is Status.MISSING
    ]


def test_all_is_well_where_all_is_set() -> None:
    findings = diagnose(captured(headers(), peer="10.0.0.7"), SIGNED, aged=False)

    assert [(each.check, each.status, each.remedy) for each in findings] == [
        (check, Status.OK, "") for check in CHECKS
    ]


@table(
    ("own", "told"),
    [
        ({"record": False}, "nothing of what people say is kept"),
        ({"formation": "off"}, "no memories are formed from it"),
    ],
)
def test_what_is_not_kept_is_told(own: dict[str, object], told: str) -> None:
    note = found(captured(headers()), changed(SIGNED, **own))["record"]

    assert note.status is Status.NOTE
    assert told in note.told


def test_a_later_message_names_the_one_before() -> None:
    later = found(captured(headers(x_recollect_parent="6f1c0c1e-0000-4000-8000-000000000009")))

    assert later["parent id"].told == "x-recollect-parent is there"
    assert "first" in found(captured(headers()))["parent id"].told


@table(
    ("without", "check", "remedy"),
    [
        ("x-openwebui-user-jwt", "identity", "ENABLE_FORWARD_USER_INFO_HEADERS=true"),
        ("x-openwebui-chat-id", "chat id", "ENABLE_FORWARD_USER_INFO_HEADERS=true"),
        ("x-recollect-message", "message id", '"x-recollect-message": "{{USER_MESSAGE_ID}}"'),
        ("x-recollect-parent", "parent id", '"x-recollect-parent": "{{USER_MESSAGE_PARENT_ID}}"'),
        ("x-recollect-task", "task", '"x-recollect-task": "{{TASK}}"'),
    ],
)
def test_what_is_absent_is_missing_with_what_to_set(without: str, check: str, remedy: str) -> None:
    request = captured(headers(without))

    assert missing(request) == [check]
    assert remedy in found(request)[check].remedy


@table(
    ("name", "template", "check"),
    [
        ("x_openwebui_chat_id", "{{CHAT_ID}}", "chat id"),
        ("x_recollect_message", "{{USER_MESSAGE_ID}}", "message id"),
        ("x_recollect_parent", "{{USER_MESSAGE_PARENT_ID}}", "parent id"),
        ("x_recollect_task", "{{TASK}}", "task"),
    ],
)
def test_a_template_that_was_not_filled_in_is_missing(name: str, template: str, check: str) -> None:
    request = captured(headers(**{name: template}))

    assert missing(request) == [check]
    assert "0.10" in found(request)[check].remedy


# -- who is speaking -------------------------------------------------------------------------------


@table(
    ("given", "settings", "aged", "status", "told"),
    [
        ({}, SIGNED, False, Status.OK, "signed"),
        ({"x_openwebui_user_jwt": token(age=9_000)}, SIGNED, False, Status.MISSING, "expired"),
        ({"x_openwebui_user_jwt": token(age=9_000)}, SIGNED, True, Status.OK, "expired since"),
        (
            {"x_openwebui_user_jwt": token(secret=OTHER_SECRET)},
            SIGNED,
            False,
            Status.MISSING,
            "another secret",
        ),
        (
            {"x_openwebui_user_jwt": token(secret=OTHER_SECRET, age=9_000)},
            SIGNED,
            True,
            Status.MISSING,
            "another secret",
        ),
        ({"x_openwebui_user_jwt": token(iss="somebody")}, SIGNED, False, Status.MISSING, "another secret"),
        ({"x_openwebui_user_jwt": "garbage"}, SIGNED, False, Status.MISSING, "another secret"),
        ({}, PLAIN, False, Status.MISSING, "not told to read it"),
    ],
)
def test_a_signature_is_judged_by_the_proxys_own_rules(
    given: dict[str, str],
    settings: ProxySettings,
    aged: bool,  # noqa: FBT001 -- a parameter
    status: Status,
    told: str,
) -> None:
    request = captured(headers(**given))

    identity = found(request, settings, aged=aged)["identity"]

    assert identity.status is status
    assert told in identity.told
    if not aged:
        believed = make_identity(settings).identify(request.headers, None).skip is None
        assert believed == (status is Status.OK)


def plain(**changed: str) -> dict[str, str]:
    return headers("x-openwebui-user-jwt", x_openwebui_user_id="anna", **changed)


@table(
    ("given", "changed", "peer", "status", "told"),
    [
        ({}, {}, "127.0.0.1", Status.MISSING, "not signed"),
        ({}, {"trusted_networks": "10.0.0.0/8"}, "10.1.2.3", Status.OK, "network"),
        ({}, {"trusted_networks": "10.0.0.0/8"}, None, Status.OK, "network"),
        ({}, {"trusted_networks": "10.0.0.0/8"}, "192.168.0.9", Status.MISSING, "does not trust"),
        ({"x_recollect_secret": SECRET}, {"shared_secret": SECRET}, None, Status.OK, "shared secret"),
        ({"x_recollect_secret": "x"}, {"shared_secret": SECRET}, None, Status.MISSING, "does not trust"),
        (
            {},
            {"identity": "openwebui-jwt", "openwebui_jwt_secret": SECRET},
            None,
            Status.MISSING,
            "signed ones only",
        ),
    ],
)
def test_a_plain_header_is_told_for_what_it_is(
    given: dict[str, str], changed: dict[str, Any], peer: str | None, status: Status, told: str
) -> None:
    identity = found(captured(plain(**given), peer=peer), proxy_settings(**changed))["identity"]

    assert identity.status is status
    assert told in identity.told
    assert SECRET not in f"{identity}"


def test_a_user_who_is_known_by_something_else_is_known(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    key = add_key(keys, "anna")
    settings = proxy_settings(identity="api-key", api_keys=keys)

    assert found(captured(headers(authorization=f"Bearer {key}")), settings)["identity"].status is Status.OK


def test_settings_with_which_nothing_would_start_are_told() -> None:
    open_to_all = proxy_settings(host="0.0.0.0")

    identity = found(captured(plain()), open_to_all)["identity"]

    assert identity.status is Status.MISSING
    assert "RECOLLECT_TRUSTED_NETWORKS" in identity.remedy


def test_nobody_is_named_and_nothing_that_was_said_is_told() -> None:
    told = f"{diagnose(captured(plain(), body(said='my diary', system='User Context: my diary')), PLAIN, aged=False)}"

    assert "anna" not in told
    assert "diary" not in told


# -- what for --------------------------------------------------------------------------------------


@table("chat", ["temporary:session", "local:session", "channel:room"])
def test_a_chat_without_memory_is_told(chat: str) -> None:
    assert found(captured(headers(x_openwebui_chat_id=chat)))["chat id"].status is Status.NOTE


def test_a_message_header_that_is_empty_is_of_no_chat() -> None:
    assert found(captured(headers(x_recollect_message="")))["message id"].status is Status.NOTE


def test_a_background_task_is_told_by_its_header_and_by_its_words() -> None:
    task = "### Task:\nGenerate a concise title summarizing the chat history.\n<chat_history>\nUSER: a\n</chat_history>"
    by_header = captured(headers(x_recollect_task="title_generation"))
    by_words = captured(headers("x-recollect-task"), body(said=task, stream=False))

    assert found(by_header)["task"].status is Status.NOTE
    assert found(by_header)["identity"].status is Status.OK
    assert found(by_words)["body"].status is Status.NOTE
    assert [is_from_a_person(each, SIGNED) for each in (by_header, by_words, captured(headers()))] == [
        False,
        False,
        True,
    ]
    assert make_identity(SIGNED).identify(by_header.headers, None).skip is Skip.TASK


@table(
    "system",
    [
        "Be kind.\n<memory_context>\n[User Memory]\n- a\n</memory_context>",
        '<memory_user_context>\n["a"]\n</memory_user_context>',
        "User Context:\n1. [2025-10-09] a\n",
        "Be kind.\nUser Context:\n1. [Unknown Date] a\n2. [2025-10-09] b\n\n",
    ],
)
def test_openwebuis_own_memory_is_found(system: str) -> None:
    request = captured(headers(), body(system=system))

    assert missing(request) == ["other memory"]
    assert "ENABLE_MEMORIES=false" in found(request)["other memory"].remedy


@table(
    "system",
    [
        "User Context: a clerk in a town hall.",
        "User Context:\n1. The user is a clerk.\n2. It is Monday.",
        "User Context:\n\n",
        "In the User Context:\n1. [2025-10-09] stands the day.",
        "Never speak of <memory_context> or </memory_context>.",
        "<memory_context>\nis what you never say.",
        "<memory_user_context>" * 1_000,
    ],
)
def test_a_prompt_that_speaks_of_such_is_not_openwebuis_memory(system: str) -> None:
    assert missing(captured(headers(), body(system=system))) == []


OWN_TOOLS = ("get_current_timestamp", "search_memories", "add_memory")


@table("path", ["/v1/chat/completions", "/v1/responses"])
def test_openwebuis_own_memory_is_found_by_its_tools_while_it_is_empty(path: str) -> None:
    given = [{"type": "function", "name": name} for name in OWN_TOOLS]
    nested = [{"type": "function", "function": {"name": name}} for name in OWN_TOOLS]
    said = (
        {"input": "hello", "tools": given}
        if path.endswith("responses")
        else {"messages": [{"role": "user", "content": "hello"}], "tools": nested}
    )
    request = captured(headers(), json.dumps({"model": "m"} | said).encode(), path=path)

    assert missing(request) == ["other memory"]
    assert "tools" in found(request)["other memory"].told


@table(
    "tools",
    [
        [],
        None,
        7,
        [7, None, [], {}, {"name": 7}, {"function": {"name": []}}, {"function": None}],
        [{"type": "function", "function": {"name": "add_memory"}}, {"type": "web_search"}],
    ],
)
def test_other_tools_are_no_memory_of_openwebuis(tools: object) -> None:
    said = {"model": "m", "messages": [{"role": "user", "content": "hello"}], "tools": tools}

    assert missing(captured(headers(), json.dumps(said).encode())) == []


def test_what_a_user_writes_of_memories_is_not_openwebuis() -> None:
    assert missing(captured(headers(), body(system="Be kind.", said="What is <memory_context>?"))) == []


def test_a_request_of_the_responses_api_is_read() -> None:
    told = "<memory_context>\\n- a\\n</memory_context>"
    content = f'{{"model": "m", "instructions": "{told}", "input": "hello"}}'.encode()

    assert missing(captured(headers(), content, path="/v1/responses?a=b")) == ["other memory"]


@table("content", [b"", b"{", b"[]", b'{"messages": 7}', b"\xff\x00"])
def test_a_body_that_cannot_be_read_is_missing(content: bytes) -> None:
    assert missing(captured(headers(), content)) == ["body"]
    assert is_from_a_person(captured(headers(), content), SIGNED)


def test_another_proxy_on_the_way_is_noted() -> None:
    request = captured(headers(x_forwarded_for="10.0.0.1", via="1.1 gate"), peer="10.0.0.1")

    way = found(request)["way"]
    assert way.status is Status.NOTE
    assert "via, x-forwarded-for" in way.told
    trusting = proxy_settings(trusted_networks="10.0.0.0/8")
    assert "RECOLLECT_TRUSTED_NETWORKS" in found(request, trusting)["way"].remedy
