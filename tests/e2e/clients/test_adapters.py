"""The adapters of ``examples`` in LangChain and LlamaIndex, over a served proxy."""

from tests.e2e.clients.programs import QUESTION, python_client
from tests.recollect_proxy.given import TEA
from tests.servers.running_proxy import ADMIN_TOKEN, RunningProxy, User


async def test_langchains_retriever_and_history(proxy: RunningProxy, someone: User) -> None:
    client = python_client("use_adapters", way="langchain", key=ADMIN_TOKEN)
    got = await client(f"http://127.0.0.1:{proxy.port}", {"X-OpenWebUI-User-Id": someone.id})

    assert got["found"]
    assert [kind for kind, _ in got["said"]] == ["human", "ai"]
    assert got["said"][0][1] == TEA
    assert got["cleared"] == []
    assert await proxy.logged(someone) == []


async def test_llamaindexs_memory_block(proxy: RunningProxy, someone: User) -> None:
    [kept] = await proxy.memories(someone)
    client = python_client("use_adapters", way="llamaindex", key=ADMIN_TOKEN)
    got = await client(f"http://127.0.0.1:{proxy.port}", {"X-OpenWebUI-User-Id": someone.id})

    assert len(got["prompt"]) == 2
    assert f"<memories>\n- {kept.content}\n</memories>" in got["prompt"][0]
    assert got["prompt"][1] == QUESTION
    assert got["empty"] == ""
