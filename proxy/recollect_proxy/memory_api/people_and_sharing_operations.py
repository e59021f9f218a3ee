"""Answers the operations on users (projects, profiles, settings, tokens), and on what several people share.

They share memories, also those for everybody, teams, and the settings for everybody. Each function answers the operation of its
name in `recollect.api.endpoint_table`, and its docstring documents that operation.
"""

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
from recollect.api.failures import FORBIDDEN, IMPORT_TOO_LARGE, INVALID_EXPORT, LARGEST_IMPORT
from recollect.errors import StoreError
from recollect.model import team_name
from recollect.text.normalization import is_unfilled
from recollect_openwebui.notices import language_of, my_memories_page
from recollect_proxy.access.person_tokens import Audience
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.memory_api.request_and_reply import Asked, Reply, erasure_as_json
from recollect_proxy.memory_api.request_validation import RefusedError, changes, invalid_field
from recollect_proxy.settings.runtime_settings import OF_ADMINISTRATORS, misread
from recollect_proxy.takeout.export_file import restore_file, written_export
from recollect_proxy.takeout.large_json import FileError
from recollect_proxy.web.asgi import Incoming

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
    return await asked.engine.change_project(asked.user_id, asked.path["project"], **changes(asked.sent))


async def erase_project(asked: Asked) -> Any:
    """Erase a project.

    Its memories, chats and messages go for good; the user's own memory and other projects stay. The answer is the proof.
    """
    known = await asked.engine.project(asked.user_id, asked.path["project"])
    return erasure_as_json(await asked.engine.erase(model.project_scope(asked.user_id, known.name)))


async def read_openwebui_page(asked: Asked) -> Any:
    """Read the page *My memories* for OpenWebUI.

    HTML without anybody's data: OpenWebUI's function shows it in a frame, and answers its requests by this API. A nonce
    replaces each `NONCE`, `light` or `dark` replaces `THEME`.
    """
    page = my_memories_page(language_of(asked.sent.language))
    return Reply(200, page.encode(), "text/html; charset=utf-8")


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
    token, expires_at = asked.api.authentication.person_tokens.make(user, Audience.API)
    return {"token": token, "expires_at": expires_at}


async def make_page_link(asked: Asked) -> Any:
    """Make a link to a user's own page.

    It opens the page once, within five minutes; the page then stays open for an hour.
    """
    user = asked.user_id
    await asked.note_read(user)  # for every read on the page
    token, expires_at = asked.api.authentication.person_tokens.make(user, Audience.PAGE_LINK)
    base = asked.api.public_url or asked.origin
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


def _profile(profile: model.OwnProfile) -> dict[str, Any]:
    changed = max((each.changed_at for each in profile.entries), default=None)
    return {"consents": profile.consents, "entries": profile.entries, "updated_at": changed}


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


async def share_memory(asked: Asked) -> Any:
    """Share a memory.

    Other users see it too, without the words it was said in; from then on it can't be corrected in place.

    Each of them can let go of it without taking it from the others. A user who has its content already keeps that.
    """
    return await asked.engine.share(asked.user_id, asked.id("memory_id"), asked.sent.users)


async def list_global_memories(asked: Asked) -> Any:
    """List the memories for everybody.

    Newest first; without a limit all of them. They are recalled for users with fewer than five memories of their own.
    """
    after = asked.sent.after
    left = [each for each in await asked.engine.globals() if after is None or each.id < after]
    page = left[: asked.sent.limit]
    return {"next": page[-1].id if len(left) > len(page) else None, "memories": page}


async def add_global_memory(asked: Asked) -> Any:
    """Write a memory for everybody.

    If the data folder has `global-memories.txt`, the next start keeps only the memories in that file.
    """
    sent = asked.sent
    return await asked.engine.add_global(sent.content, kind=sent.kind, importance=sent.importance)


async def forget_global_memory(asked: Asked) -> Any:
    """Forget a memory for everybody.

    It is no longer recalled for anybody.
    """
    await asked.engine.remove_global(asked.id("memory_id"))


async def list_teams(asked: Asked) -> Any:
    """List teams.

    All of them for an administrator, those that one is in for anybody else.
    """
    return {"teams": await asked.engine.teams(asked.who.user_id)}


async def keep_team(asked: Asked) -> Any:
    """Make a team, or call it otherwise.

    Administrators make teams; their owners may change how they are called. The id stays, as requests name the team by it:
    `X-Recollect-Project: team:family`.
    """
    team = team_name(asked.sent.id)
    if team is None or is_unfilled(team):
        raise invalid_field("id", "`id` must be 1 to 59 characters in one line, and no unfilled template.")
    if asked.who.user_id is not None:
        await asked.engine.team(team, asked.who.user_id, owns=True)
    return await asked.engine.keep_team(team, changes(asked.sent).get("title"))


async def read_team(asked: Asked) -> Any:
    """Read who is in a team.

    For its members. Other users get the same answer as for a team that does not exist.
    """
    return await asked.engine.team(asked.path["team"], asked.who.user_id)


async def set_member(asked: Asked) -> Any:
    """Add a user to a team.

    Or change their role, or their name in prompts. For its owners and for administrators.
    """
    team, sent = await _owned(asked), asked.sent
    person = opaque_id(sent.person)
    if person is None:
        raise invalid_field("person", "`person` must be the id of a user.")
    return await asked.engine.set_member(team, person, sent.role, changes(sent).get("name"))


async def leave_team(asked: Asked) -> Any:
    """Remove a user from a team.

    For its owners, for administrators, and for members themselves. The user's statements stay in the team. Erasing the user's
    project `team:` with the team's id removes them.
    """
    member = asked.path["member"]
    if asked.who.user_id == member:
        await asked.engine.team(asked.path["team"], member)
    else:
        await _owned(asked)
    return await asked.engine.leave_team(asked.path["team"], member)


async def erase_team(asked: Asked) -> Any:
    """Erase a team.

    The statements and chats of all its members go for good. The answer is the proof. For its owners and for administrators.
    """
    proofs = await asked.engine.erase_team(await _owned(asked))
    return {"parts": [erasure_as_json(each) for each in proofs]}


async def _owned(asked: Asked) -> str:
    """Return the team in the path, if the token's owner may change who is in it."""
    return (await asked.engine.team(asked.path["team"], asked.who.user_id, owns=True)).id
