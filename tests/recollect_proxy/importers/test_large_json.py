"""The items of a file's lists are found where a JSON parser would find them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.support.tables import table

from recollect_proxy.takeout import large_json
from recollect_proxy.takeout.large_json import FileError, decoded, split_lists

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["\ud800", "\udc00\\ud83d", 'NaN" Infinity', *'"\\{}[],: '])
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
_FIXTURES = [HealthCheck.function_scoped_fixture]


def found(path: Path, content: str) -> tuple[dict[str, Any], dict[str, Any]]:
    path.write_text(content, "utf-8")
    file = split_lists(path)
    lists = {name: list(map(decoded, items)) for name, items in file.lists.items()}
    return lists, {name: decoded(value) for name, value in file.values.items()}


def mended(value: Any) -> Any:
    """Return a value as strict JSON has it, by way of a slower parser."""
    text = json.dumps(value, ensure_ascii=False)
    text = "".join("\ufffd" if "\ud800" <= letter < "\ue000" else letter for letter in text)
    return json.loads(text, parse_constant=lambda _: 0)


@settings(suppress_health_check=_FIXTURES)
@given(st.lists(_VALUES, max_size=5))
@example([{"": "}"}, ['{\\"']])
def test_the_items_of_a_list(tmp_path: Path, items: list[Any]) -> None:
    assert found(tmp_path / "f.json", json.dumps([*items, "\ud800"])) == (
        {"": mended([*items, "\ufffd"])},
        {},
    )


@settings(suppress_health_check=_FIXTURES)
@given(st.dictionaries(st.text(max_size=3), st.lists(_VALUES, max_size=3) | _VALUES, max_size=4))
def test_the_lists_and_values_of_an_object(tmp_path: Path, whole: dict[str, Any]) -> None:
    whole = mended(whole)
    lists, values = found(tmp_path / "f.json", json.dumps(whole, indent=1))

    assert lists == {name: value for name, value in whole.items() if isinstance(value, list)}
    assert values == {name: value for name, value in whole.items() if not isinstance(value, list)}


@settings(suppress_health_check=_FIXTURES)
@given(st.lists(_VALUES, min_size=1, max_size=3), st.data())
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, items: list[Any], data: st.DataObject) -> None:
    whole = json.dumps(items)
    cut = data.draw(st.integers(0, len(whole) - 1))

    with pytest.raises(FileError):
        found(tmp_path / "f.json", whole[:cut])


@table(
    "content", ['["\\ud8', '["\\udfff\\', "[NaNa]", "[Nothing]", "[1] x", "[" * 100_000, '"text"', "nothing"]
)
def test_what_is_broken_or_nested_too_deeply_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(FileError):
        found(tmp_path / "f.json", content)


def test_numbers_that_no_float_holds_are_zero() -> None:
    assert decoded(memoryview(b"[1e999, -1e999, 123456789012345678901]")) == [0, 0, 123456789012345678901]


def test_an_item_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_json, "LARGEST_ITEM", 10)
    path = tmp_path / "f.json"
    path.write_text('["short", "' + "long" * 10 + '"]')
    short, long = split_lists(path).lists[""]

    assert decoded(short) == "short"
    with pytest.raises(FileError, match="larger"):
        decoded(long)
