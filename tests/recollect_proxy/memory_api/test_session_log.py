"""The messages of a chat: listed page by page, marked, and summarized."""

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from tests.recollect_proxy.memory_api.serving import Api, assert_error, path_of
from tests.scripted.models import WordEmbedder
from tests.support.raw_client import Response
from tests.support.stores import NOON, Store
from uuid_utils.compat import uuid7

from recollect.indexing import index_user
from recollect.model import Actor, Add, EmbeddingScope, Exchange, Hide, Kind, Outline, Provenance, Reason
from recollect.store import Postgres


def chat_of(user_id: str, session_id: str = "a/b") -> str:
    """Return the path of a chat."""
    return f"{path_of(user_id)}/sessions/{quote(session_id, safe='')}"


async def messages(api: Api, asked: str = "") -> Any:
    """Return the messages of Anna's chat."""
    response = await api.call("GET", f"{chat_of(api.anna)}/messages{asked}")
    assert response.status == 200, response.body
    return response.json


async def test_what_was_said_is_listed_in_order(api: Api, store: Store) -> None:
    for scope in (store.anna.chat("a/b"), store.anna.chat("other"), store.ben.chat("a/b")):
        await store.log.append(store.exchange(f"I am in {scope.session_id}", scope, marked=True))
    secret = store.exchange("Forget this", store.anna.chat("a/b"))
    await store.log.append(secret)
    hidden = [Hide((secret.message_id,), Reason.UNDONE)]
    await store.memories.apply(secret.turn.scope, hidden, actor=Actor.USER, at=NOON)

    listed = await messages(api)

    said = [(each["role"], each["text"], each["marked"], each["hidden"]) for each in listed["messages"]]
    assert said == [
        ("user", "I am in a/b", True, False),
        ("assistant", "I see.", True, False),
        ("user", "Forget this", False, True),
        ("assistant", "I see.", False, True),
    ]
    assert listed["next"] is None
    assert all(
        each["tokens"] > 0 and each["said_at"].startswith("2026-03-15T12") for each in listed["messages"]
    )


async def test_a_further_answer_stands_behind_the_first(api: Api, store: Store) -> None:
    first = store.exchange("Where is Ghent?", store.anna.chat("a/b"), reply="In Belgium.")
    await store.log.append(first)
    await store.log.append(
        replace(first, id=uuid7(), reply_id=uuid7(), message_id=uuid7(), reply="Flanders.")
    )
    await store.log.append(store.exchange("Thanks", store.anna.chat("a/b"), reply="Sure."))

    listed = (await messages(api))["messages"]

    assert [(each["text"], each["alternate"]) for each in listed] == [
        ("Where is Ghent?", False),
        ("In Belgium.", False),
        ("Flanders.", True),
        ("Thanks", False),
        ("Sure.", False),
    ]


async def test_pages_follow_one_another_without_a_gap(api: Api, store: Store) -> None:
    for number in range(3):
        await store.log.append(
            store.exchange(f"said {number}", store.anna.chat("a/b"), reply=f"heard {number}")
        )
    told: list[str] = []
    page = await messages(api, "?limit=4")
    told += [each["text"] for each in page["messages"]]
    await store.log.append(store.exchange("said 3", store.anna.chat("a/b"), reply="heard 3"))
    while page["next"] is not None:
        page = await messages(api, f"?limit=4&after={page['next']}")
        told += [each["text"] for each in page["messages"]]

    assert told == [f"{what} {number}" for number in range(4) for what in ("said", "heard")]
    for after in (str(uuid7()), "no-id"):
        refused = await api.call("GET", f"{chat_of(api.anna)}/messages?after={after}")
        assert_error(refused, 400, "invalid_parameter", "after")


async def test_a_chat_that_is_not_there_is_said_to_be_missing(api: Api, store: Store) -> None:
    await store.log.append(store.exchange("I live in Ghent", store.ben.chat("a/b")))

    refused = await api.call("GET", f"{chat_of(api.anna)}/messages")

    assert_error(refused, 404, "session_not_found", "session_id")


async def mark(api: Api, message_id: object, *, marked: object = True) -> Response:
    """Mark a turn of Anna's chat."""
    return await api.call("POST", f"{chat_of(api.anna)}/messages/{message_id}/mark", {"marked": marked})


async def index(store: Store) -> None:
    """Index new messages, as with ``RECOLLECT_EMBED=marked``."""
    embedded = EmbeddingScope.MARKED
    assert await index_user(store.anna, index=store.index, embedder=WordEmbedder(), embedded=embedded) is None


async def found(postgres: Postgres, store: Store, exchange: Exchange) -> list[tuple[bool, int]]:
    """Return of each part of a turn whether it is to have embeddings, and how many it has."""
    async with postgres.database.for_user(store.anna) as connection:
        rows = await connection.fetch(
            "SELECT embeddable, (SELECT count(*) FROM chunk_vectors AS v WHERE v.user_id = $1 AND v.document = k.document) AS n"
            " FROM message_chunks AS k WHERE user_id = $1 AND message_id = $2",
            store.anna,
            exchange.message_id,
        )
    return [(row["embeddable"], row["n"]) for row in rows]


async def test_a_turn_that_is_called_valuable_gets_embeddings_and_loses_them_again(
    api: Api, store: Store, postgres: Postgres
) -> None:
    tea = store.exchange("I drink green tea.", store.anna.chat("a/b"), reply="Noted.")
    other = store.exchange("I live in Ghent.", store.anna.chat("a/b"))
    for exchange in (tea, other):
        await store.log.append(exchange)
    await index(store)
    assert await found(postgres, store, tea) == [(False, 0)]

    assert (await mark(api, tea.reply_id)).status == 204
    assert [each["marked"] for each in (await messages(api))["messages"]] == [True, True, False, False]
    assert await found(postgres, store, tea) == []
    await index(store)
    assert await found(postgres, store, tea) == [(True, 1)]
    assert await found(postgres, store, other) == [(False, 0)]
    assert (await mark(api, tea.message_id)).status == 204
    assert await found(postgres, store, tea) == [(True, 1)]  # nothing new, and nothing to be indexed again

    assert (await mark(api, tea.message_id, marked=False)).status == 204
    await index(store)
    assert [each["marked"] for each in (await messages(api))["messages"]] == [False] * 4
    assert await found(postgres, store, tea) == [(False, 0)]


async def test_what_is_hidden_stays_hidden_when_it_is_marked(
    api: Api, store: Store, postgres: Postgres
) -> None:
    secret = store.exchange("Forget this", store.anna.chat("a/b"))
    await store.log.append(secret)
    hidden = [Hide((secret.message_id,), Reason.UNDONE)]
    await store.memories.apply(secret.turn.scope, hidden, actor=Actor.USER, at=NOON)

    assert (await mark(api, secret.message_id)).status == 204

    await index(store)
    assert [each["hidden"] for each in (await messages(api))["messages"]] == [True, True]
    assert await found(postgres, store, secret) == []


async def test_a_message_of_another_chat_is_not_marked(api: Api, store: Store) -> None:
    await store.log.append(store.exchange("I live in Ghent", store.anna.chat("a/b")))
    strangers = [
        store.exchange("Elsewhere", store.anna.chat("other")),
        store.exchange("Somebody else", store.ben.chat("a/b")),
    ]
    for exchange in strangers:
        await store.log.append(exchange)

    for message_id in (strangers[0].message_id, strangers[1].message_id, uuid7()):
        assert_error(await mark(api, message_id), 404, "message_not_found", "message_id")
    assert_error(await mark(api, "no-id"), 400, "invalid_parameter", "message_id")
    missing = f"{chat_of(api.anna, 'missing')}/messages/{strangers[0].message_id}/mark"
    assert_error(await api.call("POST", missing, {"marked": True}), 404, "session_not_found", "session_id")
    for user_id, session_id in ((api.anna, "other"), (api.ben, "a/b")):
        listed = await api.call("GET", f"{chat_of(user_id, session_id)}/messages")
        assert [each["marked"] for each in listed.json["messages"]] == [False, False]


async def test_the_newest_summary_of_a_chat_is_told_in_parts(api: Api, store: Store) -> None:
    path = f"{chat_of(api.anna)}/summary"
    assert_error(await api.call("GET", path), 404, "session_not_found", "session_id")
    for session_id in ("a/b", "other"):
        await store.log.append(store.exchange("I go to Bali", store.anna.chat(session_id)))
    assert_error(await api.call("GET", path), 404, "summary_not_found")
    outline = Outline(
        facts=("Goes to Bali.",),
        preferences=("Likes trains.",),
        decisions=("In May.",),
        todos=("Book a van.",),
        entities=("Bali",),
    )
    for content, session_id in (("Old.", "a/b"), ("A trip.", "a/b"), ("Elsewhere.", "other")):
        made = store.memory(content, kind=Kind.SUMMARY, outline=outline, provenance=Provenance(session_id))
        scope = store.anna.chat(session_id)
        await store.memories.apply(scope, [Add(made, Reason.SUMMARIZED)], actor=Actor.FORMATION, at=NOON)

    told = (await api.call("GET", path)).json

    assert (told["text"], told["session_id"]) == ("A trip.", "a/b")
    parts = ("facts", "preferences", "decisions", "todos", "entities")
    assert {part: told[part] for part in parts} == {part: list(getattr(outline, part)) for part in parts}
    read = await api.call("GET", f"{api.memories}/{told['memory_id']}")
    assert read.json["content"] == "A trip."


async def test_a_summary_is_asked_for_at_once(api: Api, store: Store) -> None:
    scope = store.anna.chat("a/b")
    await store.log.append(store.exchange("I live in Ghent", scope))

    asked = await api.call("POST", f"{chat_of(api.anna)}/summary")
    again = await api.call("POST", f"{chat_of(api.anna)}/summary")

    assert (asked.status, asked.json) == (202, {"turns": 1})
    assert (again.status, again.json) == (202, {"turns": 1}), "it still waits"
    missing = await api.call("POST", f"{chat_of(api.ben)}/summary")
    assert_error(missing, 404, "session_not_found", "session_id")
    await api.call("PATCH", f"{api.user}/settings", {"formation": "off"})
    assert_error(await api.call("POST", f"{chat_of(api.anna)}/summary"), 409, "switched_off")
