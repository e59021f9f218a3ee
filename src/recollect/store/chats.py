"""Reads and writes the state of a chat: its log, its blocks in prompts, its requests to the memory, and whether it is left out.

Erasing a chat is in `memories.chat_and_memory_erasure`.
"""

import json
from datetime import datetime

from asyncpg import Record

from recollect.model import (
    Chat,
    Injection,
    KeptRequest,
    LastExchange,
    LoggedExchange,
    Place,
    PointedAt,
    Scope,
    Team,
    Turn,
    person_of,
    team_of,
)
from recollect.store.pool import StorePart
from recollect.store.row_mapping import update_of
from recollect.store.snapshots import own_versions_of, team_versions_of, versions_of
from recollect.store.sql import SQL
from recollect.store.turn_writing import storable_key, storable_parent
from recollect.store.users.projects_and_teams import members_of
from recollect.store.users.settings_and_profiles import flags_of
from recollect.text.normalization import storable_id, storable_text


class Chats(StorePart):
    """Reads a chat's messages and its blocks in prompts."""

    async def chat(
        self, scope: Scope, *, exchanges: int, unless_begun: str | None = None, turn: Turn | None = None
    ) -> Chat:
        """Return a chat with its last ``exchanges``.

        None is read if the chat begins with ``unless_begun``, the first message of the request: the client sent all of it. The messages that the new
        ``turn`` will abandon are returned; none if it is logged already.
        """
        user_id, session_id = scope.user_id, storable_id(scope.session_id)
        begun = None if unless_begun is None else storable_text(unless_begun)
        row = await self._database.called(
            user_id, "recall_state", session_id, exchanges, begun, *_version(turn)
        )
        told = None if row["team"] is None else json.loads(row["team"])
        team = None if told is None else Team(team_of(user_id), "", members_of(told))
        versions = {} if told is None else team_versions_of(row, told)
        everybody, own = flags_of(row["flags_of_everybody"]), flags_of(row["flags_of_user"])
        return Chat(
            injections=tuple(map(_injection, row["injections"])),
            exchanges=tuple(LoggedExchange(**dict(each)) for each in reversed(row["exchanges"] or ())),
            summary=row["summary"] or "",
            done=tuple(map(update_of, row["done"])),
            flags=own.over(everybody),
            abandoned=frozenset(row["abandoned"] or ()),
            versions=versions_of(row),
            own=None if row["own_epoch"] is None else own_versions_of(row),
            team=team,
            of_team={}
            if team is None
            else {
                scope: versions[person_of(scope)]
                for scope, _ in team.scopes(person_of(user_id))
                if scope != user_id
            },
        )

    async def session_of_answer(self, user_id: str, answer_id: str) -> str | None:
        """Return the chat of the user in which the LLM's server answered under an id; None if there is none."""
        session_id: str | None = await self._database.value(
            user_id, "session_of_answer", storable_text(answer_id)
        )
        return session_id


def _version(turn: Turn | None) -> tuple[str, str, datetime] | tuple[None, None, None]:
    """Return a turn's predecessor, key and time, as the log has them, if the turn may be another version."""
    parent = storable_parent(turn.parent) if turn else None
    return (None, None, None) if parent is None or turn is None else (parent, storable_key(turn.key), turn.at)


def _injection(row: Record) -> Injection:
    place, items = Place(row["place"]), tuple(row["items"])
    return Injection(
        row["anchor"], place, row["block"], items, row["tokens"], row["at"], standing=row["standing"]
    )


# A person points at a list or a change of a moment ago, not at older ones.
_REQUESTS = 20
_EXCHANGES = 5


class ChatRequests(StorePart):
    """Keeps the requests of chats to the memory, and the list of chats that are left out."""

    async def pointed_at(self, turn: Turn) -> PointedAt:
        """Return the lists, requests and changes before a turn of a chat that it may point at."""
        user_id, session_id = turn.scope.user_id, storable_id(turn.scope.session_id)
        async with self._database.for_user(user_id) as connection:
            requests = await connection.fetch(SQL["chat_requests_of"], user_id, session_id, _REQUESTS)
            exchanges = await connection.fetch(
                SQL["last_exchanges_of_chat"],
                user_id,
                session_id,
                storable_key(turn.key),
                turn.at,
                _EXCHANGES,
            )
        return PointedAt(
            tuple(
                KeptRequest(row["anchor"], row["asking"], tuple(row["items"]), row["at"]) for row in requests
            ),
            tuple(LastExchange(**dict(row)) for row in exchanges),
        )

    async def keep_request(self, scope: Scope, request: KeptRequest) -> None:
        """Keep the request of a message."""
        await self._database.changed(
            scope.user_id,
            "note_chat_request",
            storable_id(scope.session_id),
            storable_text(request.anchor),
            request.asking,
            request.items,
            request.at,
        )

    async def forgetting_of(self, scope: Scope, key: str) -> KeptRequest | None:
        """Return the request of an exchange's message, by ``Turn.key``, that had listed memories forgotten; None for none."""
        user_id = scope.user_id
        row = await self._database.row(
            user_id, "forgetting_of_exchange", storable_id(scope.session_id), storable_key(key)
        )
        return None if row is None else KeptRequest(**(dict(row) | {"items": tuple(row["items"])}))

    async def unlog(self, turn: Turn) -> None:
        """Delete the logged part of a turn whose answer is under way."""
        user_id, session_id = turn.scope.user_id, storable_id(turn.scope.session_id)
        async with self._database.changing(user_id) as connection:
            exchange = await connection.fetchval(
                SQL["open_exchange_of_turn"], user_id, session_id, storable_key(turn.key)
            )
            if exchange is not None:
                await connection.execute(SQL["delete_messages_of_exchange"], user_id, exchange)
                await connection.execute(SQL["delete_exchange"], user_id, exchange)
                await connection.execute(SQL["delete_session_without_exchange"], user_id, session_id)

    async def take_in(self, scope: Scope) -> bool:
        """Record a chat again; return whether it was left out."""
        session_id = storable_id(scope.session_id)
        return await self._database.changed(scope.user_id, "take_chat_in", session_id) is not None
