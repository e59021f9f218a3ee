from dataclasses import replace

import pytest
from tests.recollect.store.keeping import formed, next_pending
from tests.support.people import person
from tests.support.stores import LATER, NOON, Store

from recollect.errors import StoreError
from recollect.model import Exchange, Message, Pending, Role, Scope


async def next_exchange(store: Store, user_id: str | None = None) -> Exchange:
    pending = await next_pending(store, user_id or store.anna)
    assert pending is not None
    return pending.exchange


async def test_an_exchange_comes_back_from_the_inbox_whole(store: Store) -> None:
    said = store.exchange("I moved to Oslo 🎉", reply="Nice!", speaker="Anna K.", model="gpt-x", at=LATER)

    assert await store.log.append(said) is True

    assert await next_pending(store) == Pending(said, 0, LATER)


async def test_the_credential_is_not_kept(store: Store) -> None:
    await store.log.append(replace(store.exchange("hello"), credential="Bearer secret"))

    read = await next_exchange(store)

    assert read.credential is None
    assert read.authorized is True


async def test_what_the_request_had_before_it_is_not_taken_for_the_log(store: Store) -> None:
    await store.log.append(store.exchange("hello", history=(Message(Role.USER, "not logged"),)))

    assert (await next_exchange(store)).turn.history == ()


async def test_a_retry_is_not_another_exchange(store: Store) -> None:
    said = store.exchange("hello")
    await store.log.append(said)

    assert await store.log.append(said) is False

    await formed(store, await next_exchange(store))
    assert await next_pending(store) is None


async def test_another_reply_is_an_alternate_and_forms_nothing(store: Store) -> None:
    said = store.exchange("hello", reply="first")
    await store.log.append(said)
    await formed(store, said)

    assert await store.log.append(store.exchange("hello", key=said.turn.key, reply="second")) is False

    assert await next_pending(store) is None
    await store.log.append(store.exchange("and then?"))
    assert [message.text for message in (await next_exchange(store)).turn.history] == ["hello", "first"]


async def test_an_answer_goes_on_only_where_that_was_asked_for(store: Store) -> None:
    said = store.exchange("hello", reply="Yes.")
    await store.log.append(said)
    another = store.exchange("hello", key=said.turn.key, reply="Yes. But not now.")
    await store.log.append(another)
    assert (await next_exchange(store)).reply == "Yes."

    rest = store.exchange("hello", key=said.turn.key, reply="Yes. Gladly.")
    await store.log.append(replace(rest, continues=True))
    assert (await next_exchange(store)).reply == "Yes. Gladly."


async def test_the_first_reply_with_text_becomes_the_reply(store: Store) -> None:
    left = store.exchange("hello", reply="")
    await store.log.append(left)
    answered = store.exchange("hello", key=left.turn.key, reply="Hi!")

    assert await store.log.append(answered) is False
    assert await store.log.append(store.exchange("hello", key=left.turn.key, reply="Hey!")) is False

    read = await next_exchange(store)
    assert (read.id, read.reply, read.reply_id) == (left.id, "Hi!", answered.reply_id)


async def test_further_empty_replies_change_nothing(store: Store) -> None:
    left = store.exchange("hello", reply="")
    await store.log.append(left)

    assert await store.log.append(store.exchange("hello", key=left.turn.key, reply=" \n")) is False

    assert (await next_exchange(store)) == left


async def test_the_same_key_in_another_session_or_of_another_user_is_another_exchange(store: Store) -> None:
    for scope in (store.anna.scope, store.anna.elsewhere, store.ben.scope):
        assert await store.log.append(store.exchange("yes", scope, key="the-key")) is True

    assert (await next_exchange(store, store.ben)).turn.scope == store.ben.scope


async def test_an_erased_exchange_may_be_said_again(store: Store) -> None:
    said = store.exchange("hello")
    await store.log.append(said)
    await store.memories.erase(store.anna, at=NOON)

    assert await store.log.append(said) is True
    assert (await next_exchange(store)).turn.history == ()


async def test_text_that_can_not_be_stored_is_mended(store: Store) -> None:
    await store.log.append(store.exchange("a\x00b", reply="\ud800", speaker="\udfff", model="m\x00"))

    read = await next_exchange(store)

    assert (read.turn.text, read.reply, read.turn.speaker, read.turn.model) == (
        "a\ufffdb",
        "\ufffd",
        "\ufffd",
        "m\ufffd",
    )


@pytest.mark.parametrize("session_id", ["", "a\x00", "\ud800"])
async def test_an_impossible_session_is_refused(store: Store, session_id: str) -> None:
    with pytest.raises(StoreError):
        await store.log.append(store.exchange("hello", Scope(store.anna, session_id)))

    assert await next_pending(store) is None


async def test_an_impossible_key_is_refused(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.log.append(store.exchange("hello", key="a\x00"))


async def test_the_longest_ids_and_keys_are_kept_apart(store: Store) -> None:
    scope = Scope(person("").rjust(256, "🎉"), "🍵" * 256)

    for ending in "xy":
        assert await store.log.append(store.exchange("hello", scope, key="🌧" * 5000 + ending)) is True
        assert await store.log.append(store.exchange("hello", scope, key="🌧" * 5000 + ending)) is False
