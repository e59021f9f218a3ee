"""What is JSON to be rewritten; how answers pass is shown beside this file, on real sockets."""

from tests.support.tables import table

from recollect_proxy.chat.relay import is_json
from recollect_proxy.upstream.http1 import Response
from recollect_proxy.upstream.upstream import Answer


@table(
    ("headers", "expected"),
    [
        ([(b"content-type", b"application/json")], True),
        ([(b"Content-Type", b"Application/JSON; charset=utf-8")], True),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"identity")], True),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"gzip")], False),
        ([(b"content-type", b"text/event-stream")], False),
        ([(b"content-type", b"application/jsonl")], False),
        ([], False),
    ],
)
def test_json_is_what_says_so_and_is_not_compressed(
    headers: list[tuple[bytes, bytes]], *, expected: bool
) -> None:
    assert is_json(Answer(200, headers, object.__new__(Response))) is expected
