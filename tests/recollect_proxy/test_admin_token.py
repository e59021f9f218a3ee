import stat
from pathlib import Path

import pytest
from tests.recollect_proxy.settings import proxy_settings

from recollect_proxy.admin_token import admin_token


def test_a_token_that_is_given_is_written_nowhere(tmp_path: Path) -> None:
    settings = proxy_settings(data_dir=tmp_path, admin_token="given")

    assert admin_token(settings) == ("given", None)
    assert list(tmp_path.iterdir()) == []


def test_a_token_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    settings = proxy_settings(data_dir=tmp_path / "new" / "folder")

    token, made_in = admin_token(settings)

    assert made_in == tmp_path / "new" / "folder" / "admin-token"
    assert stat.S_IMODE(made_in.stat().st_mode) == 0o600
    assert len(token) >= 40
    assert admin_token(settings) == (token, None)


def test_two_folders_have_two_tokens(tmp_path: Path) -> None:
    one, _ = admin_token(proxy_settings(data_dir=tmp_path / "a"))
    other, _ = admin_token(proxy_settings(data_dir=tmp_path / "b"))

    assert one != other


def test_an_empty_token_file_is_no_token(tmp_path: Path) -> None:
    """A start that was cut off between making the file and writing it must not leave the API open."""
    (tmp_path / "admin-token").touch()

    token, made_in = admin_token(proxy_settings(data_dir=tmp_path))

    assert len(token) >= 40
    assert made_in == tmp_path / "admin-token"
    assert made_in.read_text() == token + "\n"


def test_a_folder_that_can_not_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(OSError, match="file"):
        admin_token(proxy_settings(data_dir=tmp_path / "file"))
