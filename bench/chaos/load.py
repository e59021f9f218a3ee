"""The same small steady load for every fault: people who chat, and one who tests the memory."""

import asyncio
import random
import time
from dataclasses import dataclass, field
from typing import NamedTuple

import httptools
from tests.servers.running_proxy import User, chat_request
from tests.support.raw_client import RawConnection, Response
from tests.support.waiting import until

from bench.chaos.world import REMEMBERED, World, expected

TALKERS = 4
_PAUSE = (0.3, 0.9)
_TURNS_OF_A_CHAT = 5
_PROBE_SECONDS = 1.0
_HURRIED_SECONDS = 0.2
_PATIENCE_SECONDS = 60.0
_AGAIN_SECONDS = 0.1
_START_PATIENCE_SECONDS = 120.0
_BROKEN = (OSError, EOFError, TimeoutError, httptools.HttpParserError, ValueError, IndexError)
"""The errors of a client whose server is gone: refused, reset, cut off in the middle."""

_THINGS = ("bicycle", "kayak", "typewriter", "greenhouse", "telescope", "violin", "toolbox", "lantern")


@dataclass(frozen=True)
class Asked:
    """A chat request, and its outcome.

    Attributes:
        mark: The mark in its words.
        began: When, by the monotonic clock.
        seconds: How long it took, with a second try.
        is_whole: Whether the answer came byte for byte as the LLM sent it.
        is_cut_alike: Whether the LLM broke off, and the client got everything until then.
        tries: How often it was asked.
    """

    mark: str
    began: float
    seconds: float
    is_whole: bool
    is_cut_alike: bool
    tries: int


class Probe(NamedTuple):
    """A question of the one whose memory is known: when it was asked, and whether the prompt had the memory."""

    began: float
    remembered: bool


@dataclass
class Load:
    """Who chats.

    Attributes:
        ports: Where the proxies serve; a client takes one after the other.
        tries: How often a client asks where the connection fails.
        again_within: Seconds for which a client asks again until it is answered; 0 for ``tries`` alone.
        probes: The questions of the tester.
        is_hurried: Whether a second between two probes is too long, as it is to be seen when memory is back.
        is_over: Whether everybody is to stop.
    """

    world: World
    ports: list[int]
    chance: random.Random
    tries: int = 2
    again_within: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    is_hurried: bool = False
    is_over: bool = False
    _next: int = 0
    _probed: int = 0
    _chats: dict[str, tuple[User, str]] = field(default_factory=dict)

    async def talk(self, number: int) -> None:
        """Say something new again and again until the load is over."""
        name = f"talker-{number}-{self.chance.randrange(16**4):04x}"
        user, said = User(name), 0
        while not self.is_over:
            said += 1
            chat = f"chat-{said // _TURNS_OF_A_CHAT}-of-{name}"
            self._chats[chat] = user, chat
            mark = f"number {said} of {name}"
            await self.say(user, chat, mark, is_streamed=bool(said % 2))
            await asyncio.sleep(self.chance.uniform(*_PAUSE))

    async def say(
        self, user: User, chat: str, mark: str, *, is_streamed: bool, words: str | None = None
    ) -> Asked:
        """Ask once, in these words or in a short sentence, and note the outcome."""
        words = words or f"My {self.chance.choice(_THINGS)} is {mark}."
        began = time.monotonic()
        answer, tries = await self._answer(user, chat, words, is_streamed=is_streamed)
        whole = expected(mark, is_streamed=is_streamed)
        noted = Asked(
            mark,
            began,
            time.monotonic() - began,
            is_whole=answer is not None and answer.complete and answer.status == 200 and answer.body == whole,
            is_cut_alike=answer is not None and mark in self.world.broken and whole.startswith(answer.body),
            tries=tries,
        )
        self.asked.append(noted)
        return noted

    async def close_chats(self) -> None:
        """Say a last word in every chat, so that unanswered messages are remembered, too."""
        for user, chat in list(self._chats.values()):
            await self._answer(user, chat, "Thank you, is that all?")

    async def _answer(
        self, user: User, chat: str, words: str, *, is_streamed: bool = False
    ) -> tuple[Response | None, int]:
        """Return the answer, if any, and the number of tries; each try asks the next proxy."""
        data = chat_request(user, words, chat=chat, stream=is_streamed)
        began, answer, tries = time.monotonic(), None, 0
        self._next += 1
        first = self._next
        while tries < self.tries or time.monotonic() - began < self.again_within:
            tries += 1
            try:
                answer = await self._once(data, self.ports[(first + tries) % len(self.ports)])
            except _BROKEN:
                answer = None
            if answer is not None and answer.complete:
                break
            if self.again_within:
                await asyncio.sleep(_AGAIN_SECONDS)
        return answer, tries

    async def _once(self, data: bytes, port: int) -> Response:
        async with asyncio.timeout(_PATIENCE_SECONDS), RawConnection(port) as connection:
            await connection.send(data)
            return await connection.read_response(method=b"POST")

    # -- the memory ----------------------------------------------------------------------------

    async def probe(self, user: User) -> bool:
        """Ask in a new chat for an earlier statement of this user; return whether the prompt had it, and note that."""
        self._probed += 1
        number = self._probed
        began, asking = time.monotonic(), f"asked {number}: in which harbour does my boat lie?"
        await self._answer(user, f"probe-{number}-of-{user.id}", asking)
        self.probes.append(Probe(began, number in self.world.remembered))
        return self.probes[-1].remembered

    async def keep_probing(self, user: User) -> None:
        """Ask again and again until the load is over."""
        while not self.is_over:
            await self.probe(user)
            await asyncio.sleep(_HURRIED_SECONDS if self.is_hurried else _PROBE_SECONDS)

    async def memory_is_back(self, since: float, seconds: float) -> None:
        """Wait so long at most until a probe that began since then was given its memory."""
        self.is_hurried = True
        while time.monotonic() - since < seconds:
            if any(probe.remembered and probe.began >= since for probe in self.probes):
                break
            await asyncio.sleep(_HURRIED_SECONDS / 2)
        self.is_hurried = False

    async def until_remembered(self, user: User) -> None:
        """Tell the statement that probes ask for, and wait until a chat is given it."""
        await self._answer(user, f"told-by-{user.id}", f"My boat lies in {REMEMBERED} harbour.")

        async def is_remembered() -> bool:
            await asyncio.sleep(_HURRIED_SECONDS)
            return await self.probe(user)

        await until(is_remembered, seconds=_START_PATIENCE_SECONDS)
