"""The JSON of projects, and of teams and their members."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from recollect.api.fields import NOT_BLANK, ProjectName, TeamName, UserId, about, bounded_text
from recollect.api.people import Erasure
from recollect.model import LONGEST_TITLE, TeamRole


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


_Title: TypeAlias = Annotated[
    str,
    bounded_text(
        LONGEST_TITLE,
        "Its name for people to read, kept in one line.",
        pattern=NOT_BLANK,
        example="The family",
    ),
]
_Name: TypeAlias = Annotated[
    str, bounded_text(LONGEST_TITLE, "Their name in prompts.", pattern=NOT_BLANK, example="Clara")
]


class Member(Struct):
    """A member of a team."""

    person: UserId
    role: Annotated[TeamRole, about("`former`: has left; what they stated is still recalled.")]
    name: Annotated[str, about("Their name in prompts.")]


class Team(Struct):
    """A team."""

    id: TeamName
    title: Annotated[str, about("Its name for people to read; empty if it has no other.")]
    members: list[Member]


class TeamList(Struct):
    """Teams, by their ids."""

    teams: list[Team]


class NewTeam(Struct, forbid_unknown_fields=True):
    """A team to be made, or to be called otherwise."""

    id: TeamName
    title: _Title | UnsetType = UNSET


class NewMember(Struct, forbid_unknown_fields=True):
    """A person to add to a team, or to give another role or name in it."""

    person: UserId
    role: Annotated[TeamRole, about("`former` for who leaves.")]
    name: _Name | UnsetType = UNSET


class TeamErasure(Struct):
    """The proof that a team was erased."""

    parts: Annotated[list[Erasure], about("The proof of each member's part.")]
