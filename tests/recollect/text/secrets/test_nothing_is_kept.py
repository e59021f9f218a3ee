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
from tests.scripted.models import WordEmbedder
from tests.support.made_up_keys import BLOCKS, NUMBERS, SEEDS, VENDOR_KEYS
from tests.support.stores import Store

from recollect.engine import Engine
from recollect.engine.policy import Batching, Policy, Summarizing
from recollect.model import Scope, Strategy
from recollect.models.extractors import AnswerSchema, Messages, ModelAnswer, ModelExtractor, ModelSummarizer
from recollect.ports import Asker

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
    """A model that believes every line it is shown is worth to be kept, word by word.

    Attributes:
        heard: The texts of its calls.
    """

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def ask(
        self,
        messages: Messages,
        schema: AnswerSchema,  # noqa: ARG002 -- the port's
        asker: Asker,  # noqa: ARG002 -- the port's
        most_tokens: int | None = None,  # noqa: ARG002 -- the port's
    ) -> ModelAnswer:
        """Return every line as a statement, or all of it as the summary."""
        shown = messages[-1]["content"]
        self.heard.append(shown)
        lines = [line for line in shown.splitlines() if line.strip() and not line.startswith("=")]
        memories = [
            {
                "evidence": line,
                "content": line[:500],
                "kind": "fact",
                "importance": 0.9,
                "confidence": 1,
                "relation": "new",
                "about": None,
                "event_date": None,
            }
            for line in lines
        ]
        return ModelAnswer(
            json.dumps({"memories": memories, "summary": shown[-600:], "facts": lines}), 10, "m"
        )

    async def aclose(self) -> None:
        """Let go of nothing."""


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


async def tell(subject: Engine, store: Store, user: int, told: list[tuple[str, str]]) -> None:
    """Let a user tell all of it, and form it."""
    for number, (text, _) in enumerate(told):
        scope = Scope(f"user-{user}", f"chat-{number // 2}")
        assert await subject.remember(store.turn(f"{text}\nI live in Ghent.", scope), f"You said: {text}")
    while await subject.drain(f"user-{user}") == timedelta(minutes=1):
        pass


@pytest.mark.parametrize("which", [0, *(pytest.param(which, marks=pytest.mark.slow) for which in (1, 2))])
async def test_nothing_of_a_secret_is_kept_or_sent(own_store: Store, own_dsn: str, which: int) -> None:
    told, model, embedder = TOLD[which::3], Gullible(), WordEmbedder()
    subject = engine_over(
        own_store,
        POLICY,
        embedder=embedder,
        extractor=ModelExtractor(model),
        summarizer=ModelSummarizer(model),
    )

    with capture_logs() as logs:
        await asyncio.gather(*(tell(subject, own_store, user, told[user::USERS]) for user in range(USERS)))

    kept = await everything_kept(own_dsn)
    assert "[secret: password]" in kept
    assert "I live in Ghent." in kept
    assert model.heard
    for name, text in {
        "tables": kept,
        "models": "\n".join(model.heard),
        "embedded": "\n".join(embedder.embedded),
        "log": "\n".join(texts_of(logs)),
    }.items():
        assert not [*standing_in(text, told)], name


async def test_a_secret_stays_in_the_log_where_the_operator_wants_it(own_store: Store, own_dsn: str) -> None:
    model, embedder = Gullible(), WordEmbedder()
    subject = engine_over(
        own_store,
        replace(POLICY, log_secrets=True),
        embedder=embedder,
        extractor=ModelExtractor(model),
        summarizer=ModelSummarizer(model),
    )
    secret = "sunflowerfield"

    for text in (f"My wifi password is {secret}. I live in Ghent.", "And my dog is called Rex."):
        assert await subject.remember(own_store.turn(text), "All right.")
    while await subject.drain(own_store.anna) == timedelta(minutes=1):
        pass

    kept = [line for line in (await everything_kept(own_dsn)).splitlines() if secret in line.casefold()]
    assert kept
    assert [line for line in kept if not line.startswith("messages.content: ")] == []
    assert model.heard
    assert secret not in "\n".join((*model.heard, *embedder.embedded))


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
    model, embedder = Gullible(), WordEmbedder()
    subject = engine_over(
        own_store,
        POLICY,
        embedder=embedder,
        extractor=ModelExtractor(model),
        summarizer=ModelSummarizer(model),
    )
    said = own_store.exchange("My wifi password is sunflowerfield. I live in Ghent.")

    assert await own_store.log.append(said)
    assert await subject.remember(own_store.turn("And my dog is called Rex."), "Nice.")
    while await subject.drain(own_store.anna) == timedelta(minutes=1):
        pass

    kept = (await everything_kept(own_dsn)).splitlines()
    assert {line.partition(":")[0] for line in kept if "sunflowerfield" in line.casefold()} == {
        "messages.content"
    }
    assert model.heard
    assert "sunflowerfield" not in "\n".join((*model.heard, *embedder.embedded))
