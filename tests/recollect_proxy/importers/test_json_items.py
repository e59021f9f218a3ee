"""The items of a file's lists are found where a JSON parser would find them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from recollect_proxy.takeout import json_items
from recollect_proxy.takeout.json_items import FileError, find_items

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from('"\\{}[],: ')
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
_FIXTURES = [HealthCheck.function_scoped_fixture]


def found(path: Path, content: str) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the lists and the values that are found in a file."""
    path.write_text(content, "utf-8")
    items = find_items(path)
    lists = {name: [json.loads(raw) for raw in items.raw(name)] for name in items.lists}
    return lists, {name: items.value(name) for name in items.values}


@settings(suppress_health_check=_FIXTURES)
@given(st.lists(_VALUES, max_size=5), st.sampled_from(["as it is", "escaped"]))
@example([{"": "}"}, ['{\\"']], "as it is")
def test_the_items_of_a_list(tmp_path: Path, items: list[Any], written: str) -> None:
    content = json.dumps(items, ensure_ascii=written == "escaped")

    assert found(tmp_path / "f.json", content) == ({"": items}, {})


@settings(suppress_health_check=_FIXTURES)
@given(st.dictionaries(st.text(max_size=3), st.lists(_VALUES, max_size=3) | _VALUES, max_size=4))
def test_the_lists_and_values_of_an_object(tmp_path: Path, whole: dict[str, Any]) -> None:
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


def test_an_item_that_is_too_large_is_refused_when_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_items, "LARGEST_ITEM", 10)
    path = tmp_path / "f.json"
    path.write_text('["short", "' + "long" * 10 + '"]')
    items = find_items(path)

    assert items.at("", 0) == b'"short"'
    with pytest.raises(FileError, match="larger"):
        items.at("", 1)
