"""What is planted for the audit of a store, and how its figures are told."""

import json
from collections import Counter
from datetime import UTC, datetime
from random import Random

from uuid_utils.compat import uuid7

from bench.lives.life import Life, read_life
from bench.lives.planted import Planted, Planting
from bench.lives.store_audit import Alarms, Finds, report
from recollect.model import Fault, Kind, Memory, Provenance, Source

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


def life() -> Life:
    said = {
        "id": "m1",
        "content": "Has 2 cats",
        "kind": "fact",
        "evidence": "I have 2 cats",
        "relation": "new",
    }
    again = {**said, "id": "m2", "content": "Two cats live there", "relation": "repeats", "about": "m1"}
    turns = [{"user": "I have 2 cats", "assistant": "Lovely.", "memories": [said, again]}]
    chats = [{"chat": "c1", "at": NOON.isoformat(), "turns": turns}]
    return read_life(json.dumps({"person": "ana", "language": "en", "chats": chats}))


def stored() -> list[Memory]:
    return [
        Memory(
            uuid7(),
            "ana",
            Kind.FACT,
            Source.EXTRACTED,
            f"Has {number} cats",
            0.5,
            NOON,
            NOON,
            event_at=NOON if number % 2 else None,
            provenance=Provenance("c1", (uuid7(),), f"I have {number} cats", "model"),
        )
        for number in range(2, 32)
    ]


def planted() -> list[Planted]:
    return list(Planting(life(), stored(), [], [f"words {each}" for each in range(30)], Random(7)).all())


def test_each_fault_is_planted_and_of_one_memory_only_once() -> None:
    done = planted()
    replaced = Counter(each.old.id for each in done if each.old is not None)

    assert {each.fault for each in done} == set(Fault)
    assert set(replaced.values()) == {1}
    assert len({each.memory.id for each in done}) == len(done)


def test_what_was_told_again_is_planted_in_its_other_words() -> None:
    again = [each.memory.content for each in planted() if each.how == "told again in other words"]

    assert again == ["Two cats live there"]


def test_the_figures_tell_shares_and_what_there_was_none_of() -> None:
    finds = Finds()
    key = (Fault.ORDER, "an order")
    finds.planted[key], finds.found[key], finds.asked[key] = 4, 3, 3
    alarms = Alarms(memories=10, flagged=Counter({Fault.JUNK: 1}), seconds=0.02)

    told = "\n".join(report([("clean", alarms)], finds))

    assert "| clean | 10 | 1/10 = 10.0 % | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 2.0 |" in told
    assert "| order | an order | 3/4 = 75.0 % | 3/4 = 75.0 % | 0 |" in told
