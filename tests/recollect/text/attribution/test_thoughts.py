"""Of an answer only what was said is read: the thoughts that stand in one text with it are cut out."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.long_texts import up_to
from tests.support.tables import table, texts

from recollect.text.attribution.thoughts import without_data, without_thoughts
from recollect.wire.reply import CompletionParser

SAID = "So you work nights, right?"
THOUGHT = "may be a nurse called Otto"
ASIDE = '<details type="reasoning" done="true" duration="5">\n<summary>Thought for 5 seconds</summary>\n> {}\n</details>\n{}'
FORMS = [
    *("<think>{}</think> {}", "<think>\n{}\n</think>\n\n{}", "<think>a</think><think>{}</think>{}"),
    *("<think>{} <think>twice</think> {}", "<thinking>{}</thinking>\n{}"),
    *("<thought>{}</thought><answer>{}</answer>", "<reasoning>{}</reasoning>\n\n{}"),
    *("<seed:think>{}</seed:think>{}", "<scratchpad>{}</scratchpad>{}", "<antThinking>{}</antThinking>{}"),
    *("<inner_monologue>{}</inner_monologue>\n{}", "[THINK]{}[/THINK]{}"),
    *("\u25c1think\u25b7{}\u25c1/think\u25b7{}", "{}</think>{}", "{}\n</think>\n\n{}", "{}\n[/THINK]\n{}"),
    "<|START_THINKING|>{}<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
    "<|begin_of_thought|>{}<|end_of_thought|>\n<|begin_of_solution|>{}<|end_of_solution|>",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    *("<|channel>thought\n{}<channel|>{}", "<unused94>thought\n{}<unused95>{}", "analysis{}assistantfinal{}"),
    *(":::thinking\n{}\n:::\n{}", "```thinking\n{}\n```\n{}", ASIDE),
    ASIDE.replace('<details type="reasoning"', "<details open class='t' type='reasoning'"),
]


@table("form", FORMS)
def test_a_thought_is_no_word_of_the_answer(form: str) -> None:
    assert without_thoughts(form.format(THOUGHT, SAID)) == SAID


@table("text", [f"<think>{THOUGHT}", f"<think>\n{THOUGHT}\n\nSo", f'<details type="reasoning">\n{THOUGHT}'])
def test_an_answer_that_was_cut_off_while_it_thought_says_nothing(text: str) -> None:
    assert without_thoughts(text) == ""
    assert without_thoughts(f"{SAID}\n{text}") == SAID


@table(
    "text",
    [
        *texts("""
        I think that you reason well: (think) [thought]. | Use `<think>` and `</think>` tags.
        Models emit <think> before </think>, and [/THINK]. | The tag "</think>" ends it.
        <details><summary>Steps</summary>Open the box.</details> | <details type="table">mine</details>
        <answer>42</answer>
    """),
        SAID,
        "```xml\n<think>a</think>\n```\nThat is the form.",
        "[Analysis]\nYour data shows growth.",
    ],
)
def test_an_answer_that_speaks_of_thoughts_stays_as_it_is(text: str) -> None:
    assert without_thoughts(text) == text


@given(
    st.lists(
        st.sampled_from(
            ["<think>", "</think>", "[THINK]", "\n", "a", "`", "<|channel|>final<|message|>", "<|end|>"]
        )
    )
)
def test_any_answer_is_survived(pieces: list[str]) -> None:
    text = "".join(pieces)

    assert len(without_thoughts(text)) <= len(text)


@up_to(500_000)
@table(
    "piece",
    [
        *texts("""
        <think> | </think> | <think>a</think> | a<think> | [THINK] | `<think> | <details type="reasoning">
    """),
        *(" \n<think>", "<think ", ":::thinking\n", "<|channel|>analysis", "<|end|>", "thinking "),
    ],
)
def test_a_long_run_of_marks_is_read_in_linear_time(piece: str, length: int) -> None:
    assert len(without_thoughts(piece * (length // len(piece)))) <= length


DATA = base64.b64encode(bytes(range(256)) * 40).decode()
WRAPPED = "\n".join(DATA[at : at + 76] for at in range(0, len(DATA), 76))
URL = f"data:image/png;base64,{DATA}"


@table(
    "text, left",
    [
        (f"![x]({URL}) He weighs 11 kg", "![image] He weighs 11 kg"),
        (f"![]({URL})\nHe weighs 11 kg", "![image]\nHe weighs 11 kg"),
        (f'![x]({URL} "Ben") he', "![image] he"),
        (f'a <img alt="Ben" src="{URL}" width="4"> he', "a ![image] he"),
        (f"a {URL} he", "a ![image] he"),
        (f"data:image/png;base64,{WRAPPED}\nHe weighs", "![image]\nHe weighs"),
        (f"[note](data:audio/wav;base64,{DATA}) he", "[note]([file]) he"),
        (f"data:application/pdf;name=a.pdf;base64,{DATA}, he", "[file], he"),
        (f"{URL} and {URL}", "![image] and ![image]"),
        ("What does data:image/png;base64, mean?", "What does ![image] mean?"),
        ("![a cat](https://example.org/cat.png) he", "![a cat](https://example.org/cat.png) he"),
        ("my data: ;base64,AAAA", "my data: ;base64,AAAA"),
    ],
)
def test_a_mark_stands_for_a_file(text: str, left: str) -> None:
    assert without_data(text) == left


@pytest.mark.parametrize("piece", [7, 4_000_000])
def test_an_answer_is_read_to_its_end_behind_images_larger_than_what_is_kept_of_an_answer(piece: int) -> None:
    parser = CompletionParser()
    image = DATA * (90 if piece > 7 else 80)
    text = (
        f"Here: ![x](data:image/png;base64,{image}) and ![y](data:image/png;base64,{image}) He weighs 11 kg"
    )

    for at in range(0, len(text), piece):
        parser.append(text[at : at + piece])

    read = parser.reply(truncated=False)
    assert read.text == "Here: ![image] and ![image] He weighs 11 kg"
    assert not read.truncated


def test_an_answer_that_is_too_long_without_any_image_is_cut_off() -> None:
    parser = CompletionParser()
    for _ in range(30):
        parser.append("word " * 10_000)

    read = parser.reply(truncated=False)
    assert (len(read.text), read.truncated) == (1024 * 1024, True)


@up_to(1_000_000)
@table(
    "piece",
    texts("""
        data:image/png;base64, | ![x](data:image/png;base64,AAAA | ![x]( | ;base64, | data:a/b;a;a;base64,
        data:
    """),
)
def test_a_long_run_of_files_is_read_in_linear_time(piece: str, length: int) -> None:
    assert without_data(piece * (length // len(piece)))
