"""A database's address is read as it is meant, or refused with what to do."""

from pathlib import Path

import pytest
from tests.servers.certificates import write_certificate
from tests.support.tables import table

from recollect.errors import ConfigurationError
from recollect.store.pool.addresses import places, require_sound, unusable_files

AUTHORITIES = "sslrootcert=/etc/ssl/certs/ca-certificates.crt"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without files for TLS, and an environment that says nothing of a database."""
    for name in ("PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGSSLCRL", "PGHOST", "PGPORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / ".postgresql").mkdir(parents=True)
    return tmp_path / "home"


@table(
    "dsn",
    [
        "postgresql://recollect:hush@/#x@db.example.org:19432/recollect",
        "postgresql://recollect:123#hush@db.example.org/recollect",
        "postgresql://recollect:123/hush@db.example.org/recollect",
        "postgresql://recollect:123?hush=1@db.example.org/recollect",
        "postgresql://recollect:hush@1@db.example.org/recollect",
        "postgresql://recollect@db.example.org/recollect#",
        "postgresql://localhost:5432/hu?sh=hush@db.example.org/d?sslmode=disable",
        "postgresql://localhost:5432/hu?hush@db.example.org/d",
        "postgresql://localhost:5432?sslmode=hush&x@db.example.org/d",
        "postgresql://localhost:5432?hush=1&host=x@db.example.org/d",
        "postgresql://recollect:hush@1?x=2@db.example.org/d",
        "postgresql://recollect:hush@1/x?y@db.example.org/d",
    ],
)
def test_an_address_that_a_password_cuts_short_is_refused_and_not_quoted(dsn: str) -> None:
    with pytest.raises(ConfigurationError, match="Write them as %23, %2F, %3F and %40") as raised:
        require_sound(dsn)

    assert "hush" not in str(raised.value)
    assert places(dsn) == ""


@table(
    "dsn",
    [
        "postgresql://recollect:S3cret%40%2F%23x@db.example.org:19432/recollect",
        "postgresql://u:p@a:1,b:2/db",
        "postgresql:///db?host=/run/postgresql&user=u@server",
        "postgresql://h/db?user=u@server&password=p@",
        "postgresql://?host=/run/pg&user=u@server&dbname=x",
        "postgresql://h:5432?user=u@server&dbname=d",
        "postgresql://h:5432/d?password=p@/?&host=/run/p@g",
        "postgresql://u:p@h/db?application_name=a%40b",
        "postgresql://u:p@h/db?sslmode=verify_ca&" + AUTHORITIES,
        "postgresql://u:p@h/db?sslmode=verify-full&" + AUTHORITIES,
        "postgresql://u:p@h/db?sslmode=require",
        "postgresql://u:p@h/db?sslmode=verify-full&service=ours",
    ],
)
def test_one_that_can_be_meant_is_taken(dsn: str) -> None:
    require_sound(dsn)


@pytest.mark.parametrize("mode", ["verify-ca", "verify-full"])
def test_who_is_to_be_verified_needs_somebody_who_is_trusted(
    mode: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn = f"postgresql://u:hush@h/db?sslmode={mode}"
    with pytest.raises(ConfigurationError, match=f"its sslmode is {mode}, and no file says whose") as raised:
        require_sound(dsn)
    assert "hush" not in str(raised.value)

    write_certificate(home / ".postgresql" / "root.crt")
    require_sound(dsn)

    (home / ".postgresql" / "root.crt").unlink()
    monkeypatch.setenv("PGSSLROOTCERT", str(home / "ca.pem"))
    require_sound(dsn)


def test_a_mode_of_tls_that_there_is_none_of_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match=r"sslmode is none of disable, allow, .* and verify-full"):
        require_sound("postgresql://u@h/db?sslmode=nonsense")
    monkeypatch.setenv("PGSSLMODE", "nonsense")
    with pytest.raises(ConfigurationError, match="sslmode is none of"):
        require_sound("postgresql://u@h/db")
    require_sound("postgresql://u@h/db?sslmode=prefer")


@table(
    ("dsn", "where"),
    [
        ("postgresql://u:hush@db.example.org:19432/d", "db.example.org:19432"),
        ("postgresql://u:hush@db.example.org/d", "db.example.org:5432"),
        ("postgres://u:hush@a:1,b/d", "a:1, b:5432"),
        ("postgresql://u:hush@[::1]:7/d", "[::1]:7"),
        ("postgresql://u:hush@/d?host=a,/run/pg&port=1,2", "a:1, /run/pg/.s.PGSQL.2"),
        ("postgresql://u:hush@%2Frun%2Fpg/d", "/run/pg/.s.PGSQL.5432"),
        ("postgresql:///d", "a socket of this machine, or localhost:5432"),
        ("postgresql://recollect:12/x?hush=y@h/d", ""),
        ("postgresql://u@h:hush/d", ""),
        ("postgresql://u@[hush/d", ""),
        ("hush", ""),
    ],
)
def test_it_is_told_where_an_address_leads_without_its_secrets(dsn: str, where: str) -> None:
    assert places(dsn) == where


def test_a_file_for_tls_is_named_by_what_names_it(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, other = write_certificate(tmp_path / "good.pem"), write_certificate(tmp_path / "other.pem")
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("garbage")
    address = "postgresql://u:hush@h/db?sslmode=require&"

    def named(**files: Path) -> list[str]:
        return unusable_files(address + "&".join(f"{name}={path}" for name, path in files.items()))

    assert named(sslrootcert=good, sslcert=good, sslkey=good) == []
    assert named(sslcert=good) == []
    assert named(sslrootcert=garbage) == [
        "The file that it names for sslrootcert holds no certificate in PEM."
    ]
    assert named(sslrootcert=tmp_path) == [
        "The file that it names for sslrootcert can't be read by this account."
    ]
    assert named(sslrootcert=Path("~/good.pem")) == ["The file that it names for sslrootcert is not there."]
    assert named(sslcert=good, sslkey=tmp_path / "none") == [
        "The file that it names for sslkey is not there."
    ]
    [mismatch] = named(sslcert=good, sslkey=other)
    assert mismatch.startswith(
        "The file that it names for sslcert holds no certificate in PEM, or none that its key fits"
    )
    [list_of_revoked] = named(sslcrl=garbage)
    assert "sslcrl holds no list of revoked certificates" in list_of_revoked
    monkeypatch.setenv("PGSSLROOTCERT", str(garbage))
    assert named() == ["The file that PGSSLROOTCERT names holds no certificate in PEM."]
    monkeypatch.delenv("PGSSLROOTCERT")
    (home / ".postgresql" / "root.crt").write_text("garbage")
    assert named() == ["The file ~/.postgresql/root.crt holds no certificate in PEM."]


def test_a_file_that_the_mode_does_not_read_does_not_count(tmp_path: Path) -> None:
    assert unusable_files(f"postgresql://u@h/db?sslmode=prefer&sslrootcert={tmp_path / 'none'}") == []
