"""What is kept of people's last messages is bounded for each and for all, and goes with its person."""

from recollect.engine.recent_of_people import RecentOfPeople


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
