import json
from dataclasses import replace

import pytest
from tests.support.tables import table

from recollect.errors import (
    CredentialGoneError,
    ExtractorError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
)
from recollect.models.extractors.completion import credential_for, read_error_response, refusal
from recollect.ports import Asker

ASKER = Asker("anna", "chat-model", authorized=True, credential="Bearer anna's")


def complaint_names(body: object, *words: str) -> bool:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_error_response(content).names(*words)


@table(
    "body",
    [
        {"error": {"message": "Unsupported value", "param": "temperature"}},
        {"error": {"message": "`temperature` is deprecated", "param": None}},
        {"error": {"message": "bad", "param": "temperature.value"}},
        {"error": "temperature must be 1"},
        {"object": "error", "message": "temperature not supported", "code": 400},
        {"detail": "temperature not supported"},
        {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}, "?"]},
        {"detail": [{"msg": "temperature: extra"}]},
        [{"error": {"code": 400, "message": "Invalid value at 'temperature'"}}],
        b"temperature is no parameter of ours",
    ],
)
def test_it_names_the_parameter(body: object) -> None:
    assert complaint_names(body, "max_tokens", "temperature")


@table(
    "body",
    [
        {"error": {"message": "temperature and top_p", "param": "top_p"}},
        {"error": {"message": "temperatures rise"}},
        {"detail": [{"loc": ["body", "user"], "msg": "Extra", "input": {"temperature": 0}}]},
        {"error": {}},
        [],
        7,
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_it_names_something_else(body: object) -> None:
    assert not complaint_names(body, "temperature")


def test_it_never_shows_what_the_server_said() -> None:
    assert "secret" not in repr(read_error_response(b'{"error": {"message": "bad key: secret"}}'))


@table(
    ("status", "kind", "without_key"),
    [
        (301, ExtractorUnusableError, ExtractorUnusableError),
        (400, ExtractorUnusableError, ExtractorUnusableError),
        (401, ExtractorError, CredentialGoneError),
        (402, ExtractorError, ExtractorError),
        (403, ExtractorError, CredentialGoneError),
        (404, ExtractorUnusableError, ExtractorUnusableError),
        (408, ExtractorTimeoutError, ExtractorTimeoutError),
        (409, ExtractorError, ExtractorError),
        (425, ExtractorError, ExtractorError),
        (429, ExtractorError, ExtractorError),
        (500, ExtractorError, ExtractorError),
        (501, ExtractorUnusableError, ExtractorUnusableError),
        (503, ExtractorError, ExtractorError),
        (504, ExtractorTimeoutError, ExtractorTimeoutError),
        (524, ExtractorTimeoutError, ExtractorTimeoutError),
    ],
)
def test_a_status_says_whether_another_attempt_may_help(
    status: int, kind: type[ExtractorError], without_key: type[ExtractorError]
) -> None:
    errors = [refusal(status, has_key=True), refusal(status, has_key=False)]

    assert [type(each) for each in errors] == [kind, without_key]
    assert [each.is_of_one for each in errors] == [False, status in {402, 429}]
    assert all(f"status {status}" in str(each) for each in errors)


@table(
    ("api_key", "is_upstream", "credential"),
    [
        ("ours", True, "Bearer ours"),
        ("ours", False, "Bearer ours"),
        (None, True, "Bearer anna's"),
        (None, False, None),
    ],
)
def test_a_chats_credential_goes_to_its_own_server_alone(
    api_key: str | None,
    is_upstream: bool,  # noqa: FBT001 -- pytest passes it by name
    credential: str | None,
) -> None:
    assert credential_for(ASKER, api_key=api_key, is_upstream=is_upstream) == credential


def test_a_credential_that_is_gone_is_missed_by_its_own_server_alone() -> None:
    gone = replace(ASKER, credential=None)

    with pytest.raises(CredentialGoneError):
        credential_for(gone, api_key=None, is_upstream=True)
    assert credential_for(gone, api_key=None, is_upstream=False) is None
    assert credential_for(replace(gone, authorized=False), api_key=None, is_upstream=True) is None
