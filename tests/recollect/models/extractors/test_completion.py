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
from recollect.models.extractors import ModelAnswer
from recollect.models.extractors.completion import (
    TOKENS_BELIEVED,
    credential_for,
    read_completion,
    read_error_response,
    refusal,
)
from recollect.ports import Asker
from recollect.text.tokens import estimate_tokens

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
        ("ours", True, b"Bearer ours"),
        ("ours", False, b"Bearer ours"),
        (None, True, b"Bearer anna's"),
        (None, False, None),
    ],
)
def test_a_chats_credential_goes_to_its_own_server_alone(
    api_key: str | None,
    is_upstream: bool,  # noqa: FBT001 -- pytest passes it by name
    credential: bytes | None,
) -> None:
    assert credential_for(ASKER, api_key=api_key, is_upstream=is_upstream) == credential


def test_a_credential_that_is_gone_is_missed_by_its_own_server_alone() -> None:
    gone = replace(ASKER, credential=None)

    with pytest.raises(CredentialGoneError):
        credential_for(gone, api_key=None, is_upstream=True)
    assert credential_for(gone, api_key=None, is_upstream=False) is None
    assert credential_for(replace(gone, authorized=False), api_key=None, is_upstream=True) is None


MESSAGES = [{"role": "user", "content": "Forget that I live in Leipzig"}]


def answered(content: object, *, reason: object = "stop", **further: object) -> ModelAnswer:
    choice = {"message": {"content": content}, "finish_reason": reason}
    return read_completion(json.dumps({"choices": [choice], **further}).encode(), MESSAGES, "m")


@table("counted", [None, 0, -3, True, "many", 1.5, TOKENS_BELIEVED + 1, 10**40, {"total": 7}])
def test_tokens_are_estimated_where_the_server_does_not_count_them(counted: object) -> None:
    assert answered("tea", usage={"total_tokens": 7}).tokens == 7
    estimated = sum(map(estimate_tokens, (MESSAGES[0]["content"], "tea")))
    for usage in (counted, {"total_tokens": counted}):
        assert answered("tea", usage=usage).tokens == estimated


@table(
    ("content", "text"),
    [
        *((content, "") for content in (None, 7, [{"type": "image"}], [{"type": "text"}], [])),
        ([{"type": "thinking", "text": "hm"}, {"type": "text", "text": "tea"}, "?"], "tea"),
    ],
)
def test_of_an_answer_in_parts_the_words_are_read(content: object, text: str) -> None:
    assert answered(content).text == text


def test_an_answer_tells_whether_it_was_cut_off() -> None:
    assert [answered("tea", reason=reason).is_cut for reason in ("length", "stop", None)] == [
        True,
        False,
        False,
    ]
