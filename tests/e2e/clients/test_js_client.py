"""The JavaScript client in Node: its types are the document's, and it speaks with a served proxy."""

import json
import shutil
from pathlib import Path

import pytest
from tests.e2e.clients.programs import NODE, run
from tests.openapi import document
from tests.servers.running_proxy import ADMIN_TOKEN, RunningProxy, User

CLIENT = Path(__file__).parents[3] / "clients" / "js"
TOOLS = CLIENT / "node_modules" / ".bin"
PROGRAM = NODE / "memory_client.mjs"


@pytest.fixture(autouse=True)
def _installed() -> None:
    if shutil.which("node") is None or not TOOLS.exists():
        pytest.skip("the JavaScript client's tools are not installed: `make test-clients` does it, with npm")


async def test_its_types_are_those_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(json.dumps(document()))
    await run(
        *(TOOLS / "openapi-typescript", "--default-non-nullable=false", tmp_path / "openapi.json"),
        *("--output", tmp_path / "api.d.ts"),
    )
    is_current = (tmp_path / "api.d.ts").read_text() == (CLIENT / "api.d.ts").read_text()
    assert is_current, "make js-types makes them anew"


async def test_a_program_fits_its_types() -> None:
    options = (
        "--noEmit --strict --checkJs --allowJs --module nodenext --target es2022 --skipLibCheck --types node"
    )
    types = CLIENT / "node_modules" / "@types"
    await run(TOOLS / "tsc", *options.split(), "--typeRoots", types, PROGRAM)

    wrong = PROGRAM.read_text().replace('kind: "preference" }', 'kind: "wish" }')
    mistaken = NODE / "mistaken.mjs"
    mistaken.write_text(wrong)
    try:
        with pytest.raises(AssertionError, match="wish"):
            await run(TOOLS / "tsc", *options.split(), "--typeRoots", types, mistaken)
    finally:
        mistaken.unlink()


async def test_it_writes_lists_follows_and_says_why_it_was_refused(proxy: RunningProxy, user: User) -> None:
    task = {"address": f"http://127.0.0.1:{proxy.port}", "token": ADMIN_TOKEN, "user": user.id}
    node = shutil.which("node")
    assert node is not None
    got = json.loads(await run(node, PROGRAM, given=json.dumps(task).encode()))

    assert [each["memory"] for each in got["streamed"]] == got["written"]
    assert [(each["type"], each["memory"]) for each in got["resumed"]] == [
        ("memory.remembered", got["written"][1])
    ]
    assert got["missed"] == "memory.remembered"
    assert got["listed"] == ["Likes walks by the river", "Likes jasmine tea"]
    assert got["again"] == [404, "memory_not_found", None]
    assert got["wrongToken"] == [401, "unauthorized", None]
    assert got["wrongField"] == [422, "invalid_field", "content"]
    assert got["ended"] == ["user.erased"]
