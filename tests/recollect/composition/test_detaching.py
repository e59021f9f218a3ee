"""When the blocks of a chat take too much, the oldest half of them goes at once, for good."""

from tests.recollect.composition.simulated_chat import SimulatedChat
from tests.support.recollections import NOON, injection, recollection, turn

from recollect.composition import Bounds, Placed, attached, place
from recollect.model import Chat, Message, Place, Role, Turn
from recollect.text.tokens import estimate_tokens


def placed(request: Turn, chat: Chat, bounds: Bounds) -> Placed:
    return place(request, [recollection("Likes tea.")], chat, bounds, count=estimate_tokens, at=NOON)


def long_chat(turns: int) -> tuple[Turn, Chat]:
    history = tuple(
        message
        for n in range(turns)
        for message in (Message(Role.USER, f"said {n}"), Message(Role.ASSISTANT, f"reply {n}"))
    )
    anchors = tuple((2 * n, f"anchor {n}") for n in range(turns + 1))
    blocks = [
        injection(f"anchor {n}", f"BLOCK {n}", Place.BESIDE if n else Place.SYSTEM) for n in range(turns)
    ]
    return turn("now", history=history, anchors=anchors), Chat(tuple(blocks))


def test_the_oldest_half_of_those_beside_messages_goes_at_once() -> None:
    request, chat = long_chat(9)
    bounds = Bounds(memory_tokens=200, chat_memory_tokens=1000)

    result = placed(request, chat, bounds)

    assert result.detached == tuple(f"anchor {n}" for n in range(1, 5))
    assert result.system == "BLOCK 0"
    assert list(result.beside.values())[:-1] == [f"BLOCK {n}" for n in range(5, 9)]
    assert result.block is not None
    assert result.tokens == 500 + result.block.tokens


def test_as_long_as_they_may_all_stay() -> None:
    request, chat = long_chat(8)

    assert placed(request, chat, Bounds(memory_tokens=200, chat_memory_tokens=1000)).detached == ()


def test_more_goes_where_half_is_not_enough_but_never_the_first_nor_the_turns_own() -> None:
    request, chat = long_chat(9)
    own = injection(request.anchor, "OWN", tokens=900)
    bounds = Bounds(memory_tokens=900, chat_memory_tokens=900)

    result = placed(request, Chat((*chat.injections, own)), bounds)

    assert len(result.detached) == 8
    assert result.system == "BLOCK 0"
    assert list(result.beside.values()) == ["OWN"]


def test_the_same_turn_once_more_detaches_nothing() -> None:
    request, chat = long_chat(8)
    bounds = Bounds(memory_tokens=200, chat_memory_tokens=1000)
    own = injection(request.anchor, "OWN", tokens=200)

    again = placed(request, Chat((*chat.injections, own)), bounds)

    assert again.detached == ()
    assert len(again.beside) == 8


def test_what_was_detached_never_comes_back() -> None:
    chat = SimulatedChat(Bounds(memory_tokens=150, chat_memory_tokens=600))
    gone: set[str] = set()
    steps = 0

    for n in range(30):
        sent = chat.exchange(f"turn {n}")
        gone |= set(sent.placed.detached)
        steps += bool(sent.placed.detached)
        there = {each.anchor for each in attached(sent.turn, chat.chat, chat.bounds)}
        assert not gone & there
        assert sent.placed.tokens <= 600

    assert 2 <= steps <= 8
    assert len(gone) > 15
