"""Requests as OpenWebUI 0.12.4 sends them, made by hand."""

import json
import time
from typing import Any

import jwt

from recollect_proxy.doctor.captured_request import CapturedRequest

SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
OTHER_SECRET = "f0e1d2c3b4a5968778695a4b3c2d1e0f-other"
USER, CHAT = "6f1c0c1e-0000-4000-8000-000000000001", "6f1c0c1e-0000-4000-8000-000000000002"


def token(*, secret: str = SECRET, age: float = 0, **claims: Any) -> str:
    """Return a token as OpenWebUI signs it, made so many seconds ago."""
    made = int(time.time() - age)
    given = {"sub": USER, "email": "a@b.c", "name": "Anna", "role": "user", "iss": "open-webui", "iat": made}
    return jwt.encode(given | {"exp": made + 300} | claims, secret, algorithm="HS256")


def body(*, system: str | None = None, said: str = "I keep bees.", stream: bool = True) -> bytes:
    """Return the body of a chat request."""
    messages = [{"role": "user", "content": said}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": system})
    return json.dumps({"model": "scripted", "messages": messages, "stream": stream}).encode()


def headers(*without: str, **changed: str) -> dict[str, str]:
    """Return the headers of a person's first message, all set up; underscores stand for dashes."""
    whole = {
        "content-type": "application/json",
        "authorization": "Bearer sk-none",
        "x-openwebui-user-jwt": token(),
        "x-openwebui-chat-id": CHAT,
        "x-recollect-message": "6f1c0c1e-0000-4000-8000-000000000003",
        "x-recollect-parent": "",
        "x-recollect-task": "",
    }
    given = whole | {name.replace("_", "-"): value for name, value in changed.items()}
    return {name: value for name, value in given.items() if name not in without}


def captured(
    given: dict[str, str],
    content: bytes | None = None,
    *,
    path: str = "/v1/chat/completions",
    peer: str | None = None,
) -> CapturedRequest:
    encoded = [(name.encode(), value.encode()) for name, value in given.items()]
    return CapturedRequest(encoded, body() if content is None else content, path, peer)
