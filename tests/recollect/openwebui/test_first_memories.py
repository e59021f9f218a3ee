"""The line of a person's first memories names the button that shows them."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from tests.recollect.engines import PATIENT, engine_over
from tests.support.stores import Store

from recollect.model import Update
from recollect_openwebui.first_memories import button_name, changes_line
from recollect_openwebui.notices import Notices

TEA, DOG = "Drinks tea.", "Has a dog."
LONG = "Has kept bees on the roof of the house since the winter of the great storm."
HINT = "See and change it: Mine, the bookmark below."


@pytest.mark.parametrize(
    ("before", "said", "button", "line"),
    [
        ((), TEA, "Mine", f"Remembered: {TEA} {HINT}"),
        ((), LONG, "Mine", f"{HINT} Remembered: {LONG}"),
        ((), TEA, None, f"Remembered: {TEA}"),
        ((DOG,), TEA, "Mine", f"Remembered: {TEA}"),
    ],
)
async def test_only_with_the_first_ones_it_is_named_where_it_is_seen(
    before: tuple[str, ...], said: str, button: str | None, line: str, store: Store
) -> None:
    engine = engine_over(store, PATIENT)
    for each in before:
        await engine.add(store.anna, each)
    await engine.add(store.anna, said)
    [newest] = await engine.history(store.anna, limit=1)

    assert await changes_line(engine, store.anna, [newest], Notices(), button) == line


async def test_without_a_change_to_show_there_is_no_line(store: Store) -> None:
    nothing: list[Update] = []

    assert await changes_line(engine_over(store, PATIENT), store.anna, nothing, Notices(), "Mine") == ""


@pytest.mark.parametrize(
    ("content", "name"),
    [('"""\ntitle: My memories\nauthor: Recollect\n"""', "Mine"), ('"""\ntitle: Another\n"""', None)],
)
async def test_the_button_is_found_by_its_code(
    content: str, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def get_functions_by_type(kind: str, **given: Any) -> list[SimpleNamespace]:
        assert (kind, given) == ("action", {"active_only": True})
        return [SimpleNamespace(name="Mine", content=content)]

    functions = SimpleNamespace(get_functions_by_type=get_functions_by_type)
    monkeypatch.setitem(sys.modules, "open_webui.models.functions", SimpleNamespace(Functions=functions))

    assert await button_name() == name


async def test_outside_of_open_webui_there_is_none() -> None:
    assert await button_name() is None
