"""The demo before a model that answers as it likes: reported, never enforced; and what can go wrong."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.upstream import Answer, Received, ScriptedUpstream, completion, failure, whole
from tests.servers.running_proxy import extract_statements

from examples.demo import stage as staging
from examples.demo.script import SCENES
from examples.demo.stage import PlayFailedError, stage
from recollect_proxy.settings.proxy_settings import ProxySettings

MODELS = whole(b'{"object":"list","data":[{"id":"scripted","object":"model","created":0,"owned_by":"test"}]}')


def real_model(request: Received) -> Answer:
    """Answer as an LLM that extracts, and that repeats its whole prompt."""
    if request.method == b"GET":
        return MODELS
    if "response_format" in request.json:
        return extract_statements(request)
    said = request.system or "I see."
    return completion(said)


def settings_before(upstream: ScriptedUpstream, operator_settings: ProxySettings) -> ProxySettings:
    return operator_settings.model_copy(update={"upstream": upstream.base_url})


@pytest.mark.usefixtures("ready_server")
async def test_with_an_llm_memories_are_extracted_and_nothing_is_shown_to_the_other(
    operator_settings: ProxySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    async with ScriptedUpstream(real_model) as llm:
        settings = settings_before(llm, operator_settings)

        met = await stage(settings, is_real=True, api_key="sk-of-the-llm", model=None)

        keys = {value for request in llm.received for value in request.values(b"authorization")}
        users = [request.values(b"x-openwebui-user-id") for request in llm.received]

    text = capsys.readouterr().out
    assert met
    assert keys == {b"Bearer sk-of-the-llm"}
    assert not any(users)
    assert "before the model scripted" in text
    assert f"remembered {SCENES[0].says}" in text
    assert "Kept apart from another person:" not in text
    assert "sk-of-the-llm" not in text


@pytest.mark.usefixtures("ready_server")
async def test_what_an_llm_does_not_do_is_reported_and_is_no_failure(
    operator_settings: ProxySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    def blabbing(request: Received) -> Answer:
        if "response_format" in request.json:
            return completion(json.dumps({"memories": []}))
        return completion("You live in Porto.")

    async with ScriptedUpstream(blabbing) as llm:
        settings = settings_before(llm, operator_settings)

        assert await stage(settings, is_real=True, api_key=None, model="any")

    text = capsys.readouterr().out
    assert "missed     Kept apart from another person: 'Porto' was shown or kept" in text
    assert "missed     Learned: nothing with 'Porto' was remembered" in text
    assert "recalled   nothing" in text


@pytest.fixture
def without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The LLM is spoken with directly, where no more is said than what the proxy passes on as it is."""

    @asynccontextmanager
    async def directly(
        settings: ProxySettings, *, is_real: bool
    ) -> AsyncIterator[tuple[ProxySettings, str, str]]:
        assert is_real
        yield settings, settings.upstream.removesuffix("/v1"), "the token"

    monkeypatch.setattr(staging, "_proxy", directly)


@pytest.mark.usefixtures("without_a_proxy")
async def test_without_models_one_must_be_named() -> None:
    async with ScriptedUpstream(lambda _request: whole(b'{"object":"list","data":[]}')) as llm:
        with pytest.raises(PlayFailedError, match="--model"):
            await stage(proxy_settings(upstream=llm.base_url), is_real=True, api_key=None, model=None)


@pytest.mark.usefixtures("without_a_proxy")
async def test_an_llm_that_refuses_ends_the_demo_with_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    async with ScriptedUpstream(lambda _request: failure(401, message="Wrong key.")) as llm:
        settings = proxy_settings(upstream=llm.base_url)

        with pytest.raises(PlayFailedError, match="Wrong key") as raised:
            await stage(settings, is_real=True, api_key="sk-wrong", model="any")

    assert "sk-wrong" not in f"{raised.value} {capsys.readouterr()}"
