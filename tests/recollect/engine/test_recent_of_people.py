"""What is kept of people's last messages is bounded for each and for all, and goes with its person."""

from datetime import UTC, datetime

from recollect.engine.recent_chats import RecentChats
from recollect.engine.recent_of_people import RecentOfPeople
from recollect.model import Message, Role, Scope, Turn


def recent(*, each: int = 100, everybody: int = 250) -> RecentOfPeople[str]:
    return RecentOfPeople(seconds=60, each=each, everybody=everybody, size=len)


def test_one_person_pushes_out_their_own_alone() -> None:
    kept = recent()
    kept.keep("anna", 0, "a" * 50)
    for number in range(20):
        kept.keep("ben", number, "b" * 30)

    assert kept.get("anna", 0)
    assert [number for number in range(20) if kept.get("ben", number)] == [17, 18, 19]
    assert kept.bytes == 140


def test_with_many_people_the_one_heard_longest_ago_goes() -> None:
    kept = recent()
    for person in ("anna", "ben", "anna", "carl", "dora"):
        kept.keep(person, 0, "x" * 80)

    assert [kept.get(person, 0) is not None for person in ("anna", "ben", "carl", "dora")] == [
        True,
        False,
        True,
        True,
    ]
    assert kept.bytes == 240


def test_a_value_that_is_too_large_is_not_kept_nor_is_the_one_before() -> None:
    kept = recent()
    kept.keep("anna", 0, "small")
    kept.keep("anna", 0, "x" * 101)

    assert kept.get("anna", 0) is None
    assert kept.bytes == 0


def test_a_person_is_forgotten_whole() -> None:
    kept = recent()
    for person, key in (("anna", 0), ("anna", 1), ("ben", 0)):
        kept.keep(person, key, "word")
    kept.forget("anna")

    assert [kept.get(*each) for each in (("anna", 0), ("anna", 1), ("ben", 0))] == [None, None, "word"]
    assert kept.bytes == 4


def test_the_chats_of_a_person_who_was_erased_are_not_known_again() -> None:
    chats, at = RecentChats(), datetime(2026, 11, 28, tzinfo=UTC)
    said = (
        Message(Role.USER, "How do the tides of the North Sea work?!"),
        Message(Role.ASSISTANT, "They follow the moon, a little less than an hour later each day."),
    )
    for person in ("anna", "ben"):
        first = Turn(Scope(person, f"of {person}"), said[0].text, key="1", at=at, model="")
        chats.note(first, said[1].text, answer_id="resp_1")
    chats.forget("anna")

    known = {}
    for person in ("anna", "ben"):
        window = Turn(Scope(person, "new"), "Why?", key="2", at=at, model="", history=said)
        chain = Turn(Scope(person, "new"), "Why?", key="2", at=at, model="", follows="resp_1")
        known[person] = chats.chat_of(window), chats.chat_of(chain)
    assert known == {"anna": (None, None), "ben": ("of ben", "of ben")}


def said(*texts: str) -> tuple[Message, ...]:
    return tuple(Message(Role.ASSISTANT if at % 2 else Role.USER, text) for at, text in enumerate(texts))


LONG = ("Which of the two roads to Ghent is shorter?", "The one along the river is the shorter one of them.")
THANKS = ("Thanks!", "You are welcome!")


def test_a_pair_that_stands_in_many_chats_tells_none_of_them() -> None:
    chats, at = RecentChats(), datetime(2026, 11, 28, tzinfo=UTC)
    for before, (asked, answer) in ((("Hi", "Hello!"), THANKS), (THANKS, LONG)):
        turn = Turn(Scope("anna", "fp:a"), asked, key=asked, at=at, model="", history=said(*before))
        chats.note(turn, answer)
    chats.note(Turn(Scope("anna", "fp:c"), LONG[0], key="c", at=at, model=""), LONG[1])

    def chat_of(own: str, *texts: str) -> str | None:
        history = said(*texts)
        return chats.chat_of(
            Turn(Scope("anna", own), "I have a dog.", key="w", at=at, model="", history=history)
        )

    assert chat_of("fp:b", *THANKS) is None
    assert chat_of("fp:b", "What is a fjord?", "An inlet.", *THANKS) is None
    assert chat_of("fp:b", "Hi", "Hello!", *THANKS) == "fp:a"
    assert chat_of("fp:b", *THANKS, *LONG) == "fp:a"
    assert chat_of("fp:a", *LONG) == "fp:a"
    assert chat_of("fp:c", *THANKS, *LONG) == "fp:c", "it carries a beginning that was heard"
    assert chat_of("fp:b", *LONG) == "fp:c"
