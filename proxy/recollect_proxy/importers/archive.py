"""Opens JSON files that a product exported, from a zip archive or by themselves. Never: their content."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from recollect_proxy.takeout.json_items import FileError

LARGEST_FILE = 8 << 30
"""The most bytes to unpack from an archive in all."""

_MOST_TIMES = 200
"""The largest compression ratio of a file: JSON text does not reach it, a zip bomb exceeds it."""

_ROOM = 1 << 20
"""Up to so many bytes, a file's compression ratio is not limited."""

_MOST_MEMBERS = 1_000_000
_CHUNK = 1 << 20
_ZIP = b"PK\x03\x04"


@contextmanager
def open_files(path: Path, is_wanted: Callable[[str], bool]) -> Iterator[dict[str, Path]]:
    """Unpack the wanted files of an archive into a temporary folder, or take a single file, within the context.

    Args:
        path: The archive or the file.
        is_wanted: Whether to unpack a file of the archive, by its name without folders.

    Yields:
        The path of each file by its name, in order; a file that is no archive has the name "".

    Raises:
        FileError: The file can't be read, the archive lacks wanted files, or it unpacks to more than the limits.
    """
    try:
        with path.open("rb") as file:
            is_archive = file.read(len(_ZIP)) == _ZIP
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from None
    if not is_archive:
        yield {"": path}
        return
    with TemporaryDirectory(prefix="recollect-import-") as folder:
        try:
            files = _unpacked(path, Path(folder), is_wanted)
        except (zipfile.BadZipFile, EOFError, ValueError, RuntimeError, NotImplementedError) as error:
            raise FileError(f"{path} is no zip archive that can be read ({type(error).__name__}).") from None
        except OSError as error:
            raise FileError(f"{path} can't be unpacked: {error.strerror}.") from None
        if not files:
            raise FileError(f"{path} is an archive without any of the files that are looked for.")
        yield files


def _unpacked(path: Path, folder: Path, is_wanted: Callable[[str], bool]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    left = LARGEST_FILE
    with zipfile.ZipFile(path) as archive:
        if len(archive.infolist()) > _MOST_MEMBERS:
            raise FileError(f"{path} has more than {_MOST_MEMBERS} files.")
        for member in sorted(archive.infolist(), key=lambda each: each.filename):
            name = PurePosixPath(member.filename).name
            if member.is_dir() or not is_wanted(name) or name in files:
                continue
            files[name] = folder / f"{len(files)}.json"
            most = min(left, max(_ROOM, _MOST_TIMES * member.compress_size))
            left -= _unpack(archive, member, files[name], most)
    return files


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, to: Path, most: int) -> int:
    """Unpack a file up to ``most`` bytes, whatever size the archive declares, and return its size.

    Raises:
        FileError: It is larger.
    """
    size = 0
    with archive.open(member) as packed, to.open("wb") as file:
        while chunk := packed.read(_CHUNK):
            size += len(chunk)
            if size > most:
                raise FileError(
                    f"{PurePosixPath(member.filename).name[:60]!r} in the archive unpacks to more than chats would: it is refused."
                )
            file.write(chunk)
    return size
