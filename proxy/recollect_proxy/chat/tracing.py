"""Traces chats by OpenTelemetry, with its conventions for generative AI: one span for a chat, and one within for its recall.

Spans need the extra `traces` and one of OpenTelemetry's variables that name a collector (``OTEL_EXPORTER_OTLP_ENDPOINT``); without
them OpenTelemetry is not imported. A span is written after its chat, from the times noted meanwhile. Traces have no words of a person and no
ids but the chat's.
"""

import os
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import structlog

from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.chat.request_preparer import OutboundRequest
from recollect_proxy.web.asgi import Headers

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

log = structlog.get_logger(__name__)

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROVIDERS = {"messages": "anthropic"}  # the other APIs are OpenAI's, on any server
_PARENT = (b"traceparent", b"tracestate")


class Trace:
    """One chat as it goes, from now on; nothing is written of it without a tracer.

    The request's headers say whose part it is.
    """

    def __init__(self, tracer: "Tracer | None", headers: Headers) -> None:
        self._tracer = tracer
        self._headers = headers
        self._began = time.time_ns()
        self._prepared = self._began

    def prepared(self) -> None:
        """Note that the prompt is done."""
        self._prepared = time.time_ns()

    def end(self, request: OutboundRequest, recorder: ReplyRecorder, *, api: str) -> None:
        """Write the spans; the answer is over."""
        if self._tracer is None:
            return
        try:
            self._write(self._tracer, request, recorder, api)
        except Exception as error:  # noqa: BLE001 -- no trace is worth a chat
            log.warning("trace_failed", error=type(error).__name__)

    def _write(self, tracer: "Tracer", request: OutboundRequest, recorder: ReplyRecorder, api: str) -> None:
        from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context  # noqa: PLC0415
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

        model = request.turn.model
        parent = {name.decode(): value.decode("latin-1") for name, value in self._headers if name in _PARENT}
        span = tracer.start_span(
            f"chat {model}",
            context=TraceContextTextMapPropagator().extract(parent),
            kind=SpanKind.SERVER,
            start_time=self._began,
            attributes=_of_chat(request, recorder, api),
        )
        recall = request.prepared.recall
        took = int(recall.milliseconds * 1_000_000)
        within = tracer.start_span(
            "recall",
            context=set_span_in_context(span),
            start_time=max(self._began, self._prepared - took),
            attributes=_of_recall(request),
        )
        within.end(self._prepared)
        if recorder.broke_off or recorder.client_left:
            span.set_status(Status(StatusCode.ERROR, "broke off" if recorder.broke_off else "client left"))
        span.end()


Traces: TypeAlias = Callable[[Headers], Trace]
UNTRACED: Traces = partial(Trace, None)

_INSTALL = "install the extra from Recollect's own code: pip install '.[traces]' in its folder, or unset OTEL_EXPORTER_OTLP_*"
"""Not by our name: no public index has it from us."""


def traces_from_environment() -> Traces:
    """Return what traces chats as OpenTelemetry's variables say; what traces nothing if they name no collector."""
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or not any(map(os.environ.get, _ENDPOINTS)):
        return UNTRACED
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 -- only tracing needs it
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        log.warning("tracing_disabled", remedy=_INSTALL)
        return UNTRACED
    name = os.environ.get("OTEL_SERVICE_NAME", "recollect")
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))  # ends with the process
    return partial(Trace, provider.get_tracer("recollect"))


def _of_chat(request: OutboundRequest, recorder: ReplyRecorder, api: str) -> dict[str, Any]:
    parsed = recorder.parsed
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(api, "openai"),
        "gen_ai.request.model": request.turn.model,
        "gen_ai.conversation.id": request.turn.scope.session_id,
        "gen_ai.response.model": parsed.model if parsed else None,
        "gen_ai.usage.input_tokens": parsed.prompt_tokens if parsed else None,
        "gen_ai.usage.output_tokens": parsed.completion_tokens if parsed else None,
        "recollect.request.id": str(request.id),
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _of_recall(request: OutboundRequest) -> dict[str, Any]:
    recall, block = request.prepared.recall, request.prepared.placed.block
    told: dict[str, Any] = {
        "recollect.given": len(block.recollections) if block else 0,
        "recollect.tokens": request.prepared.placed.tokens,
    }
    if recall.skipped is not None:
        told["recollect.skipped"] = recall.skipped.value
    if recall.degraded:
        told["recollect.degraded"] = [stage.value for stage in recall.degraded]
    return told
