"""Several processes share a folder, and each takes over what dead ones left."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.recollect.spool.spools import Taking, add, entry, files, opened

from recollect.runtime.file_lock import FileLock


async def test_two_that_share_a_folder_leave_each_others_files_alone(folder: Path) -> None:
    mine, theirs, taking = await opened(folder), await opened(folder), Taking()
    await add(mine, entry("mine"))
    await add(theirs, entry("theirs"))

    await mine.adopt()
    assert await mine.replay(taking)
    assert taking.texts == ["mine"]
    await theirs.close()
    await mine.adopt()
    assert mine.waiting.exchanges == 1
    assert await mine.replay(taking)

    assert taking.texts == ["mine", "theirs"]
    assert files(folder) == []
    await mine.close()


async def test_a_process_that_looks_as_another_begins_costs_it_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may lock the name that the other has just made, and remove it."""
    looker, take, looks = await opened(folder), FileLock.take, iter(range(2))

    def late(lock: FileLock) -> bool:
        if next(looks, None) is not None:
            with monkeypatch.context() as looking:
                looking.setattr(FileLock, "take", take)
                assert looker._folder is not None
                assert list(looker._folder.take_over()) == []
        return take(lock)

    monkeypatch.setattr(FileLock, "take", late)
    spool, taking = await opened(folder), Taking()
    monkeypatch.undo()
    await add(spool, entry("said"))
    await looker.adopt()

    assert looker.waiting.exchanges == 0
    assert await spool.replay(taking)
    assert taking.texts == ["said"]
    await spool.close()
    await looker.close()


@pytest.mark.parametrize(
    ("damage", "left"), [(lambda d: d[:-7], [0, 1]), (lambda d: d[:9] + b"?" + d[10:], [1, 2])]
)
async def test_a_line_that_is_cut_off_or_damaged_is_logged_and_the_rest_is_written(
    folder: Path, damage: Callable[[bytes], bytes], left: list[int]
) -> None:
    before = await opened(folder)
    for number in range(3):
        await add(before, entry(f"said {number}"))
    await before.close()
    [file] = files(folder)
    file.write_bytes(damage(file.read_bytes()))
    taking = Taking()

    with capture_logs() as logs:
        after = await opened(folder)
        assert await after.replay(taking)
        await after.close()

    assert taking.texts == [f"said {number}" for number in left]
    assert [line["event"] for line in logs if line["log_level"] == "error"] == ["spool_damaged"]
    assert files(folder) == []


WRITER = """
import asyncio, sys
from pathlib import Path
from tests.recollect.spool.spools import add, entry, opened

async def main():
    spool = await opened(Path(sys.argv[1]))
    number = 0
    while True:
        await add(spool, entry(f"said {number}"))
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


@pytest.mark.process
async def test_what_was_on_the_disk_when_its_process_was_killed_is_all_there(folder: Path) -> None:
    root = Path(__file__).parents[3]
    writing = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WRITER,
        str(folder),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])},
    )
    assert writing.stdout is not None
    kept = 0
    while kept < 50:
        kept = int(await writing.stdout.readline())
    other, taking = await opened(folder), Taking()
    assert other.waiting.exchanges == 0  # its process lives, and holds it
    writing.send_signal(signal.SIGKILL)
    kept = max(map(int, (await writing.stdout.read()).split()), default=kept)
    await writing.wait()

    await other.adopt()
    assert await other.replay(taking)

    assert taking.texts[: kept + 1] == [f"said {number}" for number in range(kept + 1)]
    assert len(taking.texts) - (kept + 1) in {0, 1}  # it died before it could tell of the last
    assert files(folder) == []
    await other.close()
