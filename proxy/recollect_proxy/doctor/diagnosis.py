"""Diagnoses whether a request of OpenWebUI carries everything that the proxy needs. Pure. It names no user and quotes nobody.

The checks: identity, the chat's id, the headers that an operator adds, OpenWebUI's own memory, proxies between, and whether
Recollect keeps chats at all. The proxy's own code reads the request, so the findings match the proxy.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from recollect.errors import ConfigurationError
from recollect.model import Skip, Strategy
from recollect.text.normalization import is_unfilled
from recollect.text.patterns import bounded
from recollect.wire import COMPLETIONS, RESPONSES, ChatBody, is_background_task, session_skip
from recollect_proxy.doctor.captured_request import CapturedRequest
from recollect_proxy.identity.caller import header_text, readable_id
from recollect_proxy.identity.signed_token import OpenWebUIToken
from recollect_proxy.identity.user_and_chat import (
    MESSAGE_HEADER,
    OPENWEBUI_JWT_HEADER,
    TASK_HEADER,
    make_identity,
)
from recollect_proxy.settings.proxy_settings import IdentityMode, ProxySettings
from recollect_proxy.web.asgi import values

_EVER = 10**10
"""Seconds of leeway with which no token has expired, so that only the signature counts."""

_PROXIED = (b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-proto", b"x-real-ip")
_PARENT = "x-recollect-parent"
_FORWARD = "start OpenWebUI with ENABLE_FORWARD_USER_INFO_HEADERS=true"
_SIGN = (
    "give both one secret: OpenWebUI FORWARD_USER_INFO_HEADER_JWT_SECRET, Recollect RECOLLECT_IDENTITY=openwebui-jwt "
    "and RECOLLECT_OPENWEBUI_JWT_SECRET"
)


_SEE_THE_REST = "send the message of a person to see the rest"


class Status(StrEnum):
    """The result of a check."""

    OK = "ok"
    NOTE = "note"
    """Nothing is wrong, but the operator should know it."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The finding of one check: its name, its result in a word and in a sentence, and advice to the operator or ""."""

    check: str
    status: Status
    told: str
    remedy: str = ""


def diagnose(captured: CapturedRequest, settings: ProxySettings, *, aged: bool) -> list[CheckResult]:
    """Run all checks on a request, and return their findings.

    ``aged``: The request was captured earlier, so an expired token is no fault.
    """
    return [
        *_identity(captured, settings, aged=aged),
        *_chat(captured, settings),
        *_added(captured),
        *_body(captured),
        *_way(captured, settings),
        *_kept(settings),
    ]


def is_from_a_person(captured: CapturedRequest) -> bool:
    """Return whether neither header nor wording mark a request as a background task; True if it can't be read."""
    if any(value.strip() for value in values(captured.headers, TASK_HEADER.encode())):
        return False
    chat = read_chat_request(captured)
    return chat is None or not is_background_task(chat)


def read_chat_request(captured: CapturedRequest) -> ChatBody | None:
    """Parse a chat request, of the Responses API or the chat completions API by its path; None if it can't be parsed."""
    path = captured.path.partition("?")[0].rstrip("/")
    return (RESPONSES if path.endswith("/responses") else COMPLETIONS).read(captured.body)


def _identity(captured: CapturedRequest, settings: ProxySettings, *, aged: bool) -> Iterator[CheckResult]:
    try:
        caller = make_identity(settings).identify(captured.headers, captured.peer or _peer_of_file(settings))
    except ConfigurationError as error:
        yield _missing("identity", "Recollect itself would not start", f"{error}")
        return
    is_signed = bool(values(captured.headers, OPENWEBUI_JWT_HEADER.encode()))
    reads_token = IdentityMode.OPENWEBUI_JWT in settings.identity
    if caller.skip is Skip.NO_IDENTITY and is_signed:
        yield _missing(
            "identity", "OpenWebUI signs who is speaking, and Recollect is not told to read it", _SIGN
        )
    elif caller.skip is Skip.NO_IDENTITY:
        yield _missing("identity", "no header names the user, so there is no memory", _FORWARD)
    elif _is_template(values(captured.headers, settings.user_header.encode())):
        yield _not_filled_in("identity", settings.user_header)
    elif caller.skip is not Skip.BAD_IDENTITY:
        yield _known(captured, settings, is_signed=is_signed and reads_token)
    elif is_signed and reads_token and settings.openwebui_jwt_secret is not None:
        yield _bad_token(captured, settings.openwebui_jwt_secret.get_secret_value(), aged=aged)
    elif reads_token:
        yield _missing(
            "identity", "a plain header names the user, but Recollect accepts signed ones only", _SIGN
        )
    else:
        text = "a plain header names the user, but Recollect does not trust its sender"
        remedy = "send the secret of RECOLLECT_SHARED_SECRET, or name the sender's network in RECOLLECT_TRUSTED_NETWORKS"
        yield _missing("identity", text, remedy)


def _bad_token(captured: CapturedRequest, secret: str, *, aged: bool) -> CheckResult:
    """Explain why the proxy rejects the request's token."""
    claim = OpenWebUIToken(secret, header=OPENWEBUI_JWT_HEADER, leeway=_EVER).claim(
        captured.headers, captured.peer
    )
    if claim is None or claim.user_id is None:
        return _missing(
            "identity",
            f"{OPENWEBUI_JWT_HEADER} was signed with another secret, or is no token of OpenWebUI",
            _SIGN,
        )
    if aged:
        return _ok("identity", "signed, with the right secret; it has expired since, as it should")
    remedy = "set both clocks right: a token holds for five minutes from its making"
    return _missing("identity", f"{OPENWEBUI_JWT_HEADER} has the right secret, and has expired", remedy)


def _known(captured: CapturedRequest, settings: ProxySettings, *, is_signed: bool) -> CheckResult:
    """Explain why the proxy accepts the request's identity."""
    if is_signed:
        return _ok("identity", "signed, with the right secret")
    if not values(captured.headers, settings.user_header.encode()):
        return _ok("identity", "proven by an API key or a token")
    if settings.shared_secret is not None:
        return _ok("identity", "a plain header, with the shared secret")
    if settings.trusted_networks:
        return _ok("identity", "a plain header, from a network that is trusted")
    text = "a plain header that is not signed: whoever reaches Recollect can claim to be any user"
    return _missing("identity", text, _SIGN)


def _peer_of_file(settings: ProxySettings) -> str | None:
    """Return the address to assume for a request from a file: one of the first trusted network; None without any."""
    return settings.trusted_networks[0].partition("/")[0] if settings.trusted_networks else None


def _chat(captured: CapturedRequest, settings: ProxySettings) -> Iterator[CheckResult]:
    name = settings.session_header
    found = values(captured.headers, name.encode())
    if _is_template(found):
        yield _not_filled_in("chat id", name)
    elif (chat_id := readable_id(found)) is None:
        text = f"{name} is absent: chats are told apart by their first message only"
        remedy = f"{_FORWARD}; send the message in a chat (the playground and API calls have no chat)"
        yield _missing("chat id", text, remedy)
    elif session_skip(chat_id):
        text = "a temporary chat or a channel, which has no memory"
        yield _note("chat id", text, "send the message in an ordinary chat to see the rest")
    else:
        yield _ok("chat id", f"{name} names the chat")


_ADDED = {
    "message id": ("{{USER_MESSAGE_ID}}", "a message whose answer is regenerated may be learned twice"),
    "parent id": (
        "{{USER_MESSAGE_PARENT_ID}}",
        "what was learned from a message stays after the message is edited",
    ),
    "task": ("{{TASK}}", "requests for titles and tags are recognized by their wording alone"),
}
"""The headers that an operator adds to the connection, each with its template and with what happens without it."""


def _added(captured: CapturedRequest) -> Iterator[CheckResult]:
    """Yield a finding on each header that an operator adds to the connection."""
    names = (MESSAGE_HEADER, _PARENT, TASK_HEADER)
    for name, (check, (template, why)) in zip(names, _ADDED.items(), strict=True):
        found = values(captured.headers, name.encode())
        if not found:
            remedy = f'add to the headers of the connection: "{name}": "{template}"'
            yield _missing(check, f"{name} is absent: {why}", remedy)
        elif _is_template(found):
            yield _not_filled_in(check, name)
        else:
            yield _present(check, name, found)


def _present(check: str, name: str, found: list[bytes]) -> CheckResult:
    if check == "message id":
        remedy = "send the message in a chat: API calls have no id of it"
        is_id = readable_id(found) is not None
        text = f"{name} names the message" if is_id else f"{name} is there, but holds no message id"
        return _ok(check, text) if is_id else _note(check, text, remedy)
    is_empty = not any(value.strip() for value in found)
    if check == "parent id":
        return _ok(check, f"{name} is there" + (", empty: a first message" if is_empty else ""))
    if is_empty:
        return _ok(check, f"{name} is there, empty: a person's message")
    text = f"{name} says that this is a background task of OpenWebUI, which has no memory"
    return _note(check, text, _SEE_THE_REST)


def _is_template(found: Sequence[bytes]) -> bool:
    return any(value.strip() and is_unfilled(header_text(value) or "") for value in found)


def _not_filled_in(check: str, name: str) -> CheckResult:
    text = f"{name} came with its template in place of a value"
    return _missing(check, text, "OpenWebUI 0.10 or newer fills these in")


def _body(captured: CapturedRequest) -> Iterator[CheckResult]:
    chat = read_chat_request(captured)
    if chat is None:
        yield _missing("body", "no chat request that can be read", "capture the whole request")
        return
    if is_background_task(chat):
        yield _note("body", "worded as a background task of OpenWebUI", _SEE_THE_REST)
    if has_builtin_memories(chat):
        text = "OpenWebUI's own memory is on too: the model gets everything twice"
    elif has_builtin_memory_tools(chat):
        text = "OpenWebUI's own memory is on too: the model is given tools to search it and to write there"
    else:
        yield _ok("other memory", "OpenWebUI's own memory added nothing")
        return
    remedy = "start OpenWebUI with ENABLE_MEMORIES=false, or switch it off under Admin panel, Settings, General, Memories"
    yield _missing("other memory", text, remedy)


def _way(captured: CapturedRequest, settings: ProxySettings) -> Iterator[CheckResult]:
    passed = [name.decode() for name in _PROXIED if values(captured.headers, name)]
    if not passed:
        yield _ok("way", "no sign of another proxy between OpenWebUI and Recollect")
        return
    text = f"came through another proxy ({', '.join(passed)}): it must pass these headers on, and not buffer answers"
    remedy = "the networks in RECOLLECT_TRUSTED_NETWORKS must name that proxy, and it must let nobody else in"
    yield _note("way", text, remedy if settings.trusted_networks else "")


def _kept(settings: ProxySettings) -> Iterator[CheckResult]:
    """Yield a note if less of the chats is kept than an operator may expect."""
    if not settings.record:
        yield _note("record", "nothing of what people say is kept: RECOLLECT_RECORD is off")
    elif settings.formation is Strategy.OFF:
        text = "what people say is logged, but no memories are formed from it: RECOLLECT_FORMATION is off"
        remedy = "where it is not to be kept at all, set RECOLLECT_RECORD=false: formation off no longer means that"
        yield _note("record", text, remedy)


def _ok(check: str, told: str) -> CheckResult:
    return CheckResult(check, Status.OK, told)


def _note(check: str, told: str, remedy: str = "") -> CheckResult:
    return CheckResult(check, Status.NOTE, told, remedy)


def _missing(check: str, told: str, remedy: str) -> CheckResult:
    return CheckResult(check, Status.MISSING, told, remedy)


_BLOCKS = (
    ("<memory_context>\n", "\n</memory_context>"),
    ("<memory_user_context>\n", "\n</memory_user_context>"),
)
"""How OpenWebUI 0.12 and 0.9 enclose memories. Each mark has a line of its own; a mark within a line is only a mention."""

_LIST = bounded(r"^User Context:\n1\. \[(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|Unknown Date)\] ", re.MULTILINE)
"""How earlier releases list memories: numbered, each with its date."""

_TOOLS = frozenset({"search_memories", "add_memory", "replace_memory_content"})
"""The memory tools of OpenWebUI up to 0.12. A single one of these names may belong to another tool."""


class _Tools(msgspec.Struct):
    tools: list[Any] = []  # msgspec copies it


def has_builtin_memories(chat: ChatBody) -> bool:
    """Return whether a system message of the request contains memories of OpenWebUI."""
    system = (message.text for message in chat.messages if message.role in {"system", "developer"})
    return any(map(_tells, system))


def has_builtin_memory_tools(chat: ChatBody) -> bool:
    """Return whether the request offers the model at least two of OpenWebUI's memory tools."""
    try:
        tools = msgspec.json.decode(chat.raw, type=_Tools).tools
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return len(_TOOLS.intersection(map(_name, tools))) > 1


def _tells(text: str) -> bool:
    blocks = ((text.find(opening), closing) for opening, closing in _BLOCKS)
    is_block = any(start >= 0 and text.find(closing, start) >= 0 for start, closing in blocks)
    return is_block or _LIST.search(text) is not None


def _name(tool: object) -> str | None:
    """Return a tool's name: from ``function.name``, or in the Responses API from ``name``; None if it has none."""
    given = tool if isinstance(tool, dict) else {}
    function = given.get("function")
    name = (function if isinstance(function, dict) else given).get("name")
    return name if isinstance(name, str) else None
