"""Which words of a statement may be names, and which statements share one."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from tests.support.recollections import memory
from tests.support.tables import table
from tests.support.terms import document_of

from recollect.index import Embedded, Loaded, Memories, Names, Snapshot, StoredMemory
from recollect.model import COMMONS, Doubt, Hints, Kind, Memory, Versions
from recollect.recall import common_names
from recollect.recall.common_names import names_in, shared_names, sharing_names, told_twice
from recollect.text.lexical import document_terms


@table(
    ("text", "names"),
    [
        ("Sister Clara plays the oboe", ["Sister", "Clara"]),
        ("likes “Heron” and the iPhone", ["“Heron”", "iPhone"]),
        ("La casa d'Olivier, en 2019 a las 18:12", ["La", "d'Olivier,"]),
        ("林珊的丈夫叫陈浩", ["林珊的丈夫叫陈浩"]),
        ("drinks tea", []),
        ("", []),
    ],
)
def test_a_name_has_a_capital_letter_where_its_script_has_any(text: str, names: list[str]) -> None:
    assert names_in(text) == names


def kept(contents: Sequence[str]) -> Memories:
    stored = [StoredMemory(memory(each), document_of(each), None) for each in contents]
    return Snapshot.from_loaded("anna", Loaded(Versions(UUID(int=1), 1, 0, 1, 0, 0, 0), stored, [])).memories


@table(
    ("contents", "shares"),
    [
        (["Clara's husband is Jan", "Jan eats no nuts", "Has a dog"], [True, True, False]),
        (["Milas Patentante ist Svenja", "Mila mag Pferde", "Mag Tee"], [True, True, False]),
        (["Burak'ın alerjisi var", "Zeynep'in eşi Burak'tır", "Çay içer"], [True, True, False]),
        (["陈浩对花生过敏", "林珊的丈夫叫陈浩", "晚上跑步"], [True, True, False]),
        (["drinks green tea", "likes green shirts", "Has a dog"], [False, False, False]),
        (["Lives in Lisbon", *(f"Liked Lisbon {n} times" for n in range(10))], [True] + [False] * 10),
    ],
)
def test_statements_share_a_name_in_any_form_unless_many_do(contents: list[str], shares: list[bool]) -> None:
    assert sharing_names(kept(contents), [0]).tolist() == shares


@table(
    ("contents", "names"),
    [
        (["Clara's husband is Jan", "Jan eats no nuts", "Sister Clara plays the oboe"], ["Clara", "Jan"]),
        (["Milas Patentante ist Svenja", "Seine Tochter Mila mag Pferde"], ["Mila"]),
        (["La casa d'Olivier", "Déjeune avec Olivier le jeudi"], ["Olivier"]),
        (["Burak'ın alerjisi var", "Zeynep'in eşi Burak'tır"], ["Burak"]),
        (["陈浩对花生过敏", "林珊的丈夫叫陈浩"], ["陈浩"]),
        (["Lives in Lisbon", "Lives alone", "Lives near a park"], []),
        (["Lives in Lisbon", "Has a dog"], []),
    ],
)
def test_names_of_a_statement_are_written_in_their_shortest(contents: list[str], names: list[str]) -> None:
    assert shared_names(kept(contents), 0) == names


def test_each_statement_is_read_once_however_many_names_it_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"{one}{other}x" for one in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for other in "abcdefghijklmnop"]
    memories = kept([" ".join(words[place:]) for place in range(3)])
    read: list[str] = []

    def counted(text: str) -> Any:
        read.append(text)
        return document_terms(text)

    monkeypatch.setattr(common_names, "document_terms", counted)

    assert len(shared_names(memories, 0)) == 20
    assert len(read) <= 1 + 3 * len(words)


def test_nothing_shares_a_name_with_no_statement() -> None:
    assert sharing_names(kept(["Knows Jan", "Jan eats no nuts"]), []).tolist() == [False, False]


HINTS = Hints(topics=("dinner",))
ONE, NEAR, FAR = (1.0, 0.0), (0.8, 0.6), (0.0, 1.0)


def known(*told: tuple[Memory, tuple[float, float]]) -> Memories:
    stored = [
        StoredMemory(each, document_of(each.content), Embedded.of("m", np.array([vector], np.float32)))
        for each, vector in told
    ]
    return Memories().with_changed(stored, Names())


def test_near_statements_of_one_kind_and_of_the_persons_own_are_pairs_nearest_first() -> None:
    nuts = memory("Allergic to nuts", hints=HINTS)
    again = memory("No nuts", hints=HINTS)
    alike = memory("Nuts are dangerous", hints=HINTS)
    others = [
        (memory("Likes nuts", kind=Kind.PREFERENCE, hints=HINTS), ONE),
        (memory("Buys no nuts"), ONE),  # no hints
        (memory("Nuts are fine", hints=HINTS, doubt=Doubt.DISPUTED), ONE),
        (memory("Shared", hints=HINTS, owner=COMMONS), ONE),
        (memory("Keeps bees", hints=HINTS), FAR),
    ]

    pairs = told_twice(known((nuts, ONE), (again, NEAR), (alike, ONE), *others), "m")

    found = [{one.content, other.content} for one, other in pairs]
    assert found[0] == {"Allergic to nuts", "Nuts are dangerous"}
    assert {"Allergic to nuts", "No nuts"} in found
    assert {"No nuts", "Nuts are dangerous"} in found
    assert len(found) == 3


def test_of_very_many_pairs_the_first_two_hundred_are_returned() -> None:
    alike = [(memory(f"No nuts {number}", hints=HINTS), ONE) for number in range(30)]

    assert len(told_twice(known(*alike), "m")) == 200
