"""Diagnoses whether a request of OpenWebUI carries what the proxy needs. Pure. Never: who sent it, what was said.

It reads identity, headers and body by the proxy's own code, so that its findings are what the proxy would do.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from recollect.errors import ConfigurationError
from recollect.model import Skip, Strategy
from recollect.text.unfilled import is_unfilled
from recollect.wire import COMPLETIONS, RESPONSES, ChatBody, is_background_task, session_skip
from recollect_proxy.identity import header_text, make_identity, readable_id
from recollect_proxy.identity.signed import OpenWebUIToken
from recollect_proxy.openwebui import builtin_memory
from recollect_proxy.openwebui.captured_request import CapturedRequest
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


class Status(StrEnum):
    """The result of a check."""

    OK = "ok"
    NOTE = "note"
    """Nothing is wrong, but the operator should know it."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of one check.

    Attributes:
        check: The name of the check.
        status: The result.
        told: The finding in words.
        remedy: What the operator should do; "" for nothing.
    """

    check: str
    status: Status
    told: str
    remedy: str = ""


def diagnose(captured: CapturedRequest, settings: ProxySettings, *, aged: bool) -> list[Finding]:
    """Run all checks on a request, and return their findings.

    Args:
        captured: The request.
        settings: The proxy's settings.
        aged: Whether the request may have been captured long ago, so that an expired token is no fault.
    """
    checks: Sequence[Callable[[], Iterator[Finding]]] = (
        lambda: _identity(captured, settings, aged=aged),
        lambda: _chat(captured, settings),
        lambda: _message(captured, settings),
        lambda: _task(captured, settings),
        lambda: _body(captured),
        lambda: _way(captured, settings),
        lambda: _kept(settings),
    )
    return list(chain.from_iterable(check() for check in checks))


def is_from_a_person(captured: CapturedRequest, settings: ProxySettings) -> bool:
    """Return whether a request is no background task, by its header and its wording. An unreadable one counts as a person's."""
    if any(value.strip() for value in values(captured.headers, settings.task_header.encode())):
        return False
    chat = read_chat_request(captured)
    return chat is None or not is_background_task(chat)


def read_chat_request(captured: CapturedRequest) -> ChatBody | None:
    """Parse a chat request, of the Responses API or the chat completions API by its path; None if it can't be parsed."""
    path = captured.path.partition("?")[0].rstrip("/")
    return (RESPONSES if path.endswith("/responses") else COMPLETIONS).read(captured.body)


# -- who is speaking -------------------------------------------------------------------------------


def _identity(captured: CapturedRequest, settings: ProxySettings, *, aged: bool) -> Iterator[Finding]:
    try:
        caller = make_identity(settings).identify(captured.headers, captured.peer or _peer_of_file(settings))
    except ConfigurationError as error:
        yield Finding("identity", Status.MISSING, "Recollect itself would not start", f"{error}")
        return
    is_signed = bool(values(captured.headers, settings.openwebui_jwt_header.encode()))
    reads_token = IdentityMode.OPENWEBUI_JWT in settings.identity
    if caller.skip is Skip.NO_IDENTITY:
        yield _nobody(is_signed=is_signed)
    elif _is_template(values(captured.headers, settings.user_header.encode())):
        yield _not_filled_in("identity", settings.user_header)
    elif caller.skip is Skip.BAD_IDENTITY:
        yield _refused(captured, settings, aged=aged, is_signed=is_signed and reads_token)
    else:
        yield _known(captured, settings, is_signed=is_signed and reads_token)


def _nobody(*, is_signed: bool) -> Finding:
    if is_signed:
        told = "OpenWebUI signs who is speaking, and Recollect is not told to read it"
        return Finding("identity", Status.MISSING, told, _SIGN)
    return Finding("identity", Status.MISSING, "no header names the user, so there is no memory", _FORWARD)


def _refused(captured: CapturedRequest, settings: ProxySettings, *, aged: bool, is_signed: bool) -> Finding:
    """Explain why the proxy rejects the request's identity."""
    secret = settings.openwebui_jwt_secret
    if not is_signed or secret is None:
        if IdentityMode.OPENWEBUI_JWT in settings.identity:
            told = "a plain header names the user, but Recollect accepts signed ones only"
            return Finding("identity", Status.MISSING, told, _SIGN)
        told = "a plain header names the user, but Recollect does not trust its sender"
        remedy = "send the secret of RECOLLECT_SHARED_SECRET, or name the sender's network in RECOLLECT_TRUSTED_NETWORKS"
        return Finding("identity", Status.MISSING, told, remedy)
    header = settings.openwebui_jwt_header
    claim = OpenWebUIToken(secret.get_secret_value(), header=header, leeway=_EVER).claim(
        captured.headers, captured.peer
    )
    if claim is None or claim.user_id is None:
        told = f"{header} was signed with another secret, or is no token of OpenWebUI"
        return Finding("identity", Status.MISSING, told, _SIGN)
    if aged:
        return Finding(
            "identity", Status.OK, "signed, with the right secret; it has expired since, as it should"
        )
    told = f"{header} has the right secret, and has expired"
    return Finding(
        "identity",
        Status.MISSING,
        told,
        "set both clocks right: a token holds for five minutes from its making",
    )


def _known(captured: CapturedRequest, settings: ProxySettings, *, is_signed: bool) -> Finding:
    """Explain by what the proxy accepts the request's identity."""
    if is_signed:
        return Finding("identity", Status.OK, "signed, with the right secret")
    if not values(captured.headers, settings.user_header.encode()):
        return Finding("identity", Status.OK, "proven by an API key or a token")
    if settings.shared_secret is not None:
        return Finding("identity", Status.OK, "a plain header, with the shared secret")
    if settings.trusted_networks:
        return Finding("identity", Status.OK, "a plain header, from a network that is trusted")
    told = "a plain header that is not signed: whoever reaches Recollect can claim to be any user"
    return Finding("identity", Status.MISSING, told, _SIGN)


def _peer_of_file(settings: ProxySettings) -> str | None:
    """Return the address to assume for a request from a file: one of the first trusted network; None without any."""
    return settings.trusted_networks[0].partition("/")[0] if settings.trusted_networks else None


# -- which chat, which message, what for -----------------------------------------------------------


def _chat(captured: CapturedRequest, settings: ProxySettings) -> Iterator[Finding]:
    name = settings.session_header
    found = values(captured.headers, name.encode())
    if _is_template(found):
        yield _not_filled_in("chat id", name)
    elif (chat_id := readable_id(found)) is None:
        yield Finding(
            "chat id",
            Status.MISSING,
            f"{name} is absent: chats are told apart by their first message only",
            f"{_FORWARD}; send the message in a chat (the playground and API calls have no chat)",
        )
    elif session_skip(chat_id):
        told = "a temporary chat or a channel, which has no memory"
        yield Finding("chat id", Status.NOTE, told, "send the message in an ordinary chat to see the rest")
    else:
        yield Finding("chat id", Status.OK, f"{name} names the chat")


def _message(captured: CapturedRequest, settings: ProxySettings) -> Iterator[Finding]:
    name = settings.message_header
    found = values(captured.headers, name.encode())
    if not found:
        told = f"{name} is absent: a message whose answer is regenerated may be learned twice"
        yield Finding("message id", Status.MISSING, told, _on_connection(name, "{{USER_MESSAGE_ID}}"))
    elif _is_template(found):
        yield _not_filled_in("message id", name)
    elif readable_id(found) is None:
        told = f"{name} is there, but holds no message id"
        yield Finding(
            "message id", Status.NOTE, told, "send the message in a chat: API calls have no id of it"
        )
    else:
        yield Finding("message id", Status.OK, f"{name} names the message")
    parents = values(captured.headers, _PARENT.encode())
    if not parents:
        told = f"{_PARENT} is absent: what was learned from a message stays after the message is edited"
        yield Finding(
            "parent id", Status.MISSING, told, _on_connection(_PARENT, "{{USER_MESSAGE_PARENT_ID}}")
        )
    elif _is_template(parents):
        yield _not_filled_in("parent id", _PARENT)
    else:
        is_first = not parents[0].strip()
        yield Finding(
            "parent id", Status.OK, f"{_PARENT} is there" + (", empty: a first message" if is_first else "")
        )


def _task(captured: CapturedRequest, settings: ProxySettings) -> Iterator[Finding]:
    name = settings.task_header
    found = values(captured.headers, name.encode())
    if not found:
        told = f"{name} is absent: requests for titles and tags are recognized by their wording alone"
        yield Finding("task", Status.MISSING, told, _on_connection(name, "{{TASK}}"))
    elif _is_template(found):
        yield _not_filled_in("task", name)
    elif any(value.strip() for value in found):
        told = f"{name} says that this is a background task of OpenWebUI, which has no memory"
        yield Finding("task", Status.NOTE, told, "send the message of a person to see the rest")
    else:
        yield Finding("task", Status.OK, f"{name} is there, empty: a person's message")


def _is_template(found: list[bytes]) -> bool:
    return any(value.strip() and is_unfilled(header_text(value) or "") for value in found)


def _not_filled_in(check: str, name: str) -> Finding:
    told = f"{name} came with its template in place of a value"
    return Finding(check, Status.MISSING, told, "OpenWebUI 0.10 or newer fills these in")


def _on_connection(name: str, template: str) -> str:
    return f'add to the headers of the connection: "{name}": "{template}"'


# -- what is said, and on which way it came --------------------------------------------------------


def _body(captured: CapturedRequest) -> Iterator[Finding]:
    chat = read_chat_request(captured)
    if chat is None:
        yield Finding("body", Status.MISSING, "no chat request that can be read", "capture the whole request")
        return
    if is_background_task(chat):
        yield Finding(
            "body",
            Status.NOTE,
            "worded as a background task of OpenWebUI",
            "send the message of a person to see the rest",
        )
    yield _other_memory(chat)


def _other_memory(chat: ChatBody) -> Finding:
    if builtin_memory.has_builtin_memories(chat):
        told = "OpenWebUI's own memory is on too: the model gets everything twice"
    elif builtin_memory.has_builtin_memory_tools(chat):
        told = "OpenWebUI's own memory is on too: the model is given tools to search it and to write there"
    else:
        return Finding("other memory", Status.OK, "OpenWebUI's own memory added nothing")
    remedy = "start OpenWebUI with ENABLE_MEMORIES=false, or switch it off under Admin panel, Settings, General, Memories"
    return Finding("other memory", Status.MISSING, told, remedy)


def _way(captured: CapturedRequest, settings: ProxySettings) -> Iterator[Finding]:
    passed = [name.decode() for name in _PROXIED if values(captured.headers, name)]
    if not passed:
        yield Finding("way", Status.OK, "no sign of another proxy between OpenWebUI and Recollect")
        return
    told = f"came through another proxy ({', '.join(passed)}): it must pass these headers on, and not buffer answers"
    remedy = (
        "the networks in RECOLLECT_TRUSTED_NETWORKS must name that proxy, and it must let nobody else in"
        if settings.trusted_networks
        else ""
    )
    yield Finding("way", Status.NOTE, told, remedy)


# -- what is kept ----------------------------------------------------------------------------------


def _kept(settings: ProxySettings) -> Iterator[Finding]:
    """Yield a note if the settings keep less of what people say than an operator may expect."""
    if not settings.record:
        yield Finding("record", Status.NOTE, "nothing of what people say is kept: RECOLLECT_RECORD is off")
    elif settings.formation is Strategy.OFF:
        yield Finding(
            "record",
            Status.NOTE,
            "what people say is logged, but no memories are formed from it: RECOLLECT_FORMATION is off",
            "where it is not to be kept at all, set RECOLLECT_RECORD=false: formation off no longer means that",
        )
