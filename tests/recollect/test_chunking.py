import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.long_texts import up_to
from tests.support.tables import table

from recollect.chunking import MOST_WINDOWS, Chunk, chunks, windows
from recollect.text.tokens import estimate_tokens

SENTENCE = "The ferry to the island leaves at nine and comes back at six. "

# Pieces that meet as fences, lists, tables, headings and blanks do.
texts = st.lists(
    st.sampled_from(
        [
            *("```", "~~~", "````", "```py", "- ```js", "  ", "\n", "\n\n", "\r\n", "\t", "\u3000", "\x1c"),
            *("# Title\n", "- item\n", "1. item\n", "| a | b |\n", "def f():\n", "    return 1\n", "x" * 90),
            *(
                SENTENCE,
                "\u6211\u559c\u6b22\u8336\u3002",
                "\ud800",
                "\udc00",
                "\U0001f469\u200d\U0001f4bb",
                "e\u0301",
            ),
        ]
    )
    | st.text(max_size=8),
    max_size=40,
).map("".join)


def parts(text: str, *, tokens: int = 500) -> list[str]:
    return [text[chunk.start : chunk.stop] for chunk in chunks(text, tokens=tokens)]


@given(texts, st.integers(1, 120))
def test_chunks_are_in_order_and_hold_all_that_is_not_blank(text: str, tokens: int) -> None:
    place = 0
    for chunk in chunks(text, tokens=tokens):
        assert place <= chunk.start < chunk.stop
        assert not text[place : chunk.start].strip()
        assert text[chunk.start : chunk.stop].strip()
        place = chunk.stop
    assert not text[place:].strip()


@given(texts, st.integers(40, 150))
def test_no_chunk_is_above_the_limit(text: str, tokens: int) -> None:
    assert all(estimate_tokens(part) <= tokens for part in parts(text, tokens=tokens))


@given(texts, st.integers(40, 150))
def test_no_neighbours_of_one_sort_could_have_stood_together(text: str, tokens: int) -> None:
    found = chunks(text, tokens=tokens)
    for one, other in pairwise(found):
        if not one.code and not other.code:
            assert estimate_tokens(text[one.start : other.stop]) > tokens - 3


def test_a_short_message_is_one_chunk_without_the_blanks_around_it() -> None:
    assert [*chunks("  I like tea.\n\nAnd cake.\n")] == [Chunk(2, 24, code=False)]


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_a_fenced_block_is_a_chunk_with_its_fences(fence: str) -> None:
    block = f"{fence}py\nprint('tea')\n\n\nprint('cake')\n{fence}"
    text = f"Look:\n{block}\nNice, is it not?"

    assert parts(text) == ["Look:", block, "Nice, is it not?"]
    assert [chunk.code for chunk in chunks(text)] == [False, True, False]


@table(
    "block",
    [
        "   ```\n   a\n   ```",
        "- ```\n  a\n  ```",
        "1. one\n\n        ```\n        a\n        ```",
        "```\na\n````   ",
        "````\n```\na\n```\n````",
        "~~~\n```\n~~~",
        "```\n- ```\n``` not the end\n```",
        "```\na\n    ```\nb\n```",
        "```\nnever closed\n\nto the end",
        "```",
    ],
)
def test_fences_are_indented_nested_and_left_open(block: str) -> None:
    found = [*chunks(block + "\n")]

    assert [chunk.code for chunk in found][-1:] == [True]
    assert block.rstrip().endswith(block[found[-1].start : found[-1].stop].lstrip())
    assert sum(chunk.code for chunk in found) == 1


@pytest.mark.parametrize("text", ["Use ```x``` here.", "```x``` is code", "``\nno\n``", "a ```\nb"])
def test_marks_that_open_no_fence_are_prose(text: str) -> None:
    assert [*chunks(text)] == [Chunk(0, len(text), code=False)]


def test_a_long_block_is_cut_at_definitions_and_every_part_is_code() -> None:
    function = "def total_{}(prices):\n    first = 1\n\n    return sum(prices) + first\n\n\n"
    text = "```python\n" + "".join(function.format(number) for number in range(30)) + "```"

    found = [*chunks(text, tokens=100)]

    assert len(found) > 5
    assert all(chunk.code for chunk in found)
    assert all(part.startswith(("def total", "```python")) for part in parts(text, tokens=100))


def test_a_long_function_is_cut_at_lines_and_keeps_its_margin() -> None:
    text = "```\ndef f():\n" + "    total = total + price\n" * 60 + "```"

    for part in parts(text, tokens=60)[1:]:
        assert part.startswith(("    total", "```"))
        assert part.endswith(("price", "```"))


def test_prose_is_cut_between_paragraphs() -> None:
    paragraphs = [SENTENCE * 3 + f"Number {number}." for number in range(12)]

    found = parts("\n\n".join(paragraphs), tokens=150)

    assert len(found) > 3
    assert "\n\n".join(found) == "\n\n".join(paragraphs)
    assert all(part.endswith(".") and part.startswith("The ferry") for part in found)


def test_a_heading_stays_with_what_follows_it() -> None:
    text = "\n\n".join(f"## Day {day} on the long way along the coast\n\n{SENTENCE * 4}" for day in range(8))

    found = parts(text, tokens=90)

    assert len(found) == 8
    assert all(part.startswith("## Day") for part in found)


def test_a_list_that_fits_is_kept_together() -> None:
    rows = "\n".join(f"- item {number} of the list\n  and more of it" for number in range(5))
    text = f"{SENTENCE * 5}\n{rows}\n{SENTENCE * 5}"

    assert rows in parts(text, tokens=120)


def test_lines_with_a_margin_are_no_list_without_a_row_before_them() -> None:
    address = "".join(f"  {number} Rua da Rosa in Lisbon\n" for number in range(6))

    first, *_ = parts(f"{SENTENCE}\nMy address is\n{address}{SENTENCE}", tokens=30)

    assert first.endswith("My address is\n  0 Rua da Rosa in Lisbon")


def test_a_table_too_long_is_cut_between_its_rows() -> None:
    text = "\n".join(f"| tea {number} | {number} cups | hot |" for number in range(80))

    found = parts(text, tokens=100)

    assert len(found) > 3
    assert all(part.startswith("| tea") and part.endswith("hot |") for part in found)


@pytest.mark.parametrize(
    "sentence",
    [
        SENTENCE,
        "\u6211\u4eec\u660e\u5929\u4e00\u8d77\u53bb\u559d\u8336\u3002",
        "\u0647\u0644 \u062a\u062d\u0628 \u0627\u0644\u0634\u0627\u064a\u061f ",
        "\u092e\u0941\u091d\u0947 \u091a\u093e\u092f \u092a\u0938\u0902\u0926 \u0939\u0948\u0964 ",
    ],
)
def test_a_long_paragraph_is_cut_between_sentences(sentence: str) -> None:
    found = parts(sentence * 60, tokens=150)

    assert len(found) > 2
    assert all(part.endswith(sentence.strip()) and part.startswith(sentence[:4]) for part in found)


def test_a_long_sentence_is_cut_between_words() -> None:
    assert {word for part in parts("marmalade " * 500, tokens=50) for word in part.split()} == {"marmalade"}


def test_a_text_without_any_space_is_cut_between_whole_characters() -> None:
    found = parts("e\u0301" * 3000, tokens=60)

    assert len(found) > 10
    assert all(not unicodedata.combining(part[0]) for part in found)


@up_to(200_000)
@table(
    "text",
    ["a", "\n", "`", "~", " ", "- ", "a ", "a\n", "a\n\n", "```\n", "# ", ".", "\ud800", " \n", "\u200d"],
)
def test_a_long_run_of_anything_is_cut_in_linear_time(text: str, length: int) -> None:
    """Quadratic in 200,000 characters would be minutes."""
    long = text * (length // len(text))

    assert sum(chunk.stop - chunk.start for chunk in chunks(long)) <= len(long)
    assert len(windows(long, tokens=256, overlap=30)) <= MOST_WINDOWS


def test_a_text_that_fits_is_one_window() -> None:
    assert windows("  I like tea. ", tokens=256, overlap=32) == ["I like tea."]
    assert windows(" \n ", tokens=256) == []


def test_windows_end_with_sentences() -> None:
    found = windows(SENTENCE * 40, tokens=100)

    assert " ".join(found) == (SENTENCE * 40).strip()
    assert all(window.endswith("six.") for window in found)


def test_windows_without_sentences_end_with_words() -> None:
    found = windows("marmalade " * 200, tokens=100)

    assert len(found) > 3
    assert {word for window in found for word in window.split()} == {"marmalade"}


def test_windows_overlap_by_about_what_is_asked() -> None:
    text = " ".join(f"word{number}" for number in range(300))

    found = windows(text, tokens=200, overlap=40)

    for one, other in pairwise(found):
        shared = [word for word in one.split() if word in set(other.split())]
        assert 20 <= estimate_tokens(" ".join(shared)) <= 60


def test_what_is_longer_than_eight_windows_is_left_out() -> None:
    found = windows(SENTENCE * 1000, tokens=50)

    assert len(found) == MOST_WINDOWS == 8


@given(texts, st.integers(20, 100), st.integers(0, 9))
def test_windows_are_of_the_text_in_order_from_its_beginning(text: str, tokens: int, overlap: int) -> None:
    found = windows(text, tokens=tokens, overlap=overlap)

    assert bool(found) == bool(text.strip())
    assert text.strip().startswith("".join(found[:1]))
    place = 0
    for window in found:
        assert window.strip()
        place = text.index(window, place)
        assert estimate_tokens(window) <= max(tokens, 80)
