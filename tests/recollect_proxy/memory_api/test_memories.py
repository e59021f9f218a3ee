"""Memories through the Memory API: written, changed, listed by filters, in pages, by version and by time."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest
from tests.recollect.store.keeping import apply
from tests.recollect_proxy.memory_api.serving import SECRET, Api, assert_error
from tests.support.stores import LATER, NOON, Store
from tests.support.tables import table

from recollect import model


async def test_a_written_memory_is_returned_whole_and_read_again(api: Api) -> None:
    before = datetime.now(UTC) - timedelta(seconds=5)

    given: Any = {"kind": "preference", "importance": 0.9, "event_at": "2026-03-15T09:30:00+02:00"}
    given["topics"] = ["snacks", "my password is marzipan7"]
    memory = await api.write("  Is allergic to peanuts.\n", **given)
    again = await api.call("POST", api.memories, {"content": "is allergic  to PEANUTS"})

    assert_error(again, 409, "duplicate_memory", "content")
    created = datetime.fromisoformat(memory["created_at"])
    assert before < created < datetime.now(UTC) + timedelta(seconds=5)
    times = ("last_recalled_at", "holds_from", "holds_until", "known_until", "ended_at", "expires_at")
    told: dict[str, Any] = dict.fromkeys((*times, "doubt", "outline", "ended_as"))
    told |= dict.fromkeys(("created_at", "observed_at"), memory["created_at"])
    told |= {"id": str(UUID(memory["id"])), "source": "manual", "content": "Is allergic to peanuts."}
    told |= {"kind": "preference", "importance": 0.9, "confidence": 1.0, "event_at": "2026-03-15T07:30:00Z"}
    told |= {"provenance": dict.fromkeys(("session_id", "evidence", "extractor")) | {"message_ids": []}}
    told |= {"use": "topic", "topics": ["snacks", "my password is [secret: password]"], "questions": []}
    told |= {"shared": False, "tags": [], "metadata": {}, "project": "", "said_by": ""}
    assert memory == told | dict.fromkeys(("recall_count", "reinforcement_count"), 0)
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
    change = {"tags": ["home"], "metadata": {}}
    changed = await api.call("PATCH", f"{api.memories}/{tea['id']}", change)
    assert changed.json | change | {"content": "Likes tea."} == changed.json
    assert changed.header(b"etag") != before.header(b"etag")
    [edit, *_] = (await api.call("GET", f"{api.memories}/{tea['id']}/changes")).json["changes"]
    assert (edit["version_before"]["metadata"], edit["version_after"]["tags"]) == (values, ["home"])


async def bulk(api: Api, *operations: Any) -> Any:
    return await api.call("POST", f"{api.memories}/bulk", {"operations": list(operations)})


async def test_several_are_changed_in_order_and_each_says_what_became_of_it(api: Api) -> None:
    tea, milk = await api.write("Likes tea."), await api.write("Likes milk.")
    forgetting = {"op": "forget", "id": tea["id"]}
    correcting = {"op": "correct", "id": milk["id"], "content": " Likes tea. ", "importance": 1}

    done = await bulk(api, forgetting, correcting)

    assert done.status == 200, done.body
    corrected = milk | {"content": "Likes tea.", "importance": 1.0}
    assert done.json["results"] == [
        {"id": tea["id"], "done": "forgotten", "memory": None},
        {"id": milk["id"], "done": "corrected", "memory": corrected},
    ]
    assert await api.contents() == ["Likes tea."]


async def test_of_several_none_is_changed_if_one_can_not_be(api: Api) -> None:
    tea, milk = await api.write("Likes tea."), await api.write("Likes milk.")
    theirs, unknown = await api.write("Likes rye.", api.ben), str(uuid4())

    refused = await bulk(
        api,
        {"op": "correct", "id": milk["id"], "content": "Likes tea."},  # which is forgotten only then
        {"op": "forget", "id": tea["id"]},
        {"op": "forget", "id": unknown},
        {"op": "correct", "id": theirs["id"], "content": "Likes nothing."},
    )

    assert_error(refused, 409, "bulk_refused", "operations")
    assert [(each["index"], each["id"], each["code"]) for each in refused.json["errors"]] == [
        (0, milk["id"], "duplicate_memory"),
        (2, unknown, "memory_not_found"),
        (3, theirs["id"], "memory_not_found"),
    ]
    assert await api.contents() == ["Likes milk.", "Likes tea."]
    assert await api.contents(api.ben) == ["Likes rye."]
    assert len((await api.call("GET", f"{api.memories}/changes")).json["changes"]) == 2


async def listed(api: Api, query: str, user: str | None = None) -> list[str]:
    response = await api.call("GET", f"{user or api.user}/memories?{query}")
    assert response.status == 200, response.body
    return [each["content"] for each in response.json["memories"]]


@pytest.fixture
async def four(api: Api, store: Store) -> Api:
    """Four memories of Anna's that differ, one replaced by the last; and one of Ben's."""
    tea = store.memory(
        "Likes TEA in Köln.", kind=model.Kind.PREFERENCE, provenance=model.Provenance("chat-1", (), "tea")
    )
    van = store.memory("Rent a van.", kind=model.Kind.TODO, source=model.Source.IMPORT, observed_at=LATER)
    doubt = store.memory("Works in Ghent.", provenance=model.Provenance("chat-2", (), "Ghent"))
    new = store.memory("Works in Lisbon.", observed_at=LATER)
    said = store.memory("Tea or coffee?", kind=model.Kind.QA_TURN, source=model.Source.QA_TURN)
    changed = (
        model.Mark(van.id, model.Doubt.SUSPECT, model.Reason.SUSPECT),
        model.Replace(doubt.id, new, model.Reason.CONTRADICTS),
    )
    await apply(store, model.Add(tea), model.Add(van), model.Add(doubt), model.Add(said), *changed)
    await api.write("Likes tea in Köln.", api.ben)
    return api


@table(
    ("query", "contents"),
    [
        ("", ["Works in Lisbon.", "Rent a van.", "Likes TEA in Köln."]),
        ("kind=todo", ["Rent a van."]),
        ("kind=todo&kind=preference", ["Rent a van.", "Likes TEA in Köln."]),
        ("source=import", ["Rent a van."]),
        ("source=import&kind=fact", []),
        ("source=qa_turn", ["Tea or coffee?"]),
        ("kind=qa_turn&source=manual", []),
        ("session=chat-1", ["Likes TEA in Köln."]),
        ("text=tea+in+k%C3%96ln", ["Likes TEA in Köln."]),
        ("text=%25", []),
        ("doubt=suspect", ["Rent a van."]),
        ("doubt=disputed", []),
        ("from=2026-03-16T00:00:00Z", ["Works in Lisbon.", "Rent a van."]),
        ("until=2026-03-16T00:00:00Z", ["Likes TEA in Köln."]),
        ("from=2026-03-15T12:00:00Z&until=2026-03-15T12:00:01Z", ["Likes TEA in Köln."]),
        ("state=current&text=works", ["Works in Lisbon."]),
        ("state=past", ["Works in Ghent."]),
        ("state=past&session=chat-1", []),
        ("state=all&text=works", ["Works in Lisbon.", "Works in Ghent."]),
    ],
)
async def test_what_is_asked_for_is_listed(four: Api, query: str, contents: list[str]) -> None:
    assert await listed(four, query) == contents


async def test_a_text_is_found_behind_many_that_lack_it(own_api: Api, own_store: Store) -> None:
    first = own_store.memory("Straße in Wien.")
    many = [own_store.memory(f"Number {number}.", embedding=None) for number in range(620)]
    adding = [model.Add(each) for each in (first, *many)]
    await own_store.memories.apply(own_store.anna.scope, adding, actor=model.Actor.IMPORT, at=NOON)
    later = sorted([first, *many], key=lambda each: each.id)
    assert later[0] is first

    assert await listed(own_api, "text=STRASSE&limit=1") == ["Straße in Wien."]


async def pages(api: Api, path: str, name: str) -> list[Any]:
    """Return the items of all pages, of two items each."""
    found, following, query = [], True, "limit=2"
    while following:
        response = await api.call("GET", f"{path}?{query}")
        assert response.status == 200, response.body
        assert len(response.json[name]) <= 2
        found += response.json[name]
        following = response.json["next"]
        query = f"limit=2&after={following}"
    return found


async def test_the_audit_and_the_quarantine_come_in_pages(own_api: Api, own_store: Store) -> None:
    api, store = own_api, own_store
    held = [model.Quarantine(store.memory(f"Order {n}."), model.Reason.INSTRUCTION) for n in range(5)]
    for n, each in enumerate(held):
        await apply(store, each, at=NOON + timedelta(hours=n // 2))
        await api.call("POST", "/memory/global", {"content": f"Rule {n}."})
    memory = await api.write("Likes tea.")
    for n in range(4):
        await api.call("PATCH", f"{api.memories}/{memory['id']}", {"importance": n / 10})

    for path, name in (
        (f"{api.memories}/changes", "changes"),
        (f"{api.memories}/{memory['id']}/changes", "changes"),
        (f"{api.user}/held", "held"),
        ("/memory/global", "memories"),
    ):
        whole = (await api.call("GET", path)).json
        assert await pages(api, path, name) == whole[name]
        assert whole["next"] is None
        assert len(whole[name]) >= 5
    told = [each["memory"]["content"] for each in await pages(api, f"{api.user}/held", "held")]
    assert told == [f"Order {n}." for n in (4, 3, 2, 1, 0)]


@table("after", ["", "1", "9" * 18 + ".01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10", "1.x", SECRET])
async def test_a_place_in_the_quarantine_that_is_none_is_refused(api: Api, after: str) -> None:
    response = await api.call("GET", f"{api.user}/held?after={after}")

    assert "`next`" in assert_error(response, 400, "invalid_parameter", "after")


async def test_a_version_changes_with_the_memory_and_not_by_a_recall(api: Api, store: Store) -> None:
    memory = await api.write("Likes tea.")
    one = f"{api.memories}/{memory['id']}"
    first = (await api.call("GET", one)).header(b"etag")
    found = (await store.memories.page(store.anna, limit=1)).memories[0]
    await store.memories.touch(store.anna, [found.id], at=NOON)
    assert first
    assert (await api.call("GET", one)).header(b"etag") == first

    changed = await api.call("PATCH", one, {"event_at": "2026-01-02T03:04:05Z"})

    assert changed.json["event_at"] == "2026-01-02T03:04:05Z"
    assert changed.header(b"etag") not in {None, first}
    assert (await api.call("GET", one)).header(b"etag") == changed.header(b"etag")


async def test_of_two_who_change_a_version_one_is_told_so(api: Api) -> None:
    memory = await api.write("Likes tea.")
    one = f"{api.memories}/{memory['id']}"
    tag = (await api.call("GET", one)).header(b"etag") or b""

    answers = await asyncio.gather(
        *(call(api, "PATCH", one, {"content": f"Likes {drink}."}, tag) for drink in ("coffee", "milk"))
    )

    assert sorted(each.status for each in answers) == [200, 412]
    [refused] = [each for each in answers if each.status == 412]
    assert_error(refused, 412, "changed_meanwhile", "If-Match")
    assert len((await api.call("GET", f"{one}/changes")).json["changes"]) == 2
    assert (await call(api, "DELETE", one, None, tag)).status == 412
    now_tag = (await api.call("GET", one)).header(b"etag") or b""
    assert (await call(api, "DELETE", one, None, b'"other", ' + now_tag)).status == 204
    assert (await call(api, "DELETE", one, None, now_tag)).status == 404


async def call(api: Api, method: str, path: str, body: Any, tag: bytes) -> Any:
    return await api.call(method, path, body, also=[(b"If-Match", tag)])


@table(
    ("tag", "status"),
    [
        *((each, 200) for each in (b"*", b"CURRENT")),
        *((each, 412) for each in (b'"x"', b'W/"x"', b"", b"W/CURRENT")),
        *((each, 400) for each in (b"x", b'"a" "b"', b'"a",' * 30)),
    ],
)
async def test_what_if_match_says_is_followed(api: Api, tag: bytes, status: int) -> None:
    one = f"{api.memories}/{(await api.write(f'Likes {tag!r}.'))['id']}"
    current = (await api.call("GET", one)).header(b"etag") or b""

    response = await call(api, "PATCH", one, {"importance": 1}, tag.replace(b"CURRENT", current))

    assert response.status == status, response.body


async def test_what_was_true_at_a_time_is_listed_by_when_it_held(api: Api, store: Store) -> None:
    def days(number: int) -> datetime:
        return NOON + timedelta(days=number)

    old, wrong = store.memory("Lives in Porto"), store.memory("Lives in Paris")
    new = store.memory("Lives in Berlin", observed_at=days(20), holds_from=days(10))
    lease = store.memory("Has a lease in Berlin", observed_at=days(20), holds_until=days(30))
    ended = model.Past(days(10), model.Ending.CHANGED, new.id)
    moved = model.Replace(old.id, new, model.Reason.CONTRADICTS, past=ended)
    gone = model.Retire(wrong.id, model.Reason.CORRECTED)
    await apply(store, model.Add(old), model.Add(wrong), gone, model.Add(lease), moved, at=days(20))

    async def true_at(day: int) -> set[str]:
        at = quote(days(day).isoformat())
        found = (await api.call("GET", f"{api.memories}?valid_at={at}")).json["memories"]
        return {each["content"] for each in found}

    assert [await true_at(day) for day in (-1, 5, 15, 25, 35)] == [
        set(), {old.content}, {new.content}, {new.content, lease.content}, {new.content},
    ]  # fmt: skip


async def test_a_time_that_a_correction_leaves_out_stays_and_one_that_is_null_goes(api: Api) -> None:
    times = ("event_at", "holds_from", "holds_until", "expires_at")
    given = dict.fromkeys(times, "2030-03-15T09:30:00+02:00")
    one = f"{api.memories}/{(await api.write('Lives in Porto.', expires_at=given['expires_at']))['id']}"

    changed = await api.call("PATCH", one, given)
    same = await api.call("PATCH", one, {"importance": 0.7})
    none = await api.call("PATCH", one, dict.fromkeys(times))

    told = [[answer.json[name] for name in times] for answer in (changed, same, none)]
    assert told == [["2030-03-15T07:30:00Z"] * 4, ["2030-03-15T07:30:00Z"] * 4, [None] * 4]
