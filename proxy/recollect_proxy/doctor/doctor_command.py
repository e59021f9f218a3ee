"""The command `doctor --openwebui`: checks whether OpenWebUI is set up so that Recollect knows each user."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.errors import RecollectError
from recollect_proxy.settings.command_settings import UNUSED_UPSTREAM, own_or_unused_upstream, read_settings
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.store_commands.options_of_commands import MISUSED, AsJson, fail
from recollect_proxy.store_commands.printing import Output, print_output

if TYPE_CHECKING:
    from recollect_proxy.doctor.captured_request import CapturedRequest
    from recollect_proxy.doctor.diagnosis import CheckResult

_SIGNS = {"ok": "ok     ", "note": "note   ", "missing": "MISSING"}


def doctor(
    *,
    openwebui: Annotated[bool, typer.Option("--openwebui", help="Look at what OpenWebUI sends.")] = False,
    request: Annotated[
        Path | None,
        typer.Option(
            help='A captured request: its head and body, or {"headers": ..., "body": ...}.', metavar="FILE"
        ),
    ] = None,
    listen: Annotated[
        float,
        typer.Option(
            help="Without --request: how long to wait for a message. OpenWebUI takes a minute or two to restart.",
            metavar="SECONDS",
            min=1,
            max=3600,
        ),
    ] = 600,
    host: Annotated[str | None, typer.Option(help="Address to wait on. (default: that of serve)")] = None,
    port: Annotated[int | None, typer.Option(help="Port to wait on. (default: that of serve)")] = None,
    as_json: AsJson = False,
) -> None:
    """Look at one request of OpenWebUI, and say what is there, what is missing, and what to set.

    Without --request it stands in for `recollect serve` at its address until a person sends one message
    to the model `recollect-doctor`, which only administrators of OpenWebUI see. Settings are those of `recollect serve`: give
    the same. Ends with 0 if all is well, with 1 if something is missing, with 2 if there was nothing to look at.
    """
    if not openwebui:
        fail("Say what to check: recollect doctor --openwebui", MISUSED)
    settings = read_settings(**own_or_unused_upstream(), host=host, port=port)
    if request is None:
        typer.echo("The doctor is starting, which takes a few seconds.", err=True)
    try:
        findings = _findings(settings, request, listen)
    except RecollectError as error:
        fail(f"{error}", MISUSED)
    is_well = all(finding.status != "missing" for finding in findings)
    lines = [line for finding in findings for line in _lines(finding)]
    print_output(Output({"ok": is_well, "findings": findings}, lines, failed=not is_well), as_json=as_json)


def _findings(settings: ProxySettings, request: Path | None, seconds: float) -> "list[CheckResult]":
    """Diagnose the request in a file, or without a file the first one from a person within ``seconds``."""
    from recollect.runtime.logs import configure_logging
    from recollect_proxy.doctor.captured_request import read_captured_request
    from recollect_proxy.doctor.diagnosis import diagnose

    configure_logging("error")
    captured = _awaited(settings, seconds) if request is None else read_captured_request(request)
    return [*diagnose(captured, settings, aged=request is not None), *_of_upstream(settings)]


def _of_upstream(settings: ProxySettings) -> Iterator["CheckResult"]:
    """Yield a finding on the LLM server, if the settings name one, and on the model that forms memories, which is asked once."""
    if settings.upstream == UNUSED_UPSTREAM:
        return
    import asyncio

    from recollect.assembly.database_and_model_check import check_model
    from recollect_proxy.build_destinations import upstream_of
    from recollect_proxy.doctor.diagnosis import CheckResult, Status
    from recollect_proxy.upstream.upstream import complaint_about

    async def looked() -> str | None:
        upstream = upstream_of(settings)
        try:
            return await complaint_about(upstream, settings.upstream, settings.path_of_api)
        finally:
            await upstream.aclose()

    if (complaint := asyncio.run(looked())) is None:
        yield CheckResult("upstream", Status.OK, f"{settings.upstream} answers")
    else:
        yield CheckResult(
            "upstream", Status.MISSING, f"{settings.upstream} does not work as it is set", complaint
        )
    told, is_well = asyncio.run(check_model(settings.for_engine, settings.upstream_api))
    if told:
        yield CheckResult("model", Status.OK if is_well else Status.MISSING, told)


def _awaited(settings: ProxySettings, seconds: float) -> "CapturedRequest":
    from recollect_proxy.doctor.captured_request import await_request
    from recollect_proxy.doctor.diagnosis import is_from_a_person
    from recollect_proxy.serving.ephemeral_server import run_to_the_end
    from recollect_proxy.serving.server import why_not_free
    from recollect_proxy.web.request_limits import LARGEST_CHAT

    if (reason := why_not_free(settings.host, settings.port)) is not None:
        fail(reason, MISUSED)

    def ready(origin: str) -> None:
        typer.echo(
            f"Waiting {_spelled(seconds)} on {origin}{settings.base_path} for a message from OpenWebUI, "
            "which may be restarted meanwhile.\nAs an administrator of OpenWebUI (others do not see the model) reload "
            "its page, choose the model recollect-doctor, and say hello.",
            err=True,
        )

    def remind(left: float) -> None:
        typer.echo(f"Still waiting: {_spelled(left)} left.", err=True)

    return run_to_the_end(
        await_request(
            settings.host,
            settings.port,
            seconds=seconds,
            limit=settings.memory_body_limit or LARGEST_CHAT,
            is_wanted=is_from_a_person,
            ready=ready,
            remind=remind,
        )
    )


def _spelled(seconds: float) -> str:
    """Return a duration in words: in minutes if it is a whole number of them, else in seconds."""
    minutes, rest = divmod(seconds, 60)
    if rest or not minutes:
        return f"{seconds:g} seconds"
    return "1 minute" if minutes == 1 else f"{minutes:g} minutes"


def _lines(finding: "CheckResult") -> Iterator[str]:
    yield f"{_SIGNS[finding.status]}  {finding.check}: {finding.told}"
    if finding.remedy:
        yield f"         -> {finding.remedy}"
