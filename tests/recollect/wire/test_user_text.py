import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.composition import FENCE
from recollect.composition.quoting import HISTORY as HISTORY_FENCE
from recollect.wire import ChatMessage, authored_text, said_with
from recollect.wire.user_text import own_blocks

TEMPLATE = """### Task:
Respond to the user query using the provided context, with citations (e.g., <source id="1">).

### Guidelines:
- Do not use XML tags. The <context> tag holds what was found.

<context>
%s
</context>
"""
SOURCES = (
    '<source id="1" name="tea.pdf" resource-type="file" resource-id="f1">I hate tea.</source>\n'
    '<source id="2" name="a>b.pdf">It says </context>, and\n</source>'
)
RETRIEVED = TEMPLATE % SOURCES
ATTACHED = '<attached_files>\n<file type="file" id="f1" url="f1" name="a > b.pdf"/>\n</attached_files>\n\n'
MEMORIES = "<memory_context>\n[User Memory]\n- food: hates tea\n</memory_context>"
OLD_MEMORIES = '<memory_user_context>[{"content": "hates tea"}]</memory_user_context>'
OURS = f"<{FENCE}>\nNoted:\n- [FACT] Wrote </context> once. (2026-03-15)\n</{FENCE}>"
HISTORY = f"<{HISTORY_FENCE}>\nThe user hates tea.\n</{HISTORY_FENCE}>"
FILE = 'Attached document(s):\n```md# "cv.txt"\nI hate tea.\n'
WORDS = "What do they say about tea?"


def written(text: str) -> str:
    return authored_text(ChatMessage(role="user", content=text))


@table(
    "text",
    [
        WORDS,
        f"\n  {WORDS} \n",
        f"{RETRIEVED}\n{WORDS}",
        f"{RETRIEVED}\n<user_query>\n{WORDS}\n</user_query>",
        f"{RETRIEVED}\n<user_query>\n{WORDS}\n</user_query>\n{WORDS}",
        TEMPLATE % '<source id="1" name="tea.pdf"></source>' + WORDS,
        f"{RETRIEVED.replace(chr(10), chr(13) + chr(10))}\r\n{WORDS}",
        f"### Task:\nAnswer.\n<context>{SOURCES}</context>\n{WORDS}",
        f"Answer {WORDS} from this.\n<context>\n{SOURCES}\n</context>\n{WORDS}",
        TEMPLATE % "A page without sources." + WORDS,
        f"{ATTACHED}{WORDS}",
        f"{RETRIEVED}\n{ATTACHED}{WORDS}",
        f"{ATTACHED}{RETRIEVED}\n{WORDS}",
        f'<source id="1" name="tea.pdf"></source>\n<source id="2"></source>\n\n{WORDS}',
        *(f'<source name="weather">rain</source>\n{WORDS}', f"{MEMORIES}\n\n{WORDS}"),
        *(f"{WORDS}\n\n{MEMORIES}", f"{OLD_MEMORIES}\n{MEMORIES}\n{WORDS}", f"{WORDS}\n\n{OURS}"),
        *(f"{OURS}\n\n{WORDS}", f"{HISTORY}\n\n{OURS}\n\n{WORDS}\n\n{OURS}"),
        f"{RETRIEVED}\n{WORDS}\n\n{OURS}".replace("\n", "\r\n"),
        # AnythingLLM's agents put files behind, LibreChat in front.
        f"{WORDS}\n\n<attached_documents>\nI hate tea.\n</attached_documents>",
        f"{FILE}\n```\n{WORDS}",
        f'Attached document(s):\n```md# "a.md"\n```sh\nmake\n```\n\nI hate tea.\n\n\n---\n\n# "b.txt"\nI too.\n\n```\n{WORDS}',
    ],
)
def test_only_the_users_words_are_left(text: str) -> None:
    assert written(text) == WORDS


@table(
    "text",
    [
        *("### Task:\nfix my code", "### Task:\nExplain what <context> and </context> mean to a model."),
        *("What does <context> do? And </context>?", "Why does it write\n<context>\nhere</context>?"),
        'Why is there no end to\n<context>\n<source id="1">',
        "### Task:\n</context>\nclosed before\n<context>\nit opened",
        "<source src='a.mp4'></source> is how a video is embedded",
        *('<source id="1" is how a citation begins', "<memory_context> is never closed"),
        "Attached document(s):\n```md\nis how it begins\n\n```\nWhy?",
        FILE.strip(),
        'This is mine:\n```py # "main.py"\nprint()\n\n```\nI live in Rome.',
        *("File: main.py\nprint()\n\nI live in Rome.", "File: cv.txt is missing"),
        *("Why does it say\nFile: cv.txt\nthere?", "What do <memory_context> and </memory_context> mean?"),
        *("What goes into <attached_files> before </attached_files>?", "I said <user_query>yes</user_query>"),
        *("1 < 2", f"<{FENCE}>\nis never closed", f"</{FENCE}>\nis never opened"),
        *(f"What do <{FENCE}> and\n</{FENCE}> mean?", f"<{FENCE}>\nis not closed by\n</recollect_history>"),
    ],
)
def test_words_that_only_look_like_wrapping_are_kept(text: str) -> None:
    assert written(text) == text


def test_a_query_tag_that_is_not_closed_is_the_users() -> None:
    assert written(f"{RETRIEVED}\n<user_query> what is it?") == "<user_query> what is it?"


@table(
    "text",
    ["", "  \n", f"{FILE}\n```", OURS, HISTORY, RETRIEVED, ATTACHED, MEMORIES, f"{RETRIEVED}{ATTACHED}"],
)
def test_wrapping_alone_says_nothing(text: str) -> None:
    assert written(text) == ""


def test_every_part_is_unwrapped_and_only_text_is_heard() -> None:
    message = ChatMessage(
        role="user",
        content=[
            {"type": "text", "text": f"{RETRIEVED}\nLook:"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "text", "text": RETRIEVED},
            {"type": "text", "text": f"{RETRIEVED}\n{WORDS}"},
        ],
    )

    assert authored_text(message) == f"Look:\n{WORDS}"


def test_a_part_that_begins_with_a_files_name_is_cherry_studios_file_unless_it_is_the_first() -> None:
    assert in_parts("node.js\nis what I use.", "my cv.txt\nI hate tea.") == "node.js\nis what I use."


def test_words_behind_parts_of_an_agent_are_no_file_though_they_begin_with_a_files_name() -> None:
    words = "Please mend main.py\nI live in Rome."

    assert in_parts(REMINDER, words) == in_parts(REMINDER, REMINDER, words) == words
    assert (
        in_parts(words, "notes.md\nare mine.", "So is this.") == f"{words}\nnotes.md\nare mine.\nSo is this."
    )


REMINDER = "<system-reminder>\n# rules\nI hate <b>tea</b>.\n</system-reminder>\n\n"


def in_parts(*texts: str) -> str:
    return authored_text(ChatMessage(role="user", content=[{"type": "text", "text": text} for text in texts]))


@table(
    "part",
    [
        REMINDER,
        "<command-name>/compact</command-name>\n  <command-args></command-args>\n",
        '<file path="tea.md">I hate tea.</file>',
        "<local-command-stdout>\n</local-command-stdout>",
    ],
)
def test_parts_that_an_agent_puts_around_the_words_are_no_words_of_a_person(part: str) -> None:
    assert in_parts(part, WORDS) == in_parts(WORDS, part) == in_parts(part, part, WORDS) == WORDS
    assert in_parts(part, part) == ""


@table(
    "part",
    [
        *(f"{REMINDER}And {WORDS}", f"<user_query>{WORDS}</user_query>"),
        *(f"<user_input mode='act'>{WORDS}</user_input>", "<div>I hate tea</div>"),
        *("<system-reminder> is what it writes", "<me-too>"),
    ],
)
def test_parts_with_words_of_a_person_stay(part: str) -> None:
    assert in_parts(WORDS, part) == f"{WORDS}\n{part.strip()}"


def test_a_message_of_one_part_is_its_persons_whatever_it_looks_like() -> None:
    assert in_parts(REMINDER) == written(REMINDER) == REMINDER.strip()


@table("role", ["system", "developer", "assistant", "tool", None, 5, [], {}])
def test_what_others_said_is_left_as_it_is(role: object) -> None:
    assert authored_text(ChatMessage(role=role, content=f" {RETRIEVED}\n")) == f" {RETRIEVED}\n"


TAGS = (
    *("context", "attached_files", "memory_context", "memory_user_context", "user_query", FENCE),
    HISTORY_FENCE,
)
PIECES = st.sampled_from(
    [
        *("### Task:", "\n", " ", "word", '<source id="1">', "</source>"),
        *(f"<{t}>" for t in TAGS),
        *(f"</{t}>" for t in TAGS),
    ]
)


@given(st.lists(PIECES).map("".join))
def test_what_is_left_are_words_of_the_text(text: str) -> None:
    left = written(text)

    assert left == left.strip()
    at = 0
    for line in left.split("\n"):
        at = text.index(line, at)


@given(st.lists(PIECES).map("".join) | st.text(), st.sampled_from([OURS, HISTORY, f"{HISTORY}\n\n{OURS}"]))
def test_what_we_added_to_any_words_is_cut_off_again(text: str, added: str) -> None:
    assert written(said_with(text, added)) == written(text)


@table(
    "piece",
    [
        *('<source id="1">', "<context>\n", "\n<memory_context>", "\n<recollect_memories>\n"),
        *("### Task:\n<context>\n<source ", "\n\n```\n", "\n\nFile: a."),
    ],
)
def test_a_long_hostile_text_is_read_in_linear_time(piece: str) -> None:
    text = piece * 100_000  # quadratic time would take minutes

    assert written(text) == text.strip()


@pytest.mark.parametrize("fence", [FENCE, HISTORY_FENCE])
def test_each_fence_that_is_composed_is_known_again(fence: str) -> None:
    """The names stand in two packages, of which neither imports the other."""
    block = f"<{fence}>\nNoted.\n</{fence}>"

    assert own_blocks(f"Tea?\n\n{block}\n") == [(6, 6 + len(block))]
