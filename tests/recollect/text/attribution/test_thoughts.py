"""Of an answer only what was said is read: the thoughts that stand in one text with it are cut out."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.long_texts import up_to
from tests.support.tables import table

from recollect.text.attribution.thoughts import without_thoughts

SAID = "So you work nights, right?"
THOUGHT = "may be a nurse called Otto"
ASIDE = '<details type="reasoning" done="true" duration="5">\n<summary>Thought for 5 seconds</summary>\n> {}\n</details>\n{}'
FORMS = [
    "<think>{}</think> {}",
    "<think>\n{}\n</think>\n\n{}",
    "<think>a</think><think>{}</think>{}",
    "<think>{} <think>twice</think> {}",
    "<thinking>{}</thinking>\n{}",
    "<thought>{}</thought><answer>{}</answer>",
    "<reasoning>{}</reasoning>\n\n{}",
    "<seed:think>{}</seed:think>{}",
    "<scratchpad>{}</scratchpad>{}",
    "<antThinking>{}</antThinking>{}",
    "<inner_monologue>{}</inner_monologue>\n{}",
    "[THINK]{}[/THINK]{}",
    "\u25c1think\u25b7{}\u25c1/think\u25b7{}",
    "{}</think>{}",
    "{}\n</think>\n\n{}",
    "{}\n[/THINK]\n{}",
    "<|START_THINKING|>{}<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
    "<|begin_of_thought|>{}<|end_of_thought|>\n<|begin_of_solution|>{}<|end_of_solution|>",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "<|channel>thought\n{}<channel|>{}",
    "<unused94>thought\n{}<unused95>{}",
    "analysis{}assistantfinal{}",
    ":::thinking\n{}\n:::\n{}",
    "```thinking\n{}\n```\n{}",
    ASIDE,
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
        SAID,
        "I think that you reason well: (think) [thought].",
        "Use `<think>` and `</think>` tags.",
        "Models emit <think> before </think>, and [/THINK].",
        'The tag "</think>" ends it.',
        "```xml\n<think>a</think>\n```\nThat is the form.",
        "[Analysis]\nYour data shows growth.",
        "<details><summary>Steps</summary>Open the box.</details>",
        '<details type="table">mine</details>',
        "<answer>42</answer>",
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
        *(
            "<think>",
            "</think>",
            "<think>a</think>",
            "a<think>",
            "[THINK]",
            " \n<think>",
            "`<think>",
            "<think ",
        ),
        *('<details type="reasoning">', ":::thinking\n", "<|channel|>analysis", "<|end|>", "thinking "),
    ],
)
def test_a_long_run_of_marks_is_read_in_linear_time(piece: str, length: int) -> None:
    assert len(without_thoughts(piece * (length // len(piece)))) <= length
