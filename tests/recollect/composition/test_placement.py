"""Each block stands where its turn is, and stays as it was."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.composition.simulated_chat import SimulatedChat, last_only
from tests.support.recollections import NOON, injection, logged, recollection, turn
from tests.support.tables import table

from recollect.composition import Bounds, Placed, attached, place
from recollect.composition.block import Block
from recollect.model import Chat, Injection, Message, Place, Placement, Recollection, Role, Turn
from recollect.text.tokens import estimate_tokens

NOTE = recollection("Likes tea.")
BOUNDS = Bounds()
FIRST = turn("one", key="key 0", anchors=((0, "a0"),))
SECOND = turn(
    "two",
    key="key 1",
    anchors=((0, "a0"), (2, "a1")),
    history=(Message(Role.USER, "one"), Message(Role.ASSISTANT, "1")),
)
EDITED = turn("other", key="key x", anchors=((0, "x0"),))
SYSTEM = injection("a0", "SYSTEM", Place.SYSTEM)


def placed(request: Turn, chat: Chat | None = None, bounds: Bounds = BOUNDS, *many: Recollection) -> Placed:
    return place(request, many or (NOTE,), chat or Chat(), bounds, count=estimate_tokens, at=NOON)


def block_of(found: Placed) -> Block:
    assert found.block is not None
    return found.block


def test_a_chats_first_block_goes_into_the_system_prompt() -> None:
    first = placed(FIRST)

    assert (first.system, first.beside) == (block_of(first).text, {})
    assert first.injection is not None
    assert (first.injection.place, first.injection.items) == (Place.SYSTEM, (NOTE.item.id,))
    assert first.tokens == block_of(first).tokens == first.injection.tokens


def test_a_later_block_stands_beside_its_turn_also_where_it_is_the_first() -> None:
    later, alone = placed(SECOND, Chat((SYSTEM,))), placed(SECOND)
    kept = placed(replace(FIRST, follows="answer 0", is_kept=True))

    assert (later.system, later.beside) == ("SYSTEM", {2: block_of(later).text})
    assert later.tokens == block_of(later).tokens + SYSTEM.tokens
    assert (alone.system, list(alone.beside)) == ("", [2])
    assert (kept.system, list(kept.beside)) == ("", [0])


def test_of_a_conversation_that_the_server_keeps_the_log_knows_whether_it_has_begun() -> None:
    turn = replace(FIRST, is_kept=True, is_whole=True)
    begins, goes_on = (placed(turn, Chat(exchanges=(logged(each),))) for each in (0, 1))

    assert (bool(begins.system), list(begins.beside)) == (True, [])
    assert (goes_on.system, list(goes_on.beside)) == ("", [0])


def test_what_comes_later_may_take_three_hundred_tokens_and_never_more_than_what_comes_first() -> None:
    many = [recollection(f"Note {n} of a long list: " + "green tea " * 10) for n in range(40)]

    assert 900 < block_of(placed(FIRST, None, BOUNDS, *many)).tokens <= 1000
    assert 250 < block_of(placed(SECOND, Chat((SYSTEM,)), BOUNDS, *many)).tokens <= 300
    assert 150 < block_of(placed(SECOND, Chat((SYSTEM,)), Bounds(memory_tokens=200), *many)).tokens <= 200


def test_what_is_detached_adds_nothing() -> None:
    assert Placed(detached=("a0",)) == Placed()
    assert Placed(system="a") != Placed()


def test_placed_by_the_system_all_stands_there_and_nothing_comes_again() -> None:
    bounds = Bounds(placement=Placement.SYSTEM)
    later = placed(SECOND, Chat((SYSTEM,)), bounds)

    assert (later.system, later.beside) == (block_of(later).text, {})
    assert attached(SECOND, Chat((SYSTEM,)), bounds) == ()


def test_placed_by_the_user_all_stands_there() -> None:
    first = placed(FIRST, Chat((SYSTEM,)), Bounds(placement=Placement.USER))

    assert (first.system, first.beside) == ("", {0: block_of(first).text})


def test_placed_nowhere_nothing_is_added() -> None:
    chat = Chat((SYSTEM,), (logged(0, carried=0),))

    assert placed(turn("now"), chat, Bounds(placement=Placement.OFF)) == Placed()


def test_a_turn_without_anchors_is_known_by_its_key() -> None:
    later = placed(replace(SECOND, anchors=()))

    assert later.injection is not None
    assert later.injection.anchor == "key 1"
    assert list(later.beside) == [-1]


# -- branches --------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_whole", [None, True])
def test_an_edited_first_message_never_gets_the_other_branchs_block(*, is_whole: bool | None) -> None:
    chat = Chat((SYSTEM, injection("a1", "BESIDE")), (logged(0, "one", anchor="a0"), logged(1, anchor="a1")))

    edited = placed(replace(EDITED, is_whole=is_whole), chat)

    assert edited.system == block_of(edited).text
    assert "BESIDE" not in edited.beside.values()


def test_nor_do_the_turns_behind_it() -> None:
    root = logged(1, "other", carried=0, anchor="x0")
    chat = Chat((SYSTEM,), (logged(0, "one", anchor="a0"), root))
    behind = turn(
        "more",
        anchors=((0, "x0"), (2, "x1")),
        history=(Message(Role.USER, "other"), Message(Role.ASSISTANT, "1")),
    )

    assert (
        attached(behind, Chat((SYSTEM, injection("x0", "ITS OWN", Place.SYSTEM))), BOUNDS)[0].block
        == "ITS OWN"
    )
    # Cut off behind "one", it could be the same branch; but that it is known to begin so tells.
    assert attached(replace(behind, is_whole=True), chat, BOUNDS) == ()


CUT_OFF = turn("now", anchors=((0, "?"), (2, "b")), history=(Message(Role.USER, "far along"),))
BEGINS = turn("now", anchors=((0, "x0"), (2, "b")), history=(Message(Role.USER, "other"),))


@table(
    ("request_", "chat", "again"),
    [
        # A conversation that is cut off somewhere unknown, or of which nothing is logged yet, keeps its system prompt.
        (CUT_OFF, Chat((SYSTEM,)), (SYSTEM,)),
        (EDITED, Chat((SYSTEM,)), (SYSTEM,)),
        # One that the server keeps is sent it each time.
        (replace(EDITED, is_kept=True, is_whole=True), Chat((SYSTEM,)), (SYSTEM,)),
        # One that is known to begin with a message without block has none.
        (BEGINS, Chat((SYSTEM,), (logged(0, "other", anchor="x0"),)), ()),
        # Of several blocks only the first comes again.
        (SECOND, Chat((SYSTEM, injection("a1", "ANEW", Place.SYSTEM))), (SYSTEM,)),
    ],
)
def test_the_systems_first_block_comes_again(
    request_: Turn, chat: Chat, again: tuple[Injection, ...]
) -> None:
    assert attached(request_, chat, BOUNDS) == again


# -- history ---------------------------------------------------------------------------------------


def test_restored_messages_come_with_their_blocks() -> None:
    chat = Chat(
        (SYSTEM, injection("a1", "BESIDE")),
        (logged(0, carried=0, anchor="a0"), logged(1, carried=0, anchor="a1")),
    )

    result = placed(turn("now", anchors=((0, "a2"),)), chat)

    assert result.system == "SYSTEM"
    assert [(message.text, block) for message, block in result.earlier] == [
        ("said 0", ""),
        ("reply 0", ""),
        ("said 1", "BESIDE"),
        ("reply 1", ""),
    ]
    assert result.history_tokens > 0


def test_the_history_stands_behind_the_memories_in_the_system_prompt() -> None:
    chat = Chat((SYSTEM,), tuple(logged(n, carried=0) for n in range(4)))

    result = placed(turn("now", anchors=((0, "a2"),)), chat)

    assert result.system.startswith("SYSTEM\n\n<recollect_history>\n")
    assert [message.text for message, _ in result.earlier] == ["said 3", "reply 3"]


def test_blocks_of_what_is_not_restored_are_not_in_the_prompt() -> None:
    """Else what they speak of would count as given."""
    alone = tuple(logged(n, carried=0) for n in range(5))
    blocks = tuple(injection(f"anchor {n}", f"BLOCK {n}") for n in range(5))

    again = attached(turn("now"), Chat(blocks, alone), BOUNDS)

    assert [each.block for each in again] == ["BLOCK 3", "BLOCK 4"]
    assert attached(turn("now"), Chat(blocks, alone), Bounds(history_tokens=0)) == ()
    assert attached(turn("now"), Chat(blocks, (*alone[:4], replace(alone[4], reply=""))), BOUNDS)[1:] == ()


def test_the_same_words_restored_and_said_again_have_one_block() -> None:
    chat = Chat((injection("yes", "BLOCK"),), (logged(0, "yes", carried=0, anchor="yes"),))

    result = placed(turn("yes", anchors=((0, "yes"),), is_whole=False), chat)

    assert [block for _, block in result.earlier] == ["BLOCK", ""]
    assert result.beside == {}


# -- a whole chat ----------------------------------------------------------------------------------


def test_over_a_chat_each_block_stays_beside_its_turn() -> None:
    chat = SimulatedChat()

    sent = [chat.exchange(f"turn {n}") for n in range(6)]

    assert len({each.placed.system for each in sent}) == 1
    for n, each in enumerate(sent):
        assert list(each.placed.beside) == [2 * m + 1 for m in range(1, n + 1)]  # behind the system's message
    for one, following in pairwise(sent):
        assert one.placed.beside.items() <= following.placed.beside.items()


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), st.booleans())
def test_whatever_is_said_to_place_twice_is_to_place_once(
    texts: list[str],
    alone: bool,  # noqa: FBT001 -- what hypothesis gives
) -> None:
    chat = SimulatedChat(carries=last_only) if alone else SimulatedChat()
    for text in texts:
        once, twice = chat.send(text), chat.send(text)

        assert twice.body == once.body
        assert (twice.placed.block, twice.placed.injection) == (None, None)
        chat.answer(once)


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

    result = placed(request, chat, Bounds(memory_tokens=200, chat_memory_tokens=1000))

    assert result.detached == tuple(f"anchor {n}" for n in range(1, 5))
    assert result.system == "BLOCK 0"
    assert list(result.beside.values())[:-1] == [f"BLOCK {n}" for n in range(5, 9)]
    assert result.tokens == 500 + block_of(result).tokens


def test_as_long_as_they_may_all_stay() -> None:
    request, chat = long_chat(8)

    assert placed(request, chat, Bounds(memory_tokens=200, chat_memory_tokens=1000)).detached == ()


def test_more_goes_where_half_is_not_enough_but_never_the_first_nor_the_turns_own() -> None:
    request, chat = long_chat(9)
    own = injection(request.anchor, "OWN", tokens=900)

    result = placed(request, Chat((*chat.injections, own)), Bounds(memory_tokens=900, chat_memory_tokens=900))

    assert (len(result.detached), result.system, list(result.beside.values())) == (8, "BLOCK 0", ["OWN"])


def test_the_same_turn_once_more_detaches_nothing() -> None:
    request, chat = long_chat(8)
    kept = Chat((*chat.injections, injection(request.anchor, "OWN", tokens=200)))

    again = placed(request, kept, Bounds(memory_tokens=200, chat_memory_tokens=1000))

    assert (again.detached, len(again.beside)) == ((), 8)


def test_what_was_detached_never_comes_back() -> None:
    chat = SimulatedChat(Bounds(memory_tokens=150, chat_memory_tokens=600))
    gone: set[str] = set()
    steps = 0

    for n in range(30):
        sent = chat.exchange(f"turn {n}")
        gone |= set(sent.placed.detached)
        steps += bool(sent.placed.detached)
        assert not gone & {each.anchor for each in attached(sent.turn, chat.chat, chat.bounds)}
        assert sent.placed.tokens <= 600

    assert 2 <= steps <= 8
    assert len(gone) > 15
