"""When a memory is needed, as the API shows it and as a person changes it."""

from typing import Any

from tests.recollect_proxy.memory_api.serving import Api

HINTS: dict[str, Any] = {
    "use": "topic",
    "topics": ["weekend plans", "gift ideas"],
    "questions": ["Was mache ich am Wochenende?", "What do I do on weekends?"],
}
NONE: dict[str, Any] = {"use": None, "topics": [], "questions": []}


def hints(memory: Any) -> dict[str, Any]:
    """Return the hints of a memory, or of a version of one."""
    return {name: memory[name] for name in HINTS}


async def test_hints_are_shown_where_a_memory_is(api: Api) -> None:
    written = await api.write("Climbs.", **HINTS)
    await api.write("Bakes.")

    assert hints(written) == HINTS
    assert hints((await api.call("GET", f"{api.memories}/{written['id']}")).json) == HINTS
    assert [hints(each) for each in (await api.call("GET", api.memories)).json["memories"]] == [NONE, HINTS]
    [found] = (await api.call("GET", f"{api.memories}/search?q=climbs")).json["found"][:1]
    assert hints(found["memory"]) == HINTS


async def test_secrets_in_hints_are_masked(api: Api) -> None:
    secret = "my password is marzipan7"

    written = await api.write("Climbs.", topics=[secret])
    changed = await api.call("PATCH", f"{api.memories}/{written['id']}", {"questions": [secret]})

    assert "marzipan7" not in f"{written} {changed.json}"
    assert hints(changed.json)["topics"] == hints(changed.json)["questions"]
