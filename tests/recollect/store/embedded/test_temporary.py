"""A folder, and a server in it, that are gone with the process that made them."""

import asyncio
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from tests.recollect.store.embedded.servers import Start, bystander_of, durability, mode, postmaster, runs
from tests.support.waiting import until

from recollect.store import TemporaryFolder

pytestmark = pytest.mark.process

MAKER = """
import sys
from recollect.store import TemporaryFolder, start_embedded
folder = TemporaryFolder()
start_embedded(folder.path, durable=False)
print(folder.path, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def temporary() -> Iterator[TemporaryFolder]:
    made = TemporaryFolder()
    yield made
    made.remove()


# -- the folder ------------------------------------------------------------------------------------


def test_it_is_a_new_folder_that_its_owner_alone_may_list(temporary: TemporaryFolder) -> None:
    assert [each.suffix for each in temporary.path.iterdir()] == [".lock"]
    assert mode(temporary.path) == 0o711


def test_it_is_removed_with_all_in_it_and_nobody_watches_it_any_more(temporary: TemporaryFolder) -> None:
    (temporary.path / "postgres").mkdir()
    (temporary.path / "postgres" / "log").write_text("")

    temporary.remove()

    assert not temporary.path.exists()
    assert temporary._watcher.poll() == 0
    temporary.remove()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux shows which processes there are")
async def test_it_is_gone_and_its_server_with_it_when_the_process_that_made_it_is_killed() -> None:
    maker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MAKER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert maker.stdout is not None
    folder = Path((await maker.stdout.readline()).decode().strip())
    server = postmaster(folder)
    assert runs(server)

    maker.kill()

    await maker.wait()
    await until(lambda: not runs(server), seconds=10)  # by itself it ends later, as its files are gone
    await until(lambda: not folder.exists(), seconds=30)


def test_a_process_that_has_the_number_of_its_server_by_now_is_left_alone(temporary: TemporaryFolder) -> None:
    data = temporary.path / "postgres" / "data"
    data.mkdir(parents=True)
    with bystander_of(os.geteuid()) as bystander:
        (data / "postmaster.pid").write_text(f"{bystander.pid}\n{data}\n")

        temporary._watcher.communicate()  # ends its input, as the end of this process would

        assert not temporary.path.exists()
        assert bystander.poll() is None


def test_what_was_killed_with_its_watcher_leaves_is_removed_by_the_next(tmp_path: Path) -> None:
    abandoned = TemporaryFolder(within=tmp_path)
    (abandoned.path / "said").touch()
    abandoned._watcher.kill()
    abandoned._lock.close()  # as the kernel does
    another = tmp_path / "recollect-of-something-else"
    another.mkdir()
    used = TemporaryFolder(within=tmp_path)

    newest = TemporaryFolder(within=tmp_path)

    assert set(tmp_path.iterdir()) == {another, used.path, newest.path}
    for each in (used, newest):
        each.remove()
    abandoned._watcher.communicate()


def test_a_folder_that_nothing_can_watch_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more_processes(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EAGAIN, "none left")

    monkeypatch.setattr(subprocess, "Popen", no_more_processes)

    with pytest.raises(OSError, match="none left"):
        TemporaryFolder(within=tmp_path)
    assert list(tmp_path.iterdir()) == []


# -- a server that need not be durable -------------------------------------------------------------


async def test_a_server_waits_for_the_disk_unless_it_need_not_be_durable(folder: Path, start: Start) -> None:
    durable = start(folder, durable=True)
    assert await durability(durable.dsn) == {"on"}
    durable.stop()

    quick = start(folder, durable=False)
    assert await durability(quick.dsn) == {"off"}
