"""The errors, each named by the party that failed. Status codes are elsewhere.

The docstring of an error is its default message.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import PurePath
from traceback import extract_tb


class RecollectError(Exception):
    """Something in Recollect failed."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (self.__doc__ or "").partition("\n")[0])


class ConfigurationError(RecollectError):
    """A setting is missing, or makes no sense."""


class UnfitDatabaseError(ConfigurationError):
    """The database refuses this user, or lacks an extension: an administrator may mend it there, without a change of settings."""


class StoreError(RecollectError):
    """The memory store failed."""


class StoreUnavailableError(StoreError):
    """The memory store can't be reached."""


class StoreBusyError(StoreUnavailableError):
    """This user's memory is being changed just now."""


class MemoryNotFoundError(StoreError):
    """This user has no such memory."""


class SessionNotFoundError(StoreError):
    """This user has no such chat, or nothing of it is kept."""


class ProjectNotFoundError(StoreError):
    """This user has no such project."""


class TeamNotFoundError(StoreError):
    """There is no such team, or this user is not in it."""


class NotAllowedInTeamError(StoreError):
    """This user's role in the team does not allow that."""


class MessageNotFoundError(StoreError):
    """The log has no message with this id in this chat."""


class DuplicateMemoryError(StoreError):
    """This user has a memory with the same content already. Correct that one."""


class ChangedMeanwhileError(StoreError):
    """The memory was changed since it was read. Read it again, and send its new `ETag`."""


class EndsBeforeItBeginsError(StoreError):
    """`holds_until` is before `holds_from`. Send the times in their order."""


class BulkRefusedError(StoreError):
    """None of the changes was made, as some can't be.

    Attributes:
        failures: By the position of each that can't, why.
    """

    def __init__(self, failures: Mapping[int, StoreError]) -> None:
        super().__init__()
        self.failures = failures


class ChangeNotFoundError(StoreError):
    """This user has no such change."""


class QuestionNotKeptError(StoreError):
    """The question of this request is not kept, so later questions can't be compared with it."""


class AlwaysNeededError(StoreError):
    """This memory shapes every answer, or concerns health. It can be corrected or forgotten."""


class NotUndoableError(StoreError):
    """This can't be undone: it changed nothing, or was undone, or changed since. Undo the later change first."""


class ProfileNotAllowedError(StoreError):
    """This user does not allow a profile. Set their setting `profile` to true first."""


class ProfileFullError(StoreError):
    """This user's profile has 200 entries, the most there can be. Erase one first."""


class ProfileEntryNotFoundError(StoreError):
    """This user's profile has no such entry."""


class DuplicateEntryError(StoreError):
    """This user's profile has an entry with the same content already."""


class SwitchedOffError(RecollectError):
    """This is switched off for this user."""


class WorkerStoppedError(RecollectError):
    """Workers died each time they did this."""

    def __init__(self, attempts: int) -> None:
        super().__init__(f"The worker was stopped each of the {attempts} times that this was tried.")


class YieldedError(RecollectError):
    """A chat has the model that was to be asked: this is done later, and nothing has failed."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__()
        self.wait = wait


class HeldFullError(RecollectError):
    """Too many memories wait for the user's approval: no further ones are formed."""


class EmbedderError(RecollectError):
    """The embedder failed."""


class ExtractorError(RecollectError):
    """The extraction model failed; trying again later may help.

    Attributes:
        tokens: The tokens that the calls took nevertheless.
        is_of_one: Whether it says nothing of the server, but of the credential of one request: as too many calls with it.
    """

    tokens: int = 0
    is_of_one: bool = False


class ExtractorTimeoutError(ExtractorError):
    """The extraction model did not finish its answer in time; less of it may be asked for."""


class ExtractorUnusableError(ExtractorError):
    """No usable extraction model: none is configured, or its credential is gone."""


class CredentialGoneError(ExtractorUnusableError):
    """The chat's own credential is gone or refused, and no other is configured."""


class UpstreamPolicyError(ExtractorUnusableError):
    """The model's server may not see the data that the model would need."""


class InvalidExtractionError(ExtractorError):
    """The extraction model answered, but not in any form that could be read.

    Attributes:
        model: The model; "" if unknown.
    """

    model: str = ""


class ExtractorPausedError(ExtractorError):
    """The extraction model failed too often, and is left alone for a while."""

    def __init__(self, until: datetime) -> None:
        super().__init__()
        self.until = until


class BudgetSpentError(ExtractorError):
    """The daily token budget of background calls is used up."""


def described(error: BaseException) -> dict[str, str]:
    """Return an error's kind and place for the log, with its words if it is one of ours: those quote no person."""
    detail = str(error) if isinstance(error, RecollectError) else ""
    return {"error": type(error).__name__, "detail": detail, "raised_at": raised_at(error)}


def raised_at(error: BaseException) -> str:
    """Return file and line where the error was raised, or "" if it was not raised.

    A rendered trace may quote local variables, which are users' words.
    """
    frames = extract_tb(error.__traceback__)
    return f"{PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
