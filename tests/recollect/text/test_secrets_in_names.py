from tests.support.made_up_keys import URL_SAFE, made_up, uuid
from tests.support.tables import table

from recollect.text.secrets.in_names import id_without_secrets, name_without_secrets

KEY = f"sk-proj-{made_up(48, URL_SAFE)}"


@table(
    "text",
    [uuid(), f"local:{uuid()}", "fp:" + "0a" * 16, "monday", "Chat with Anna", "5f8d0d55b54764421b7156c3"],
)
def test_an_id_without_a_secret_is_kept_as_it_is(text: str) -> None:
    assert id_without_secrets(text) == text


@table(
    "text",
    [KEY, f"chat-{KEY}", "password: hunter2hunter2", "https://u:pw12345678@host/x", "4111 1111 1111 1111"],
)
def test_a_secret_in_an_id_is_masked_and_the_id_is_another_than_all_others(text: str) -> None:
    kept = id_without_secrets(text)

    assert text not in kept
    assert "[secret: " in kept
    assert len(kept) <= 256
    assert id_without_secrets(kept) == kept
    assert id_without_secrets(f"{text}.") != kept


def test_a_secret_in_the_name_of_a_model_is_masked() -> None:
    assert name_without_secrets(f"gpt-4o?key={KEY}") == "gpt-4o?key=[secret: API key]"
    assert name_without_secrets("hf.co/bartowski/Qwen:Q4_K_M") == "hf.co/bartowski/Qwen:Q4_K_M"
