"""The JSON of teams and their members."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from recollect.api.fields import NOT_BLANK, TeamName, UserId, about, bounded_text
from recollect.api.people import Erasure
from recollect.model import LONGEST_TITLE, TeamRole

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
    """Who is to be in a team, or to have another role or name there."""

    person: UserId
    role: Annotated[TeamRole, about("`former` for who leaves.")]
    name: _Name | UnsetType = UNSET


class TeamErasure(Struct):
    """The proof that a team was erased."""

    parts: Annotated[list[Erasure], about("The proof of each member's part.")]
