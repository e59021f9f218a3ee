"""Plays the demo: two people tell things, and ask about them in new chats. Never: how it is shown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from openai import AsyncOpenAI

from examples.demo.chat import Chat, Said
from examples.demo.memories import MemoryApi, Remembered
from examples.demo.script import PEOPLE, Person, other
from recollect_proxy.settings.proxy_settings import ProxySettings


@dataclass(frozen=True, slots=True)
class Expectation:
    """Something that must come of the demo, and whether it did."""

    text: str
    met: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """What one person asked in their new chat: about their own things, and about the other's."""

    own: Said
    others: Said


class Audience(Protocol):
    """Is shown what happens, as it happens."""

    def chat(self, person: Person, ordinal: str) -> None:
        """A chat begins."""
        ...

    def said(self, person: Person, said: Said) -> None:
        """Something was said in it."""
        ...

    def holds(self, person: Person, memories: Sequence[Remembered]) -> None:
        """This is what is remembered of a person."""
        ...

    def forming(self) -> None:
        """Memories are being formed."""
        ...


class Play:
    """The demo, through one proxy."""

    def __init__(
        self,
        *,
        client: AsyncOpenAI,
        model: str,
        memories: MemoryApi,
        settings: ProxySettings,
        audience: Audience,
        patience: float,
    ) -> None:
        """Prepare the demo.

        Args:
            client: OpenAI's SDK before the proxy.
            model: Whom to talk to.
            memories: What the proxy remembers.
            settings: The proxy's; they name the headers.
            audience: Is shown what happens.
            patience: Seconds to wait for formation when it does not move.
        """
        self._client = client
        self._model = model
        self._memories = memories
        self._settings = settings
        self._audience = audience
        self._patience = patience
        self._exchanges = 0

    async def run(self) -> list[Expectation]:
        """Play it; return what had to come of it."""
        for person in PEOPLE:
            chat = self._chat(person, "first")
            for text in person.tells:
                self._heard(person, await chat.tell(text))
        formed = [await self._formed()]
        for person in PEOPLE:
            self._audience.holds(person, await self._memories.of(person.user_id))
        asked = {}
        for person in PEOPLE:
            chat = self._chat(person, "second")
            own = self._heard(person, await chat.ask(person.asks))
            others = self._heard(person, await chat.ask(person.asks_of_other))
            asked[person.name] = Asked(own, others)
        formed.append(await self._formed())
        stores = {person.name: await self._memories.of(person.user_id) for person in PEOPLE}
        return [
            Expectation("memories were formed of everything that was said", all(formed)),
            *(each for person in PEOPLE for each in judge(person, asked[person.name], stores)),
        ]

    def _chat(self, person: Person, ordinal: str) -> Chat:
        self._audience.chat(person, ordinal)
        headers = {
            self._settings.user_header: person.user_id,
            self._settings.session_header: f"{person.user_id}-{ordinal}-chat",
        }
        return Chat(self._client, model=self._model, headers=headers)

    def _heard(self, person: Person, said: Said) -> Said:
        self._exchanges += 1
        self._audience.said(person, said)
        return said

    async def _formed(self) -> bool:
        self._audience.forming()
        return await self._memories.formed(self._exchanges, patience=self._patience)


def judge(person: Person, asked: Asked, stores: Mapping[str, Sequence[Remembered]]) -> list[Expectation]:
    """Return what had to come of the demo for one person.

    Args:
        person: Whom.
        asked: What they asked, and were shown.
        stores: What is remembered, by name.
    """
    neighbour = other(person)
    store = _joined(memory.content for memory in stores[person.name])
    shown = _joined(said for each in (asked.own, asked.others) for said in (each.answer, *each.memories))
    return [
        Expectation(
            f"{person.name} was reminded of their own words in a new chat",
            person.words[0] in _joined(asked.own.memories) and person.words[0] in asked.own.answer.lower(),
        ),
        Expectation(f"{person.name}'s store holds what {person.name} told", person.words[0] in store),
        Expectation(
            f"nothing of {neighbour.name}'s was shown to {person.name}",
            not any(word in shown for word in neighbour.words),
        ),
        Expectation(
            f"nothing of {neighbour.name}'s is in {person.name}'s store",
            not any(word in store for word in neighbour.words),
        ),
    ]


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(texts).lower()
