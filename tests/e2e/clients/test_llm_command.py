"""The `llm` command through the proxy, told of it by its extra-openai-models.yaml."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.e2e.clients.comparing import Comparison, assert_same_but_for_the_memory, from_messages
from tests.e2e.clients.programs import KEY, QUESTION, Client, of_the_environment, run
from tests.scripted.upstream import Answer, completion, completion_stream
from tests.servers.running_proxy import User

MODES: dict[str, tuple[list[str], Answer]] = {
    "streamed": ([], completion_stream("Lapsang", " Souchong.")),
    "whole": (["--no-stream"], completion("Lapsang Souchong.")),
}


def llm_command(folder: Path, *options: str) -> Client:
    """Return the command, with these options besides."""

    async def ask(address: str, headers: Mapping[str, str]) -> str:
        model = {
            "model_id": "remembering",
            "model_name": "scripted",
            "api_base": address + "/v1",
            "api_key_name": "remembering",
            "headers": dict(headers),
        }
        (folder / "extra-openai-models.yaml").write_text(json.dumps([model]))  # JSON is YAML too
        llm = of_the_environment("llm")
        told = ("-m", "remembering", "--key", KEY, *options, QUESTION)
        return (await run(llm, *told, LLM_USER_PATH=str(folder), HOME=str(folder))).decode()

    return ask


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("known", [True, False], ids=["with memory", "without"])
async def test_the_llm_command(
    comparison: Comparison, someone: User, other_user: User, tmp_path: Path, mode: str, *, known: bool
) -> None:
    options, answer = MODES[mode]
    user = someone if known else other_user

    past, through = await comparison.ask(llm_command(tmp_path, *options), user, answer)

    assert past.got == through.got == "Lapsang Souchong.\n"
    assert_same_but_for_the_memory(past, through, taken_out=from_messages, known=known)
    logged = await comparison.proxy.logged(user)
    assert logged[-2:] == [("user", QUESTION), ("assistant", "Lapsang Souchong.")]
