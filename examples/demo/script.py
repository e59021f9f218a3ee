"""Who says what in the demo, and what must come of it. Never: how it is said or checked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """One of the two.

    Attributes:
        name: How the demo calls them.
        tells: What they tell in their first chat.
        asks: What they ask in a new one about what they told.
        asks_of_other: What they ask there about what only the other one told.
        words: Words, in lower case, that only what they told holds; the first answers ``asks``.
    """

    name: str
    tells: tuple[str, ...]
    asks: str
    asks_of_other: str
    words: tuple[str, ...]

    @property
    def user_id(self) -> str:
        """The user id that a frontend would send."""
        return f"demo-{self.name.lower()}"


ALICE = Person(
    name="Alice",
    tells=(
        "I'm allergic to quinces, so please never suggest a recipe with them.",
        "My daughter Philippa starts school in September.",
    ),
    asks="Which fruit am I allergic to?",
    asks_of_other="What is my sailing boat called?",
    words=("quince", "philippa"),
)

BOB = Person(
    name="Bob",
    tells=(
        "My sailing boat is called Kittiwake, and I keep it in Stromness.",
        "I work night shifts, so I only answer after noon.",
    ),
    asks="What is my sailing boat called?",
    asks_of_other="Which fruit am I allergic to?",
    words=("kittiwake", "stromness", "night shift"),
)

PEOPLE = (ALICE, BOB)


def other(person: Person) -> Person:
    """Return the one who is not ``person``."""
    return BOB if person is ALICE else ALICE
