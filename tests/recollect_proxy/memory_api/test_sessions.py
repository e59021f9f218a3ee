"""Chats through the Memory API: their messages, marks and memories, what is to do, and what a search finds."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect.store.keeping import apply
from tests.recollect_proxy.memory_api.serving import Api, assert_error, path_of
from tests.scripted.models import WordEmbedder
from tests.support.raw_client import Response
from tests.support.stores import NOON, Store
from uuid_utils.compat import uuid7

from recollect.index_run import Indexer
from recollect.model import Actor, Add, EmbeddingScope, Exchange, Hide, Kind, Outline, Provenance, Reason
from recollect.store import Postgres


def chat_of(user_id: str, session_id: str = "a/b") -> str:
    return f"{path_of(user_id)}/sessions/{quote(session_id, safe='')}"


async def messages(api: Api, asked: str = "") -> Any:
    response = await api.call("GET", f"{chat_of(api.anna)}/messages{asked}")
    assert response.status == 200, response.body
    return response.json


async def mark(api: Api, message_id: object, *, marked: object = True) -> Response:
    return await api.call("POST", f"{chat_of(api.anna)}/messages/{message_id}/mark", {"marked": marked})


async def index(store: Store, embedded: EmbeddingScope = EmbeddingScope.MARKED) -> None:
    """Index new messages, as with ``RECOLLECT_EMBED=marked``."""
    indexer = Indexer(store.index, WordEmbedder(), WordEmbedder(), embedded)
    assert await indexer.index_user(store.anna) is None


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


async def test_a_valuable_turn_gets_embeddings(api: Api, store: Store, postgres: Postgres) -> None:
    tea = store.exchange("I drink green tea.", store.anna.chat("a/b"), reply="Noted.")
    other = store.exchange("I live in Ghent.", store.anna.chat("a/b"), marked=True)
    for exchange in (tea, other):
        await store.log.append(exchange)
    assert (await mark(api, other.message_id, marked=False)).status == 204
    await index(store)
    assert [await found(postgres, store, each) for each in (tea, other)] == [[(False, 0)]] * 2

    assert (await mark(api, tea.reply_id)).status == 204
    assert [each["marked"] for each in (await messages(api))["messages"]] == [True, True, False, False]
    assert await found(postgres, store, tea) == []
    await index(store)
    assert [await found(postgres, store, each) for each in (tea, other)] == [[(True, 1)], [(False, 0)]]
    assert (await mark(api, tea.message_id)).status == 204
    assert await found(postgres, store, tea) == [(True, 1)]  # nothing new, and nothing to be indexed again

    hidden = [Hide((tea.message_id,), Reason.UNDONE)]
    await store.memories.apply(tea.turn.scope, hidden, actor=Actor.USER, at=NOON)
    assert (await mark(api, tea.message_id)).status == 204
    await index(store)
    assert await found(postgres, store, tea) == [], "it stays hidden"
    assert [each["hidden"] for each in (await messages(api))["messages"]] == [True, True, False, False]


async def test_a_message_of_another_chat_is_not_marked(api: Api, store: Store) -> None:
    await store.log.append(store.exchange("I live in Ghent", store.anna.chat("a/b")))
    strangers = [store.exchange("Else", each) for each in (store.anna.chat("other"), store.ben.chat("a/b"))]
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


@pytest.fixture
async def memories(api: Api, store: Store) -> str:
    """The path of the memories of a chat in which Anna said something; she has another chat, too."""
    for session_id in ("a/b", "another"):
        await store.log.append(store.exchange("I live in Ghent", store.anna.chat(session_id)))
    return f"{chat_of(api.anna)}/memories"


async def written(api: Api, path: str, content: str) -> Any:
    response = await api.call("POST", path, {"content": content})
    assert response.status == 201, response.body
    return response.json


async def test_a_memory_from_elsewhere_is_not_found_and_stays(api: Api, store: Store, memories: str) -> None:
    await store.log.append(store.exchange("I live in Ghent", store.ben.chat("a/b")))
    others = [
        await written(api, f"{chat_of(api.anna, 'another')}/memories", "Of another chat."),
        await api.write("Of no chat."),
        await written(api, f"{chat_of(api.ben)}/memories", "Of somebody else."),
        {"id": str(uuid7())},
    ]

    for other in others:
        for method in ("GET", "DELETE"):
            refused = await api.call(method, f"{memories}/{other['id']}")
            assert_error(refused, 404, "memory_not_found")
    assert await api.contents() == ["Of no chat.", "Of another chat."]
    assert await api.contents(api.ben) == ["Of somebody else."]


async def test_of_a_chat_that_is_not_there_nothing_is_known(api: Api, memories: str) -> None:
    known = await written(api, memories, "Likes tea.")
    missing = chat_of(api.anna, "missing")

    one = f"/memories/{known['id']}"
    for method, path, body in (
        *(("GET", each, None) for each in ("/messages", "/summary", "/memories", one)),
        *(("POST", "/summary", None), ("POST", "/memories", {"content": "Likes cocoa."})),
        ("DELETE", one, None),
    ):
        answer = await api.call(method, missing + path, body)
        assert_error(answer, 404, "session_not_found", "session_id")
    assert_error(await api.call("GET", f"{chat_of(api.anna)}/summary"), 404, "summary_not_found")
    undone = await api.call("POST", f"{chat_of(api.anna)}/undo", {"message": "no-such-message"})
    assert_error(undone, 404, "exchange_not_found", "message")
    for after in (str(uuid7()), "no-id"):
        refused = await api.call("GET", f"{chat_of(api.anna)}/messages?after={after}")
        assert_error(refused, 400, "invalid_parameter", "after")
    assert await api.contents() == ["Likes tea."]


async def test_memories_and_summaries_say_what_is_to_do(api: Api, store: Store) -> None:
    at = NOON + timedelta(days=30)
    todo: Any = {"kind": Kind.TODO, "provenance": Provenance("chat-1"), "event_at": at}
    renewal = store.memory("Renew the passport.", **todo)
    outline = Outline(facts=("Moves in May.",), todos=("Book a van.", "Tell the landlord."))
    summary: Any = {"kind": Kind.SUMMARY, "provenance": Provenance("chat-2"), "outline": outline}
    plans = store.memory("They planned the move.", **summary)
    await apply(store, *(Add(each) for each in (store.memory("Likes tea."), renewal, plans)))

    found = (await api.call("GET", f"{api.user}/todos")).json["todos"]

    of_plans = {"memory_id": str(plans.id), "session_id": "chat-2", "event_at": None}
    of_plans |= {"said_at": "2026-03-15T12:00:00Z"}
    of_renewal = {"memory_id": str(renewal.id), "session_id": "chat-1", "event_at": "2026-04-14T12:00:00Z"}
    assert sorted(found, key=lambda todo: str(todo["text"])) == [
        {**of_plans, "text": "Book a van."},
        {**of_plans, **of_renewal, "text": "Renew the passport."},
        {**of_plans, "text": "Tell the landlord."},
    ]


async def test_the_best_comes_first_with_its_score(api: Api) -> None:
    for content in ("Has a cat.", "Likes green tea.", "Works in Ghent."):
        await api.write(content)
    await api.write("Likes black tea.", api.ben)

    response = await api.call("GET", f"{api.memories}/search?q=" + quote("What tea do I like?"))

    found = response.json["found"]
    assert found[0]["memory"]["content"] == "Likes green tea."
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0
    assert found[0]["parts"]
    assert found[0]["memory"] == (await api.call("GET", f"{api.memories}/{found[0]['memory']['id']}")).json
    assert "Likes black tea." not in {each["memory"]["content"] for each in found}
    assert response.json["degraded"] == []


async def test_what_was_said_is_found_with_its_chat_and_date(api: Api, store: Store) -> None:
    await store.log.append(store.exchange("The attic leaks", store.anna.chat("a/b"), reply="Seal it."))
    await index(store, EmbeddingScope.ALL)

    response = await api.call("GET", f"{path_of(api.anna)}/messages?q=attic&limit=1")

    assert response.status == 200, response.body
    [found] = response.json["found"]
    assert found.pop("score") > 0
    assert found.pop("id")
    said = {"role": "user", "speaker": None, "text": "The attic leaks", "said_at": "2026-03-15T12:00:00Z"}
    assert found == said | {"kind": "message", "session_id": "a/b"}
    following = await api.call("GET", f"{path_of(api.anna)}/messages?q=attic&after={response.json['next']}")
    assert [each["text"] for each in following.json["found"]] == ["Seal it."]
    day = "2026-03-02T00:00:00Z"
    for asked, name in ((f"from={day}&until={day}", "until"), (f"after={uuid7()}", "after")):
        refused = await api.call("GET", f"{path_of(api.anna)}/messages?q=attic&{asked}")
        assert_error(refused, 400, "invalid_parameter", name)
