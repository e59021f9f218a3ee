"""The file of people's keys is read again when it changes, by the chats and by the memory API alike."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.given import WHICH_TEA
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.servers.running_proxy import CHAT, RunningProxy, chat_body
from tests.support.raw_client import Response

from recollect.errors import ConfigurationError
from recollect_proxy.identity.api_key import add_key, hash_of, read_key_file
from recollect_proxy.settings.proxy_settings import IdentityMode
from recollect_proxy.settings.watched_file import WatchedFile


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("keys") / "api-keys"
    add_key(file, "somebody")
    return file


@pytest.fixture(scope="module")
async def proxy(own_proxies: OwnProxies, keys: Path) -> AsyncIterator[RunningProxy]:
    async with own_proxies.serve(identity=(IdentityMode.API_KEY,), api_keys=keys) as proxy:
        yield proxy


def read(path: Path) -> str:
    """Return a file's text; nonsense is an error."""
    text = path.read_text("utf-8")
    if text == "nonsense":
        raise ConfigurationError("It makes no sense.")
    return text


def write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


async def chat(proxy: RunningProxy, key: str) -> Response:
    return await proxy.fetch(
        b"POST", CHAT, [(b"Authorization", f"Bearer {key}".encode())], chat_body(WHICH_TEA)
    )


async def memories(proxy: RunningProxy, key: str) -> int:
    path = b"/memory/users/anna/memories"
    return (await proxy.fetch(b"GET", path, [(b"Authorization", f"Bearer {key}".encode())])).status


async def test_a_key_that_is_added_counts_at_once_and_one_that_is_taken_out_stops(
    proxy: RunningProxy, keys: Path
) -> None:
    key = add_key(keys, "anna")
    assert (await chat(proxy, key)).header(b"x-recollect-skipped") == b"nothing-relevant"
    assert await memories(proxy, key) == 200

    write(keys, "".join(read(keys).splitlines(keepends=True)[:-1]))

    refused = await chat(proxy, key)
    assert refused.header(b"x-recollect-skipped") == b"bad-identity"
    assert refused.status == 200, "the chat itself goes on"
    assert await memories(proxy, key) == 401


def test_a_key_stands_on_a_line_of_its_own_however_the_file_ended(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text(f"{hash_of(b'key')} anna", "utf-8")

    key = add_key(path, "berta")

    assert read_key_file(path) == {hash_of(b"key"): "anna", hash_of(key.encode()): "berta"}


def test_the_log_tells_once_of_a_file_that_makes_no_sense_and_again_if_it_breaks_anew(tmp_path: Path) -> None:
    path = tmp_path / "file"
    file = WatchedFile(path, read, absent="", event="file_unreadable")

    with capture_logs() as lines:
        for text in ("nonsense", "sense", "nonsense"):
            path.write_text(text, "utf-8")
            said = {file.value() for _ in range(3)}
            assert said == {"" if text == "nonsense" else text}

    assert [line["event"] for line in lines] == ["file_unreadable"] * 2


def test_a_file_that_makes_no_sense_at_the_start_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("nonsense", "utf-8")

    with pytest.raises(ConfigurationError, match="no sense"):
        WatchedFile(path, read, absent="", event="file_unreadable")


def test_a_file_that_is_replaced_by_one_as_long_is_read_again_and_one_that_is_gone_is_empty(
    tmp_path: Path,
) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_text("one", "utf-8")
    file = WatchedFile(path, read, absent="", event="file_unreadable")
    assert file.value() == "one"

    other.write_text("two", "utf-8")
    other.replace(path)
    assert file.value() == "two"

    path.rename(other)
    assert file.value() == ""
    other.rename(path)
    assert file.value() == "two"


def test_a_file_that_could_not_be_read_once_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("one", "utf-8")
    file = WatchedFile(path, read, absent="", event="file_unreadable")
    path.write_text("two", "utf-8")
    with monkeypatch.context() as away:

        def fail(*_: object, **__: object) -> str:
            raise ConfigurationError("Too many open files")

        away.setattr(Path, "read_text", fail)
        assert file.value() == ""

    assert file.value() == "two"
