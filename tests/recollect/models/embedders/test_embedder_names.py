import pytest

from recollect.errors import ConfigurationError
from recollect.models.embedders import EmbedderName, parse_embedder_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("local:multilingual-e5-small", EmbedderName("local", "multilingual-e5-small")),
        ("openai:qwen3-embedding:0.6b", EmbedderName("openai", "qwen3-embedding:0.6b")),
        (" openai : mistral-embed ", EmbedderName("openai", "mistral-embed")),
        ("mistral:mistral-embed", EmbedderName("mistral", "mistral-embed")),
    ],
)
def test_a_name_is_split_at_its_first_colon(text: str, name: EmbedderName) -> None:
    assert parse_embedder_name(text) == name


@pytest.mark.parametrize("text", ["", "multilingual-e5-small", "cohere:embed-v3", ":model", "OpenAI:x"])
def test_an_unknown_scheme_is_refused_with_those_that_are_known(text: str) -> None:
    with pytest.raises(ConfigurationError, match="local:MODEL or openai:MODEL or mistral:MODEL"):
        parse_embedder_name(text)


@pytest.mark.parametrize("text", ["local:", "openai", "openai:  ", "mistral:"])
def test_a_scheme_without_a_model_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="names no model"):
        parse_embedder_name(text)
