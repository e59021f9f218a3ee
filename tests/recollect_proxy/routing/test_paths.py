"""Which API a canonical path asks for."""

from tests.support.tables import table

from recollect_proxy.routing.destination import chat_path, is_kept_answer
from recollect_proxy.web.paths import changes_models, ollama_call


@table(
    "path, base, api",
    [
        (b"/v1/chat/completions", b"/v1", b"/chat/completions"),
        (b"/openai/deployments/gpt/chat/completions", b"/openai", b"/chat/completions"),
        (b"/v1/responses", b"/v1", b"/responses"),
        (b"/llama/v1/messages", b"/llama", b"/messages"),
        (b"/v1/threads/one/messages", b"/v1", None),
        (b"/api/chat", b"", b"/api/chat"),
        (b"/box/api/generate", b"/Box", b"/api/generate"),
        (b"/box/api/generate", b"", None),
        (b"/api/chats", b"", None),
        (b"/v1/models", b"/v1", None),
    ],
)
def test_a_chat_is_known_by_its_path(path: bytes, base: bytes, api: bytes | None) -> None:
    assert chat_path(path, base) == api


@table(
    "path, is_one",
    [
        (b"/v1/responses/resp_1", True),
        (b"/v1/responses/resp_1/cancel", True),
        (b"/v1/responses", False),
        (b"/v1/models/gpt", False),
        (b"/v1/responses/resp_1/input_items", False),
    ],
)
def test_a_kept_answer_is_known_by_its_path(path: bytes, *, is_one: bool) -> None:
    assert is_kept_answer(path, b"/v1") is is_one


@table(
    "path, call, changes",
    [
        (b"/api/tags", b"tags", False),
        (b"/api/pull", b"pull", True),
        (b"/box/api/blobs/sha256:00", b"blobs", True),
        (b"/api/signout", b"signout", True),
        (b"/api/chat/completions", b"", False),  # OpenWebUI's, which names its model
        (b"/api/sessions/one", b"", False),
        (b"/api/v1/models", b"", False),
        (b"/pull", b"", False),
    ],
)
def test_a_call_of_ollamas_is_known_by_its_path(path: bytes, call: bytes, *, changes: bool) -> None:
    assert (ollama_call(path), changes_models(path)) == (call, changes)
