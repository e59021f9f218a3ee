import json

from tests.tables import table

from recollect.models.extractors.completion import read_error_response


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
