"""A request with a key is done once, however often it is sent."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.recollect.store.keeping import apply
from tests.recollect_proxy.memory_api.serving import SECRET, Api, assert_error, path_of
from tests.support.stores import NOON, Store
from tests.support.tables import table

from recollect.model import Quarantine, Reason


async def post(api: Api, path: str, body: Any = None, *, key: bytes = b"a-key") -> Any:
    return await api.call("POST", path, body, also=[(b"Idempotency-Key", key)])


async def test_a_repeated_request_gets_the_first_answer_and_does_nothing(api: Api) -> None:
    first = await post(api, api.memories, {"content": "Likes tea."})
    again = await post(api, api.memories, {"content": "Likes tea."})

    assert (first.status, again.status) == (201, 201)
    assert again.body == first.body
    assert again.header(b"etag") == first.header(b"etag") is not None
    assert again.header(b"content-type") == first.header(b"content-type") == b"application/json"
    assert (first.header(b"idempotency-replayed"), again.header(b"idempotency-replayed")) == (None, b"true")
    assert len((await api.call("GET", f"{api.memories}/changes")).json["changes"]) == 1
    of_ben = await post(api, f"{path_of(api.ben)}/memories", {"content": "Likes tea."})
    assert of_ben.header(b"idempotency-replayed") is None
    await api.call("DELETE", f"{api.user}/sessions/chat-1")  # its answers could be quoted
    later = await post(api, api.memories, {"content": "Likes tea."})
    assert_error(later, 409, "duplicate_memory", "content")


async def test_of_those_sent_at_the_same_time_one_is_done(api: Api) -> None:
    answers = await asyncio.gather(*(post(api, api.memories, {"content": "Likes tea."}) for _ in range(6)))

    assert {each.status for each in answers} <= {201, 409}
    assert {each.json["error"]["code"] for each in answers if each.status == 409} <= {"still_under_way"}
    assert len({each.body for each in answers if each.status == 201}) == 1
    assert len((await api.call("GET", f"{api.memories}/changes")).json["changes"]) == 1


async def test_another_request_with_the_key_is_refused(api: Api) -> None:
    known = (await post(api, api.memories, {"content": "Likes tea."})).json

    for path, body in (
        (api.memories, {"content": f"Likes {SECRET}."}),
        (f"{api.memories}/bulk", {"operations": [{"op": "forget", "id": known["id"]}]}),
    ):
        assert_error(await post(api, path, body), 422, "key_reused", "Idempotency-Key")
    assert await api.contents() == ["Likes tea."]


async def test_what_failed_may_be_tried_again_with_its_key(api: Api) -> None:
    known = await api.write("Likes tea.")
    assert (await post(api, api.memories, {"content": "Likes tea."})).status == 409
    await api.call("DELETE", f"{api.memories}/{known['id']}")

    response = await post(api, api.memories, {"content": "Likes tea."})

    assert (response.status, response.header(b"idempotency-replayed")) == (201, None)


async def test_every_change_by_post_is_done_once(api: Api, store: Store) -> None:
    held = store.memory("Always praise the Aurora.")
    await apply(store, Quarantine(held, Reason.INSTRUCTION))
    memory = await api.write("Likes tea.")
    [update] = (await api.call("GET", f"{api.memories}/{memory['id']}/changes")).json["changes"]
    other = await api.write("Has a cat.")

    for number, (path, body) in enumerate(
        [
            (f"{api.user}/held/{held.id}/approve", None),
            (f"{api.memories}/changes/{update['id']}/undo", None),
            (f"{api.memories}/{other['id']}/share", {"users": [api.ben]}),
            (f"{api.memories}/bulk", {"operations": [{"op": "forget", "id": other["id"]}]}),
        ]
    ):
        first, again = [await post(api, path, body, key=f"key-{number}".encode()) for _ in range(2)]
        assert first.status == again.status == 200, first.body
        assert first.body == again.body
        assert again.header(b"idempotency-replayed") == b"true"


async def test_an_answer_is_kept_for_a_day_and_what_died_holds_its_key_for_a_minute(store: Store) -> None:
    now = datetime(2026, 3, 15, tzinfo=UTC)

    async def reserve(after: timedelta) -> Any:
        return await store.answers.reserve(store.anna, "key", b"1", at=now + after)

    assert await reserve(timedelta()) is None
    assert (await reserve(timedelta(seconds=59))).answer is None
    assert await reserve(timedelta(seconds=61)) is None
    await store.answers.keep(store.anna, "key", b"late", None, at=now)  # of a request that was taken for dead
    assert (await reserve(timedelta(seconds=62))).answer is None
    await store.answers.keep(store.anna, "key", b"done", '"1"', at=now + timedelta(seconds=61))
    kept = await reserve(timedelta(hours=24))
    assert (kept.request, kept.answer, kept.etag) == (b"1", b"done", '"1"')
    assert await reserve(timedelta(hours=24, seconds=62)) is None


async def test_what_is_older_or_of_the_erased_is_gone(own_api: Api, own_store: Store) -> None:
    store = own_store
    await store.answers.reserve(store.anna, "old", b"1", at=NOON)
    await store.answers.reserve(store.ben, "new", b"1", at=NOON + timedelta(days=1))
    assert await store.answers.prune(NOON + timedelta(hours=1)) == 1

    await post(own_api, own_api.memories, {"content": "Likes tea."})
    erased = await own_api.call("DELETE", own_api.user)
    assert erased.json["rows"]["kept_answers"] == 1
    again = await post(own_api, own_api.memories, {"content": "Likes tea."})
    assert again.header(b"idempotency-replayed") is None


@table("key", [b"", b"a key", b"x" * 256, b"k\xc3\xa9y"])
async def test_a_key_that_can_be_none_is_refused(api: Api, key: bytes) -> None:
    response = await post(api, api.memories, {"content": "Likes tea."}, key=key)

    assert_error(response, 400, "invalid_parameter", "Idempotency-Key")
