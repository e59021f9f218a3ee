from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from tests.recollect_proxy.memory_api.serving import Api, assert_error, path_of
from tests.support.stores import NOON, Store

from recollect.model import Actor, Add, Doubt, Flags, Mark, Provenance, Reason, Strategy

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
    }
    read = await api.call("GET", f"{api.memories}/{memory['id']}")
    assert (read.status, read.json) == (200, memory)
    assert read.header(b"content-type") == b"application/json"
    assert read.header(b"cache-control") == b"no-store"


async def test_a_memory_the_user_has_already_is_a_conflict(api: Api) -> None:
    await api.write("Likes tea.")

    response = await api.call("POST", api.memories, {"content": "likes  TEA"})

    assert response.status == 409
    assert response.json["error"]["code"] == "duplicate_memory"
    assert response.json["error"]["field"] == "content"
    assert await api.contents() == ["Likes tea."]


async def test_another_user_may_have_the_same_memory_and_sees_none_of_the_first(api: Api) -> None:
    memory = await api.write("Likes tea.")

    theirs = f"{path_of(api.ben)}/memories/{memory['id']}"

    assert await api.contents(api.ben) == []
    assert (await api.call("GET", theirs)).status == 404
    assert (await api.call("PATCH", theirs, {"importance": 1})).status == 404
    assert (await api.call("DELETE", theirs)).status == 404
    assert (await api.call("GET", f"{theirs}/changes")).status == 404
    await api.write("Likes tea.", api.ben)
    assert await api.contents() == ["Likes tea."]


async def test_a_user_nobody_has_heard_of_has_an_empty_page_and_an_empty_history(api: Api) -> None:
    assert (await api.call("GET", api.memories)).json == {"memories": [], "next": None}
    assert (await api.call("GET", f"{api.memories}/changes")).json == {"changes": [], "next": None}


async def test_a_memory_taken_away_is_gone_but_for_the_audit(api: Api) -> None:
    memory = await api.write("Likes tea.")

    response = await api.call("DELETE", f"{api.memories}/{memory['id']}")

    assert (response.status, response.body) == (204, b"")
    assert await api.contents() == []
    assert (await api.call("GET", f"{api.memories}/{memory['id']}")).status == 404
    again = await api.call("DELETE", f"{api.memories}/{memory['id']}")
    assert (again.status, again.json["error"]["code"]) == (404, "memory_not_found")
    [retired, added] = (await api.call("GET", f"{api.memories}/{memory['id']}/changes")).json["changes"]
    assert (added["action"], added["before"], added["after"]) == ("add", None, "Likes tea.")
    assert (retired["action"], retired["before"], retired["after"]) == ("retire", "Likes tea.", None)


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
    }
    assert edited == {
        "id": str(UUID(edited["id"])),
        "at": edited["at"],
        "action": "edit",
        "actor": "admin",
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


async def test_a_user_whose_id_is_a_word_of_the_api_is_a_user_like_any_other(own_api: Api) -> None:
    words = ("memories", "history", "health", "docs", "users")
    for user_id in words:
        await own_api.write(f"Is called {user_id}.", user_id)

    for user_id in words:
        assert await own_api.contents(user_id) == [f"Is called {user_id}."]


async def test_an_unknown_memory_is_not_found(api: Api) -> None:
    for path in (f"{api.memories}/{uuid4()}", f"{api.memories}/{uuid4()}/changes"):
        response = await api.call("GET", path)
        assert (response.status, response.json["error"]["code"]) == (404, "memory_not_found")


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
    await api.engine.set_flags(Flags(formation=Strategy.QA_TURN), store.anna)
    await api.engine.drain(store.anna)

    [memory] = (await api.call("GET", f"{api.memories}?source=qa_turn")).json["memories"]

    assert (await api.call("GET", api.memories)).json["memories"] == []
    assert memory["source"] == "qa_turn"
    assert memory["provenance"]["session_id"] == "chat-1"
    assert str(said.message_id) in memory["provenance"]["message_ids"]


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
