"""Many changes at once: all or nothing, with a result for each."""

from typing import Any
from uuid import uuid4

from tests.recollect_proxy.memory_api.serving import Api, assert_error, engine_over
from tests.scripted.models import BrokenEmbedder
from tests.support.stores import Store


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
