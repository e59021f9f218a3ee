import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest
from tests.recollect_proxy.settings import proxy_settings

from recollect.runtime.file_lock import FileLock
from recollect_proxy.settings import admin_token as tokens
from recollect_proxy.settings.admin_token import AdminToken, admin_token
from recollect_proxy.web.headers import is_own_key


def test_a_token_that_is_given_is_written_nowhere(tmp_path: Path) -> None:
    settings = proxy_settings(data_dir=tmp_path, admin_token="given")

    token = admin_token(settings)
    token.was_shown()

    assert (token, token.is_new) == (AdminToken("given"), False)
    assert list(tmp_path.iterdir()) == []


def test_a_token_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    settings = proxy_settings(data_dir=tmp_path / "new" / "folder")
    file = tmp_path / "new" / "folder" / "admin-token"

    made = admin_token(settings)
    before = {stat.S_IMODE(each.stat().st_mode) for each in file.parent.iterdir()}
    made.was_shown()

    assert (made.file, made.is_new, len(made.value) >= 40) == (file, True, True)
    assert is_own_key(b"Authorization", f"Bearer {made.value}".encode()), "it is sent on to no LLM"
    assert before == {stat.S_IMODE(file.stat().st_mode)} == {0o600}
    assert {each.name for each in file.parent.iterdir()} == {file.name, "admin-token.lock"}
    assert admin_token(settings) == AdminToken(made.value, file, is_new=False)


def test_a_token_that_a_failed_start_made_is_shown_by_the_next(tmp_path: Path) -> None:
    settings = proxy_settings(data_dir=tmp_path)
    failed = admin_token(settings)

    again = admin_token(settings)
    again.was_shown()

    assert again == failed
    assert again.is_new
    assert not admin_token(settings).is_new


def test_starts_at_once_agree_on_one_token(tmp_path: Path) -> None:
    settings = proxy_settings(data_dir=tmp_path)
    together = Barrier(8)

    def start(_: int) -> AdminToken:
        together.wait()
        token = admin_token(settings)
        token.was_shown()
        return token

    with ThreadPoolExecutor(8) as processes:
        found = list(processes.map(start, range(8)))

    kept = admin_token(settings)
    assert {token.value for token in found} == {kept.value}
    assert any(token.is_new for token in found)
    assert not kept.is_new


def test_a_token_that_another_start_showed_meanwhile_stays(tmp_path: Path) -> None:
    settings = proxy_settings(data_dir=tmp_path)
    one, other = admin_token(settings), admin_token(settings)

    one.was_shown()
    late = admin_token(settings)
    other.was_shown()
    late.was_shown()

    assert one == other
    assert late == AdminToken(one.value, one.file) == admin_token(settings)


def test_no_start_waits_for_one_that_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_PATIENCE_SECONDS", 0.05)
    with closing(FileLock(tmp_path / "admin-token.lock")) as lock:
        lock.share()

        with pytest.raises(TimeoutError, match="another process"):
            admin_token(proxy_settings(data_dir=tmp_path))


def test_where_nothing_is_kept_each_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = proxy_settings(data_dir=":memory:")

    token, next_one = admin_token(settings), admin_token(settings)
    token.was_shown()

    assert (token.file, token.is_new, len(token.value) >= 40) == (None, True, True)
    assert token.value != next_one.value
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["admin-token", "admin-token.unshown"])
def test_an_empty_token_file_is_no_token(name: str, tmp_path: Path) -> None:
    """A start that was cut off between making the file and writing it must not leave the API open."""
    (tmp_path / name).touch()

    token = admin_token(proxy_settings(data_dir=tmp_path))
    token.was_shown()

    assert (len(token.value) >= 40, token.is_new, token.file) == (True, True, tmp_path / "admin-token")
    assert (tmp_path / "admin-token").read_text() == token.value + "\n"


def test_a_folder_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(OSError, match="file"):
        admin_token(proxy_settings(data_dir=tmp_path / "file"))
