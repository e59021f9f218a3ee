"""Which statements are offered as pairs that may be one."""

import numpy as np
from tests.support.recollections import memory
from tests.support.terms import document_of

from recollect.index import Embedded, Memories, Names, StoredMemory
from recollect.model import COMMONS, Doubt, Hints, Kind, Memory
from recollect.recall.names import told_twice

HINTS = Hints(topics=("dinner",))
ONE, NEAR, FAR = (1.0, 0.0), (0.8, 0.6), (0.0, 1.0)


def known(*told: tuple[Memory, tuple[float, float]]) -> Memories:
    stored = [
        StoredMemory(each, document_of(each.content), Embedded("m", np.array([vector], np.float32)))
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
