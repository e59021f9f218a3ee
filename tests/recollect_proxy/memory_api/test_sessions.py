"""A chat through the Memory API: its messages, marks, summary and memories, and its erasure."""

from dataclasses import replace
from datetime import UTC, timedelta, timezone
from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect_proxy.memory_api.serving import TOKEN, Api, assert_error, path_of
from tests.scripted.models import WordEmbedder
from tests.support.people import person
from tests.support.raw_client import Response
from tests.support.stores import NOON, Store
from tests.support.tables import table
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


ODD_IDS = ["chat-1", "a/b", "50%", "temporary", "users", "..", "ж ü", "a?b#c"]


async def sessions(api: Api, user_id: str | None = None, asked: str = "") -> list[str]:
    """Return a user's chats, Anna's unless told otherwise."""
    path = f"{path_of(user_id or api.anna)}/sessions{asked}"
    told: list[str] = (await api.call("GET", path)).json["sessions"]
    return told


@table("session_id", ODD_IDS)
async def test_the_chat_that_is_named_is_erased_and_no_other(api: Api, store: Store, session_id: str) -> None:
    anna, ben = person("anna"), person("ben")
    for scope in (anna.chat(session_id), anna.chat("another"), ben.chat(session_id)):
        await store.log.append(store.exchange("I live in Ghent", scope))
    assert set(await sessions(api, anna)) == {session_id, "another"}

    response = await api.call("DELETE", f"{path_of(anna)}/sessions/{quote(session_id, safe='')}")

    assert response.status == 200
    assert response.json["rows"]["messages"] == 2
    assert await sessions(api, anna) == ["another"]
    assert await sessions(api, ben) == [session_id]


async def test_only_chats_are_listed_that_had_begun_by_some_time(api: Api, store: Store) -> None:
    for number, session_id in enumerate(("first", "second")):
        at = NOON + timedelta(hours=number)
        await store.log.append(store.exchange("I live in Ghent", store.anna.chat(session_id), at=at))

    async def begun_before(time: str) -> list[str]:
        return await sessions(api, asked=f"?begun_before={quote(time, safe='')}")

    for zone in (UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-8))):
        assert await begun_before(NOON.astimezone(zone).isoformat()) == ["first"]
    assert await begun_before((NOON + timedelta(hours=1)).isoformat()) == ["second", "first"]
    assert await begun_before((NOON - timedelta(microseconds=1)).isoformat()) == []
    assert await begun_before("0001-01-01T00:00:00Z") == []
    assert await begun_before("9999-12-31T23:59:59.999999Z") == ["second", "first"]


async def test_what_can_be_no_chat_is_refused(api: Api) -> None:
    for segment in ("%00", "%8F", "%20", "undefined", "*", "x" * 257):
        response = await api.call("DELETE", f"{api.user}/sessions/{segment}")
        assert response.status == 400
        assert "session_id" in response.json["error"]["message"]


@pytest.fixture
async def memories(api: Api, store: Store) -> str:
    """The path of the memories of a chat in which Anna said something; she has another chat, too."""
    for session_id in ("a/b", "another"):
        await store.log.append(store.exchange("I live in Ghent", store.anna.chat(session_id)))
    return f"{chat_of(api.anna)}/memories"


async def contents(api: Api, path: str) -> list[str]:
    """Return the contents of the listed memories."""
    response = await api.call("GET", path)
    assert response.status == 200, response.body
    return [each["content"] for each in response.json["memories"]]


async def written(api: Api, path: str, content: str) -> Any:
    """Write a memory, and return it."""
    response = await api.call("POST", path, {"content": content})
    assert response.status == 201, response.body
    return response.json


async def test_what_is_formed_in_a_chat_or_written_for_it_is_listed(
    api: Api, store: Store, memories: str
) -> None:
    for session_id in ("a/b", "another"):
        formed = replace(store.memory(f"Formed in {session_id}."), provenance=Provenance(session_id))
        change = [Add(formed, Reason.NEW)]
        await store.memories.apply(store.anna.chat(session_id), change, actor=Actor.FORMATION, at=NOON)
    await api.write("Of no chat.")
    known = await written(api, memories, "Written for it.")

    assert known["provenance"]["session_id"] == "a/b"
    assert await contents(api, memories) == ["Written for it.", "Formed in a/b."]
    assert await contents(api, f"{memories}?limit=1") == ["Written for it."]
    assert await contents(api, f"{memories}?after={known['id']}") == ["Formed in a/b."]
    assert (await api.call("GET", f"{memories}/{known['id']}")).json == known
    assert_error(
        await api.call("POST", memories, {"content": "Of no chat."}), 409, "duplicate_memory", "content"
    )


async def test_a_memory_of_the_chat_is_taken_away(api: Api, memories: str) -> None:
    known = await written(api, memories, "Likes tea.")
    stale = [(b"Authorization", f"Bearer {TOKEN}".encode()), (b"If-Match", b'"other"')]

    changed = await api.call("DELETE", f"{memories}/{known['id']}", headers=stale)
    taken = await api.call("DELETE", f"{memories}/{known['id']}")

    assert_error(changed, 412, "changed_meanwhile", "If-Match")
    assert taken.status == 204
    assert await contents(api, memories) == []
    assert_error(await api.call("GET", f"{memories}/{known['id']}"), 404, "memory_not_found")


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


async def test_a_chat_that_is_not_there_has_no_memories(api: Api, memories: str) -> None:
    known = await written(api, memories, "Likes tea.")
    missing = f"{chat_of(api.anna, 'missing')}/memories"

    for answer in (
        await api.call("GET", missing),
        await api.call("POST", missing, {"content": "Likes cocoa."}),
        await api.call("GET", f"{missing}/{known['id']}"),
        await api.call("DELETE", f"{missing}/{known['id']}"),
    ):
        assert_error(answer, 404, "session_not_found", "session_id")
    assert await api.contents() == ["Likes tea."]


async def test_a_chat_nobody_has_heard_of_is_erased_by_deleting_nothing(api: Api) -> None:
    response = await api.call("DELETE", f"{api.user}/sessions/nothing")

    assert response.status == 200
    assert set(response.json["rows"].values()) == {0}
    assert await sessions(api) == []
