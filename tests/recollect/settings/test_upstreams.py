"""Several LLM servers: which requests each takes, what each may be sent, and which mistakes are told."""

from typing import Any

import msgspec
import pytest
from pydantic import ValidationError
from tests.recollect_proxy.settings import proxy_settings

from recollect.assembly.lifecycle import _as_json
from recollect.model import ALL_TOLD, NOTHING_TOLD, Kind
from recollect.settings import EngineSettings
from recollect.settings.upstreams import UpstreamSettings


def upstream(**own: Any) -> UpstreamSettings:
    return UpstreamSettings(**{"name": "other", "url": "http://127.0.0.1:9/v1", "models": ["x"]} | own)


def test_without_a_word_of_it_everything_may_be_sent_and_learned() -> None:
    assert UpstreamSettings().disclosure("anna") is ALL_TOLD
    assert UpstreamSettings().learns_of("anna")


def test_what_may_be_sent_follows_the_policy() -> None:
    some = upstream(memories=["fact", "summary"], shared=False).disclosure("anna")
    assert some.kinds == frozenset({Kind.FACT, Kind.SUMMARY})
    assert (some.history, some.shared) == (True, False)
    assert upstream(memories="none", history=False).disclosure("anna").is_nothing
    assert not upstream(memories="none").disclosure("anna").is_nothing
    told = upstream(history=False).disclosure("anna").kinds
    assert told is not None
    assert told.isdisjoint({Kind.SUMMARY, Kind.QA_TURN})  # they tell what was said
    assert Kind.FACT in told


def test_of_others_than_its_users_nothing_is_sent_or_learned() -> None:
    only = upstream(users=["anna", "team-*"])
    assert [only.learns_of(each) for each in ("anna", "team-1", "ben", "Anna")] == [True, True, False, False]
    assert only.disclosure("ben") == NOTHING_TOLD
    assert not upstream(learn=False).learns_of("anna")


def test_models_are_taken_by_patterns_whatever_their_case() -> None:
    takes = upstream(models=["GPT-*", "o?-mini"]).takes
    assert [takes(each) for each in ("gpt-6", "Gpt-6", "o3-mini", "o33-mini", "")] == [
        *(True, True, True, False, False)
    ]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ("nonsense", "JSON list"),
        ([{"url": "http://h/v1", "models": ["x"]}], "name of its own"),
        ([{"name": "a", "url": "http://h/v1"}], "models, or a path"),
        ([{"name": "a", "url": "ftp://h", "models": ["x"]}], "not an http"),
        ([{"name": "a", "url": "http://u:p@h", "models": ["x"]}], "no user and password"),
        ([{"models": ["x"]}], "RECOLLECT_UPSTREAM"),
        ([{}, {"name": "b"}], "two entries have no url"),
        ([{"path": "/memory"}], "Recollect itself"),
        ([{"path": "/API/Sessions/x"}], "Recollect itself"),
        ([{"path": "local"}], "not a plain path"),
        ([{"path": "/a/../b"}], "not a plain path"),
        ([{"path": "/a//b"}], "not a plain path"),
        ([{"name": "a", "url": "http://h", "path": "/v1"}], "the default upstream's"),
        (
            [{"name": "a", "url": "http://h", "path": "/x"}, {"name": "b", "url": "http://h", "path": "/X"}],
            "path /x",
        ),
        (
            [{"name": "a", "url": "http://h", "path": "/x"}, {"name": "a", "url": "http://h", "path": "/y"}],
            "name a",
        ),
        ([{"memories": []}], "at least 1"),
        ([{"memory": "none"}], "Extra inputs"),
    ],
)
def test_a_mistake_is_told(entries: object, told: str) -> None:
    with pytest.raises(ValidationError) as error:
        proxy_settings(upstreams=entries)
    assert told in str(error.value)


def test_the_path_of_all_paths_has_an_api_below_v1() -> None:
    rooted = proxy_settings(upstream="http://h:8080", upstreams='[{"path": "/"}]')
    assert rooted.default_upstream.base == ""
    assert rooted.upstream_api == "http://h:8080/v1"
    assert proxy_settings(upstream="http://h:8080").upstream_api == "http://h:8080/v1"
    assert (
        proxy_settings(upstream="http://h:8080", upstreams='[{"path": "/v1"}]').upstream_api
        == "http://h:8080"
    )


def test_a_worker_process_is_told_what_the_proxy_was() -> None:
    entries = (upstream(api_key="secret", memories=["fact"], path="/"), UpstreamSettings(learn=False))
    sent = msgspec.json.decode(msgspec.json.encode(_as_json(entries)))
    received = EngineSettings(chat_upstreams=sent)
    assert received.chat_upstreams == entries
