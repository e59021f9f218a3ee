"""The list of a user's memories: filters, cursors, versions and times."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from tests.recollect_proxy.memory_api.serving import SECRET, TOKEN, Api, assert_error
from tests.support.stores import LATER, NOON, Store
from tests.support.tables import table

from recollect.model import (
    Actor,
    Add,
    Change,
    Doubt,
    Ending,
    Kind,
    Mark,
    Past,
    Provenance,
    Quarantine,
    Reason,
    Replace,
    Retire,
    Source,
)


async def listed(api: Api, query: str, user: str | None = None) -> list[str]:
    response = await api.call("GET", f"{user or api.user}/memories?{query}")
    assert response.status == 200, response.body
    return [each["content"] for each in response.json["memories"]]


@pytest.fixture
async def four(api: Api, store: Store) -> Api:
    """Four memories of Anna's that differ, one replaced by the last; and one of Ben's."""
    tea = store.memory("Likes TEA in Köln.", kind=Kind.PREFERENCE, provenance=Provenance("chat-1", (), "tea"))
    van = store.memory("Rent a van.", kind=Kind.TODO, source=Source.IMPORT, observed_at=LATER)
    doubt = store.memory("Works in Ghent.", provenance=Provenance("chat-2", (), "Ghent"))
    new = store.memory("Works in Lisbon.", observed_at=LATER)
    changes: list[Change] = [
        *(Add(tea), Add(van), Add(doubt)),
        Mark(van.id, Doubt.SUSPECT, Reason.SUSPECT),
        Replace(doubt.id, new, Reason.CONTRADICTS),
    ]
    await store.memories.apply(store.anna.scope, changes, actor=Actor.FORMATION, at=NOON)
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
async def test_what_is_asked_for_is_listed_and_nothing_else(
    four: Api, query: str, contents: list[str]
) -> None:
    assert await listed(four, query) == contents


async def test_what_is_past_says_until_when_it_was_known(four: Api) -> None:
    [past] = (await four.call("GET", f"{four.memories}?state=past")).json["memories"]
    [new, *_] = (await four.call("GET", four.memories)).json["memories"]

    assert (past["known_until"], new["known_until"]) == ("2026-03-15T12:00:00Z", None)


async def test_a_text_is_found_behind_many_that_lack_it(own_api: Api, own_store: Store) -> None:
    first = own_store.memory("Straße in Wien.")
    many = [own_store.memory(f"Number {number}.", embedding=None) for number in range(620)]
    adding = [Add(each) for each in (first, *many)]
    await own_store.memories.apply(own_store.anna.scope, adding, actor=Actor.IMPORT, at=NOON)
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


async def test_the_audit_the_quarantine_and_what_serves_everybody_come_in_pages(
    own_api: Api, own_store: Store
) -> None:
    api, store = own_api, own_store
    held = [Quarantine(store.memory(f"Order {n}."), Reason.INSTRUCTION) for n in range(5)]
    for n, each in enumerate(held):
        at = NOON + timedelta(hours=n // 2)
        await store.memories.apply(store.anna.scope, [each], actor=Actor.FORMATION, at=at)
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


# -- as it was ---------------------------------------------------------------------------------------


def now() -> str:
    return quote(datetime.now(UTC).isoformat())


# -- versions ----------------------------------------------------------------------------------------


async def test_a_version_is_another_once_the_memory_is_and_not_by_being_recalled(
    api: Api, store: Store
) -> None:
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
        *(patched(api, one, {"content": f"Likes {drink}."}, tag) for drink in ("coffee", "milk"))
    )

    assert sorted(each.status for each in answers) == [200, 412]
    [refused] = [each for each in answers if each.status == 412]
    assert_error(refused, 412, "changed_meanwhile", "If-Match")
    assert len((await api.call("GET", f"{one}/changes")).json["changes"]) == 2
    assert (await call(api, "DELETE", one, None, tag)).status == 412
    now_tag = (await api.call("GET", one)).header(b"etag") or b""
    assert (await call(api, "DELETE", one, None, b'"other", ' + now_tag)).status == 204
    assert (await call(api, "DELETE", one, None, now_tag)).status == 404


async def patched(api: Api, path: str, body: Any, tag: bytes) -> Any:
    return await call(api, "PATCH", path, body, tag)


async def call(api: Api, method: str, path: str, body: Any, tag: bytes) -> Any:
    headers = [(b"Authorization", f"Bearer {TOKEN}".encode()), (b"If-Match", tag)]
    return await api.call(method, path, body, headers=headers)


@table(
    ("tag", "status"),
    [
        (b"*", 200),
        (b'"x"', 412),
        (b'W/"x"', 412),
        (b"x", 400),
        (b"", 412),
        (b'"a" "b"', 400),
        (b'"a",' * 30, 400),
    ],
)
async def test_what_if_match_says_is_followed(api: Api, tag: bytes, status: int) -> None:
    memory = await api.write(f"Likes {tag!r}.")

    response = await call(api, "PATCH", f"{api.memories}/{memory['id']}", {"importance": 1}, tag)

    assert response.status == status, response.body


async def test_what_was_true_at_a_time_is_listed_by_when_it_held(api: Api, store: Store) -> None:
    def days(number: int) -> datetime:
        return NOON + timedelta(days=number)

    old, wrong = store.memory("Lives in Porto"), store.memory("Lives in Paris")
    new = store.memory("Lives in Berlin", observed_at=days(20), holds_from=days(10))
    lease = store.memory("Has a lease in Berlin", observed_at=days(20), holds_until=days(30))
    ended = Past(days(10), Ending.CHANGED, new.id)
    changes: list[Change] = [Add(old), Add(wrong), Retire(wrong.id, Reason.CORRECTED), Add(lease)]
    changes.append(Replace(old.id, new, Reason.CONTRADICTS, past=ended))
    await store.memories.apply(store.anna.scope, changes, actor=Actor.FORMATION, at=days(20))

    async def true_at(day: int) -> set[str]:
        at = quote(days(day).isoformat())
        found = (await api.call("GET", f"{api.memories}?valid_at={at}")).json["memories"]
        return {each["content"] for each in found}

    assert [await true_at(day) for day in (-1, 5, 15, 25, 35)] == [
        set(), {old.content}, {new.content}, {new.content, lease.content}, {new.content},
    ]  # fmt: skip


async def test_valid_times_are_corrected_by_hand_and_undone(api: Api) -> None:
    written = await api.write("Lives in Porto.")
    one = f"{api.memories}/{written['id']}"

    corrected = await api.call(
        "PATCH", one, {"holds_from": "2024-01-01T00:00:00Z", "holds_until": NOON.isoformat()}
    )
    left = await api.call("PATCH", one, {"holds_until": None})

    assert (corrected.json["holds_from"], corrected.json["holds_until"]) == (
        "2024-01-01T00:00:00Z", "2026-03-15T12:00:00Z",
    )  # fmt: skip
    assert (left.json["holds_from"], left.json["holds_until"]) == ("2024-01-01T00:00:00Z", None)
    [last, *_] = (await api.call("GET", f"{api.memories}/changes")).json["changes"]
    assert last["version_before"]["holds_until"] == "2026-03-15T12:00:00Z"
    await api.call("POST", f"{api.memories}/changes/{last['id']}/undo")
    assert (await api.call("GET", one)).json["holds_until"] == "2026-03-15T12:00:00Z"
