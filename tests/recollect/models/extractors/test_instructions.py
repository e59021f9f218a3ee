from pathlib import Path

import pytest
from structlog.testing import capture_logs

from recollect.errors import ConfigurationError
from recollect.models.extractors import Instructions
from recollect.models.extractors.prompts import INSTRUCTIONS_LENGTH, Instruction, digest

FILE = """
[[instructions]]
text = '''
Keep which team they belong to.
'''

[[instructions]]
models = "*coder*"
text = "Keep editors and languages."

[[instructions]]
models = ["tutor-*", "Math?"]
text = "Keep what they find hard."
"""


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "instructions.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("qwen3-CODER:30b", "Keep which team they belong to.\n\nKeep editors and languages."),
        ("tutor-1", "Keep which team they belong to.\n\nKeep what they find hard."),
        ("math2", "Keep which team they belong to.\n\nKeep what they find hard."),
        ("maths-2", "Keep which team they belong to."),
        ("", "Keep which team they belong to."),
    ],
)
def test_all_that_fit_a_model_are_joined_in_order(tmp_path: Path, model: str, expected: str) -> None:
    assert Instructions.load(written(tmp_path, FILE)).for_model(model) == expected


def test_an_empty_file_holds_none(tmp_path: Path) -> None:
    assert Instructions.load(written(tmp_path, "# none yet\n")) == Instructions()
    assert Instructions().for_model("a-model") == ""


def test_one_that_makes_them_too_long_is_left_out_and_said_so() -> None:
    all_models = ("*",)
    instructions = Instructions(
        (
            Instruction(all_models, "first"),
            Instruction(all_models, "x" * INSTRUCTIONS_LENGTH),
            Instruction(all_models, "last"),
        )
    )

    with capture_logs() as logs:
        assert instructions.for_model("a-model") == "first\n\nlast"

    assert [(entry["event"], entry["left_out"]) for entry in logs] == [("instructions_truncated", 2)]


def test_a_hostile_name_is_matched_in_no_time() -> None:
    pattern = Instruction(("*a*a*a*a*a*a*a*b",), "x")

    assert not pattern.fits("a" * 1_000_000 + "\0\ud800")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[[instructions]", "no TOML"),
        (b"\xff\xfe", "no TOML in UTF-8"),
        ("other = 1", r"\[\[instructions\]\] and nothing else"),
        ("instructions = 'Keep all'", "nothing else"),
        ("instructions = ['Keep all']", "nothing else"),
        ("[instructions]\ntext = 'a'", "nothing else"),
        ("[[instructions]]\nmodels = '*'", r"\[\[instructions\]\] 1: text is missing"),
        ("[[instructions]]\ntext = 'a'\n[[instructions]]\ntext = ' '", r"\]\] 2: text is missing"),
        ("[[instructions]]\ntext = 7", "text is missing"),
        ("[[instructions]]\ntext = 'a'\nmodel = 'b'", "there is no 'model'"),
        ("[[instructions]]\ntext = 'a'\nmodels = 7", "models must be"),
        ("[[instructions]]\ntext = 'a'\nmodels = []", "models must be"),
        ("[[instructions]]\ntext = 'a'\nmodels = ['']", "models must be"),
        ("[[instructions]]\ntext = 'a'\nmodels = ''", "models must be"),
        ("[[instructions]]\ntext = 'a'\nmodels = [1]", "models must be"),
        (f"[[instructions]]\ntext = '{'x' * (INSTRUCTIONS_LENGTH + 1)}'", "longer than 4000 characters"),
    ],
)
def test_a_file_that_is_otherwise_is_a_configuration_error(
    tmp_path: Path, content: str | bytes, complaint: str
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        Instructions.load(written(tmp_path, content))


def test_a_file_that_is_not_there_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml can't be read: No such file"):
        Instructions.load(tmp_path / "nowhere.toml")


def test_the_digest_tells_instructions_apart() -> None:
    assert digest("Keep a.") == digest("Keep a.")
    assert digest("Keep a.") != digest("Keep b.")
