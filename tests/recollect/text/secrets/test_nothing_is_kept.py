"""No table, no model, no embedder and no log gets a told secret: a third of the examples here, the others with the slow tests."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import asyncpg
import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import engine_over
from tests.recollect.text.secrets.secret_texts import ASSIGNED, SENTENCES
from tests.scripted.extraction import statement
from tests.scripted.models import WordEmbedder
from tests.support.made_up_keys import BLOCKS, NUMBERS, SEEDS, VENDOR_KEYS
from tests.support.stores import Store

from recollect.engine.policy import Batching, Policy, Summarizing
from recollect.model import Scope, Strategy
from recollect.models.extractors import Messages, ModelAnswer, ModelExtractor, ModelSummarizer

POLICY = Policy(strategy=Strategy.BOTH, batching=Batching(turns=4), summarizing=Summarizing(turns=2))
TOLD = [
    *((f"I use {key} for it.", key) for key in VENDOR_KEYS.values()),
    *((f"Pay with {number}, please.", number) for number in NUMBERS.values()),
    *((f"Here:\n{block}\nThanks.", block.splitlines()[2]) for block in BLOCKS.values()),
    *((f"my recovery phrase is: {words}", words[:30]) for words in SEEDS),
    *ASSIGNED,
    *SENTENCES,
]
USERS = 8
_TEXTS = """
    SELECT table_schema, table_name, column_name FROM information_schema.columns
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
    AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY', 'bytea', 'tsvector')
"""


class Gullible:
    """A model that believes every line it is shown is worth to be kept, word by word, and what it was shown."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def ask(self, messages: Messages, *_: object, **__: object) -> ModelAnswer:
        """Return every line as a statement, or all of it as the summary."""
        shown = messages[-1]["content"]
        self.heard.append(shown)
        lines = [line for line in shown.splitlines() if line.strip() and not line.startswith("=")]
        answer = {"memories": [statement(line, line[:500], importance=0.9) for line in lines]}
        return ModelAnswer(json.dumps(answer | {"summary": shown[-600:], "facts": lines}), 10, "m")

    async def aclose(self) -> None:
        """Let go of nothing."""


class Told:
    """An engine over a store, whose model is gullible, and all that left it."""

    def __init__(self, store: Store, policy: Policy = POLICY) -> None:
        self.store, self.model, self.embedder = store, Gullible(), WordEmbedder()
        extractor, summarizer = ModelExtractor(self.model), ModelSummarizer(self.model)
        self.engine = engine_over(
            store, policy, embedder=self.embedder, extractor=extractor, summarizer=summarizer
        )

    async def drained(self, user_id: str) -> None:
        while await self.engine.drain(user_id) == timedelta(minutes=1):
            pass

    def sent(self) -> str:
        assert self.model.heard
        return "\n".join((*self.model.heard, *self.embedder.embedded))


async def everything_kept(dsn: str) -> str:
    """Return the texts of all rows of all tables."""
    connection = await asyncpg.connect(dsn)
    try:
        kept: list[str] = []
        for schema, name, column in await connection.fetch(_TEXTS):
            rows = await connection.fetch(f'SELECT "{column}"::text AS said FROM "{schema}"."{name}"')
            kept += [f"{name}.{column}: {row['said']}" for row in rows if row["said"]]
        return "\n".join(kept)
    finally:
        await connection.close()


def standing_in(text: str, told: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the secrets that a text has as words of their own."""
    plain = text.casefold()
    for _, secret in told:
        sought = secret.casefold()
        if sought in plain and re.search(rf"(?<![\w.-]){re.escape(sought)}(?![\w-])", plain):
            yield secret


def texts_of(logged: object) -> Iterator[str]:
    """Yield the texts of log lines: a measured number may be the digits of a card's code by chance."""
    match logged:
        case str():
            yield logged
        case dict():
            for key, value in logged.items():
                yield from (key, *texts_of(value))
        case int() | float() | None:
            pass
        case list() | tuple() | set() | frozenset():
            for value in logged:
                yield from texts_of(value)
        case _:
            yield repr(logged)


async def tell(subject: Told, user: int, told: list[tuple[str, str]]) -> None:
    """Let a user tell all of it, and form it."""
    for number, (text, _) in enumerate(told):
        scope = Scope(f"user-{user}", f"chat-{number // 2}")
        turn = subject.store.turn(f"{text}\nI live in Ghent.", scope)
        assert await subject.engine.remember(turn, f"You said: {text}")
    await subject.drained(f"user-{user}")


@pytest.mark.parametrize("which", [0, *(pytest.param(which, marks=pytest.mark.slow) for which in (1, 2))])
async def test_nothing_of_a_secret_is_kept_or_sent(own_store: Store, own_dsn: str, which: int) -> None:
    told, subject = TOLD[which::3], Told(own_store)

    with capture_logs() as logs:
        await asyncio.gather(*(tell(subject, user, told[user::USERS]) for user in range(USERS)))

    kept = await everything_kept(own_dsn)
    assert "[secret: password]" in kept
    assert "I live in Ghent." in kept
    for name, text in {"tables": kept, "sent": subject.sent(), "log": "\n".join(texts_of(logs))}.items():
        assert not [*standing_in(text, told)], name


SECRET = "sunflowerfield"


async def test_a_secret_stays_in_the_log_where_the_operator_wants_it(own_store: Store, own_dsn: str) -> None:
    subject = Told(own_store, replace(POLICY, log_secrets=True))

    for text in (f"My wifi password is {SECRET}. I live in Ghent.", "And my dog is called Rex."):
        assert await subject.engine.remember(own_store.turn(text), "All right.")
    await subject.drained(own_store.anna)

    kept = [line for line in (await everything_kept(own_dsn)).splitlines() if SECRET in line.casefold()]
    assert kept
    assert [line for line in kept if not line.startswith("messages.content: ")] == []
    assert SECRET not in subject.sent()


async def test_what_a_person_writes_by_hand_is_masked(own_store: Store) -> None:
    subject = engine_over(own_store)

    added = await subject.add(own_store.anna, "My locker's PIN is 4821, at the gym in Ghent")
    revised = await subject.revise(own_store.anna, added.id, content="The wifi password is sunflowerfield")
    shared = await subject.add_global("The guest wifi password is butterscotch")

    assert added.content == "My locker's PIN is [secret: code], at the gym in Ghent"
    assert revised.content == "The wifi password is [secret: password]"
    assert shared.content == "The guest wifi password is [secret: password]"


async def test_a_turn_that_is_sent_again_is_known_though_its_secret_is_masked(store: Store) -> None:
    subject, said = engine_over(store), store.turn("My wifi password is sunflowerfield")

    assert await subject.remember(said, "Noted.") is True
    assert await subject.remember(said, "Noted.") is False


async def test_what_the_log_has_in_clear_reaches_no_model_nor_index(own_store: Store, own_dsn: str) -> None:
    subject = Told(own_store)

    assert await own_store.log.append(own_store.exchange(f"My wifi password is {SECRET}. I live in Ghent."))
    assert await subject.engine.remember(own_store.turn("And my dog is called Rex."), "Nice.")
    await subject.drained(own_store.anna)

    kept = (await everything_kept(own_dsn)).splitlines()
    assert {line.partition(":")[0] for line in kept if SECRET in line.casefold()} == {"messages.content"}
    assert SECRET not in subject.sent()
