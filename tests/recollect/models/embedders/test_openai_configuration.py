import httpx
import pytest
from tests.tables import table

from recollect.errors import ConfigurationError
from recollect.models.embedders.openai import OpenAIEmbedder


@table(
    ("model", "gate", "expected"),
    [
        ("mistral-embed", None, 0.8),
        ("mistralai/mistral-embed", None, 0.8),
        ("text-embedding-3-small", None, 0.30),
        ("unheard-of", None, 0.30),
        ("mistral-embed", 0.0, 0.0),
        ("unheard-of", 0.55, 0.55),
    ],
)
def test_the_gate_belongs_to_the_model_unless_it_is_given(
    client: httpx.AsyncClient, model: str, gate: float | None, expected: float
) -> None:
    embedder = OpenAIEmbedder(model, client=client, base_url="http://localhost/v1", gate=gate)

    assert embedder.gate == expected


@table(
    "base_url",
    ["", "models.example/v1", "ftp://models.example", "https://", "https://models.example:port", "\x00"],
)
def test_an_address_that_is_none_is_refused(client: httpx.AsyncClient, base_url: str) -> None:
    with pytest.raises(ConfigurationError, match="must be a URL"):
        OpenAIEmbedder("m", client=client, base_url=base_url)


@table("key", ["two\nlines", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(
    client: httpx.AsyncClient, key: str
) -> None:
    with pytest.raises(ConfigurationError, match="no header can carry") as failure:
        OpenAIEmbedder("m", client=client, base_url="http://localhost/v1", api_key=key)

    assert key not in str(failure.value)
