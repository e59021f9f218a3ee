"""The operations on users and their chats. Each function has the name of its row, and its docstring documents the row."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import structlog
from msgspec import UNSET

from recollect import model
from recollect.api.failures import (
    EXCHANGE_NOT_FOUND,
    FORBIDDEN,
    IMPORT_TOO_LARGE,
    INVALID_EXPORT,
    LARGEST_IMPORT,
    SUMMARY_NOT_FOUND,
)
from recollect.api.people import FoundMessage, LoggedMessage
from recollect.engine.people.browsing import Period
from recollect.errors import StoreError
from recollect.model import Update
from recollect_openwebui.first_memories import changes_line
from recollect_openwebui.languages import language_of, my_memories_page
from recollect_openwebui.notices import Notices
from recollect_proxy.access import Audience
from recollect_proxy.memory_api.reading import (
    RefusedError,
    changes,
    invalid_field,
    invalid_parameter,
    project_in_path,
)
from recollect_proxy.memory_api.request_and_reply import Asked, Reply, erasure_as_json
from recollect_proxy.settings.flags import OF_ADMINISTRATORS, misread
from recollect_proxy.takeout import restore_file, written_export
from recollect_proxy.takeout.json_file import FileError
from recollect_proxy.web.asgi import Incoming, unless_left

PAGE_ENTRY = "/memory/ui/enter"
"""The path of a page link: it sets the cookie of the page's session."""

log = structlog.get_logger(__name__)


async def erase_user(asked: Asked) -> Any:
    """Erase a user.

    Everything of this user goes, in every table and queue; a tombstone without content stays. The answer is the proof.
    """
    vacuum = asked.sent.vacuum
    if vacuum and not asked.who.is_administrator:
        raise RefusedError(FORBIDDEN)  # it works on everybody's tables
    proof = await asked.engine.erase(asked.user_id)
    vacuumed: Sequence[str] | None = None
    if vacuum:
        try:
            vacuumed = await asked.engine.vacuum()
        except StoreError as error:  # the erasure counts all the same; the answer says that VACUUM failed
            log.warning("vacuum_failed", error=type(error).__name__, detail=str(error))
    return {**erasure_as_json(proof), "left": dict(proof.left), "vacuumed": vacuumed}


async def export_user(asked: Asked) -> Any:
    """Export everything about a user.

    One JSON document: memories with their history, chats with their messages, summaries, profile, settings, requests and
    administrators' reads.

    It has no embeddings. `docs/reference/export.md` describes it, `docs/reference/export.schema.json` is its schema. It is a snapshot of one
    moment.
    """
    pieces = await written_export(asked.engine, asked.user_id, at=datetime.now(UTC))
    headers = {"content-disposition": 'attachment; filename="recollect-export.json"'}
    return Reply(200, pieces, headers=headers)


async def import_user(asked: Asked) -> Any:
    """Import an export.

    The body is an export of any user; from now on its content is this user's.

    Rows that the user has already stay as they are, so an export may be sent again. Every row is checked before the first
    one is kept. The background embeds and indexes the new rows.
    """
    named = asked.user_id
    with TemporaryDirectory(prefix="recollect-import-") as folder:
        path = Path(folder) / "export.json"
        await _receive(asked.incoming, path)
        try:
            return await restore_file(asked.engine, path, named)
        except FileError as error:  # it quotes nothing of the body
            raise RefusedError(replace(INVALID_EXPORT, message=str(error))) from None


async def list_projects(asked: Asked) -> Any:
    """List a user's projects.

    A project is there once something was said or written in it: name it in `X-Recollect-Project`.
    """
    return {"projects": await asked.engine.projects(asked.user_id)}


async def change_project(asked: Asked) -> Any:
    """Change a project.

    How it is called, and whether its chats recall its memories alone. Its name stays, as requests choose it by that.
    """
    return await asked.engine.change_project(asked.user_id, _project(asked), **changes(asked.sent))


async def erase_project(asked: Asked) -> Any:
    """Erase a project.

    Its memories, chats and messages go for good; the user's own memory and other projects stay. The answer is the proof.
    """
    known = await asked.engine.project(asked.user_id, _project(asked))
    return erasure_as_json(await asked.engine.erase(model.project_scope(asked.user_id, known.name)))


async def list_sessions(asked: Asked) -> Any:
    """List a user's chats.

    All remembered chats. A chat for which the frontend gave no id has one that Recollect made.
    """
    return {"sessions": await asked.engine.sessions(asked.user_id, begun_before=asked.sent.begun_before)}


async def erase_session(asked: Asked) -> Any:
    """Erase a chat.

    Its messages go, the memories that rest on it alone, and its changes to other memories. The answer is the proof.

    A memory stays if another chat said it too, or if it was written over, approved or brought back by hand. An unknown
    chat is erased by deleting nothing: 200, and all counts are zero.
    """
    return erasure_as_json(await asked.engine.erase_session(asked.chat))


async def undo_message(asked: Asked) -> Any:
    """Undo a message's changes.

    Newest first, with the changes that the answer to it reported; from then on its words are not recalled either.

    If the message still waits to be formed, it never is. Memories that were changed again since stay as they are.
    """
    undone = await asked.engine.take_back(asked.chat, asked.sent.message, actor=asked.actor)
    if undone is None:
        raise RefusedError(EXCHANGE_NOT_FOUND)
    notices = _notices(asked, undone)
    return {"changes": undone, "line": notices.undone(undone) or notices("undo.not_recalled")}


async def take_message_changes(asked: Asked) -> Any:
    """Take the changes of a message, as a line to show.

    Each change is reported once: neither a second call nor the person's next answer repeats it.
    """
    chat, message, engine = asked.chat, asked.sent.message, asked.engine
    if asked.sent.wait:  # a client that leaves meanwhile takes no change
        await unless_left(asked.incoming, engine.formed(chat, message, seconds=asked.sent.wait))
    news = await engine.tell(chat, message)
    if news.updates:
        await asked.note_read(chat.user_id)  # a look that found no news is no read
    notices, updates = _notices(asked, news.updates), news.updates[::-1]
    return {"line": await changes_line(engine, chat.user_id, updates, notices, asked.sent.button)}


async def read_openwebui_page(asked: Asked) -> Any:
    """Read the page *My memories* for OpenWebUI.

    HTML without anybody's data: OpenWebUI's function shows it in a frame, and answers its requests by this API. A nonce
    replaces each `NONCE`, `light` or `dark` replaces `THEME`.
    """
    page = my_memories_page(language_of(asked.sent.language))
    return Reply(200, page.encode(), "text/html; charset=utf-8")


def _notices(asked: Asked, updates: Sequence[Update]) -> Notices:
    return Notices(language_of(asked.sent.language, [each.after or each.before or "" for each in updates]))


async def list_messages(asked: Asked) -> Any:
    """List the messages of a chat.

    Oldest first, as in the log, with hidden messages and with every answer to a turn.
    """
    limit = asked.sent.limit
    seen = await asked.engine.messages(asked.chat, limit=limit + 1, after=asked.sent.after)
    following = seen[limit - 1].id if len(seen) > limit else None
    return {"next": following, "messages": [LoggedMessage.from_seen(each) for each in seen[:limit]]}


async def search_messages(asked: Asked) -> Any:
    """Search the messages of a user's chats.

    Messages and summaries of chats, best first, by meaning and by words, with nothing left out as irrelevant. The part
    that fits best represents a long message.

    Hidden messages are not found. Each search finds at most the thousand best.
    """
    sent, user = asked.sent, asked.user_id
    whole = Period()
    period = Period(sent.said_from or whole.start, sent.until or whole.end)
    if period.start >= period.end:
        raise invalid_parameter("until", "later than `from`")
    await asked.note_read(user)
    page = await asked.engine.search_chats(user, sent.q, limit=sent.limit, period=period, after=sent.after)
    found = [FoundMessage.from_recollection(each) for each in page.found]
    return {"next": page.next, "found": found, "degraded": page.degraded}


async def mark_turn(asked: Asked) -> Any:
    """Call a turn valuable, or no longer.

    It holds for the message's whole turn, with its answers, as the header `x-recollect-mark` does.

    A valuable turn is searched even if it looks trivial, and has embeddings with `RECOLLECT_EMBED=marked`. The background
    indexes it again for that; until then it is not found. A hidden turn stays hidden.
    """
    await asked.engine.mark_turn(asked.chat, asked.id("message_id"), marked=asked.sent.marked)


async def read_summary(asked: Asked) -> Any:
    """Read a chat's newest summary.

    Later messages are not in it. A chat has none before it was long enough for one.
    """
    chat = asked.chat
    summary = await asked.engine.summary(chat)
    if summary is None:
        raise RefusedError(SUMMARY_NOT_FOUND)
    return {
        **asdict(summary.outline or model.Outline()),
        "memory_id": summary.id,
        "session_id": chat.session_id,
        "text": summary.content,
        "said_at": summary.observed_at,
        "created_at": summary.created_at,
    }


async def ask_for_summary(asked: Asked) -> Any:
    """Summarize a chat now.

    The model summarizes it in the background, before the chats that are due; then `GET` on the same path returns it.

    The last messages are formed first. A second request changes nothing while the first one waits. It works even if the
    setting `summaries` is off.
    """
    return {"turns": await asked.engine.ask_for_summary(asked.chat)}


async def read_profile(asked: Asked) -> Any:
    """Read a user's profile.

    Confirmed and proposed statements. It is empty if the user does not allow a profile.

    They allow it by `PATCH .../settings` with `{"profile": true}`. With `false` or `null` the same transaction deletes the
    profile, its embeddings, and its lines in earlier prompts.
    """
    return _profile(await asked.engine.profile(asked.user_id))


async def add_profile_entry(asked: Asked) -> Any:
    """Add an entry to a profile.

    It is confirmed. Every chat gets it, as far as the memories in every chat leave room; secrets are masked.
    """
    sent = asked.sent
    return await asked.engine.add_to_profile(asked.user_id, sent.field, sent.content)


async def propose_profile(asked: Asked) -> Any:
    """Propose entries for a profile.

    Proposed are those of the sixty most important memories that seem to fit one of the fields.

    No model is asked: each memory is compared with examples of the fields. A proposal does not count before it is
    confirmed, is not repeated once refused, and goes with its memory.
    """
    return _profile(await asked.engine.propose_profile(asked.user_id))


async def correct_profile_entry(asked: Asked) -> Any:
    """Correct an entry of a profile.

    This confirms it. With other words it stays even when the memory goes that proposed it.
    """
    changed = {"field": None, "content": None, **changes(asked.sent)}
    return await asked.engine.change_in_profile(asked.user_id, asked.id("entry_id"), **changed)


async def confirm_profile_entry(asked: Asked) -> Any:
    """Confirm an entry of a profile.

    A proposal counts from now on; an outdated entry counts again.
    """
    return await asked.engine.confirm_in_profile(asked.user_id, asked.id("entry_id"))


async def erase_profile_entry(asked: Asked) -> Any:
    """Erase an entry of a profile.

    This also refuses a proposal. The memory that proposed it stays, and does not propose it again.
    """
    await asked.engine.remove_from_profile(asked.user_id, asked.id("entry_id"))


async def read_settings(asked: Asked) -> Any:
    """Read the settings for everybody.

    The changed settings. A null setting has the value with which Recollect was started, which `effective` holds.
    """
    return await _of_everybody(asked, await asked.engine.flags())


async def change_settings(asked: Asked) -> Any:
    """Change settings for everybody.

    From the next request on; a restart keeps them. A user's own settings take precedence.

    `profile` is not among them: each user allows it for themselves.
    """
    return await _of_everybody(asked, await _change(asked, None))


async def read_user_settings(asked: Asked) -> Any:
    """Read a user's settings.

    The settings changed for the user, and the effective ones.
    """
    return await _of_user(asked, await asked.engine.flags(asked.user_id))


async def change_user_settings(asked: Asked) -> Any:
    """Change settings for a user.

    From their next request on; a restart keeps them. Only administrators change caps.

    Each change stays visible to the user for a year, with the name of the token, along with administrators' reads.
    """
    if not asked.who.is_administrator:
        for name in OF_ADMINISTRATORS:
            if getattr(asked.sent, name) is not UNSET:
                raise RefusedError(replace(FORBIDDEN, about=name))
    return await _of_user(asked, await _change(asked, asked.user_id))


async def read_usage(asked: Asked) -> Any:
    """Read how many tokens models used for a user today.

    At the limit, exchanges are kept whole, without a model, until the day (UTC) is over.
    """
    used = await asked.engine.usage(asked.user_id)
    return {"day": used.day, "tokens": used.tokens, "limit": used.limit or None}


async def list_admin_reads(asked: Asked) -> Any:
    """List administrators' reads of a user, and changes of the user's settings.

    Each read by the admin token, an admin key or a reader key, this one included, for a year.

    And each change of the user's own settings, by any token.
    """
    limit = asked.sent.limit
    reads = await asked.engine.admin_reads(asked.user_id, limit=limit)
    settings = [
        {
            "id": each.id,
            "at": each.at,
            "by": each.by.party,
            "name": each.by.name,
            "changed": {
                name: {"before": before, "after": after} for name, (before, after) in each.changed.items()
            },
        }
        for each in await asked.engine.settings_changes(asked.user_id, limit=limit)
    ]
    return {"reads": reads, "settings": settings}


async def make_token(asked: Asked) -> Any:
    """Make a token of a user's own.

    It ends within an hour and is kept nowhere. A token of one's own makes no further ones.
    """
    if asked.who.user_id is not None:
        raise RefusedError(FORBIDDEN)  # else a token that leaked would never end
    user = asked.user_id
    await asked.note_read(user)  # for every read with it
    token, expires_at = asked.parts.authentication.person_tokens.make(user, Audience.API)
    return {"token": token, "expires_at": expires_at}


async def make_page_link(asked: Asked) -> Any:
    """Make a link to a user's own page.

    It opens the page once, within five minutes; the page then stays open for an hour.
    """
    user = asked.user_id
    await asked.note_read(user)  # for every read on the page
    token, expires_at = asked.parts.authentication.person_tokens.make(user, Audience.PAGE_LINK)
    base = asked.parts.public_url or asked.origin
    return {"url": f"{base}{PAGE_ENTRY}?ticket={token}", "expires_at": expires_at}


async def _receive(incoming: Incoming, path: Path) -> None:
    """Write the body to a file."""
    received = 0
    with path.open("wb") as file:
        async for piece in incoming.stream():
            received += len(piece)
            if received > LARGEST_IMPORT:
                raise RefusedError(IMPORT_TOO_LARGE)
            await asyncio.to_thread(file.write, piece)


def _project(asked: Asked) -> str:
    return project_in_path(asked.path["project"])


def _profile(profile: model.OwnProfile) -> dict[str, Any]:
    changed = max((each.changed_at for each in profile.entries), default=None)
    return {"consents": profile.consents, "entries": profile.entries, "updated_at": changed}


async def _of_everybody(asked: Asked, changed: model.Flags) -> dict[str, Any]:
    return {**asdict(changed), "effective": (await asked.engine.policy_of(None)).flags}


async def _of_user(asked: Asked, own: model.Flags) -> dict[str, Any]:
    effective = (await asked.engine.policy_of(asked.user_id)).flags
    return {"own": own, "effective": replace(effective, profile=bool(own.profile))}


async def _change(asked: Asked, user_id: str | None) -> model.Flags:
    given = changes(asked.sent)
    if wrong := misread(asked.sent):
        name, must = wrong
        raise invalid_field(name, f"`{name}` must be {must}, or null.")
    return await asked.engine.change_flags(model.Flags(**given), tuple(given), user_id, by=asked.who.changer)
