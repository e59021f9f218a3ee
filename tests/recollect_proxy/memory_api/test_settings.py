"""A changed setting counts at once, for everybody or for one user."""

from dataclasses import asdict, fields
from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error

from recollect.api.people import UserFlags
from recollect.model import Flags
from recollect_proxy.web.json_shapes import shaped

EVERYBODY = "/memory/settings"

UNCHANGED: dict[str, Any] = {
    each.name: None for each in fields(Flags) if each.name not in {"told_zone", "told_name"}
}


@pytest.fixture
def api(own_api: Api) -> Api:
    """The Memory API over a database of the test's own: everybody's settings are changed."""
    return own_api


@pytest.fixture
def annas(api: Api) -> str:
    """The path of Anna's settings."""
    return f"{api.user}/settings"


async def changed(api: Api, path: str, body: Any) -> Any:
    response = await api.call("PATCH", path, body)
    assert response.status == 200, response.body
    return response.json


def effective(api: Api, **changes: Any) -> dict[str, Any]:
    """Return what holds with some changes, as the engine goes by it."""
    found = asdict(api.engine.policy.under(Flags(**changes)).flags)
    del found["told_zone"], found["told_name"]
    return found


async def test_at_first_everything_is_as_recollect_was_started(api: Api, annas: str) -> None:
    started = effective(api)
    assert None not in started.values()
    assert (await api.call("GET", EVERYBODY)).json == UNCHANGED | {"effective": started}
    assert (await api.call("GET", annas)).json == {"own": UNCHANGED, "effective": started}


async def test_each_writes_instructions_of_their_own_and_the_operator_for_all(api: Api, annas: str) -> None:
    await changed(api, EVERYBODY, {"operator_instructions": "Keep editors."})
    answer = await changed(api, annas, {"instructions": "Never my health.\nMy garden."})

    assert answer["own"] == UNCHANGED | {"instructions": "Never my health.\nMy garden."}
    assert answer["effective"]["operator_instructions"] == "Keep editors."
    of_all = await api.call("PATCH", EVERYBODY, {"instructions": "For no one."})
    assert_error(of_all, 422, "invalid_field", "instructions")
    for text in ("", " \n", "x" * 2_001, "a\0b"):
        assert_error(
            await api.call("PATCH", annas, {"instructions": text}), 422, "invalid_field", "instructions"
        )


async def test_each_limits_the_days_of_their_own_memories_and_nobody_those_of_all(
    api: Api, annas: str
) -> None:
    answer = await changed(api, annas, {"lifetimes": "todo:30, #Work:365"})

    assert answer["own"] == UNCHANGED | {"lifetimes": "todo:30, #Work:365"}
    assert answer["effective"]["lifetimes"] == "todo:30,#work:365"
    of_all = await api.call("PATCH", EVERYBODY, {"lifetimes": "todo:30"})
    assert_error(of_all, 422, "invalid_field", "lifetimes")
    for text in ("", "todo", "todo:0", "nothing:3", "#:3", f"todo:3,{'#x:1,' * 250}"):
        assert_error(await api.call("PATCH", annas, {"lifetimes": text}), 422, "invalid_field", "lifetimes")


def test_a_setting_from_the_start_may_be_beyond_the_limits_of_a_change() -> None:
    effective = Flags(
        max_memory_tokens=200_000, max_history_tokens=200_000, session_cap=2_000_000, user_cap=2_000_000
    )

    shown = shaped({"own": Flags(), "effective": effective}, UserFlags).effective

    assert (shown.max_memory_tokens, shown.max_history_tokens) == (200_000, 200_000)
    assert (shown.session_cap, shown.user_cap) == (2_000_000, 2_000_000)
