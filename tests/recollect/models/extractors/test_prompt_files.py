import json
import re
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from tests.recollect.models.extractors import completions_server
from tests.scripted.extraction import command

from recollect.errors import ConfigurationError
from recollect.model import Asking
from recollect.models.extractors import Instructions
from recollect.models.extractors.chat_model import AnswerSchema
from recollect.models.extractors.prompt_files import (
    FENCE,
    INSTRUCTIONS_LENGTH,
    Instruction,
    Prompt,
    cut,
    digest,
    fenced,
    one_line,
    read_prompt,
    sendable,
    shares,
)
from recollect.models.extractors.schema import CHOICE, EXTRACTION, HINTS, SUMMARY
from recollect.text.tokens import estimate_tokens

PROMPTS = [("extraction", EXTRACTION), ("forgetting", CHOICE), ("summary", SUMMARY), ("hints", HINTS)]


def objects(part: Any) -> list[dict[str, Any]]:
    """All object types in a JSON schema."""
    if isinstance(part, list):
        return [found for item in part for found in objects(item)]
    if not isinstance(part, dict):
        return []
    inner = [found for value in part.values() for found in objects(value)]
    return [part, *inner] if part.get("type") == "object" else inner


@pytest.mark.parametrize("schema", [schema for _, schema in PROMPTS], ids=lambda schema: schema.name)
class TestSchemas:
    def test_every_field_is_required_and_no_other_allowed(self, schema: AnswerSchema) -> None:
        found = objects(schema.json_schema)

        assert found
        for each in found:
            assert each["required"] == list(each["properties"])
            assert each["additionalProperties"] is False

    def test_it_is_a_schema_in_the_plainest_words(self, schema: AnswerSchema) -> None:
        jsonschema.Draft202012Validator.check_schema(schema.json_schema)

        written = json.dumps(schema.json_schema)
        for word in ("$ref", "$defs", "anyOf", '"title"', '"description"', '"default"'):
            assert word not in written

    def test_its_example_has_its_form(self, schema: AnswerSchema) -> None:
        jsonschema.validate(json.loads(schema.example), schema.json_schema)


def test_a_null_field_may_be_null_and_no_other() -> None:
    whole = json.loads(EXTRACTION.example)
    [item] = whole["memories"]
    right = whole | {"memories": [item | {"about": [3], "subject": "my son", "valid_to": "2026"}]}
    jsonschema.validate(right, EXTRACTION.json_schema)

    for wrong in ({"content": None}, {"about": 3}, {"kind": "summary"}, {"stance": None}, {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(whole | {"memories": [item | wrong]}, EXTRACTION.json_schema)


def test_limits_are_those_that_servers_take() -> None:
    """llama.cpp takes none of 2,000 and more; OpenAI's strict mode takes those of lists."""
    whole = json.loads(EXTRACTION.example)
    [item] = whole["memories"]
    limited = EXTRACTION.limited_json_schema
    jsonschema.Draft202012Validator.check_schema(limited)
    jsonschema.validate(whole, limited)

    too_much = [
        {"memories": [item] * (EXTRACTION.limits["memories"] + 1)},
        {"memories": [item | {"evidence": "x" * (EXTRACTION.limits["evidence"] + 1)}]},
        {"memories": [item | {"ends": [1] * (EXTRACTION.limits["ends"] + 1)}]},
        {"memories": [item | {"subject": "x" * (EXTRACTION.limits["subject"] + 1)}]},
        {"memories": [item | {"topics": ["x" * (EXTRACTION.limits["topics[]"] + 1)]}]},
        {"wishes": [command("forget", "x")] * (EXTRACTION.limits["wishes"] + 1)},
    ]
    for each in too_much:
        jsonschema.validate(whole | each, EXTRACTION.json_schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(whole | each, limited)
    assert all(0 < limit < 2_000 for limit in EXTRACTION.limits.values())
    limited_fields = {name.removesuffix("[]") for name in EXTRACTION.limits}
    assert limited_fields <= {name for each in objects(limited) for name in each["properties"]}


@pytest.mark.parametrize(("name", "schema"), PROMPTS)
def test_the_prompt_files_have_versions_and_tell_every_field(name: str, schema: AnswerSchema) -> None:
    prompt = read_prompt(name)
    text = prompt.filled(form=schema.example)

    assert prompt.version >= 1
    assert "version:" not in text
    assert schema.example in text
    assert not re.search(r"\{\w+\}", text)
    for each in objects(schema.json_schema):
        for field, form in each["properties"].items():
            for word in [field, *form.get("enum", [])]:
                assert f"`{word}`" in text or f'"{word}"' in text


@pytest.mark.parametrize(("name", "schema"), PROMPTS)
def test_the_answers_in_a_prompt_have_the_form(name: str, schema: AnswerSchema) -> None:
    """But for the fields of statements that the examples are said to leave out."""
    whole = json.loads(EXTRACTION.example)
    left_out = whole["memories"][0]
    answers = [
        json.loads(found)
        for found in re.findall(r"^\{.*\}$", read_prompt(name).text, re.MULTILINE)
        if found not in {"{form}", "{instructions}"}
    ]

    assert answers
    for answer in answers:
        if schema is EXTRACTION:
            memories = [left_out | item for item in answer["memories"]]
            answer = whole | answer | {"memories": memories}  # noqa: PLW2901 -- with what it left out
        jsonschema.validate(answer, schema.json_schema)


def test_every_quote_in_the_examples_stands_in_what_is_quoted() -> None:
    examples = read_prompt("extraction").text.partition("# Examples")[2].split("\n\n")
    answered = [example.rpartition("\n") for example in examples if example.endswith("}")]

    assert len(answered) > 5
    for said, _, answer in answered:
        told = json.loads(answer)
        assert all(item["evidence"] in said for item in [*told["memories"], *told.get("wishes", [])])
        assert all(item.get("confirms", "") in said for item in told["memories"])


def test_the_prompt_shows_what_each_field_is_for() -> None:
    examples = read_prompt("extraction").text.partition("# Examples")[2]
    answers = [json.loads(found) for found in re.findall(r"^\{.*\}$", examples, re.MULTILINE)]
    told = [item for answer in answers for item in answer["memories"]]

    for field in (
        *("confirms", "subject", "lasts", "about", "ends", "affects", "event_date", "valid_to", "topics"),
        "questions",
    ):
        assert any(item.get(field) for item in told), field
    assert {command["asking"] for answer in answers for command in answer.get("wishes", [])} == set(Asking)
    assert {item["relation"] for item in told if "relation" in item} >= {"refines", "contradicts"}


def test_the_prompt_is_no_longer_than_it_may_be() -> None:
    """It is read with each call, and again wherever a server keeps nothing of it."""
    assert estimate_tokens(read_prompt("extraction").filled(form=EXTRACTION.example)) < 3_090


def test_the_repair_prompt_tells_problem_and_form() -> None:
    assert "{problem}" in read_prompt("repair").text
    assert '{"numbers": []}' in read_prompt("repair").filled(form='{"numbers": []}')


def test_instructions_stand_under_a_heading_of_their_own() -> None:
    prompt = Prompt(1, "Rules.\n\n{instructions}\n\n# Answer\n\n{form}")

    assert prompt.filled(form="{}") == "Rules.\n\n# Answer\n\n{}"
    filled = prompt.filled(form="{}", instructions="Keep {form} and {instructions}.")
    assert filled.startswith("Rules.\n\n# Instructions of this deployment\n\n")
    assert filled.endswith("\n\nKeep {form} and {instructions}.\n\n# Answer\n\n{}")


def test_a_prompt_without_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "bare.md").write_text("Do as I say.")
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)

    with pytest.raises(ConfigurationError):
        read_prompt("bare")


texts = st.text(st.characters(codec=None))


@given(st.lists(st.integers(0, 100)), st.integers(0, 500))
def test_room_is_shared_by_need(lengths: list[int], total: int) -> None:
    given_room = shares(lengths, total)

    assert len(given_room) == len(lengths)
    assert sum(given_room) == min(sum(lengths), total)
    assert all(room <= length for room, length in zip(given_room, lengths, strict=True))
    short = [room for room, length in zip(given_room, lengths, strict=True) if room < length]
    assert not short or max(given_room) - min(short) <= 1


@given(texts, st.integers(0, 50))
def test_what_is_cut_keeps_its_beginning_and_its_end(text: str, length: int) -> None:
    shown = cut(text, length)

    assert len(shown) <= length + len(" [...] ") or shown == text
    assert text.startswith(shown.partition(" [...] ")[0].rstrip()) or shown == text
    assert len(one_line(text, length).splitlines()) <= 1


@given(texts)
def test_what_is_sent_can_be(text: str) -> None:
    assert "\0" not in sendable(text)
    sendable(text).encode("utf-8")


@given(st.dictionaries(st.sampled_from("ABCD"), st.text(st.sampled_from("ab=\n")), min_size=1))
def test_fenced_texts_can_be_told_apart(parts: dict[str, str]) -> None:
    shown = fenced(list(parts.items()))
    kept = {title: _unruled(text) for title, text in parts.items() if text.strip()}

    told_apart = completions_server.fenced(shown) if shown else {}
    assert {title: _unruled(text) for title, text in told_apart.items()} == kept
    assert all(FENCE not in text for text in told_apart.values())


def _unruled(text: str) -> str:
    """A text but for what a line of it may have been changed to that would have been a fence."""
    return text.replace("=", "").replace(" ", "")


def test_a_text_without_a_fence_in_it_is_shown_as_it_is() -> None:
    assert fenced([("A", "1 == 1\n====")]) == f"A:\n{FENCE}\n1 == 1\n====\n{FENCE}"


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
    texts = ("first", "x" * INSTRUCTIONS_LENGTH, "last")
    instructions = Instructions(tuple(Instruction(all_models, each) for each in texts))

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
def test_a_file_that_is_otherwise_is_refused(tmp_path: Path, content: str | bytes, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        Instructions.load(written(tmp_path, content))


def test_a_file_that_is_not_there_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml can't be read: No such file"):
        Instructions.load(tmp_path / "nowhere.toml")


def test_the_digest_tells_instructions_apart() -> None:
    assert digest("Keep a.") == digest("Keep a.")
    assert digest("Keep a.") != digest("Keep b.")
