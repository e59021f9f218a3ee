"""Traces go to a collector that OpenTelemetry's variables name, in its conventions' terms, and without a word of anybody."""

import gzip
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.upstream import ScriptedUpstream, completion
from tests.servers.running_proxy import User
from tests.support.waiting import until

from recollect_proxy.chat.tracing import UNTRACED, traces_from_environment
from recollect_proxy.serving.ephemeral_server import serve_upstream

CAT = "My cat is called Minka."
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
COLLECTOR = "OTEL_EXPORTER_OTLP_ENDPOINT"


@asynccontextmanager
async def collecting(into: list[Any]) -> AsyncIterator[str]:
    """Serve a collector that keeps the spans it is sent, and yield its URL."""
    trace_service = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")

    async def collector(scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body")
        if dict(scope["headers"]).get(b"content-encoding") == b"gzip":
            body = gzip.decompress(body)
        sent = trace_service.ExportTraceServiceRequest.FromString(body)
        for resource in sent.resource_spans:
            for each in resource.scope_spans:
                into.extend(each.spans)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async with serve_upstream(collector) as origin:
        yield origin


def told(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


async def test_a_chat_is_a_span_and_its_recall_is_one_within(
    own_proxies: OwnProxies, upstream: ScriptedUpstream, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.sdk")
    spans: list[Any] = []
    upstream.answers += [completion("Minka, noted!")]
    async with collecting(spans) as origin:
        monkeypatch.setenv(COLLECTOR, origin)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        async with own_proxies.serve() as proxy:
            extra = [(b"traceparent", f"00-{TRACE}-{PARENT}-01".encode())]
            answered = await proxy.say(user, CAT, extra=extra)
            await until(lambda: len(spans) >= 2)

    chat, recall = sorted(spans, key=lambda each: each.name)
    attributes = told(chat)
    assert (chat.trace_id.hex(), chat.parent_span_id.hex()) == (TRACE, PARENT)
    assert (recall.trace_id, recall.parent_span_id) == (chat.trace_id, chat.span_id)
    assert chat.name == f"chat {attributes['gen_ai.request.model']}"
    names = ("operation.name", "provider.name", "conversation.id")
    assert [attributes[f"gen_ai.{name}"] for name in names] == ["chat", "openai", "chat-1"]
    assert attributes["recollect.request.id"] == (answered.header(b"x-recollect-request-id") or b"").decode()
    assert (recall.name, told(recall)["recollect.given"]) == ("recall", 0)
    times = [chat.start_time_unix_nano, recall.start_time_unix_nano, recall.end_time_unix_nano]
    assert [*times, chat.end_time_unix_nano] == sorted([*times, chat.end_time_unix_nano])
    for word in ("Minka", "noted", user.id):
        assert word not in str(spans)


def test_nothing_is_traced_where_no_collector_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(COLLECTOR, raising=False)
    assert traces_from_environment() is UNTRACED

    monkeypatch.setenv(COLLECTOR, "http://127.0.0.1:4318")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert traces_from_environment() is UNTRACED


def test_without_the_extra_a_start_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COLLECTOR, "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)

    with capture_logs() as lines:
        assert traces_from_environment() is UNTRACED

    assert [line["event"] for line in lines] == ["tracing_disabled"]
    assert "pip install '.[traces]'" in lines[0]["remedy"]
