"""`recollect audit-store`, as an operator runs it: over a real Postgres."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.recollect.store.keeping import apply
from tests.recollect_proxy.commands.command_line import Operator, recollect
from tests.scripted.upstream import ScriptedUpstream
from tests.support.stores import LATER, NOON, store_over
from tests.support.tables import table
from typer.testing import Result

from recollect.model import Actor, Add, AdminRead, Provenance, Scope, Source
from recollect.store import Postgres, open_postgres

KEY = "sk-live-51Hb8TqLZ0vWnX3kD7yPc9"  # gitleaks:allow -- of no account
QUESTION = "What is the time in Lyon?"
LIGHT, HEAVY = "Weighs 72 kg", "Weighs 75 kg"
SHOP = f"The shop in Leeds uses the Stripe key {KEY}"


class Auditor(Operator):
    """Runs `recollect audit-store` on one store."""

    def __call__(self, *arguments: str, status: int = 0, typed: str | None = None) -> str:
        """Run the command, or another that is named first."""
        command = () if arguments[:1] == ("memories",) else ("audit-store",)
        return super().__call__(*command, *arguments, status=status, typed=typed)

    def admin_reads(self, user_id: str) -> list[AdminRead]:
        async def read() -> list[AdminRead]:
            store = await open_postgres(self.variables["RECOLLECT_DATABASE_URL"])
            try:
                return await store.admin_reads.admin_reads(user_id, limit=10)
            finally:
                await store.aclose()

        return asyncio.run(read())


@pytest.fixture
def operator(own_dsn: str, data_dir: Path) -> Auditor:
    return Auditor(own_dsn, data_dir)


@pytest.fixture
async def kept(own_postgres: Postgres) -> dict[str, UUID]:
    """Anna has a question, a secret and two weights; Ben has a question. Returns the ids of the last memories by content."""
    store = store_over(own_postgres)
    ids: dict[str, UUID] = {}
    annas = [("anna", each, NOON) for each in (QUESTION, SHOP, LIGHT)]
    for user_id, content, at in (*annas, ("anna", HEAVY, LATER), ("ben", QUESTION, NOON)):
        said: Any = {"source": Source.IMPORT, "provenance": Provenance(None, (), content, "mem0")}
        plain: Any = {"embedding": None, "embedding_model": None}
        new = store.memory(content, Scope(user_id, ""), observed_at=at, created_at=at, **said, **plain)
        await apply(store, Add(new), scope=Scope(user_id, ""), actor=Actor.IMPORT, at=at)
        ids[content] = new.id
    return ids


@pytest.mark.usefixtures("kept")
def test_faults_are_counted_by_user_and_nothing_is_shown_or_changed(operator: Auditor) -> None:
    rows = [line.split("\t") for line in operator().splitlines()]
    told = operator.json("--only", "junk", "--user", "ben")

    assert rows == [
        ["anna", "0", "1", "1", "1", "0", "0", "0"],
        ["ben", "0", "0", "1", "0", "0", "0", "0"],
        ["2 users", "0", "1", "2", "1", "0", "0", "0"],
    ]
    counts = {"totals": {"junk": 1}, "by_user": {"ben": {"junk": 1}}}
    assert told == {"users": 1, **counts, "run": None, "repaired": 0}
    assert operator.contents("anna") == {QUESTION, SHOP, LIGHT, HEAVY}


@pytest.mark.usefixtures("kept")
def test_what_is_wrong_is_shown_to_who_asks_for_it_and_the_person_can_see_that(operator: Auditor) -> None:
    shown = operator("--show", "--user", "anna")
    [read] = operator.admin_reads("anna")

    assert LIGHT in shown
    assert HEAVY in shown
    assert f"{SHOP} | The shop in Leeds uses the Stripe key [" in shown
    assert (read.reader, read.operation) == ("command line", "audit-store")
    assert operator.admin_reads("ben") == []


def test_findings_are_in_the_document_if_to_be_shown(operator: Auditor, kept: dict[str, UUID]) -> None:
    [finding] = operator.json("--show", "--only", "contradiction")["findings"]

    told = {"user": "anna", "fault": "contradiction", "memory": str(kept[LIGHT])}
    assert finding == finding | told | {"content": LIGHT, "beside": HEAVY}


@pytest.mark.usefixtures("kept")
def test_it_is_repaired_after_a_yes_and_undone_by_the_run(operator: Auditor) -> None:
    operator("--repair", "junk", "--repair", "secret", status=1, typed="n\n")
    untouched = operator.contents("anna")
    done = operator("--repair", "junk", "--repair", "secret", typed="y\n")
    repaired = operator.contents("anna")
    run = done.split()[-1]
    of_ben = operator.json("--undo", run, "--user", "ben")
    still_repaired = operator.contents("anna")
    undone = operator.json("--undo", run)

    assert untouched == {QUESTION, SHOP, LIGHT, HEAVY}
    assert QUESTION not in repaired
    assert KEY not in repr(repaired)
    assert (of_ben, still_repaired) == ({"run": run, "undone": 1, "left": 0}, repaired)
    assert undone == {"run": run, "undone": 2, "left": 0}
    assert operator.contents("anna") == untouched
    assert operator.contents("ben") == {QUESTION}
    operator("--undo", run, status=1)


@pytest.mark.usefixtures("kept")
def test_what_has_no_fault_needs_no_yes(operator: Auditor) -> None:
    told = operator.json("--repair", "order")

    assert (told["totals"], told["run"], told["repaired"]) == ({"order": 0}, None, 0)


@table(
    "arguments",
    [
        ("--only", "spelling"),
        ("--undo", "yesterday"),
        ("--undo", "01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10", "--repair", "junk"),
        ("--user", "*"),
    ],
)
def test_what_is_asked_for_wrongly_ends_it_with_2(operator: Auditor, arguments: tuple[str, ...]) -> None:
    operator(*arguments, status=2)


@pytest.fixture
def llm() -> Iterator[ScriptedUpstream]:
    """An LLM's server in a thread, as the command takes the main thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = ScriptedUpstream()
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
    yield server
    asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def asked_of(operator: Auditor, upstream: str, policy: dict[str, Any]) -> Result:
    """Have two memories that may say otherwise, and run the command under an upstream policy."""
    for content in ("Lives in Leeds with Ana", "Lives in York with Ana"):
        operator("memories", "add", "anna", content)
    return recollect(
        *("audit-store", "--ask-model", "--extraction-model", "some", "--upstream", upstream),
        **operator.variables,
        RECOLLECT_UPSTREAMS=json.dumps([{"path": "/", **policy}]),
    )


def test_a_model_is_asked_where_its_upstreams_api_is(operator: Auditor, llm: ScriptedUpstream) -> None:
    asked_of(operator, llm.base_url.removesuffix("/v1"), {})
    assert {each.target for each in llm.received} == {b"/v1/chat/completions"}


def test_no_memory_is_told_against_the_upstreams_policy(operator: Auditor, llm: ScriptedUpstream) -> None:
    done = asked_of(operator, llm.base_url.removesuffix("/v1"), {"memories": "none"})
    assert (done.exit_code, llm.received) == (0, [])


def test_a_model_that_is_away_ends_it_with_a_line_and_without_a_word_of_a_memory(operator: Auditor) -> None:
    done = asked_of(operator, "http://127.0.0.1:9", {})

    assert (done.exit_code, "Leeds" in done.output, "Traceback" in done.output) == (1, False, False)
