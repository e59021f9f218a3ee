"""The password of OpenWebUI's Postgres can be kept out of the command, where others see it."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.recollect_proxy.importers.test_import_command import run
from tests.recollect_proxy.importers.test_openwebui_sources import fill
from tests.servers.databases import administrator, running_server

PASSWORD = "correct-horse"


@pytest.fixture
async def guarded() -> AsyncIterator[str]:
    """The URL, without a password, of an OpenWebUI's Postgres that asks everyone but its superuser for one."""
    with running_server() as dsn:
        await fill(dsn)
        async with administrator(dsn) as connection:
            await connection.execute(
                f"CREATE ROLE webui LOGIN PASSWORD '{PASSWORD}' IN ROLE pg_read_all_data"
            )
            _ask_for_password(Path(await connection.fetchval("SHOW hba_file")))
            await connection.execute("SELECT pg_reload_conf()")
        yield urlsplit(dsn)._replace(netloc="webui@").geturl()


def _ask_for_password(rules: Path) -> None:
    rules.write_text(f"local all webui scram-sha-256\n{rules.read_text()}")


@pytest.mark.process
def test_it_is_taken_from_the_environment_or_from_a_file(
    guarded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (guarded, "--dry-run")
    passwords, elsewhere = tmp_path / ".pgpass", tmp_path / "elsewhere"
    nowhere = {"data_dir": tmp_path / "data"}
    let_in: tuple[int, list[str], list[str]] = (0, [], ["memories:  2 new, 0 there already"])
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PGPASSWORD", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)
    assert PASSWORD not in str(command)

    status, _, errors = run(*command, **nowhere)
    assert (status, errors) == (1, ["OpenWebUI's Postgres can't be reached: InvalidPasswordError."])

    with monkeypatch.context() as patch:
        patch.setenv("PGPASSWORD", PASSWORD)
        status, out, errors = run(*command, **nowhere)
    assert (status, errors, out[3:]) == let_in

    passwords.write_text(f"*:*:*:webui:{PASSWORD}\n")
    passwords.chmod(0o600)
    status, out, errors = run(*command, **nowhere)
    assert (status, errors, out[3:]) == let_in

    passwords.rename(elsewhere)
    monkeypatch.setenv("PGPASSFILE", str(elsewhere))
    status, out, errors = run(*command, **nowhere)
    assert (status, errors, out[3:]) == let_in
