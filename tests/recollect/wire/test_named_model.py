"""Which model a request names; what can't be told for certain is not guessed."""

import pytest

from recollect.wire.body import AmbiguousModelError, named_model


@pytest.mark.parametrize(
    ("body", "model"),
    [
        (b'{"model":"a"}', "a"),
        (b' {"messages":[{"model":"b"}], "m\\u006fdel" : "\\u00e9"} ', "\u00e9"),
        (b'{"messages":[]}', None),
        (b'{"model":7}', None),
        (b'{"model":"a","n":1e400}', "a"),
        (b'{"messages":["' + b"x" * 400_000 + b'"],"model":"a"}', "a"),
    ],
)
def test_the_model_of_the_object_itself_counts(body: bytes, model: str | None) -> None:
    assert named_model(body) == model


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"a","model":"b"}',
        b'{"model":"a","mo\\u0064el":"a"}',
        b'{"model":"a"',
        b"[]",
        b"",
        b'\xef\xbb\xbf{"model":"a"}',
    ],
)
def test_two_models_or_no_json_are_not_certain(body: bytes) -> None:
    with pytest.raises(AmbiguousModelError):
        named_model(body)
