"""What is deleted is gone from everywhere: the memories, the log, the blocks of old chats, the history."""

import pytest
from tests.recollect_proxy.frontends import Frontend
from tests.recollect_proxy.given import TEA, WHICH_TEA
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

SECRET = "Lapsang"


@pytest.fixture
async def teller(proxy: RunningProxy, upstream: ScriptedUpstream, user: User) -> User:
    """Someone who told us their favourite tea in a chat of its own, and was told it in another."""
    await Frontend(proxy, upstream, user, chat="told").says(TEA)
    await proxy.memories(user)
    asked = Frontend(proxy, upstream, user, chat="asked")
    assert SECRET in (await asked.says(WHICH_TEA)).body.decode()
    assert SECRET in (await asked.says("And do I like it?")).body.decode()
    return user


async def forget(proxy: RunningProxy, user: User) -> None:
    for memory in await proxy.memories(user):
        answer = await proxy.api(b"DELETE", f"/users/{user.id}/memories/{memory.id}")
        assert answer.status == 204, answer.body


async def test_the_history_does_not_tell_it_again(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    client = Frontend(proxy, upstream, user, chat=None, headers=[(b"X-Recollect-Session", b"tea")])
    await client.says(TEA)
    await proxy.memories(user)
    client.messages.clear()
    assert SECRET in (await client.says("What did I just say?")).body.decode()

    await forget(proxy, user)

    for question in ("What did I just say?", "What did I say before that?"):
        client.messages.clear()
        assert SECRET not in (await client.says(question)).body.decode()


async def test_another_users_same_words_stay(
    proxy: RunningProxy, upstream: ScriptedUpstream, teller: User, other_user: User
) -> None:
    await Frontend(proxy, upstream, other_user, chat="told").says(TEA)
    await proxy.memories(other_user)

    await forget(proxy, teller)

    assert SECRET in (await Frontend(proxy, upstream, other_user, chat="new").says(WHICH_TEA)).body.decode()
