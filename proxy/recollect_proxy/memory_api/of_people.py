"""Answers what is asked about users and their chats. Each function is named as its row of the table. Never: SQL, a route."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import structlog
from msgspec import UNSET

from recollect import model
from recollect.api.failures import EXCHANGE_NOT_FOUND, FORBIDDEN, INVALID_EXPORT, SUMMARY_NOT_FOUND
from recollect.api.fields import LONGEST_QUESTION
from recollect.api.memories import Taught, Undone, Update
from recollect.api.people import (
    AdminRead,
    AskedSummary,
    CommonFlags,
    CommonFlagsChange,
    Erasure,
    Flags,
    FoundMessage,
    FoundMessages,
    ImportedRows,
    LoggedMessage,
    MessagesPage,
    OwnToken,
    PageLink,
    Profile,
    ProfileEntry,
    ReadsOfUser,
    Sessions,
    SettingsChange,
    SummaryOfSession,
    Usage,
    UserErasure,
    UserFlags,
    ValueChange,
)
from recollect.api.people_operations import IMPORT_TOO_LARGE, LARGEST_IMPORT
from recollect.engine.chat_search import Period
from recollect.errors import MessageNotFoundError, StoreError
from recollect.model.local_time import zone_named
from recollect_openwebui import notices
from recollect_proxy.access import Audience
from recollect_proxy.memory_api.asked import Asked, Reply
from recollect_proxy.memory_api.errors import RefusedError, invalid_field, invalid_parameter
from recollect_proxy.memory_api.reading import TIME_ZONE
from recollect_proxy.settings.flags import OF_ADMINISTRATORS
from recollect_proxy.takeout import restore_file, written_export
from recollect_proxy.takeout.json_file import FileError
from recollect_proxy.web.asgi import Incoming

PAGE_ENTRY = "/memory/ui/enter"
"""Where a page's link leads: it sets the cookie of the page's session."""

log = structlog.get_logger(__name__)


async def erase_user(asked: Asked) -> UserErasure:
    """Erase a user."""
    vacuum = asked.sent.vacuum
    if vacuum and not asked.who.is_administrator:
        raise RefusedError(FORBIDDEN)  # it works on everybody's tables
    proof = await asked.engine.erase(asked.user_id)
    vacuumed: Sequence[str] | None = None
    if vacuum:
        try:
            vacuumed = await asked.engine.vacuum()
        except StoreError as error:  # all is erased: that counts, and the answer says that this is not done
            log.warning("vacuum_failed", error=type(error).__name__, detail=str(error))
    freed = None if vacuumed is None else list(vacuumed)
    return UserErasure(proof.id, proof.at, dict(proof.rows), dict(proof.left), freed)


async def export_user(asked: Asked) -> Reply:
    """Return the export, piece by piece."""
    pieces = await written_export(asked.engine, asked.user_id, at=datetime.now(UTC))
    return Reply(
        200,
        pieces,
        headers={"content-disposition": 'attachment; filename="recollect-export.json"'},
    )


async def import_user(asked: Asked) -> ImportedRows:
    """Bring an export back."""
    named = asked.user_id
    with TemporaryDirectory(prefix="recollect-import-") as folder:
        path = Path(folder) / "export.json"
        await _receive(asked.incoming, path)
        try:
            restored = await restore_file(asked.engine, path, named)
        except FileError as error:  # it quotes nothing of the body
            raise RefusedError(replace(INVALID_EXPORT, message=str(error))) from None
    return ImportedRows(dict(restored.new), dict(restored.there), dict(restored.ignored))


async def list_sessions(asked: Asked) -> Sessions:
    """Return a user's chats."""
    return Sessions(await asked.engine.sessions(asked.user_id, begun_before=asked.sent.begun_before))


async def erase_session(asked: Asked) -> Erasure:
    """Erase a chat."""
    proof = await asked.engine.erase_session(asked.chat)
    return Erasure(proof.id, proof.at, dict(proof.rows))


async def undo_message(asked: Asked) -> Undone:
    """Undo what a message taught."""
    undone = await asked.engine.take_back(asked.chat, asked.sent.message, actor=asked.actor)
    if undone is None:
        raise RefusedError(EXCHANGE_NOT_FOUND)
    return Undone([Update.of(each) for each in undone], notices.undone(undone))


async def take_taught(asked: Asked) -> Taught:
    """Return what a message taught, once."""
    chat = asked.chat
    await asked.note_read(chat.user_id)
    news = await asked.engine.tell(chat, asked.sent.message, own=True)
    return Taught(notices.changes(news.updates[::-1]))


async def list_messages(asked: Asked) -> MessagesPage:
    """Return a page of what was said in a chat."""
    limit = asked.sent.limit
    try:
        seen = await asked.engine.messages(asked.chat, limit=limit + 1, after=asked.sent.after)
    except MessageNotFoundError as error:
        raise invalid_parameter("after", "the `next` of the page before") from error
    page = seen[:limit]
    following = page[-1].id if len(seen) > limit else None
    return MessagesPage(following, [LoggedMessage.of(each) for each in page])


async def search_messages(asked: Asked) -> FoundMessages:
    """Return a page of what a search in a user's chats found."""
    sent, user = asked.sent, asked.user_id
    if len(sent.q) > LONGEST_QUESTION:
        raise invalid_parameter("q", f"1 to {LONGEST_QUESTION} characters")
    whole = Period()
    period = Period(sent.said_from or whole.start, sent.until or whole.end)
    if period.start >= period.end:
        raise invalid_parameter("until", "later than `from`")
    await asked.note_read(user)
    try:
        page = await asked.engine.search_chats(
            user, sent.q.strip(), limit=sent.limit, period=period, after=sent.after
        )
    except MessageNotFoundError as error:
        raise invalid_parameter("after", "the `next` of the page before") from error
    return FoundMessages(
        next=page.next, found=[FoundMessage.of(each) for each in page.found], degraded=list(page.degraded)
    )


async def mark_turn(asked: Asked) -> None:
    """Call a turn valuable, or no longer."""
    await asked.engine.mark_turn(asked.chat, asked.id("message_id"), marked=asked.sent.marked)


async def read_summary(asked: Asked) -> SummaryOfSession:
    """Return a chat's newest summary."""
    chat = asked.chat
    summary = await asked.engine.summary(chat)
    if summary is None:
        raise RefusedError(SUMMARY_NOT_FOUND)
    outline = summary.outline or model.Outline()
    return SummaryOfSession(
        *map(list, (outline.facts, outline.preferences, outline.decisions, outline.todos, outline.entities)),
        memory_id=summary.id,
        session_id=chat.session_id,
        text=summary.content,
        said_at=summary.observed_at,
        created_at=summary.created_at,
    )


async def ask_for_summary(asked: Asked) -> AskedSummary:
    """Have a chat summarized."""
    return AskedSummary(await asked.engine.ask_for_summary(asked.chat))


async def read_profile(asked: Asked) -> Profile:
    """Return a profile."""
    return Profile.of(await asked.engine.profile(asked.user_id))


async def add_profile_entry(asked: Asked) -> ProfileEntry:
    """Write a statement into a profile."""
    sent = asked.sent
    return ProfileEntry.of(await asked.engine.add_to_profile(asked.user_id, sent.field, sent.content))


async def propose_profile(asked: Asked) -> Profile:
    """Propose what memories say for a profile."""
    return Profile.of(await asked.engine.propose_profile(asked.user_id))


async def change_profile_entry(asked: Asked) -> ProfileEntry:
    """Change a statement of a profile."""
    sent = asked.sent
    changed = await asked.engine.change_in_profile(
        asked.user_id,
        asked.id("entry_id"),
        field=None if sent.field is UNSET else sent.field,
        content=None if sent.content is UNSET else sent.content,
    )
    return ProfileEntry.of(changed)


async def confirm_profile_entry(asked: Asked) -> ProfileEntry:
    """Confirm a statement of a profile."""
    return ProfileEntry.of(await asked.engine.confirm_in_profile(asked.user_id, asked.id("entry_id")))


async def remove_profile_entry(asked: Asked) -> None:
    """Take a statement out of a profile."""
    await asked.engine.remove_from_profile(asked.user_id, asked.id("entry_id"))


async def read_settings(asked: Asked) -> CommonFlags:
    """Return what was changed for everybody."""
    return await _of_everybody(asked, await asked.engine.flags())


async def change_settings(asked: Asked) -> CommonFlags:
    """Change settings for everybody."""
    return await _of_everybody(asked, await _change(asked, None))


async def read_user_settings(asked: Asked) -> UserFlags:
    """Return what was changed for a user."""
    return await _of_user(asked, await asked.engine.flags(asked.user_id))


async def change_user_settings(asked: Asked) -> UserFlags:
    """Change settings for a user; of those that bound how much is kept of them only as administrator."""
    if not asked.who.is_administrator:
        for name in OF_ADMINISTRATORS:
            if getattr(asked.sent, name) is not UNSET:
                raise RefusedError(replace(FORBIDDEN, about=name))
    return await _of_user(asked, await _change(asked, asked.user_id))


async def read_usage(asked: Asked) -> Usage:
    """Return what models took for a user today."""
    used = await asked.engine.usage(asked.user_id)
    return Usage(used.day, used.tokens, used.limit or None)


async def list_admin_reads(asked: Asked) -> ReadsOfUser:
    """Return what administrators read of a user, and which settings of the user's changed."""
    limit = asked.sent.limit
    reads = await asked.engine.admin_reads(asked.user_id, limit=limit)
    changes = await asked.engine.settings_changes(asked.user_id, limit=limit)
    return ReadsOfUser(
        [AdminRead(each.id, each.at, each.reader, each.operation) for each in reads],
        [
            SettingsChange(
                each.id,
                each.at,
                each.by.party,
                each.by.name,
                {name: ValueChange(*values) for name, values in each.changed.items()},
            )
            for each in changes
        ],
    )


async def make_token(asked: Asked) -> OwnToken:
    """Make a token of a user's own."""
    if asked.who.user_id is not None:
        raise RefusedError(FORBIDDEN)  # else a token that leaked would never end
    user = asked.user_id
    await asked.note_read(user)  # for all that is read with it
    return OwnToken(*asked.parts.authentication.person_tokens.make(user, Audience.API))


async def make_page_link(asked: Asked) -> PageLink:
    """Make a link to a user's own page."""
    user = asked.user_id
    await asked.note_read(user)  # for all that is read on it
    token, expires_at = asked.parts.authentication.person_tokens.make(user, Audience.PAGE_LINK)
    base = asked.parts.public_url or asked.origin
    return PageLink(f"{base}{PAGE_ENTRY}?ticket={token}", expires_at)


async def _receive(incoming: Incoming, path: Path) -> None:
    """Write the body to a file.

    Raises:
        RefusedError: It is too long.
    """
    received = 0
    with path.open("wb") as file:
        async for piece in incoming.stream():
            received += len(piece)
            if received > LARGEST_IMPORT:
                raise RefusedError(IMPORT_TOO_LARGE)
            await asyncio.to_thread(file.write, piece)


async def _of_everybody(asked: Asked, changed: model.Flags) -> CommonFlags:
    told = CommonFlags.of(changed)
    told.effective = Flags.of((await asked.engine.policy_of(None)).flags)
    return told


async def _of_user(asked: Asked, own: model.Flags) -> UserFlags:
    effective = Flags.of((await asked.engine.policy_of(asked.user_id)).flags)
    effective.profile = bool(own.profile)
    return UserFlags(Flags.of(own), effective)


async def _change(asked: Asked, user_id: str | None) -> model.Flags:
    change: CommonFlagsChange = asked.sent
    given = {name: value for name, value in msgspec.structs.asdict(change).items() if value is not UNSET}
    if given.get("time_zone") is not None and zone_named(given["time_zone"]) is None:
        raise invalid_field("time_zone", f"`time_zone` must be {TIME_ZONE}.")
    return await asked.engine.change_flags(model.Flags(**given), tuple(given), user_id, by=asked.who.changer)
