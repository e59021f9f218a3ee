"""A photo that is written into a text is kept as a mark, and what is said behind it is read."""

import base64

import pytest
from tests.support.long_texts import up_to
from tests.support.tables import table

from recollect.text.attribution.thoughts import without_data
from recollect.wire.reply_parser import CompletionParser

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
        parser.keep(text[at : at + piece])

    read = parser.reply(truncated=False)
    assert read.text == "Here: ![image] and ![image] He weighs 11 kg"
    assert not read.truncated


def test_an_answer_that_is_too_long_without_any_image_is_cut_off() -> None:
    parser = CompletionParser()
    for _ in range(30):
        parser.keep("word " * 10_000)

    read = parser.reply(truncated=False)
    assert (len(read.text), read.truncated) == (1024 * 1024, True)


@up_to(1_000_000)
@table(
    "piece",
    [
        "data:image/png;base64,",
        "![x](data:image/png;base64,AAAA",
        "![x](",
        ";base64,",
        "data:a/b;a;a;base64,",
        "data:",
    ],
)
def test_a_long_run_of_marks_is_read_in_linear_time(piece: str, length: int) -> None:
    assert without_data(piece * (length // len(piece)))
