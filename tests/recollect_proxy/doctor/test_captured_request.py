"""A captured request is read from whatever a person has of it, and what is none is refused unquoted."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.tables import table

from recollect_proxy.doctor import captured_request
from recollect_proxy.doctor.captured_request import CapturedRequest, CaptureError, read_captured_request

BODY = b'{"messages": [{"role": "user", "content": "one\\n\\ntwo"}]}'


def written(folder: Path, content: bytes | str) -> Path:
    path = folder / "request"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@table("end", [b"\r\n", b"\n"])
def test_a_request_as_it_went_over_the_wire_is_read(tmp_path: Path, end: bytes) -> None:
    lines = [
        b"POST /v1/responses HTTP/1.1",
        b"Host: x",
        b"X-Recollect-Task:",
        b"X-A:  b: c ",
        b"no header",
        b"",
        BODY,
    ]

    assert read_captured_request(written(tmp_path, b"\n" + end.join(lines) + end)) == CapturedRequest(
        [(b"host", b"x"), (b"x-recollect-task", b""), (b"x-a", b"b: c")], BODY, "/v1/responses"
    )


CHUNKED = b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"


def test_a_body_whose_chunks_a_tool_put_together_stays_as_it_is(tmp_path: Path) -> None:
    assert read_captured_request(written(tmp_path, CHUNKED + BODY)).body == BODY
    assert read_captured_request(written(tmp_path, CHUNKED)).body == b""


@table(
    "headers", [{"X-A": "b", "X-C": ["d", "é"]}, [["X-A", "b"], ["X-C", "d"], ["X-C", "é"], "broken", ["x"]]]
)
def test_a_request_as_json_is_read(tmp_path: Path, headers: object) -> None:
    given = {"headers": headers, "body": json.loads(BODY), "path": "/api/chat/completions"}

    found = read_captured_request(written(tmp_path, json.dumps(given)))

    assert found.headers == [(b"x-a", b"b"), (b"x-c", b"d"), (b"x-c", "é".encode())]
    assert json.loads(found.body) == json.loads(BODY)
    assert found.path == "/api/chat/completions"


def test_a_head_without_a_body_and_a_body_as_text_are_read(tmp_path: Path) -> None:
    url = "http://127.0.0.1:8787/v1/chat/completions"
    head = read_captured_request(written(tmp_path, f"POST {url} HTTP/1.1\nA: b"))
    text = read_captured_request(written(tmp_path, json.dumps({"headers": {}, "body": BODY.decode()})))

    assert (head, text) == (CapturedRequest([(b"a", b"b")], b"", url), CapturedRequest([], BODY))


FRAMED = (b"5\r\ndiary", b"5\r\ndia", b"3\r\ndiary\r\n0\r\n", b"diary", b"5", b"-5\r\ndiary\r\n")


@table(
    ("content", "told"),
    [
        *((CHUNKED + framed, "chunks") for framed in FRAMED),
        *(
            (text, ".")
            for text in ("", "my diary", "GET", "{broken", '{"headers": 7}', '{"a": ' * 100_000, "\0\xff")
        ),
    ],
)
def test_what_is_no_request_is_refused_and_not_quoted(
    tmp_path: Path, content: bytes | str, told: str
) -> None:
    with pytest.raises(CaptureError, match=told) as raised:
        read_captured_request(written(tmp_path, content))
    assert "diary" not in str(raised.value)


def test_a_file_that_is_not_there_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CaptureError, match="No such file"):
        read_captured_request(tmp_path / "none")
    monkeypatch.setattr(captured_request, "_LARGEST", 10)
    with pytest.raises(CaptureError, match="larger"):
        read_captured_request(written(tmp_path, b"x" * 11))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary())
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    try:
        found = read_captured_request(written(tmp_path, content))
    except CaptureError:
        return
    assert isinstance(found, CapturedRequest)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(min_size=1).map(lambda chunk: b"{" + chunk + b"}"),
    st.integers(1, 9),
    st.sampled_from([b"\r\n", b"\n"]),
)
def test_whatever_is_sent_in_chunks_is_read_as_it_was(
    tmp_path: Path, content: bytes, size: int, end: bytes
) -> None:
    chunks = [content[at : at + size] for at in range(0, len(content), size)]
    framed = b"".join(b"%X ;a=b" % len(chunk) + end + chunk + end for chunk in chunks)

    for last in (b"0" + end, b"0" + end + b"Trailer: x" + end + end, b"000"):
        assert read_captured_request(written(tmp_path, CHUNKED + framed + last)).body == content
