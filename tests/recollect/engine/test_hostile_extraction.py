"""After any answer of a model the job ends, and the audit adds up."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.engines import engine_over
from tests.support.stores import NOON, Store, store_over

from recollect.audit.replay import replay
from recollect.engine import Engine
from recollect.engine.policy import Batching, Policy, Summarizing
from recollect.formation.verification import MOST_OF_A_TURN
from recollect.model import Strategy
from recollect.models.extractors import (
    AnswerSchema,
    Messages,
    ModelAnswer,
    ModelExtractor,
    ModelJudge,
    ModelSummarizer,
)
from recollect.ports import Asker
from recollect.store import Postgres

SAID = "I live in Leipzig with my dog Rex, and I like strong black tea in the morning."
POLICY = Policy(
    strategy=Strategy.BOTH, attempts=1, batching=Batching(turns=2), summarizing=Summarizing(turns=1)
)
ITEM = {
    "evidence": "I live in Leipzig",
    "content": "Lives in Leipzig",
    "kind": "fact",
    "importance": 0.5,
    "confidence": 1,
    "relation": "new",
    "about": None,
    "event_date": None,
}


class Answering:
    """A model that answers the same to everything."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def ask(
        self,
        messages: Messages,  # noqa: ARG002 -- the port's
        schema: AnswerSchema,  # noqa: ARG002 -- the port's
        asker: Asker,  # noqa: ARG002 -- the port's
        most_tokens: int | None = None,  # noqa: ARG002 -- the port's
    ) -> ModelAnswer:
        """Return the answer."""
        return ModelAnswer(self.text, 100, "m")

    async def aclose(self) -> None:
        """Let go of nothing."""


_AT_ONCE = timedelta(seconds=20)


async def survives(store: Store, answer: str) -> None:
    """Say the same in two turns, and drain; then check the store."""
    engine = engine_answering(store, answer)
    for number in range(2):
        spoken = store.turn(SAID, key=f"m{number}", at=NOON - timedelta(minutes=9 - number))
        await engine.remember(spoken, "I see.")
    for _ in range(5):
        again = await engine.drain(store.anna)
        if again is None or again > _AT_ONCE:  # done, or it waits: such an answer is unreadable
            break
    else:
        pytest.fail("The job does not end.")

    assert await store.inbox.pending(store.anna, limit=9) == []
    memories = (await engine.page(store.anna, limit=200)).memories
    contents = [memory.content for memory in memories]
    assert len(contents) == len(set(contents))
    assert all(0 <= memory.importance <= 1 and memory.owner == store.anna for memory in memories)
    assert all(len(memory.content) <= 2_000 for memory in memories)
    history = await engine.history(store.anna, limit=10_000)
    assert replay(history[::-1]) == {memory.id for memory in memories}
    assert engine.counts.re_extracted == 0


def engine_answering(store: Store, text: str) -> Engine:
    model = Answering(text)
    return engine_over(
        store,
        POLICY,
        extractor=ModelExtractor(model),
        judge=ModelJudge(model),
        summarizer=ModelSummarizer(model),
    )


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.text(max_size=40)
    | st.sampled_from([SAID, "new"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*ITEM, "memories", "affects", "valid_from"]) | st.text(max_size=5), inner
        )
    ),
    max_leaves=10,
)
items = st.fixed_dictionaries({}, optional=dict.fromkeys(ITEM, anything)).map(lambda given: ITEM | given)


@given(st.text(max_size=300) | anything.map(lambda value: json.dumps(value, default=str)))
async def test_garbage_is_survived(postgres: Postgres, answer: str) -> None:
    await survives(store_over(postgres), answer)


@given(st.lists(items, max_size=4))
async def test_statements_with_anything_in_any_field_are_survived(
    postgres: Postgres, answer: list[object]
) -> None:
    await survives(store_over(postgres), json.dumps({"memories": answer}))


HOSTILE = {
    "thousands of items": json.dumps(
        {"memories": [ITEM | {"content": f"Lives in Leipzig {n}"} for n in range(2_000)]}
    ),
    "a string of a megabyte": json.dumps({"memories": [ITEM | {"content": "x" * 1_000_000}]}),
    "a quote of a megabyte": json.dumps({"memories": [ITEM | {"evidence": SAID * 12_000}]}),
    "a million brackets": "[" * 1_000_000,
    "unpaired surrogates and NULs": '{"memories": [{"evidence": "I live in Leipzig", "content": "Lives \\ud800 in\\u0000 Leipzig"}]}',
    "numbers of nothing": json.dumps({"memories": [ITEM | {"about": 10**30, "relation": "contradicts"}]}),
    "not a number": '{"memories": [{"evidence": "I live in Leipzig", "content": "Lives in Leipzig", "importance": NaN}]}',
    "dates of nowhere": json.dumps(
        {"memories": [ITEM | {"event_date": "9999-99-99", "valid_from": "0000", "valid_to": "-1"}]}
    ),
    "the memories of others": json.dumps(
        {"memories": [ITEM | {"owner": "berta", "id": "1", "user_id": "*"}]}
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_what_is_too_much_or_not_storable_is_survived_by_the_real_store(
    store: Store, name: str
) -> None:
    await survives(store, HOSTILE[name])


async def test_a_turn_teaches_no_more_than_it_may(store: Store) -> None:
    items = [ITEM | {"content": f"Lives in Leipzig {n}"} for n in range(2 * MOST_OF_A_TURN)]
    model = Answering(json.dumps({"memories": items}))
    policy = replace(
        POLICY,
        strategy=Strategy.EXTRACT,
        summarizing=Summarizing(),
    )
    engine = engine_over(store, policy, extractor=ModelExtractor(model))
    await engine.remember(store.turn(SAID, at=NOON - timedelta(minutes=1)), "I see.")
    await engine.drain(store.anna)

    assert len((await engine.page(store.anna, limit=200)).memories) <= MOST_OF_A_TURN
