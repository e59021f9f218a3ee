"""`recollect doctor --openwebui`: is OpenWebUI set up so that Recollect knows whose message it is? Never: how that is told."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from recollect.errors import RecollectError
from recollect.logs import configure_logging
from recollect_proxy.command_settings import UNUSED_UPSTREAM, read_settings
from recollect_proxy.ephemeral_server import run_to_the_end
from recollect_proxy.openwebui.captured_request import CapturedRequest, read_captured_request
from recollect_proxy.openwebui.diagnosis import Finding, Status, diagnose, is_from_a_person
from recollect_proxy.openwebui.request_listener import await_request
from recollect_proxy.settings import ProxySettings

_SIGNS = {Status.OK: "ok     ", Status.NOTE: "note   ", Status.MISSING: "MISSING"}


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
        float, typer.Option(help="Else wait so long for one.", metavar="SECONDS", min=1, max=3600)
    ] = 120,
    host: Annotated[str | None, typer.Option(help="Address to wait on. (default: that of serve)")] = None,
    port: Annotated[int | None, typer.Option(help="Port to wait on. (default: that of serve)")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document, and nothing else, to stdout.")
    ] = False,
) -> None:
    """Look at one request of OpenWebUI, and say what is there, what is missing, and what to set.

    Without --request it stands in for `recollect serve` at its address until a person sends one message
    to the model `recollect-doctor`. Settings are those of `recollect serve`: give the same. Ends with 0 if all is
    well, with 1 if something is missing, with 2 if there was nothing to look at.
    """
    if not openwebui:
        typer.echo("What is to be looked at? recollect doctor --openwebui", err=True)
        raise typer.Exit(2)
    configure_logging("error")
    settings = read_settings(upstream=UNUSED_UPSTREAM, host=host, port=port)
    try:
        captured = _awaited(settings, listen) if request is None else read_captured_request(request)
    except RecollectError as error:
        typer.echo(f"{error}", err=True)
        raise typer.Exit(2) from None
    findings = diagnose(captured, settings, aged=request is not None)
    is_well = all(finding.status is not Status.MISSING for finding in findings)
    if as_json:
        document = {"ok": is_well, "findings": findings}
        typer.echo(msgspec.json.format(msgspec.json.encode(document), indent=2))
    else:
        _tell(findings)
    raise typer.Exit(0 if is_well else 1)


def _awaited(settings: ProxySettings, seconds: float) -> CapturedRequest:
    def ready(port: int) -> None:
        typer.echo(
            f"Waiting {seconds:g} seconds on http://{settings.host}:{port}{settings.base_path} for a message from OpenWebUI: "
            "reload its page, choose the model recollect-doctor, and say hello.",
            err=True,
        )

    return run_to_the_end(
        await_request(
            settings.host,
            settings.port,
            seconds=seconds,
            limit=settings.memory_body_limit,
            is_wanted=lambda captured: is_from_a_person(captured, settings),
            ready=ready,
        )
    )


def _tell(findings: list[Finding]) -> None:
    for finding in findings:
        typer.echo(f"{_SIGNS[finding.status]}  {finding.check}: {finding.told}")
        if finding.remedy:
            typer.echo(f"         -> {finding.remedy}")
