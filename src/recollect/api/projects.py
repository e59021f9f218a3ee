"""The JSON of a person's projects."""

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from recollect.api.fields import NOT_BLANK, ProjectName, about, bounded_text
from recollect.model import LONGEST_TITLE


class Project(Struct):
    """A project of a user."""

    name: ProjectName
    title: Annotated[str, about("Its name for people to read; empty if it has no other.")]
    alone: Annotated[bool, about("Whether its chats recall its memories alone, without the user's own.")]
    memories: Annotated[int, about("How many memories of its own it has.")]
    chats: Annotated[int, about("How many chats.")]


class ProjectList(Struct):
    """The projects of a user, by name."""

    projects: list[Project]


class ProjectChange(Struct, forbid_unknown_fields=True):
    """A change of a project: at least one of the fields. Its name stays."""

    title: (
        Annotated[
            str,
            bounded_text(
                LONGEST_TITLE,
                "Its name for people to read, kept in one line.",
                pattern=NOT_BLANK,
                example="The boat",
            ),
        ]
        | UnsetType
    ) = UNSET
    alone: (
        Annotated[bool, about("Whether its chats recall its memories alone, without the user's own.")]
        | UnsetType
    ) = UNSET
