"""Requests of every shape that could cost much to read. Never: what reading them costs."""

import gzip
import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from recollect.wire import COMPLETIONS, MESSAGES, RESPONSES, Dialect

LIMIT = 32 * 1024 * 1024
_PROSE = "a b "


class Shape(NamedTuple):
    """A request.

    Attributes:
        make: Makes its body.
        dialect: The API it is spoken in.
        encoding: Its content encoding, if any.
    """

    make: Callable[[], bytes]
    dialect: Dialect = COMPLETIONS
    encoding: bytes = b""


def chat(contents: Iterable[Any], within: str = "messages") -> bytes:
    """Return a chat in which user and assistant take turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": content} for number, content in enumerate(contents)]
    return json.dumps({"model": "m", "stream": True, within: messages}, ensure_ascii=False).encode()


def within(opening: bytes, item: bytes, times: int, closing: bytes) -> bytes:
    """Return one message whose content is an item again and again."""
    content = opening + item * times + closing
    return b'{"model":"m","messages":[{"role":"user","content":' + content + b"}]}"


def _parts(kind: str) -> list[list[dict[str, str]]]:
    return [[{"type": kind, "text": f"m{number}"}] for number in range(200_001)]


def _image() -> list[dict[str, Any]]:
    url = "data:image/png;base64," + "iVBORw0KGgo" * 95_000
    return [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": url}}]


def _keys(*, distinct: bool) -> bytes:
    keys = b"".join(b'"%d":1,' % (number if distinct else 1) for number in range(2_000_000))
    return b'{"model":"m",' + keys + b'"messages":[{"role":"user","content":"x"}]}'


SHAPES = {
    "2 KB": Shape(lambda: chat(["hello there " * 160])),
    "200 KB, 401 messages": Shape(lambda: chat(["hello there " * 40] * 401)),
    "200,001 short messages": Shape(lambda: chat(f"m{number}" for number in range(200_001))),
    "200,001 equal messages": Shape(lambda: chat(["yes"] * 200_001)),
    "the same, of Responses": Shape(lambda: chat(_parts("input_text"), "input"), RESPONSES),
    "the same, of Anthropic": Shape(lambda: chat(_parts("text")), MESSAGES),
    "32 MB in one message": Shape(lambda: chat([_PROSE * (LIMIT // 4 - 50)])),
    "4 MB in one message": Shape(lambda: chat([_PROSE * 1_000_000])),
    "4 MB of tags": Shape(lambda: chat(["<a\n " * 800_000])),
    "4 MB of escapes": Shape(lambda: chat(["\n" * 2_000_000])),
    "32 MB in 1,001": Shape(lambda: chat([_PROSE * (LIMIT // 4100)] * 1001)),
    "32 MB in 1,001, tags": Shape(lambda: chat(["<a\n " * (LIMIT // 5200)] * 1001)),
    "30 images of 1 MB": Shape(lambda: chat(_image() for _ in range(29))),
    "900,000 parts": Shape(lambda: chat([[{"type": "text", "text": "a"}] * 900_000])),
    "10,000,000 lists": Shape(lambda: within(b"[", b"[],", 10_000_000, b"[]]")),
    "2,000,000 numbers": Shape(lambda: within(b"[", b"1,", 2_000_000, b"1]")),
    "900 deep": Shape(lambda: within(b"[" * 900, b"", 0, b"]" * 900)),
    "2,000,000 keys": Shape(lambda: _keys(distinct=True)),
    "2,000,000 equal keys": Shape(lambda: _keys(distinct=False)),
    "32 MB as gzip": Shape(lambda: gzip.compress(chat([_PROSE * (LIMIT // 4 - 50)])), encoding=b"gzip"),
    "32 MB in 1,001 as gzip": Shape(
        lambda: gzip.compress(chat([_PROSE * (LIMIT // 4100)] * 1001)), encoding=b"gzip"
    ),
}
