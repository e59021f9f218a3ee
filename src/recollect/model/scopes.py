"""The owner of data (a person, or one of their projects or teams), the chat, and the versions of the data.

A project is a scope of its own, with an id like a user's, so that the walls between users are those between projects. The id is
the person's with ``SEPARATOR`` and the project's name behind it; no person's id holds that character.

A team is the union of its members' projects of one name, ``team:`` and the team's id. Each member writes in their own alone. An
agent's own memory is a project of the person for whom it works, ``agent:`` and the agent's name.
"""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

SEPARATOR = "\x1f"
"""Stands between a person's id and the name of their project: U+001F, which separates units of data."""

LONGEST_PROJECT = 64
"""Characters of a project's name."""

TEAM = "team:"
"""Begins the name of the projects that are a team's; the team's id is behind it."""

AGENT = "agent:"
"""Begins the name of the projects that are an agent's own memory; the agent's name is behind it."""

MOST_MEMBERS = 100
"""Members of a team, with former ones."""

LONGEST_TITLE = 100
"""Characters of a project's name for people to read."""

_NOT_IN_NAMES = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""The Unicode categories of control characters, lone surrogates and line ends."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A user (a person, or one of their projects), and one session (a chat) of theirs. The first argument of every store method."""

    user_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project of a person; the chats of one that is ``alone`` recall its memories without the person's own."""

    name: str
    title: str = ""
    alone: bool = False
    memories: int = 0
    chats: int = 0


class TeamRole(StrEnum):
    """The roles in a team. All members recall the statements of its writers, owners and former members."""

    READER = "reader"
    WRITER = "writer"
    """States things in it, and corrects and forgets others' statements."""
    OWNER = "owner"
    """Also says who is in it, and erases it."""
    FORMER = "former"
    """Has left it, and reads nothing of it."""


WRITING = frozenset({TeamRole.WRITER, TeamRole.OWNER})
"""The roles that change a team's memory."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a team, with the name that prompts give them."""

    person: str
    role: TeamRole
    name: str


@dataclass(frozen=True, slots=True)
class Team:
    """People who share their statements in the team's chats: the ids of the members, also of former ones, and a title or ""."""

    id: str
    title: str = ""
    members: tuple[Member, ...] = ()

    def member(self, person: str) -> Member | None:
        """Return a person's membership; None if they are not in it, or no longer."""
        found = (each for each in self.members if each.person == person)
        return next((each for each in found if each.role is not TeamRole.FORMER), None)

    def may_write(self, person: str) -> bool:
        """Return whether a person states things in it."""
        member = self.member(person)
        return member is not None and member.role in WRITING

    def scopes(self, person: str) -> tuple[tuple[str, str], ...]:
        """Return the projects that make up the team, each with its member's name; the person's own comes first."""
        speaking = [
            each for each in self.members if each.role is not TeamRole.READER or each.person == person
        ]
        speaking.sort(key=lambda each: each.person != person)
        return tuple((project_scope(each.person, f"{TEAM}{self.id}"), each.name) for each in speaking)


class Versions(NamedTuple):
    """The versions of a person's memories and log, in the order of commits.

    Attributes:
        epoch: Another value whenever the person was erased and came back, or the server started again.
        statements_floor: The version in which memories were last removed.
        log_floor: The version in which indexed messages were last removed.
        commons_floor: The version in which shared memories were last removed.
    """

    epoch: UUID
    statements: int
    statements_floor: int
    log: int
    log_floor: int
    commons: int
    commons_floor: int


def project_scope(person: str, project: str) -> str:
    """Return the id of a project of a person; with "" the person's own."""
    return f"{person}{SEPARATOR}{project}" if project else person


def person_of(user_id: str) -> str:
    """Return the person to whom an id belongs: their own, or that of a project of theirs."""
    return user_id.partition(SEPARATOR)[0]


def project_of(user_id: str) -> str:
    """Return the project of an id; "" for a person's own."""
    return user_id.partition(SEPARATOR)[2]


def team_of(user_id: str) -> str:
    """Return the team to which a project belongs, by the team's id; "" for none."""
    name = project_of(user_id)
    return name.removeprefix(TEAM) if name.startswith(TEAM) else ""


def is_agents(user_id: str) -> bool:
    """Return whether an id is that of an agent's own memory."""
    name = project_of(user_id)
    return name.startswith(AGENT) and name != AGENT


def team_name(text: object) -> str | None:
    """Return a team's id in its one form, as ``project_name`` does; None if it can be none."""
    name = project_name(text)
    return None if name is None else project_name(f"{TEAM}{name}") and name


def scopes_in(user_id: str) -> tuple[str, ...]:
    """Return the ids of the scopes recalled for a user: in a project the project's first, then the person's own."""
    return tuple(dict.fromkeys((user_id, person_of(user_id))))


def project_within(bound: str, named: str) -> str | None:
    """Return the project of a request that names ``named`` with a key for ``bound`` alone; "" is none. None: the key is for another."""
    return None if bound and named not in {"", bound} else bound or named


def project_name(text: object) -> str | None:
    """Return a project's name in its one form: NFC, one space between words; None if it can be none."""
    if not isinstance(text, str) or len(text) > 2 * LONGEST_PROJECT:
        return None
    if any(unicodedata.category(each) in _NOT_IN_NAMES for each in text):
        return None
    name = " ".join(unicodedata.normalize("NFC", text).split())
    return name if 0 < len(name) <= LONGEST_PROJECT else None
