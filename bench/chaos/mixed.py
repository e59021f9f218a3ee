"""The people of a soak: messages short and long, in several languages, and edits and erasures by the memory API.

Never: a fault, a figure.
"""

import asyncio
import random
from dataclasses import dataclass, field
from itertools import count

from bench.chaos.system import Process

_SENTENCES = (
    *("My kayak is {mark}.", "Mein Fahrrad ist {mark}.", "Ma lanterne est {mark}."),
    *("Mi telescopio es {mark}.", "Meu violino \u00e9 {mark}."),
    "\u041c\u043e\u044f \u043b\u043e\u0434\u043a\u0430 \u2014 {mark}.",
    "\u6211\u7684\u81ea\u884c\u8f66\u662f {mark}\u3002",
    "\u0642\u0627\u0631\u0628\u064a \u0647\u0648 {mark}.",
)
_LONG_SHARE = 0.1
_AROUND = (
    "The weather was fair on the lake, and we talked about boats, sails and the harbour for an hour or two. ",
    "Am Nachmittag haben wir lange \u00fcber das Haus, den Garten und die Reise im n\u00e4chsten Sommer gesprochen. ",
    "Ensuite nous avons pr\u00e9par\u00e9 le repas, rang\u00e9 la cuisine et regard\u00e9 un vieux film jusque tard. ",
)
_LONGEST = 200
"""Sentences around the one of a long message: some 20,000 characters."""

_DELETED_SHARE, _OF_A_WRITER = 1 / 3, 12


def said(mark: str, chance: random.Random) -> tuple[str, bool]:
    """Return a message with a mark, and whether it is a long one, of which more than its mark may be made."""
    sentence = chance.choice(_SENTENCES).format(mark=mark)
    if chance.random() >= _LONG_SHARE:
        return sentence, False
    around = [chance.choice(_AROUND) for _ in range(chance.randrange(10, _LONGEST))]
    around.insert(chance.randrange(len(around)), f"{sentence} ")
    return "".join(around), True


@dataclass
class Writers:
    """People whose memories are written, corrected, taken away and erased by the memory API, one change after another.

    Attributes:
        proxy: Whose memory API it is.
        chance: Decides which memories are deleted.
        written: How many memories were written.
        erased: How many people were erased.
        wrong: The memories that were not as they had been left, in words.
    """

    proxy: Process
    chance: random.Random
    written: int = 0
    corrected: int = 0
    deleted: int = 0
    erased: int = 0
    wrong: list[str] = field(default_factory=list)

    async def keep_writing(self, pause: float) -> None:
        """Write, correct and take away one person's memories, look at them, erase the person, and begin with the next; until cancelled."""
        for number in count(1):
            try:
                await self._live(f"writer-{number}", pause)
            except RuntimeError as error:
                self.wrong.append(str(error))
                raise

    async def _live(self, user: str, pause: float) -> None:
        memories = f"/users/{user}/memories"
        left: dict[str, str] = {}
        for each in range(_OF_A_WRITER):
            made = await self.proxy.api(
                b"POST", memories, {"content": f"Keeps {each} hens behind the house."}
            )
            self.written += 1
            path = f"{memories}/{made['id']}"
            left[made["id"]] = f"Keeps {each} geese in the garden."
            await self.proxy.api(b"PATCH", path, {"content": left[made["id"]]})
            self.corrected += 1
            if self.chance.random() < _DELETED_SHARE:
                await self.proxy.api(b"DELETE", path)
                del left[made["id"]]
                self.deleted += 1
            await asyncio.sleep(pause)
        if await self._contents(memories) != left:
            self.wrong.append(f"{user} has other memories than were left")
        await self.proxy.api(b"DELETE", f"/users/{user}")
        self.erased += 1
        if await self._contents(memories):
            self.wrong.append(f"{user} was erased, and has memories")

    async def _contents(self, path: str) -> dict[str, str]:
        listed = await self.proxy.api(b"GET", f"{path}?limit=100")
        return {each["id"]: each["content"] for each in listed["memories"]}
