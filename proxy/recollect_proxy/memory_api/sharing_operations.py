"""The operations on what several people share: memories, those for everybody, teams. Each function has the name of its row, and its docstring documents the row."""

from typing import Any

from recollect.model import team_name
from recollect.text.normalization import is_unfilled
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.memory_api.request_and_reply import Asked, erasure_as_json
from recollect_proxy.memory_api.request_validation import changes, invalid_field


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
