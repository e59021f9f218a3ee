"""Where a value stands is found in linear time, whatever keys come again and again."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec
from tests.support.tables import table

from recollect.wire.raw_json import decode_members, find_member, without_member

MANY = 5_000


class _Counted(Mapping[str, msgspec.Raw]):
    """The members of an object, and how often each was asked for: each time costs a copy of its value."""

    def __init__(self, source: bytes) -> None:
        self._members = decode_members(source) or {}
        self.asked: Counter[str] = Counter()

    def __getitem__(self, key: str) -> msgspec.Raw:
        self.asked[key] += 1
        return self._members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


LAST = ['"' + "long " * 20_000 + '"', "[" * 500 + "]" * 500, '{"a":' * 400 + "1" + "}" * 400, "1" * 4_000]


@table("last", LAST)
@table("first", ["1", '"a"', "[[]]", '{"a":[1,"}"]}', "null"])
def test_a_key_that_comes_again_and_again_costs_one_copy_of_its_value(first: str, last: str) -> None:
    repeated = f'"again":{first},' * MANY
    source = f'{{"other":1,{repeated}"again":{last},"wanted":[2]}}'.encode()
    members = _Counted(source)

    found = find_member(source, 0, members, "wanted")

    assert found is not None
    assert source[found.start : found.end] == b"[2]"
    assert members.asked == {"other": 1, "again": 1, "wanted": 1}


def test_of_a_key_that_comes_again_and_again_all_are_cut_out() -> None:
    repeated = '"again":"a",' * MANY
    last = '"again":"' + "a" * 100_000 + '"'
    source = f'{{"kept":1,{repeated}{last}}}'.encode()
    members = _Counted(source)

    rest = without_member(source, 0, members, "again")
    assert rest is not None
    assert json.loads(rest) == {"kept": 1}
    assert without_member(source, 0, members, "kept") == source.replace(b'"kept":1,', b"")
    assert find_member(source, 0, members, "again") is None
    assert members.asked["again"] == 3  # once for each time it was looked through
