"""A changed setting counts at once, for everybody or for one user."""

from dataclasses import asdict, fields
from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error

from recollect.api.people import UserFlags
from recollect.model import Flags
from recollect_proxy.web.strict_json import shaped

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


async def test_each_has_instructions_and_lifetimes_of_their_own(api: Api, annas: str) -> None:
    own = {"instructions": "Never my health.\nMy garden.", "lifetimes": "todo:30, #Work:365"}
    await changed(api, EVERYBODY, {"operator_instructions": "Keep editors."})
    answer = await changed(api, annas, own)

    assert answer["own"] == UNCHANGED | own
    assert answer["effective"]["operator_instructions"] == "Keep editors."
    assert answer["effective"]["lifetimes"] == "todo:30,#work:365"
    for name, value in own.items():
        of_all = await api.call("PATCH", EVERYBODY, {name: value})
        assert_error(of_all, 422, "invalid_field", name)


def test_a_setting_from_the_start_may_be_beyond_the_limits_of_a_change() -> None:
    tokens, caps = ("max_memory_tokens", "max_history_tokens"), ("session_cap", "user_cap")
    given: Any = dict.fromkeys(tokens, 200_000) | dict.fromkeys(caps, 2_000_000)

    shown = shaped({"own": Flags(), "effective": Flags(**given)}, UserFlags).effective

    assert {name: getattr(shown, name) for name in given} == given
