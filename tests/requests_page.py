"""Makes docs/reference/requests.md from the table of requests: ``python -m tests.requests_page > docs/reference/requests.md``."""

from recollect.text.word_tables import read_table

_LANGUAGES = {
    "en": "English",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "pt": "Portuguese",
    "pl": "Polish",
    "tr": "Turkish",
    "hi": "Hindi in Latin letters",
    "zh": "Chinese",
    "ko": "Korean",
    "ar": "Arabic",
    "ja": "Japanese",
    "ru": "Russian",
    "nl": "Dutch",
}
_REQUESTS = {
    "known": "list the memories",
    "forget_listed": "forget by number",
    "undo": "undo",
    "stop": "stop remembering me",
    "resume": "remember me again",
    "leave_out": "leave this chat out",
    "take_in": "take this chat in again",
    "everything": "forget everything: is asked, not done",
    "remember": "without a model: remember",
    "forget": "without a model: forget",
    "correct": "without a model: correct",
}
_INTRODUCTION = """# Requests that are read without a model

A message counts as one of these requests if all of it is one of the phrases, whatever its capitals and marks, with one polite
word at either end at most. `(a|b|)` stands for one of several words or for none, `#` for numbers of the list in digits or
words. Everything else is left to the model that extracts memories. The last three rows of a language are beginnings of
messages: where no model extracts, what follows them is the statement. [memory.md](../explanation/memory.md#requests-in-a-chat) tells what
each request does. This page is made by `make docs`.
"""


def requests_page() -> str:
    """Return the page."""
    parts = [_INTRODUCTION]
    for code, words in read_table("recollect.text.cues", "memory_requests").items():
        parts.append(f"\n## {_LANGUAGES[code]}\n\n| request | phrases |\n|---|---|\n")
        for name, title in _REQUESTS.items():
            phrases = ", ".join(f"`{each}`".replace("|", "\\|") for each in words[name])
            parts.append(f"| {title} | {phrases} |\n")
        politely = ", ".join(f"`{each}`" for each in (*words["polite"], *words["asking"]))
        parts.append(f"| polite words | {politely} |\n")
    return "".join(parts)


if __name__ == "__main__":
    print(requests_page(), end="")  # noqa: T201 -- this is the page
