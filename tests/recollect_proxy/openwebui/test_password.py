"""The password of OpenWebUI's Postgres need not stand in the command, where others see it."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.databases import administrator
from tests.folders import database_folder
from tests.recollect_proxy.openwebui.test_import_command import run
from tests.recollect_proxy.openwebui.test_sources import fill

from recollect.postgres import start_embedded
from recollect_proxy.openwebui.sources import open_source

PASSWORD = "correct-horse"


@pytest.fixture
async def guarded() -> AsyncIterator[str]:
    """The URL, without a password, of an OpenWebUI's Postgres that lets nobody in without one but its superuser."""
    with database_folder() as folder:
        dsn = start_embedded(folder).dsn
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


async def test_it_is_taken_from_the_environment_or_from_a_file(
    guarded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passwords = tmp_path / ".pgpass"
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PGPASSWORD", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)
    nowhere = {"data_dir": tmp_path / "data"}

    status, _, errors = await run([guarded, "--dry-run"], **nowhere)
    assert (status, errors) == (1, ["OpenWebUI's Postgres can't be reached: InvalidPasswordError."])

    with monkeypatch.context() as patch:
        patch.setenv("PGPASSWORD", PASSWORD)
        status, out, errors = await run([guarded, "--dry-run"], **nowhere)
    assert (status, errors, out[2:]) == (0, [], ["memories:  2 new, 0 there already"])

    passwords.write_text(f"*:*:*:webui:{PASSWORD}\n")
    passwords.chmod(0o600)
    async with open_source(guarded) as source:
        assert len(await source.memories()) == 2

    passwords.rename(tmp_path / "elsewhere")
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "elsewhere"))
    async with open_source(guarded) as source:
        assert len(await source.memories()) == 2
