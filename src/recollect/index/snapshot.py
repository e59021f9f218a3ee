"""Keeps one person's memory in this process: immutable columns, and the versions of the store that they were read in. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self

from recollect.index.memories import Memories, StoredMemory
from recollect.index.passages import Names, Passages, StoredPassage
from recollect.model import Lifetimes, ProfileEntry, person_of, team_of
from recollect.model.scopes import Versions

_WASTED = 0.3
"""The share of replaced passages above which the whole log is read again."""
_WASTED_AT_LEAST = 300  # passages: a third of a short log is soon replaced


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rows that a load read, in one transaction.

    Attributes:
        versions: The versions that the transaction saw.
        memories: The memories that the person sees, and their past statements: all of them, or those that changed.
        passages: The passages: all, or those that changed; None if there are too many for this process.
        has_all_memories: Whether ``memories`` are all.
        has_all_passages: Whether ``passages`` are all.
    """

    versions: Versions
    memories: Sequence[StoredMemory] = ()
    passages: Sequence[StoredPassage] | None = ()
    profile: tuple[ProfileEntry, ...] = ()
    has_all_memories: bool = True
    has_all_passages: bool = True


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The memory of one person at one time.

    Attributes:
        versions: The versions of the store that it shows.
        past: Their past statements, which held until something changed.
        around: The versions of the other snapshots in a project's: the person's own memory, and the other members' parts of a
            team. Empty for a snapshot that is not united with others.
        passages: Their message log; None if it is too large, or not read yet: then recall asks the store.
        names: Numbers of chats, messages and speakers.
        log_follows: Whether the log is read next: the memories did not wait for it.
    """

    user_id: str
    versions: Versions
    memories: Memories
    passages: Passages | None
    profile: tuple[ProfileEntry, ...] = ()
    names: Names = field(default_factory=Names, repr=False, compare=False)
    past: Memories = field(default_factory=Memories)
    around: tuple[Versions, ...] = ()
    log_follows: bool = False

    @classmethod
    def from_loaded(cls, user_id: str, loaded: Loaded) -> Self:
        """Return a snapshot of everything that was read of a person."""
        names = Names()
        passages = None if loaded.passages is None else Passages().with_changed(loaded.passages, names)
        memories = Memories().with_changed(_current(loaded), names)
        past = Memories().with_changed(_past(loaded), names)
        return cls(user_id, loaded.versions, memories, passages, loaded.profile, names, past)

    def after(self, loaded: Loaded) -> Self:
        """Return the next state, with the rows that a load read since this one."""
        names = self.names.copy()  # recalls that run read those of this state
        if loaded.has_all_passages and loaded.has_all_memories:
            return type(self).from_loaded(self.user_id, loaded)
        if loaded.passages is None:
            passages = None
        elif loaded.has_all_passages or self.passages is None:
            passages = Passages().with_changed(loaded.passages, names)
        else:
            passages = self.passages.with_changed(loaded.passages, names)
        memories, past = (Memories(), Memories()) if loaded.has_all_memories else (self.memories, self.past)
        memories = memories.with_changed(_current(loaded), names)
        past = past.with_changed(_past(loaded), names)
        return type(self)(self.user_id, loaded.versions, memories, passages, loaded.profile, names, past)

    def with_others(
        self,
        others: "Sequence[Snapshot]",
        names: Mapping[str, str],
        joined: tuple[Memories, Memories] | None = None,
    ) -> Self:
        """Return the memory of a project with the statements of others; the log is the project's alone.

        Args:
            others: The person's own memory, whose profile the result gets, too, and the other members' parts of a team.
            names: The names of a team's members, by their parts.
            joined: All memories, and all past statements, if they are known.

        Raises:
            ValueError: One is of another person or team, which would be a bug here.
        """
        person, team = person_of(self.user_id), team_of(self.user_id)
        for each in others:
            is_of_team = team and team_of(each.user_id) == team
            if each.user_id == self.user_id or not (each.user_id == person or is_of_team):
                raise ValueError("A project was to be united with another person's memory.")
        if joined is None:
            every: tuple[Snapshot, ...] = (self, *others)
            mine, *theirs = [_said_by(each, names, self.user_id) for each in every]
            joined = (
                mine[0].with_others([each[0] for each in theirs]),
                mine[1].with_others([each[1] for each in theirs]),
            )
        memories, past = joined
        profile = next((each.profile for each in others if each.user_id == person), self.profile)
        around = tuple(each.versions for each in others)
        return replace(self, memories=memories, past=past, profile=profile, around=around)

    def living(self, lifetimes: Lifetimes, now: datetime) -> Self:
        """Return the snapshot without the memories whose lifetime is over."""
        memories, past = self.memories.living(lifetimes, now), self.past.living(lifetimes, now)
        if memories is self.memories and past is self.past:
            return self
        return replace(self, memories=memories, past=past)

    def without_log(self) -> Self:
        """Return the snapshot without the message log: recall then asks the store."""
        return replace(self, passages=None)

    @property
    def is_wasteful(self) -> bool:
        """Whether so many passages were replaced that the log should be read whole again."""
        passages = self.passages
        return passages is not None and passages.waste * len(passages.items) > max(
            _WASTED_AT_LEAST, _WASTED * len(passages.items)
        )

    def serves(self, versions: Versions) -> bool:
        """Return whether it holds everything that was committed up to these versions."""
        mine = self.versions
        return (
            # Versions only rise, but not across an erasure, which begins a new epoch.
            mine.epoch == versions.epoch
            and mine.statements >= versions.statements
            and mine.log >= versions.log
            and mine.commons >= versions.commons
        )

    @property
    def nbytes(self) -> int:
        """About how many bytes the snapshot takes."""
        log = 0 if self.passages is None else self.passages.nbytes
        return 2_000 + self.memories.nbytes + self.past.nbytes + log


def _said_by(part: Snapshot, names: Mapping[str, str], reader: str) -> tuple[Memories, Memories]:
    """Return a part's memories and past statements; of a team's with the name of the member."""
    name = names.get(part.user_id)
    if name is None:
        return part.memories, part.past
    is_reader = part.user_id == reader
    label = f"{name} (the user)" if is_reader else name
    return (
        part.memories.said_by(label, hides_origin=not is_reader),
        part.past.said_by(label, hides_origin=not is_reader),
    )


def _current(loaded: Loaded) -> list[StoredMemory]:
    return [each for each in loaded.memories if each.memory.past is None]


def _past(loaded: Loaded) -> list[StoredMemory]:
    return [each for each in loaded.memories if each.memory.past is not None]
