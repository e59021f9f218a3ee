"""The block adds the turns that a conversation's requests lack: within its budget, none twice, and in steps."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hostile_texts import fences_seen, hostile_texts
from tests.support.recollections import NOON, logged, turn
from tests.support.tables import table

from recollect.composition import Bounds, place
from recollect.composition import history as composition_history
from recollect.composition.history import (
    LEAST_TOKENS,
    TURNS,
    History,
    compose_history,
    known_anchors,
    missing_exchanges,
    split_history,
)
from recollect.composition.quoting import HISTORY as HISTORY_FENCE
from recollect.model import Chat, LoggedExchange, Message, Role, Turn
from recollect.text.secrets import mask
from recollect.text.secrets.masking import MaskedText
from recollect.text.tokens import estimate_tokens, token_counter

COUNTERS = [estimate_tokens, token_counter("gpt-4o"), token_counter("claude-3")]
CHAT = [logged(n) for n in range(12)]


def messages(exchanges: Sequence[LoggedExchange]) -> tuple[Message, ...]:
    return tuple(
        message
        for each in exchanges
        for message in (Message(Role.USER, each.said), Message(Role.ASSISTANT, each.reply))
    )


def told(missing: Sequence[LoggedExchange], budget: int = 800, summary: str = "") -> History:
    return compose_history(missing, summary=summary, budget=budget, count=estimate_tokens)


def lacks(request: Turn, chat: Sequence[LoggedExchange] = CHAT) -> list[int]:
    return [each.turn_index // 2 for each in missing_exchanges(request, chat)]


# -- what is missing -------------------------------------------------------------------------------


ALONE = [logged(n, carried=0) for n in range(12)]
BRANCHED = [*CHAT[:4], logged(4, carried=0), logged(5, carried=2), logged(6, carried=4)]
REPEATED = [logged(n, said) for n, said in enumerate(["yes", "tea", "yes", "milk", "no"])]
AGAIN = [logged(0, "yes", "first"), logged(1, "yes", "second"), logged(2, "yes", "third")]
SECOND = (Message(Role.USER, "yes"), Message(Role.ASSISTANT, "second"))
LONG = [logged(n) for n in range(80)]
HIDDEN = [each for each in CHAT if each.turn_index != 8]


@table(
    ("request", "chat", "missing"),
    [
        # Who sends the last message alone lacks everything.
        (turn("now"), ALONE, range(12)),
        (turn("now"), ALONE[:1], [0]),
        (turn("now", is_whole=False), CHAT, range(12)),
        # Who cuts off the head lacks what was before it, who sends everything nothing.
        *((turn("now", history=messages(CHAT[first:])), CHAT, range(first)) for first in range(12)),
        (turn("now", history=messages(CHAT[3:]), is_whole=True), CHAT, []),
        # A first message that was edited lacks nothing: its earlier requests carried what was said before.
        (turn("edited"), CHAT, []),
        (turn("edited", is_whole=True), ALONE[:2], []),
        # Nor does what follows on it lack what was before the edit.
        (turn("now", history=messages(BRANCHED[4:])), BRANCHED, []),
        (turn("now", history=messages(BRANCHED[6:])), BRANCHED, [4, 5]),
        # A chat that begins again with the same words; a first turn; a request of which the log knows nothing.
        (turn("said 0"), CHAT[:1], []),
        (turn("said 0\x00"), [logged(0, "said 0\ufffd")], []),
        (turn("hello"), [], []),
        (turn("now", history=(Message(Role.USER, "unheard"),)), CHAT, []),
        # An answer given again is not its own history.
        (turn("said 3", key="key 3"), ALONE[:4], [0, 1, 2]),
        (turn("said 3", key="key 3", history=messages(ALONE[2:3])), ALONE[:4], [0, 1]),
        # Equal messages differ by the next one, then by their answers; of equals the latest counts.
        (turn("now", history=messages(REPEATED)), REPEATED, []),
        (turn("now", history=messages(REPEATED[2:])), REPEATED, [0, 1]),
        (turn("now", history=SECOND), AGAIN, [0]),
        (turn("now", history=SECOND[:1]), AGAIN, [0, 1]),
        # A conversation longer than what is read of it; a hidden exchange leaves a hole and no more.
        (turn("now", history=messages(LONG[20:])), LONG[-50:], []),
        (turn("now", history=messages(LONG[40:])), LONG[-50:], range(30, 40)),
        (turn("now", history=messages(CHAT[6:])), HIDDEN, [0, 1, 2, 3, 5]),
    ],
)
def test_what_is_missing_is_told(
    request: Turn, chat: Sequence[LoggedExchange], missing: Sequence[int]
) -> None:
    assert lacks(request, chat) == list(missing)


def test_an_answer_the_request_begins_with_is_not_told_again() -> None:
    missing = missing_exchanges(turn("now", history=messages(CHAT)[5:]), CHAT)

    assert [each.turn_index // 2 for each in missing] == [0, 1, 2]
    assert (missing[-1].said, missing[-1].reply) == ("said 2", "")
    assert split_history(missing, answered=True)[1][-1].said == "said 2"


def test_who_sends_the_last_answer_and_the_message_lacks_what_was_before() -> None:
    chat = [logged(n, carried=min(n, 1)) for n in range(5)]

    missing = missing_exchanges(turn("now", history=messages(chat)[-1:]), chat)

    assert [each.said for each in missing] == [each.said for each in chat]
    assert missing[-1].reply == ""


def test_a_greeting_in_front_is_no_answer() -> None:
    history = (Message(Role.ASSISTANT, "Welcome!"), *messages(CHAT[3:]))

    assert missing_exchanges(turn("now", history=history), CHAT) == CHAT[:3]


@given(
    st.lists(st.sampled_from(["yes", "no", "ok"]), min_size=1, max_size=12), st.integers(0, 30), st.booleans()
)
def test_what_the_request_carries_is_never_missing(
    said: list[str],
    cut: int,
    begins_with_answer: bool,  # noqa: FBT001 -- what hypothesis gives
) -> None:
    chat = [logged(n, text, f"reply {n}") for n, text in enumerate(said)]
    cut %= len(chat)
    carried = messages(chat)[2 * cut + begins_with_answer :]
    request = turn("now", history=carried)

    missing = missing_exchanges(request, chat)

    assert not {each.reply for each in missing if each.reply} & {message.text for message in carried}
    if any(message.role is Role.USER for message in carried):
        assert len(missing) == cut + begins_with_answer


# -- which anchors the log knows it by -------------------------------------------------------------


def test_messages_that_a_cut_conversation_begins_with_are_known_by_the_logs_keys() -> None:
    here = tuple((2 * n, f"here {n}") for n in range(4))
    cut = turn("now", history=messages(CHAT[9:]), anchors=here)
    assert known_anchors(cut, CHAT) == {f"here {n}": f"anchor {n + 9}" for n in range(3)}
    assert known_anchors(turn("now", history=messages(CHAT), anchors=here), CHAT) == {}
    assert known_anchors(turn("now", history=messages(CHAT[9:]), anchors=here[1:]), CHAT) == {}


def test_they_are_known_until_the_log_disagrees() -> None:
    here = tuple((2 * n, f"here {n}") for n in range(4))
    history = messages([CHAT[9], logged(10, "edited"), CHAT[11]])

    assert known_anchors(turn("now", history=history, anchors=here), CHAT) == {"here 0": "anchor 9"}
    nameless = [*CHAT[:10], logged(10, anchor=None), CHAT[11]]
    assert known_anchors(turn("now", history=messages(CHAT[9:]), anchors=here), nameless) == {
        "here 0": "anchor 9"
    }


# -- what is told ----------------------------------------------------------------------------------


def test_nothing_missing_is_no_history() -> None:
    assert told([], summary="They spoke of tea.") == History()


def test_a_budget_too_small_for_a_sentence_each_is_no_history() -> None:
    assert told(CHAT, budget=LEAST_TOKENS - 1) == History()
    assert told(CHAT, budget=LEAST_TOKENS).restored
    assert compose_history(CHAT, summary="", budget=LEAST_TOKENS, count=len) == History()


def test_the_latest_is_restored_and_what_was_before_stands_in_the_block() -> None:
    history = told(CHAT[:5])

    assert [each.said for each in history.restored] == ["said 3", "said 4"]
    lines = history.block.split("\n")
    assert lines[0] == f"<{HISTORY_FENCE}>"
    assert "not instructions" in lines[1]
    assert lines[2:] == [
        *("- User: said 0", "- Assistant: reply 0", "- User: said 1", "- Assistant: reply 1"),
        *("- User: said 2", "- Assistant: reply 2", f"</{HISTORY_FENCE}>"),
    ]


def test_the_summary_stands_in_front_and_is_one() -> None:
    history = told(CHAT[:1], summary="User: they spoke\nof tea. " * 200)

    lines = history.block.split("\n")
    assert lines[2].startswith("- Summary: User: they spoke")
    assert all(line.startswith("  ") for line in lines[3:-1])
    assert lines[-2].endswith("\u2026")


def test_an_exchange_without_an_answer_stands_in_the_block_and_is_not_restored() -> None:
    chat = [logged(0), logged(1, reply=""), logged(2), logged(3), logged(4, reply="")]

    history = told(chat)

    assert history.block.count("\n- User:") == 3
    assert history.block.count("\n- Assistant:") == 2
    assert [each.said for each in history.restored] == ["said 3"]


def test_the_block_stays_for_three_turns_while_more_is_restored_and_then_moves_on() -> None:
    histories = [told(CHAT[:length]) for length in range(1, 13)]

    assert [len(history.restored) for history in histories] == [1, 2, 3] * 4
    for step in range(0, 12, 3):
        assert len({history.block for history in histories[step : step + 3]}) == 1
        assert histories[step + 2].restored[:2] == histories[step + 1].restored
    assert len({history.block for history in histories}) == 4


def test_the_steps_stay_where_exchanges_are_hidden() -> None:
    hidden = [each for each in CHAT if each.turn_index // 2 not in {4, 7}]

    blocks = [told(hidden[:length]).block for length in range(1, len(hidden) + 1)]

    assert len(set(blocks)) == 4
    assert "said 3" in blocks[5]
    assert "said 2" not in blocks[5]


def test_the_steps_stay_when_the_log_is_read_in_part() -> None:
    long = [logged(n, carried=0) for n in range(90)]

    histories = [told(long[:length][-50:]) for length in range(60, 90)]

    assert len({history.block for history in histories}) == 11
    assert max(len(history.restored) for history in histories) == 3


long_texts = (
    hostile_texts | st.integers(1, 400).map("many words ".__mul__) | st.integers(1, 2000).map("a\n".__mul__)
)


@given(
    st.lists(st.tuples(long_texts, long_texts), min_size=1, max_size=9),
    st.integers(0, 1500),
    st.just("") | long_texts,
    st.sampled_from(COUNTERS),
)
def test_it_keeps_budget_and_fence(
    said: list[tuple[str, str]], budget: int, summary: str, count: Callable[[str], int]
) -> None:
    chat = [logged(n, asked, answered) for n, (asked, answered) in enumerate(said)]

    history = compose_history(chat, summary=summary, budget=budget, count=count)

    restored = sum(count(each.said) + count(each.reply) for each in history.restored)
    assert count(history.block) + restored <= history.tokens <= budget
    assert history.block.count("\n- User: ") + len(history.restored) <= TURNS
    for each in history.restored:
        assert not fences_seen(each.said)
        assert not fences_seen(each.reply)
    assert len(fences_seen(history.block)) in {0, 2}
    inside = history.block.splitlines()[2:-1]
    assert all(line.startswith(("  ", "- User: ", "- Assistant: ", "- Summary: ")) for line in inside)
    assert history == compose_history(chat, summary=summary, budget=budget, count=count)


LONG_AGO = "We moved into the house by the river. " * 40
"""Longer than what of a text could be masked for each request."""


@table(
    ("told", "masked", "is_known"),
    [
        # wherever the secret stood, and whatever showed it to be one
        (
            "My wifi password is sunflower9, as noted",
            "My wifi password is [secret: password], as noted",
            True,
        ),
        ("It opens with 4711 and 4711 alone", "It opens with [secret: code] and [secret: code] alone", True),
        (LONG_AGO + "It was hunter2.", LONG_AGO + "It was [secret: password].", True),
        ("It was hunter2. " + LONG_AGO * 3, "It was [secret: password]. " + LONG_AGO * 3, True),
        ("It was hunter2! " * 9 + LONG_AGO, "It was [secret: password]! " * 9 + LONG_AGO, True),
        ("password: sunflower77", "password: [secret: password]", True),
        # another text
        ("Where did we live before?", "[secret: password]", False),
        ("It is on the fridge", "It is [secret: code]", False),
        ("It opens with 4711 and nothing else", "It opens with [secret: code] and its twin alone", False),
        ("It opens with  and nothing else", "It opens with [secret: code] and nothing else", False),
        ("My wifi password is sunflower9, as noted", "said 3", False),
    ],
)
def test_a_request_is_known_again_though_the_log_masked_it(told: str, masked: str, *, is_known: bool) -> None:
    chat = [replace(each, said=masked) if each is CHAT[3] else each for each in CHAT]
    carried = replace(messages(CHAT)[6], text=told), *messages(CHAT)[7:]

    assert lacks(turn("now", history=carried), chat) == ([0, 1, 2] if is_known else [])


def test_of_a_request_little_is_masked_whatever_the_log_and_it_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def watched(text: str) -> MaskedText:
        seen.append(text)
        return mask(text)

    monkeypatch.setattr(composition_history, "mask", watched)
    chat = [logged(n, f"[secret: password] {n}", f"{n} [secret: code]") for n in range(60)]
    texts = [
        Message((Role.USER, Role.ASSISTANT)[n % 2], "password is " * 9 + f" {n // 2}") for n in range(120)
    ]

    place(turn("now", history=tuple(texts)), (), Chat(exchanges=tuple(chat)), Bounds(), count=len, at=NOON)

    assert 0 < sum(map(len, seen)) <= 1_000


def test_nothing_is_masked_where_the_log_has_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(composition_history, "mask")

    assert lacks(turn("now", history=messages(CHAT[3:]))) == [0, 1, 2]
