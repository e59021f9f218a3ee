"""The first question of the first person in an empty store finds the fact, each time anew."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from tests.e2e.openwebui.hosts import Host, with_filter, with_proxy
from tests.e2e.openwebui.language_model import prompt
from tests.e2e.openwebui.people import Conversation

SAID = "I live in Lisbon and my dog is called Fips."
ASKED = "Where do I live?"
TIMES = 3


@pytest.mark.parametrize("served", [with_proxy, with_filter], ids=["proxy", "filter"])
@pytest.mark.parametrize("time", range(TIMES))
async def test_the_first_question_finds_the_fact(
    served: Callable[[Path], AbstractAsyncContextManager[Host]], time: int, tmp_path: Path
) -> None:
    async with served(tmp_path) as host:
        somebody = await host.administrator.add(f"Somebody {time}")
        await Conversation(somebody).says(SAID)
        await host.learned(somebody, SAID)

        await Conversation(somebody).says(ASKED)

        assert "Lisbon" in prompt(host.model.chats(ASKED)[-1])
        assert host.server.log.count("a chat had no memory") == 0
