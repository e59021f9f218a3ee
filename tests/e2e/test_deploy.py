"""Performs deploy/Dockerfile without Docker, in clean roots, and runs what it made as a container would: not as root, and
over a file system that cannot be written."""

import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.clean_root import Stage, build, stated_command, why_not

REPOSITORY = Path(__file__).parents[2]
DOCKERFILE = REPOSITORY / "deploy" / "Dockerfile"
SECONDS_TO_START = 120
SOURCE = "https://example.org/recollect"
LARGEST = 450
"""Megabytes of the layer on top of the base."""

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


def read_context(into: Path) -> Path:
    """Copy what the .dockerignore lets through to the builder; return where it is."""
    rules = (DOCKERFILE.parent / "Dockerfile.dockerignore").read_text().splitlines()
    assert "*" in rules, "everything is kept from the builder but what is named"
    for rule in (rule.removeprefix("!") for rule in rules if rule.startswith("!")):
        for source in REPOSITORY.glob(rule):
            target = into / source.relative_to(REPOSITORY)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return into


@pytest.fixture(scope="module")
def image() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="recollect-image-") as folder:
        base = Path(folder)
        base.chmod(0o711)
        yield build(DOCKERFILE, read_context(base / "context"), base, SOURCE=SOURCE)


class _Upstream(BaseHTTPRequestHandler):
    """An LLM that always says the same."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Noted."}}]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Upstream)
    threading.Thread(target=server.serve_forever).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@contextmanager
def started(
    image: Stage, upstream: str, log: Path
) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, str]]]:
    """Start the image's command as a container would, on a free port of the loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    variables = image.variables(RECOLLECT_HOST="127.0.0.1", RECOLLECT_PORT=port, RECOLLECT_UPSTREAM=upstream)
    with log.open("wb") as output:
        process = subprocess.Popen(
            image.command(stated_command(image, "CMD")),
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process, variables
    finally:
        process.terminate()
        process.wait(60)


def is_healthy(image: Stage, variables: dict[str, str]) -> bool:
    check = image.command(stated_command(image, "HEALTHCHECK"))
    return subprocess.run(check, env=variables, check=False, capture_output=True).returncode == 0


def within(image: Stage, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the image."""
    return subprocess.run(
        image.command(list(command)), env=image.variables(), check=False, capture_output=True, text=True
    )


def test_the_image_does_not_run_as_root_and_keeps_its_data_on_a_volume(image: Stage) -> None:
    assert within(image, "id", "--user").stdout == "10001\n"
    assert image.stated["VOLUME"] == image.environment["RECOLLECT_DATA_DIR"] == image.stated["WORKDIR"]
    assert image.stated["EXPOSE"] == image.environment["RECOLLECT_PORT"]
    assert (image.root / "data").stat().st_uid == 10001


def test_nothing_can_be_written_beside_the_volume_and_temporary_files(image: Stage) -> None:
    places = ["/opt/recollect/x", "/etc/x", "/data/x", "/tmp/x"]

    refused = [place for place in places if within(image, "touch", place).returncode]

    assert refused == ["/opt/recollect/x", "/etc/x"]
    (image.root / "data/x").unlink()


def test_the_image_holds_nothing_that_it_was_built_with(image: Stage) -> None:
    assert not (image.root / "build").exists()
    assert within(image, "/opt/recollect/bin/python", "-c", "import pip").returncode


def test_the_image_is_small_and_compiled(image: Stage) -> None:
    files = [path for path in (image.root / "opt/recollect").rglob("*") if not path.is_symlink()]
    compiled = {path.parent.parent / path.name.partition(".")[0] for path in files if path.suffix == ".pyc"}

    assert sum(path.stat().st_blocks for path in files) * 512 / 1e6 < LARGEST
    ours = [path for path in files if path.suffix == ".py" and "recollect_proxy" in path.parts]
    assert len(ours) > 100
    assert [path for path in ours if path.with_suffix("") not in compiled] == []


def test_the_labels_name_version_licence_and_source(image: Stage) -> None:
    labels = {name.removeprefix("org.opencontainers.image."): value for name, value in image.labels.items()}

    assert labels == {
        "title": "Recollect",
        "version": within(image, "recollect", "--version").stdout.split()[-1],
        "licenses": "Apache-2.0",
        "source": SOURCE,
    }


def test_the_bill_of_materials_in_the_image_lists_what_is_installed(image: Stage) -> None:
    locked = re.findall(r"^([\w-]+)==", (REPOSITORY / "requirements/run.txt").read_text(), re.MULTILINE)
    of_each_python = {name for name in locked if locked.count(name) > 1}
    bill = json.loads((image.root / "opt/recollect/share/recollect/sbom.json").read_text())
    listed = {each["name"]: each["version"] for each in [bill["metadata"]["component"], *bill["components"]]}
    asked = "import importlib.metadata as m, json; print(json.dumps([(d.name, d.version) for d in m.distributions()]))"
    installed = dict(json.loads(within(image, "/opt/recollect/bin/python", "-c", asked).stdout))
    installed = {re.sub(r"[._]", "-", name).lower(): version for name, version in installed.items()}

    assert bill["bomFormat"] == "CycloneDX"
    assert listed.keys() == installed.keys()
    assert {name for name in listed if listed[name] != installed[name]} <= of_each_python


def test_every_package_of_the_image_fits_the_others_and_what_is_not_used_is_left_out(image: Stage) -> None:
    [left_out] = re.findall(r"^UNUSED = (.+)$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    checked = """
import importlib.metadata as m
from packaging.requirements import Requirement
for each in m.distributions():
    for text in each.requires or ():
        r = Requirement(text)
        if r.marker is None or r.marker.evaluate({"extra": ""}):
            try: fits = r.specifier.contains(m.version(r.name), prereleases=True)
            except m.PackageNotFoundError: fits = False
            if not fits: print(r.name)
"""

    told = within(image, "python", "-c", checked)

    assert told.returncode == 0, told.stderr
    asked = {re.sub(r"[._]", "-", name).lower() for name in told.stdout.split()}
    assert asked <= set(left_out.split())


def test_all_that_is_served_can_be_imported_without_what_is_left_out(image: Stage) -> None:
    imported = """
import importlib, pkgutil
for name in ("recollect", "recollect_proxy", "recollect_openwebui"):
    folders = importlib.import_module(name).__path__
    modules = [each.name for each in pkgutil.walk_packages(folders, f"{name}.")]
    for each in modules:
        if not each.endswith("__main__"): importlib.import_module(each)
    print(name, len(modules))
"""

    told = within(image, "python", "-c", imported)

    assert told.returncode == 0, told.stderr
    assert len(told.stdout.splitlines()) == 3


def test_the_images_command_explains_itself(image: Stage) -> None:
    assert "RECOLLECT_DATABASE_URL" in within(image, "recollect", "--help", "serve").stdout + (
        within(image, "recollect", "serve", "--help").stdout
    )


def test_the_volume_is_copied_and_filled_again_as_documented(image: Stage, tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/how-to/back-up-and-restore.md").read_text()
    out, into = (shlex.split(each) for each in re.findall(r"recollect:[\d.]+ (tar .*?) [<>] ", page))
    kept, packed = image.root / "data/kept/file", tmp_path / "recollect.tgz"
    assert (
        within(image, "sh", "-c", "mkdir -m 700 /data/kept && echo words > /data/kept/file").returncode == 0
    )
    before = kept.stat()

    with packed.open("wb") as file:
        subprocess.run(image.command(out), env=image.variables(), check=True, stdout=file)
    shutil.rmtree(kept.parent)
    with packed.open("rb") as file:
        subprocess.run(image.command(into), env=image.variables(), check=True, stdin=file)

    assert kept.read_text() == "words\n"
    assert (kept.stat().st_uid, kept.stat().st_mode) == (before.st_uid, before.st_mode)
    shutil.rmtree(kept.parent)


def test_the_image_does_not_start_where_anybody_could_claim_to_be_anybody(image: Stage) -> None:
    ended = within(image, "recollect", "serve", "--upstream", "http://127.0.0.1:9/v1")

    assert ended.returncode == 2
    assert "RECOLLECT_TRUSTED_NETWORKS" in ended.stderr


def ask(url: str, body: dict[str, Any], **headers: str) -> tuple[dict[str, Any], Message]:
    """Post a body, and return what was answered and its headers."""
    named = {
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=named)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer), answer.headers


def chat(url: str, words: str) -> Message:
    """Say something as somebody, and return the answer's headers."""
    said = {"model": "any", "messages": [{"role": "user", "content": words}]}
    answer, headers = ask(f"{url}/v1/chat/completions", said, X_OpenWebUI_User_Id="somebody")
    assert answer["choices"][0]["message"]["content"] == "Noted."
    return headers


def test_the_image_serves_chats_with_memory_is_healthy_and_stops_when_told_to(
    image: Stage, upstream: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with started(image, upstream, log) as (process, variables):
        assert not is_healthy(image, variables)
        end = time.monotonic() + SECONDS_TO_START
        while not is_healthy(image, variables):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(1)
        url = f"http://127.0.0.1:{variables['RECOLLECT_PORT']}"
        assert chat(url, "Hello.")["x-recollect-skipped"] == "nothing-relevant"
        token = within(image, "cat", "/data/admin-token").stdout.strip()
        memory = {"content": "Lives in Lisbon."}
        ask(f"{url}/memory/users/somebody/memories", memory, Authorization=f"Bearer {token}")
        assert chat(url, "Where do I live?")["x-recollect-memories"] == "1"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in {0, -signal.SIGTERM}, log.read_text()
        assert not is_healthy(image, variables)
