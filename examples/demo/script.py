"""The scenes of the demo: the messages, and the changes and memories that must follow."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scene:
    """One message of one person, in one of their chats.

    Attributes:
        title: The heading.
        person: The name of the person.
        chat: The person's chat; a chat that is named again goes on.
        says: The message.
        changes: Changes that must follow: the verb, and a part of the memory's text.
        recalls: A word that a recalled memory and the answer must have; "" if none needs to be recalled.
        apart: Words that no recalled memory, no answer and no memory of this person may have.
    """

    title: str
    person: str
    chat: str
    says: str
    changes: tuple[tuple[str, str], ...] = ()
    recalls: str = ""
    apart: tuple[str, ...] = ()

    @property
    def user_id(self) -> str:
        """The user id that a frontend would send."""
        return f"demo-{self.person.lower()}"


SCENES = (
    Scene(
        "Learned",
        "Alice",
        "first",
        "I live in Porto, and I'm allergic to walnuts.",
        changes=(("remembered", "Porto"), ("remembered", "walnuts")),
    ),
    Scene(
        "Replaced",
        "Alice",
        "second",
        "Remember that I moved to Braga.",
        changes=(("replaced", "Braga"),),
    ),
    Scene(
        "Recalled in another chat",
        "Alice",
        "third",
        "In which town do I live?",
        recalls="Braga",
        apart=("Porto",),
    ),
    Scene(
        "Kept apart from another person",
        "Bob",
        "first",
        "In which town do I live?",
        apart=("Braga", "Porto", "walnut"),
    ),
    Scene(
        "Undone",
        "Alice",
        "second",
        "Undo that.",
        changes=(("undone", "Porto"),),
    ),
)
