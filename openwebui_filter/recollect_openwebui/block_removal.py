"""Removes memory blocks from messages, so that they can be added again. Pure."""

from collections.abc import Sequence
from typing import Any

from recollect.wire.insertion import GAP


def without_blocks(messages: Sequence[Any], blocks: Sequence[str]) -> list[Any]:
    """Return messages without these blocks, wherever they stand and whatever text they were joined to.

    When a model has called tools, Open WebUI asks it again, with the messages as they were composed or with some of them as
    they were before.

    Args:
        messages: The messages of a chat completion.
        blocks: The texts that were added; a message or part that contains nothing else is left out.
    """
    if not blocks:
        return list(messages)
    left = [(each, _without(each, blocks)) for each in messages]
    return [now for before, now in left if now is before or now.get("content")]


def _without(message: Any, blocks: Sequence[str]) -> Any:
    content = message.get("content")
    if isinstance(content, str):
        text = _text_without(content, blocks)
        return message if text == content else {**message, "content": text}
    if not isinstance(content, list):
        return message
    parts = [(each, _part_without(each, blocks)) for each in content]
    if all(now is before for before, now in parts):
        return message
    return {**message, "content": [now for before, now in parts if now is before or now.get("text")]}


def _part_without(part: Any, blocks: Sequence[str]) -> Any:
    text = part.get("text") if isinstance(part, dict) else None
    if not isinstance(text, str):
        return part
    left = _text_without(text, blocks)
    return part if left == text else {**part, "text": left}


def _text_without(text: str, blocks: Sequence[str]) -> str:
    for block in blocks:
        text = text.replace(f"{GAP}{block}", "").replace(block, "")
    return text
