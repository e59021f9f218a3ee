"""Makes docs/reference/requests.md from the table of requests: ``python -m tests.requests_page > docs/reference/requests.md``."""

import re
import textwrap
from collections.abc import Iterable

from recollect.text import read_table

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
}
_SHOWN = 2
"""Phrases of a request in a language."""
_CHOICE = re.compile(r"\(([^()]*)\)")
_INTRODUCTION = """# Requests that are read without a model

| in the chat | effect |
|---|---|
| "What do you know about me?" | all statements with numbers, 40 at most |
| "Forget the second", "delete number 3" | that memory of the last list is forgotten |
| "Undo that", "no, bring it back" | undoes the last request or the last reported changes |
| "Stop remembering me" | nothing more is logged or formed; memories and recall stay |
| "Remember me again" | takes that back |
| "Don't remember this chat" | its log and memories are erased; nothing more of it is kept |
| "Remember this chat again" | takes up from then |
| "Forget everything about me" | is not done for a sentence |

- *By number*: a list has to be within the last five messages. The list in the answer counts: if the model regrouped
  it so that the memory is uncertain, nothing is forgotten. Numbers stay until the next list.
- *Undo* counts right after a request, or after an answer that reported changes. It undoes these and the memories of
  the message before. Waiting exchanges are then not learned. A message hidden from recall stays hidden.
- *Stop remembering me* sets the person's `record` to false. A key for one project, or an agent's chat, can't do that.
- *Don't remember this chat*: memories already recalled into it are still noted, so that prompt caches hold.
- *Forget everything*: the person does it on [their page](pages.md), the administrator
  [by API](../how-to/erase-a-person.md).

The prompt gets `- [DONE] ...` or `- [NOT DONE] ...` with the reason. If the database fails, it says that the outcome
is uncertain, or nothing. With `RECOLLECT_PLACEMENT=off` none of this is done, because the answer could not report it.
Such a chat waits five seconds at most.

## How a message is read

All of the message has to be one of the phrases, in any capitals and marks, with at most one polite word at either
end. Numbers may be digits or words. All other messages are left to the model that extracts memories. Without such a
model, a message that begins with "remember that", "forget" or "no, I said" counts, too, in each language: the words
that follow are the statement.

Below are examples; `src/recollect/text/memory_requests.json` has all phrases. `make docs` writes this page.
"""


def example(phrase: str) -> str:
    """Return one message of a phrase of the table: the first words of its choices, without those that may be left out at its end."""
    needed = re.sub(r"(\([^()]*\))+$", _only_if_needed, phrase)
    chosen = _CHOICE.sub(lambda choice: next(filter(None, choice[1].split("|"))), needed)
    return " ".join(chosen.replace("#", "2").split())


def _only_if_needed(end: re.Match[str]) -> str:
    return "".join(f"({each})" for each in _CHOICE.findall(end[0]) if "" not in each.split("|"))


def _item(title: str, phrases: Iterable[str]) -> str:
    shown = list(dict.fromkeys(example(each) for each in phrases))[:_SHOWN]
    text = f"- **{title}**: " + ", ".join(f"`{each}`" for each in shown)
    return textwrap.fill(text, 118, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def requests_page() -> str:
    parts = [_INTRODUCTION]
    for code, words in read_table("recollect.text", "memory_requests").items():
        items = [_item(title, words[name]) for name, title in _REQUESTS.items()]
        items.append(_item("polite words", (*words["polite"], *words["asking"])))
        parts.append(f"\n## {_LANGUAGES[code]}\n\n" + "\n".join(items) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    print(requests_page(), end="")  # noqa: T201 -- this is the page
