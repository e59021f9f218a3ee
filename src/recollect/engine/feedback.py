"""What people say of memories that were recalled for them. Raises. Never: SQL."""

from dataclasses import replace
from uuid import UUID

from recollect.engine.browsing import Browsing
from recollect.errors import AlwaysNeededError, MemoryNotFoundError, QuestionNotKeptError
from recollect.model import STATEMENTS, NotHelpful, RequestRecord
from recollect.recall import may_be_unhelpful

_LISTED = 50


class Feedback(Browsing):
    """Lets people say which recalled memories did not help."""

    async def call_not_helpful(self, request: RequestRecord, memory_id: UUID) -> None:
        """Leave a memory that a request was given out of the prompts of questions like the request's.

        The question is embedded in the background.

        Raises:
            MemoryNotFoundError: The request was not given it, or the user has no such statement any more.
            AlwaysNeededError: It shapes every answer, or somebody's health depends on it.
            QuestionNotKeptError: The log does not have the question.
        """
        user_id = request.scope.user_id
        memory = await self.get(user_id, memory_id)
        if (memory_id, None) not in request.given or memory.kind not in STATEMENTS:
            raise MemoryNotFoundError
        if not may_be_unhelpful(memory):
            raise AlwaysNeededError
        if not await self._backends.feedback.add(user_id, request.id, memory_id, at=self._clock()):
            raise QuestionNotKeptError
        await self._backends.index.enqueue(user_id)

    async def take_back_not_helpful(self, user_id: str, request_id: UUID, memory_id: UUID) -> None:
        """Let questions like a request's get a memory again.

        Raises:
            MemoryNotFoundError: It was not called not helpful for that request.
        """
        if not await self._backends.feedback.remove(user_id, request_id, memory_id):
            raise MemoryNotFoundError

    async def not_helpful_for(self, user_id: str, memory_id: UUID) -> list[NotHelpful]:
        """Return for which questions the user called a memory not helpful, newest first, 50 at most."""
        found = await self._backends.feedback.of_memory(user_id, memory_id, limit=_LISTED)
        if self.policy.under(await self._backends.flags.flags(user_id)).tells_queries:
            return found
        return [replace(each, question=None) for each in found]
