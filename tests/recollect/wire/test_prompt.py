import json
from typing import Any

from recollect.wire import MESSAGES, RESPONSES, ChatBody, Dialect, prompt_texts, read_body


def completions(*messages: dict[str, Any]) -> ChatBody:
    chat = read_body(json.dumps({"messages": messages}).encode())
    assert chat is not None
    return chat


def texts(dialect: Dialect, **body: Any) -> tuple[str, ...]:
    chat = dialect.read(json.dumps(body).encode())
    assert chat is not None
    return prompt_texts(chat)


def test_all_that_a_prompt_says_is_told_newest_first() -> None:
    documents = '### Task:\n<context>\n<source id="1">Tea is warm.</source>\n</context>\n\nIs it?'
    chat = completions(
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "image_url"}]},
        {"role": "assistant", "content": "  "},
        {"role": "tool", "content": "22 degrees"},
        {"role": "user", "content": documents},
    )

    assert prompt_texts(chat) == (documents, "22 degrees", "Be kind.")


def test_instructions_beside_the_messages_are_told_too() -> None:
    assert texts(RESPONSES, instructions="Be kind.", input="hi") == ("hi", "Be kind.")
    system = [{"type": "text", "text": "Be kind."}]
    assert texts(MESSAGES, system=system, messages=[{"role": "user", "content": "hi"}]) == ("hi", "Be kind.")


def test_a_long_message_is_cut_off() -> None:
    chat = completions({"role": "user", "content": "a" * 20_001}, {"role": "user", "content": "b" * 20_000})

    assert prompt_texts(chat) == ("b" * 20_000, "a" * 20_000)


def test_a_long_conversation_is_told_from_its_end() -> None:
    chat = completions(*({"role": "user", "content": str(n % 10) * 15_000} for n in range(20)))

    told = prompt_texts(chat)

    assert [text[0] for text in told] == list("9876")
    assert [len(text) for text in told] == [15_000] * 3 + [5_000]
