"""Plays the demo scene by scene, and judges the outcome of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from openai import AsyncOpenAI

from examples.demo.chat import Chat, Said
from examples.demo.memories import Changed, MemoryApi
from examples.demo.script import SCENES, Scene
from recollect_proxy.settings.proxy_settings import ProxySettings


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a scene.

    Attributes:
        said: The message and its answer.
        changes: How the person's memories changed.
        is_formed: Whether the message was read for memories.
    """

    said: Said
    changes: Sequence[Changed]
    is_formed: bool = True


class Audience(Protocol):
    """Is shown what happens, as it happens."""

    def scene(self, scene: Scene) -> None:
        """A scene begins."""
        ...

    def outcome(self, scene: Scene, outcome: Outcome) -> None:
        """A scene is over."""
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
            model: The model's name.
            memories: The proxy's memories.
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
        self._chats: dict[tuple[str, str], Chat] = {}

    async def run(self) -> list[str]:
        """Play it; return a line for each failure."""
        missed: list[str] = []
        seen: dict[str, int] = {}
        for number, scene in enumerate(SCENES, 1):
            self._audience.scene(scene)
            said = await self._chat(scene).say(scene.says)
            is_formed = await self._memories.formed(number, patience=self._patience)
            changes = await self._memories.changes(scene.user_id)
            outcome = Outcome(said, changes[seen.get(scene.user_id, 0) :], is_formed)
            seen[scene.user_id] = len(changes)
            self._audience.outcome(scene, outcome)
            missed += judge(scene, outcome)
        return missed

    def _chat(self, scene: Scene) -> Chat:
        headers = {
            self._settings.user_header: scene.user_id,
            self._settings.session_header: f"{scene.user_id}-{scene.chat}-chat",
        }
        new = Chat(self._client, model=self._model, headers=headers)
        return self._chats.setdefault((scene.person, scene.chat), new)


def judge(scene: Scene, outcome: Outcome) -> list[str]:
    """Return a line for each failure in a scene."""
    said = outcome.said
    recalled = "\n".join(said.recalled)
    memories = "\n".join(each.after for each in outcome.changes)
    missed = [] if outcome.is_formed else ["the message was not read for memories"]
    missed += [
        f"nothing with {part!r} was {verb}"
        for verb, part in scene.changes
        if not any(each.verb == verb and part in each.after for each in outcome.changes)
    ]
    if scene.recalls not in recalled or scene.recalls not in said.answer:
        missed.append(f"{scene.recalls!r} was not recalled, or not in the answer")
    missed += [
        f"{word!r} was shown or kept"
        for word in scene.apart
        if word.lower() in f"{recalled}\n{said.answer}\n{memories}".lower()
    ]
    return [f"{scene.title}: {each}" for each in missed]
