"""No password of a URL is shown, wherever it stands, and whatever is in it."""

import pytest

from recollect_proxy.settings.urls import NOT_SHOWN, without_credentials, without_path


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:hush@db.example:5432/memories", "postgresql://db.example:5432/memories"),
        ("postgresql://me@/memories?host=/run/pg", "postgresql:///memories?host=/run/pg"),
        ("postgresql:///memories?user=me&password=hush", "postgresql:///memories"),
        (
            "postgresql://db/memories?sslmode=require&sslpassword=hush",
            "postgresql://db/memories?sslmode=require",
        ),
        ("postgresql://me:hush@One:5432,two/memories", "postgresql://one:5432,two/memories"),
        ("postgresql://me:hu,sh@one:5432,two:5433/memories", "postgresql://one:5432,two:5433/memories"),
        ("postgresql://me:hu,sh", NOT_SHOWN),
        ("postgresql://me:hush@one,two:x/memories", NOT_SHOWN),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("postgresql://me:hu#sh@127.0.0.1:1/db", NOT_SHOWN),
        ("postgresql://me:hu/sh@127.0.0.1:1/db", NOT_SHOWN),
        ("postgresql://me:hu?sh@127.0.0.1:1/db", NOT_SHOWN),
        ("postgresql://me:hu[sh@127.0.0.1:1/db", NOT_SHOWN),
        ("me:hush@127.0.0.1/db", NOT_SHOWN),
        ("postgresql://me:hush", NOT_SHOWN),
    ],
)
def test_a_url_is_shown_without_its_user_and_its_passwords(url: str, shown: str) -> None:
    assert without_credentials(url) == shown


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://hooks.example/services/T0/B0/hush", "https://hooks.example/(hidden)"),
        ("https://me:hush@hooks.example:81?token=hush", "https://hooks.example:81/(hidden)"),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000/"),
        ("https://hooks.example/a#hush", NOT_SHOWN),
    ],
)
def test_of_a_webhooks_url_the_path_and_query_are_hidden_too(url: str, shown: str) -> None:
    assert without_path(url) == shown
