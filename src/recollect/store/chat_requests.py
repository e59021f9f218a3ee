"""What a chat asked of the memory, and the chats of which nothing is kept, in Postgres. Never: what is asked for."""

from recollect.model import KeptRequest, LastExchange, PointedAt, Scope, Turn
from recollect.store.log_keys import storable_key
from recollect.store.pool import Database
from recollect.store.sql import SQL
from recollect.text.normalization import storable_id, storable_text

_REQUESTS = 20
_EXCHANGES = 5


class ChatRequests:
    """Keeps what chats asked of the memory, and lets nothing be kept of some chats. Every method raises StoreError."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
            is_left_out = await connection.fetchval(SQL["is_left_out"], user_id, session_id)
        return PointedAt(
            tuple(
                KeptRequest(row["anchor"], row["asking"], tuple(row["items"]), row["at"]) for row in requests
            ),
            tuple(LastExchange(**dict(row)) for row in exchanges),
            is_left_out,
        )

    async def note(self, scope: Scope, request: KeptRequest) -> None:
        """Keep what a message asked for."""
        async with self._database.changing(scope.user_id) as connection:
            await connection.execute(
                SQL["note_chat_request"],
                scope.user_id,
                storable_id(scope.session_id),
                storable_text(request.anchor),
                request.asking,
                request.items,
                request.at,
            )

    async def unlog(self, turn: Turn) -> None:
        """Delete what is logged of a turn whose answer is under way."""
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
        """Keep again what is said in a chat; return whether it was left out."""
        session_id = storable_id(scope.session_id)
        async with self._database.changing(scope.user_id) as connection:
            return await connection.fetchval(SQL["take_chat_in"], scope.user_id, session_id) is not None
