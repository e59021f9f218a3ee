"""A person's profile through the Memory API: allowed, written, proposed, confirmed, taken out, and taken back."""

from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import Api, assert_error, path_of
from tests.support.raw_client import Response
from uuid_utils.compat import uuid7


@pytest.fixture
async def profile(api: Api) -> str:
    """The path of Anna's profile, which she allows."""
    await allow(api, allows=True)
    return f"{api.user}/profile"


async def allow(api: Api, *, allows: bool | None) -> Any:
    answer = await api.call("PATCH", f"{api.user}/settings", {"profile": allows})
    assert answer.status == 200, answer.body
    return answer.json


async def written(api: Api, profile: str, content: str = "Is called Anna.", field: str = "name") -> Response:
    return await api.call("POST", profile, {"field": field, "content": content})


async def said(api: Api, profile: str) -> list[tuple[str, str, str]]:
    answer = await api.call("GET", profile)
    assert answer.status == 200, answer.body
    return [(each["field"], each["state"], each["content"]) for each in answer.json["entries"]]


async def test_without_consent_it_is_empty_and_nothing_is_written(api: Api) -> None:
    profile = f"{api.user}/profile"

    assert (await api.call("GET", profile)).json == {"consents": False, "entries": [], "updated_at": None}
    for attempt in (
        await written(api, profile),
        await api.call("POST", f"{profile}/proposals"),
        await api.call("POST", f"{profile}/{uuid7()}/confirm"),
        await api.call("PATCH", f"{profile}/{uuid7()}", {"field": "notes"}),
    ):
        assert_error(attempt, 409, "profile_not_allowed", "profile")


async def test_a_change_of_nothing_or_of_no_id_is_refused(api: Api, profile: str) -> None:
    assert_error(await api.call("PATCH", f"{profile}/{uuid7()}", {}), 422, "invalid_field")
    assert_error(await api.call("DELETE", f"{profile}/x"), 400, "invalid_parameter", "entry_id")


async def test_it_is_nobody_elses(api: Api, profile: str) -> None:
    made = (await written(api, profile)).json["id"]
    await api.call("PATCH", f"{path_of(api.ben)}/settings", {"profile": True})

    refused = await api.call("DELETE", f"{path_of(api.ben)}/profile/{made}")

    assert_error(refused, 404, "profile_entry_not_found", "entry_id")
    assert await said(api, f"{path_of(api.ben)}/profile") == []
    assert len(await said(api, profile)) == 1
