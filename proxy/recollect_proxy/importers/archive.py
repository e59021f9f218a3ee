"""Opens what products let people download: JSON files, in a zip archive or by themselves. Never: what is in them."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from recollect_proxy.takeout.json_items import FileError

LARGEST_FILE = 8 << 30
"""Bytes that are unpacked at most, of all files together."""

_MOST_TIMES = 200
"""A file that unpacks to more than so many times its size is no text."""

_ROOM = 1 << 20
"""So many bytes may be unpacked whatever their ratio."""

_MOST_MEMBERS = 1_000_000
_CHUNK = 1 << 20
_ZIP = b"PK\x03\x04"


@contextmanager
def open_files(path: Path, is_wanted: Callable[[str], bool]) -> Iterator[dict[str, Path]]:
    """Unpack the files of an archive, or take a file for itself, as long as the body runs.

    Args:
        path: The archive or the file.
        is_wanted: Tells by the name of a file in the archive, without its folders.

    Yields:
        Each file by its name, in order; a file that is no archive as "".

    Raises:
        FileError: It can't be read, has none of what is wanted, or unpacks to more than anybody's chats.
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
    """Unpack a file, whatever size the archive says it has; return its size."""
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
