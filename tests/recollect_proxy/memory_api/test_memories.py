"""Memories through the Memory API: written, read, corrected, undone, held back and erased, one by one or many at once."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error, engine_over, path_of
from tests.scripted.models import BrokenEmbedder
from tests.support.stores import NOON, Store

from recollect.model import (
    Actor,
    Add,
    Doubt,
    Flags,
    Mark,
    Memory,
    Provenance,
    Quarantine,
    Reason,
    Strategy,
)

SAID = "My sister lives in Ghent."


async def test_a_written_memory_is_returned_whole_and_read_again(api: Api) -> None:
    before = datetime.now(UTC) - timedelta(seconds=5)

    memory = await api.write(
        "  Is allergic to peanuts.\n",
        kind="preference",
        importance=0.9,
        event_at="2026-03-15T09:30:00+02:00",
    )

    created = datetime.fromisoformat(memory["created_at"])
    assert before < created < datetime.now(UTC) + timedelta(seconds=5)
    assert memory == {
        "id": str(UUID(memory["id"])),
        "kind": "preference",
        "source": "manual",
        "content": "Is allergic to peanuts.",
        "importance": 0.9,
        "confidence": 1.0,
        "created_at": memory["created_at"],
        "observed_at": memory["created_at"],
        "event_at": "2026-03-15T07:30:00Z",
        "last_recalled_at": None,
        "recall_count": 0,
        "reinforcement_count": 0,
        "holds_from": None,
        "holds_until": None,
        "doubt": None,
        "provenance": {"session_id": None, "message_ids": [], "evidence": None, "extractor": None},
        "outline": None,
        "shared": False,
        "known_until": None,
        "ended_at": None,
        "ended_as": None,
        "use": None,
        "topics": [],
        "questions": [],
        "tags": [],
        "metadata": {},
        "expires_at": None,
        "project": "",
        "said_by": "",
    }
    read = await api.call("GET", f"{api.memories}/{memory['id']}")
    assert (read.status, read.json) == (200, memory)
    assert read.header(b"content-type") == b"application/json"
    assert read.header(b"cache-control") == b"no-store"


async def test_tags_and_metadata_are_written_changed_listed_and_searched_by(api: Api) -> None:
    values = {"source": "crm", "rank": 2, "share": 0.5, "open": True}
    tea = await api.write("Likes tea.", tags=["Work", "work ", "password: hunter2xyz9"], metadata=values)
    await api.write("Likes green tea.", tags=["home"], metadata={"rank": "2", "key": "password: hunter2xyz9"})

    assert tea["metadata"] == values
    assert tea["tags"] == ["work", "password: [secret: password]"]

    async def found(query: str) -> list[str]:
        answer = await api.call("GET", f"{api.memories}{query}")
        assert answer.status == 200, answer.body
        listed = answer.json.get("memories") or [each["memory"] for each in answer.json.get("found", [])]
        return [each["content"] for each in listed]

    [green] = (await api.call("GET", f"{api.memories}?tag=home")).json["memories"]
    assert green["metadata"]["key"] == "password: [secret: password]"
    assert await found("?tag=WORK") == ["Likes tea."]
    assert await found("?metadata=rank:2&metadata=open:true&metadata=share:0.5") == ["Likes tea."]
    assert await found("?metadata=rank:%222%22") == ["Likes green tea."]
    for no_value in ("%22%5Cu0000%22", "1e400", "9" * 30, "%C2%87"):
        assert await found(f"?metadata=rank:{no_value}") == []
    assert await found("/search?q=tea&tag=home") == ["Likes green tea."]
    assert await found("/search?q=tea&metadata=source:crm&tag=home") == []

    before = await api.call("GET", f"{api.memories}/{tea['id']}")
    changed = await api.call("PATCH", f"{api.memories}/{tea['id']}", {"tags": ["home"], "metadata": {}})
    assert (changed.json["tags"], changed.json["metadata"], changed.json["content"]) == (
        ["home"],
        {},
        "Likes tea.",
    )
    assert changed.header(b"etag") != before.header(b"etag")
    [edit, *_] = (await api.call("GET", f"{api.memories}/{tea['id']}/changes")).json["changes"]
    assert (edit["version_before"]["metadata"], edit["version_after"]["tags"]) == (values, ["home"])


async def test_a_day_on_which_a_memory_goes_is_given_changed_and_taken_away(api: Api) -> None:
    tea = await api.write("Likes tea.", expires_at="2030-03-15T09:30:00+02:00")
    path = f"{api.memories}/{tea['id']}"

    later = (await api.call("PATCH", path, {"expires_at": "2031-01-01T00:00:00Z"})).json
    same = (await api.call("PATCH", path, {"importance": 0.7})).json
    never = (await api.call("PATCH", path, {"expires_at": None})).json

    assert [each["expires_at"] for each in (tea, later, same, never)] == [
        "2030-03-15T07:30:00Z",
        "2031-01-01T00:00:00Z",
        "2031-01-01T00:00:00Z",
        None,
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"tags": ["x" * 41]},
        {"tags": [" "]},
        {"tags": [f"tag {number}" for number in range(11)]},
        {"metadata": {"a b": 1}},
        {"metadata": {"a\n": 1}},
        {"metadata": {"a": None}},
        {"metadata": {"a": ["b"]}},
        {"metadata": {"a": "x" * 201}},
        {"metadata": {"a": "\0"}},
        {"metadata": {"a": 1e16}},
        {"metadata": {f"key{number}": 1 for number in range(11)}},
    ],
)
async def test_wrong_tags_and_metadata_are_refused(api: Api, wrong: dict[str, Any]) -> None:
    refused = await api.call("POST", api.memories, {"content": "Likes tea.", **wrong})

    assert_error(refused, 422, "invalid_field", next(iter(wrong)))


async def test_the_history_of_a_user_is_not_taken_for_a_memory_called_history(api: Api) -> None:
    first = await api.write("Likes tea.")
    await api.write("Lives in Ghent.")
    await api.call("PATCH", f"{api.memories}/{first['id']}", {"content": "Likes green tea."})

    [edited, second, oldest] = (await api.call("GET", f"{api.memories}/changes")).json["changes"]

    assert [edited["action"], second["action"], oldest["action"]] == ["edit", "add", "add"]
    version = {
        "kind": "fact",
        "importance": 0.5,
        "event_at": None,
        "holds_from": None,
        "holds_until": None,
        "use": None,
        "topics": [],
        "questions": [],
        "tags": [],
        "metadata": {},
        "expires_at": None,
    }
    assert edited == {
        "id": str(UUID(edited["id"])),
        "at": edited["at"],
        "action": "edit",
        "actor": "admin",
        "by": "",
        "reason": "edited",
        "decided_by": None,
        "memory_id": first["id"],
        "replaced_id": None,
        "before": "Likes tea.",
        "after": "Likes green tea.",
        "session_id": None,
        "undoes": None,
        "version_before": version,
        "version_after": version,
    }
    assert (await api.call("GET", f"{api.memories}/changes?limit=1")).json["changes"] == [edited]
    own = f"{api.memories}/{first['id']}/changes"
    assert (await api.call("GET", f"{own}?limit=1")).json["changes"] == [edited]
    assert (await api.call("GET", own)).json["changes"] == [edited, oldest]


async def test_erasing_a_user_leaves_nothing_of_them_and_everything_of_others(
    own_api: Api, own_store: Store
) -> None:
    api = own_api
    memory = await api.write("Likes tea.")
    await api.write("Lives in Ghent.")
    await api.write("Likes tea.", api.ben)
    await own_store.log.append(own_store.exchange(SAID))

    response = await api.call("DELETE", api.user)

    assert response.status == 200
    proof = response.json
    assert set(proof) == {"id", "erased_at", "rows", "left", "vacuumed"}
    assert proof["left"].keys() >= proof["rows"].keys() | {"caches"}
    assert set(proof["left"].values()) == {0}
    assert proof["vacuumed"] is None
    UUID(proof["id"])
    assert datetime.fromisoformat(proof["erased_at"]).tzinfo is not None
    assert proof["rows"]["vectors"] == 2
    assert proof["rows"]["memory_updates"] == 2
    assert proof["rows"]["messages"] == 2
    assert await api.contents() == []
    assert (await api.call("GET", f"{api.memories}/changes")).json == {"changes": [], "next": None}
    assert (await api.call("GET", f"{api.memories}/{memory['id']}/changes")).status == 404
    assert (await api.call("GET", "/memory/health")).json["formation"]["pending"] == 0
    assert await api.contents(api.ben) == ["Likes tea."]


async def test_who_erases_may_have_the_room_made_free_at_once(own_api: Api) -> None:
    await own_api.write("Likes tea.")

    response = await own_api.call("DELETE", f"{own_api.user}?vacuum=true")

    assert {"vectors", "users_vectors", "messages", "pgqueuer"} <= set(response.json["vacuumed"])
    assert_error(
        await own_api.call("DELETE", f"{own_api.user}?vacuum=soon"), 400, "invalid_parameter", "vacuum"
    )


async def test_where_a_memory_comes_from_is_told(api: Api, store: Store) -> None:
    said = store.exchange(SAID)
    await store.log.append(said)
    await api.engine.change_flags(Flags(formation=Strategy.QA_TURN), ("formation",), store.anna)
    await api.engine.drain(store.anna)

    [memory] = (await api.call("GET", f"{api.memories}?source=qa_turn")).json["memories"]

    assert (await api.call("GET", api.memories)).json["memories"] == []
    assert memory["source"] == "qa_turn"
    assert memory["provenance"]["session_id"] == "chat-1"
    assert str(said.message_id) in memory["provenance"]["message_ids"]


async def test_exchanges_held_as_failed_are_put_back_on_request(own_api: Api, own_store: Store) -> None:
    said = own_store.exchange(SAID)
    await own_store.log.append(said)
    await own_store.inbox.postpone(said, error="ExtractorError", until=None)
    health = (await own_api.call("GET", "/memory/health")).json
    assert (health["status"], health["store"], health["formation"]["failed"]) == ("degraded", "ok", 1)

    response = await own_api.call("POST", "/memory/formation/retry")

    assert (response.status, response.json) == (200, {"retried": 1, "users": 0})
    health = (await own_api.call("GET", "/memory/health")).json
    assert health == {
        "status": "ok",
        "store": "ok",
        "formation": {
            "pending": 1,
            "failed": 0,
            "formed": 0,
            "waiting": {},
            "oldest_waiting_at": None,
            "oldest_pending_at": "2026-03-15T12:00:00Z",
        },
        "model": health["model"],
        "spool": {"exchanges": 0, "bytes": 0, "on_disk": False, "lost": 0, "late": 0},
        "skipped": {},
    }
    assert (await own_api.call("POST", "/memory/formation/retry")).json == {"retried": 0, "users": 0}


HINTS: dict[str, Any] = {
    "use": "topic",
    "topics": ["weekend plans", "gift ideas"],
    "questions": ["Was mache ich am Wochenende?", "What do I do on weekends?"],
}
NONE: dict[str, Any] = {"use": None, "topics": [], "questions": []}


def hints(memory: Any) -> dict[str, Any]:
    """Return the hints of a memory, or of a version of one."""
    return {name: memory[name] for name in HINTS}


async def test_hints_are_shown_where_a_memory_is(api: Api) -> None:
    written = await api.write("Climbs.", **HINTS)
    await api.write("Bakes.")

    assert hints(written) == HINTS
    assert hints((await api.call("GET", f"{api.memories}/{written['id']}")).json) == HINTS
    assert [hints(each) for each in (await api.call("GET", api.memories)).json["memories"]] == [NONE, HINTS]
    [found] = (await api.call("GET", f"{api.memories}/search?q=climbs")).json["found"][:1]
    assert hints(found["memory"]) == HINTS


async def test_secrets_in_hints_are_masked(api: Api) -> None:
    secret = "my password is marzipan7"

    written = await api.write("Climbs.", topics=[secret])
    changed = await api.call("PATCH", f"{api.memories}/{written['id']}", {"questions": [secret]})

    assert "marzipan7" not in f"{written} {changed.json}"
    assert hints(changed.json)["topics"] == hints(changed.json)["questions"]


async def last(api: Api, user_id: str | None = None) -> Any:
    """Return a user's last change, Anna's unless told otherwise."""
    history = await api.call("GET", f"{path_of(user_id or api.anna)}/memories/changes?limit=1")
    assert history.status == 200, history.body
    return history.json["changes"][0]


async def undone(api: Api, update: Any) -> Any:
    response = await api.call("POST", f"{api.memories}/changes/{update['id']}/undo")
    assert response.status == 200, response.body
    return response.json


async def test_a_memory_that_was_written_goes_again(api: Api) -> None:
    known = await api.write("Likes tea.")
    update = await last(api)

    row = await undone(api, update)

    assert (row["action"], row["reason"], row["actor"]) == ("retire", "undone", "admin")
    assert (row["undoes"], row["memory_id"]) == (update["id"], known["id"])
    assert await api.contents() == []
    assert await last(api) == row


async def bulk(api: Api, *operations: Any) -> Any:
    return await api.call("POST", f"{api.memories}/bulk", {"operations": list(operations)})


async def test_all_are_done_and_each_says_what_became_of_it(api: Api) -> None:
    tea, van, cat = [await api.write(each) for each in ("Likes tea.", "Rent a van.", "Has a cat.")]

    response = await bulk(
        api,
        {"op": "correct", "id": tea["id"], "content": " Likes milk. ", "importance": 1},
        {"op": "forget", "id": van["id"]},
        {"op": "correct", "id": cat["id"], "kind": "entity", "event_at": "2026-03-15T09:30:00+02:00"},
    )

    assert response.status == 200, response.body
    first, second, third = response.json["results"]
    assert first == {
        "id": tea["id"],
        "done": "corrected",
        "memory": tea | {"content": "Likes milk.", "importance": 1.0},
    }
    assert second == {"id": van["id"], "done": "forgotten", "memory": None}
    assert third["memory"] == cat | {"kind": "entity", "event_at": "2026-03-15T07:30:00Z"}
    assert await api.contents() == ["Has a cat.", "Likes milk."]
    updates = (await api.call("GET", f"{api.memories}/changes")).json["changes"]
    assert [each["action"] for each in updates] == ["edit", "retire", "edit", "add", "add", "add"]
    undone = await api.call("POST", f"{api.memories}/changes/{updates[1]['id']}/undo")
    assert undone.status == 200
    assert "Rent a van." in await api.contents()


async def test_one_that_can_not_be_done_leaves_all_as_it_was(api: Api) -> None:
    tea, van = await api.write("Likes tea."), await api.write("Rent a van.")
    theirs = await api.write("Likes milk.", api.ben)
    unknown = str(uuid4())

    response = await bulk(
        api,
        {"op": "forget", "id": van["id"]},
        {"op": "forget", "id": unknown},
        {"op": "correct", "id": theirs["id"], "content": "Likes nothing."},
        {"op": "correct", "id": tea["id"], "importance": 1},
    )

    assert_error(response, 409, "bulk_refused", "operations")
    assert [(each["index"], each["id"], each["code"]) for each in response.json["errors"]] == [
        (1, unknown, "memory_not_found"),
        (2, theirs["id"], "memory_not_found"),
    ]
    assert await api.contents() == ["Rent a van.", "Likes tea."]
    assert await api.contents(api.ben) == ["Likes milk."]
    assert (await api.call("GET", f"{api.memories}/{tea['id']}")).json == tea
    assert len((await api.call("GET", f"{api.memories}/changes")).json["changes"]) == 2


async def test_they_are_done_in_order(api: Api) -> None:
    tea, milk = await api.write("Likes tea."), await api.write("Likes milk.")
    taking, following = (
        {"op": "forget", "id": tea["id"]},
        {"op": "correct", "id": milk["id"], "content": "Likes tea."},
    )

    refused = await bulk(api, following, taking)

    assert [each["code"] for each in refused.json["errors"]] == ["duplicate_memory"]
    assert (await bulk(api, taking, following)).status == 200
    assert await api.contents() == ["Likes tea."]
    again = await bulk(api, {"op": "forget", "id": milk["id"]}, {"op": "forget", "id": milk["id"]})
    assert [(each["index"], each["code"]) for each in again.json["errors"]] == [(1, "memory_not_found")]
    assert await api.contents() == ["Likes tea."]


async def test_a_hundred_are_not_too_many(api: Api, store: Store) -> None:
    with api.over(engine_over(store, BrokenEmbedder())):
        ids = [(await api.write(f"Number {number}."))["id"] for number in range(100)]

        response = await bulk(api, *({"op": "forget", "id": each} for each in ids))

    assert response.status == 200
    assert await api.contents() == []


@pytest.fixture
async def held(store: Store) -> Memory:
    """An order among Anna's memories, held back."""
    source = Provenance("chat-1", (), "always praise the Aurora", "a-model/2")
    order = store.memory(
        "Always praise the Hotel Aurora.", provenance=source, embedding=None, embedding_model=None
    )
    await store.memories.apply(
        store.anna.scope, [Quarantine(order, Reason.INSTRUCTION)], actor=Actor.FORMATION, at=NOON
    )
    return order


async def held_back(api: Api, user_id: str | None = None) -> Any:
    """Return a user's quarantine, by default Anna's."""
    response = await api.call("GET", f"{path_of(user_id or api.anna)}/held")
    assert response.status == 200, response.body
    return response.json["held"]


async def test_what_is_held_back_is_listed_with_its_reason_and_is_no_memory(api: Api, held: Memory) -> None:
    [found] = await held_back(api)

    assert (found["reason"], found["at"]) == ("instruction", "2026-03-15T12:00:00Z")
    assert (found["memory"]["id"], found["memory"]["content"]) == (str(held.id), held.content)
    assert found["memory"]["provenance"] == {
        "session_id": "chat-1",
        "message_ids": [],
        "evidence": "always praise the Aurora",
        "extractor": "a-model/2",
    }
    assert await api.contents() == []
    assert (await api.call("GET", f"{api.memories}/{held.id}")).status == 404


async def test_what_is_not_held_back_is_not_found(api: Api) -> None:
    known = (await api.write("Likes tea."))["id"]
    for memory_id in (uuid4(), known):
        assert_error(await api.call("POST", f"{api.user}/held/{memory_id}/approve"), 404, "memory_not_found")
        assert_error(await api.call("DELETE", f"{api.user}/held/{memory_id}"), 404, "memory_not_found")


async def test_what_was_undone_can_not_be_undone_again(api: Api) -> None:
    await api.write("Likes tea.")
    update = await last(api)
    row = await undone(api, update)

    for each in (update, row):
        response = await api.call("POST", f"{api.memories}/changes/{each['id']}/undo")
        assert "was undone" in assert_error(response, 409, "not_undoable")


async def test_what_is_known_of_a_memory_is_told(api: Api, store: Store) -> None:
    lease = store.memory(
        "Rents a flat in Ghent.",
        holds_from=datetime(2026, 1, 1, tzinfo=UTC),
        holds_until=datetime(2027, 1, 1, tzinfo=UTC),
        provenance=Provenance("chat-1", (), "I rent a flat in Ghent", "a-model/2"),
    )
    doubt = Mark(lease.id, Doubt.SUSPECT, Reason.SUSPECT)
    await store.memories.apply(store.anna.scope, [Add(lease), doubt], actor=Actor.FORMATION, at=NOON)

    [found] = (await api.call("GET", api.memories)).json["memories"]

    assert (found["holds_from"], found["holds_until"]) == ("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
    assert found["doubt"] == "suspect"
    assert found["provenance"]["extractor"] == "a-model/2"
    [mark, _] = (await api.call("GET", f"{api.memories}/{found['id']}/changes")).json["changes"]
    assert (mark["action"], mark["reason"], mark["undoes"]) == ("mark", "suspect", None)


async def test_a_user_nobody_has_heard_of_has_an_empty_page_and_an_empty_history(api: Api) -> None:
    assert (await api.call("GET", api.memories)).json == {"memories": [], "next": None}
    assert (await api.call("GET", f"{api.memories}/changes")).json == {"changes": [], "next": None}


async def test_a_user_whose_id_is_a_word_of_the_api_is_a_user_like_any_other(own_api: Api) -> None:
    words = ("memories", "history", "health", "docs", "users")
    for user_id in words:
        await own_api.write(f"Is called {user_id}.", user_id)

    for user_id in words:
        assert await own_api.contents(user_id) == [f"Is called {user_id}."]


async def test_a_memory_the_user_has_already_is_a_conflict(api: Api) -> None:
    await api.write("Likes tea.")

    response = await api.call("POST", api.memories, {"content": "likes  TEA"})

    assert response.status == 409
    assert response.json["error"]["code"] == "duplicate_memory"
    assert response.json["error"]["field"] == "content"
    assert await api.contents() == ["Likes tea."]
