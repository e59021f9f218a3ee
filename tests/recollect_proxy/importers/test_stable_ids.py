"""Ids of imported rows are the same in every import, differ by name, and sort by time."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect_proxy.importers.lines import stable_id

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
names = st.lists(st.text(), min_size=1, max_size=3)


@given(names, names)
def test_an_id_belongs_to_its_names(one: list[str], other: list[str]) -> None:
    here, there = stable_id(NOW, *one), stable_id(NOW, *other)

    assert here == stable_id(NOW, *one)
    assert here.version == 7
    replaced = "�"
    if one != other and not any(
        0xD800 <= ord(c) <= 0xDFFF or c in ("\0", replaced) for t in one + other for c in t
    ):
        assert here != there


def test_ids_sort_by_time_and_say_it() -> None:
    ids = [stable_id(NOW + timedelta(milliseconds=number), "x") for number in range(50)]

    assert ids == sorted(ids)
    assert ids[0].int >> 80 == NOW.timestamp() * 1000
