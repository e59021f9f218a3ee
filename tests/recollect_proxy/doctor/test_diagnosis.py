"""The doctor finds in a request, as the proxy would, all that is there or missing, and says what to set."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.recollect_proxy.doctor.requests_of_openwebui import (
    OTHER_SECRET,
    SECRET,
    body,
    captured,
    headers,
    token,
)
from tests.recollect_proxy.settings import changed, proxy_settings
from tests.support.tables import table

from recollect.model import Skip
from recollect_proxy.doctor.captured_request import CapturedRequest
from recollect_proxy.doctor.diagnosis import CheckResult, Status, diagnose, is_from_a_person
from recollect_proxy.identity.api_key import add_key
from recollect_proxy.identity.user_and_chat import make_identity
from recollect_proxy.settings.proxy_settings import ProxySettings

SIGNED = proxy_settings(identity="openwebui-jwt", openwebui_jwt_secret=SECRET)
PLAIN = proxy_settings()
CHECKS = ["identity", "chat id", "message id", "parent id", "task", "other memory", "way"]
TITLE = "### Task:\nGenerate a concise title summarizing the chat history.\n<chat_history>\nUSER: a\n</chat_history>"
OK, NOTE, MISSING = Status.OK, Status.NOTE, Status.MISSING


def found(
    request: CapturedRequest, settings: ProxySettings = SIGNED, *, aged: bool = False
) -> dict[str, CheckResult]:
    return {finding.check: finding for finding in diagnose(request, settings, aged=aged)}


def missing(request: CapturedRequest, settings: ProxySettings = SIGNED) -> list[str]:
    return [name for name, each in found(request, settings).items() if each.status is MISSING]


def test_all_is_well_if_all_is_set() -> None:
    findings = diagnose(captured(headers(), peer="10.0.0.7"), SIGNED, aged=False)

    assert [(each.check, each.status, each.remedy) for each in findings] == [
        (check, OK, "") for check in CHECKS
    ]


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
def test_a_header_that_is_absent_or_unfilled_is_missing(without: str, check: str, remedy: str) -> None:
    request = captured(headers(without))

    assert missing(request) == [check]
    assert remedy in found(request)[check].remedy
    if check != "identity":
        unfilled = captured(headers(**{without: "{{CHAT_ID}}"}))
        assert missing(unfilled) == [check]
        assert "0.10" in found(unfilled)[check].remedy


@table(
    ("given", "check", "status", "told"),
    [
        ({"x_recollect_parent": "m-9"}, "parent id", OK, "x-recollect-parent is there"),
        ({}, "parent id", OK, "first"),
        ({"x_openwebui_chat_id": "temporary:session"}, "chat id", NOTE, "no memory"),
        ({"x_openwebui_chat_id": "local:session"}, "chat id", NOTE, "no memory"),
        ({"x_openwebui_chat_id": "channel:room"}, "chat id", NOTE, "no memory"),
        ({"x_recollect_message": ""}, "message id", NOTE, "no message id"),
        ({"x_recollect_task": "title_generation"}, "task", NOTE, "background task"),
        ({"x_forwarded_for": "10.0.0.1", "via": "1.1 gate"}, "way", NOTE, "via, x-forwarded-for"),
    ],
)
def test_a_header_is_explained(given: dict[str, str], check: str, status: Status, told: str) -> None:
    finding = found(captured(headers(**given)))[check]

    assert (finding.status, told in finding.told) == (status, True)


def test_another_proxy_needs_a_trusted_network() -> None:
    request = captured(headers(via="1.1 gate"), peer="10.0.0.1")

    remedy = found(request, proxy_settings(trusted_networks="10.0.0.0/8"))["way"].remedy
    assert "RECOLLECT_TRUSTED_NETWORKS" in remedy


@table(
    ("own", "told"),
    [
        ({"record": False}, "nothing of what people say is kept"),
        ({"formation": "off"}, "no memories are formed from it"),
    ],
)
def test_settings_that_keep_less_are_noted(own: dict[str, object], told: str) -> None:
    note = found(captured(headers()), changed(SIGNED, **own))["record"]

    assert (note.status, told in note.told) == (NOTE, True)


# -- who is speaking -------------------------------------------------------------------------------


@table(
    ("jwt", "settings", "aged", "status", "told"),
    [
        (token, SIGNED, False, OK, "signed"),
        (partial(token, age=9_000), SIGNED, False, MISSING, "expired"),
        (partial(token, age=9_000), SIGNED, True, OK, "expired since"),
        (partial(token, secret=OTHER_SECRET), SIGNED, False, MISSING, "another secret"),
        (partial(token, secret=OTHER_SECRET, age=9_000), SIGNED, True, MISSING, "another secret"),
        (partial(token, iss="somebody"), SIGNED, False, MISSING, "another secret"),
        (lambda: "garbage", SIGNED, False, MISSING, "another secret"),
        (token, PLAIN, False, MISSING, "not told to read it"),
    ],
)
def test_a_signature_is_judged_by_the_rules_of_the_proxy(
    jwt: Callable[[], str], settings: ProxySettings, status: Status, told: str, *, aged: bool
) -> None:
    request = captured(headers(x_openwebui_user_jwt=jwt()))

    identity = found(request, settings, aged=aged)["identity"]

    assert (identity.status, told in identity.told) == (status, True)
    if not aged:
        is_known = make_identity(settings).identify(request.headers, None).skip is None
        assert is_known == (status is OK)


def plain(**changed: str) -> dict[str, str]:
    return headers("x-openwebui-user-jwt", x_openwebui_user_id="anna", **changed)


@table(
    ("given", "changed", "peer", "status", "told"),
    [
        ({}, {}, "127.0.0.1", MISSING, "not signed"),
        ({}, {"host": "0.0.0.0"}, None, MISSING, "would not start"),
        ({}, {"trusted_networks": "10.0.0.0/8"}, "10.1.2.3", OK, "network"),
        ({}, {"trusted_networks": "10.0.0.0/8"}, None, OK, "network"),
        ({}, {"trusted_networks": "10.0.0.0/8"}, "192.168.0.9", MISSING, "does not trust"),
        ({"x_recollect_secret": SECRET}, {"shared_secret": SECRET}, None, OK, "shared secret"),
        ({"x_recollect_secret": "x"}, {"shared_secret": SECRET}, None, MISSING, "does not trust"),
        (
            {},
            {"identity": "openwebui-jwt", "openwebui_jwt_secret": SECRET},
            None,
            MISSING,
            "signed ones only",
        ),
    ],
)
def test_a_plain_header_is_accepted_as_the_proxy_does(
    given: dict[str, str], changed: dict[str, Any], peer: str | None, status: Status, told: str
) -> None:
    identity = found(captured(plain(**given), peer=peer), proxy_settings(**changed))["identity"]

    assert (identity.status, told in identity.told) == (status, True)
    assert SECRET not in f"{identity}"


def test_a_user_with_an_api_key_is_known(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    request = captured(headers(authorization=f"Bearer {add_key(keys, 'anna')}"))

    assert found(request, proxy_settings(identity="api-key", api_keys=keys))["identity"].status is OK


def test_findings_name_no_user_and_quote_no_words() -> None:
    request = captured(plain(), body(said="my diary", system="User Context: my diary"))
    told = f"{diagnose(request, PLAIN, aged=False)}"

    assert "anna" not in told
    assert "diary" not in told


# -- the body --------------------------------------------------------------------------------------


def test_a_background_task_is_known_by_its_header_and_by_its_words() -> None:
    by_header = captured(headers(x_recollect_task="title_generation"))
    by_words = captured(headers("x-recollect-task"), body(said=TITLE, stream=False))

    assert found(by_words)["body"].status is NOTE
    persons = [is_from_a_person(each) for each in (by_header, by_words, captured(headers()))]
    assert persons == [False, False, True]
    assert make_identity(SIGNED).identify(by_header.headers, None).skip is Skip.TASK


@table(
    ("system", "is_memory"),
    [
        ("Be kind.\n<memory_context>\n[User Memory]\n- a\n</memory_context>", True),
        ('<memory_user_context>\n["a"]\n</memory_user_context>', True),
        ("User Context:\n1. [2025-10-09] a\n", True),
        ("Be kind.\nUser Context:\n1. [Unknown Date] a\n2. [2025-10-09] b\n\n", True),
        ("User Context: a clerk in a town hall.", False),
        ("User Context:\n1. The user is a clerk.\n2. It is Monday.", False),
        ("User Context:\n\n", False),
        ("In the User Context:\n1. [2025-10-09] stands the day.", False),
        ("Never speak of <memory_context> or </memory_context>.", False),
        ("<memory_context>\nis what you never say.", False),
        ("<memory_user_context>" * 1_000, False),
    ],
)
def test_the_memory_of_openwebui_is_found_in_the_system_prompt(system: str, *, is_memory: bool) -> None:
    request = captured(headers(), body(system=system, said="What is <memory_context>?"))

    assert missing(request) == (["other memory"] if is_memory else [])
    assert ("ENABLE_MEMORIES=false" in found(request)["other memory"].remedy) == is_memory


OWN_TOOLS = ("get_current_timestamp", "search_memories", "add_memory")
HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "hello"}]}


@table(
    ("path", "given", "is_memory"),
    [
        (
            "/v1/responses",
            {"input": "hello", "tools": [{"type": "function", "name": each} for each in OWN_TOOLS]},
            True,
        ),
        (
            "/v1/responses?a=b",
            {"input": "hello", "instructions": "<memory_context>\n- a\n</memory_context>"},
            True,
        ),
        (
            "/v1/chat/completions",
            HELLO | {"tools": [{"function": {"name": each}} for each in OWN_TOOLS]},
            True,
        ),
        (
            "/v1/chat/completions",
            HELLO | {"tools": [{"function": {"name": "add_memory"}}, {"type": "x"}]},
            False,
        ),
        (
            "/v1/chat/completions",
            HELLO | {"tools": [7, None, [], {"name": 7}, {"function": {"name": []}}]},
            False,
        ),
        *(("/v1/chat/completions", HELLO | {"tools": tools}, False) for tools in (None, 7)),
    ],
)
def test_the_memory_of_openwebui_is_found_by_its_tools(
    path: str, given: dict[str, Any], *, is_memory: bool
) -> None:
    request = captured(headers(), json.dumps({"model": "m", **given}).encode(), path=path)

    assert missing(request) == (["other memory"] if is_memory else [])


@table("content", [b"", b"{", b"[]", b'{"messages": 7}', b"\xff\x00"])
def test_a_body_that_cannot_be_read_is_missing(content: bytes) -> None:
    assert missing(captured(headers(), content)) == ["body"]
    assert is_from_a_person(captured(headers(), content))
