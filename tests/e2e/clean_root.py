"""Builds an image's file system without an engine: debootstrap's clean root stands in for the base, chroot runs the steps.

Needs root, `debootstrap` and `unshare`. Each step sees nothing of this machine but its network: not its packages, not its folders.
"""

import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

_BASE_PACKAGES = "ca-certificates,python3,python3-venv"
_OF_THE_NETWORK = ("etc/resolv.conf", "etc/hosts", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt")
_PASSED_ON = (
    "PIP_INDEX_URL",
    "PIP_CERT",
    "PIP_DEFAULT_TIMEOUT",
    "SSL_CERT_FILE",
    "HTTPS_PROXY",
    "HTTP_PROXY",
)
_STATED = {"EXPOSE", "HEALTHCHECK", "CMD", "USER", "VOLUME", "WORKDIR"}


def why_not() -> str | None:
    """Return why no clean root can be made on this machine; None if it can."""
    if os.geteuid() != 0:
        return "a chroot needs root"
    missing = [name for name in ("debootstrap", "chroot", "unshare") if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


def read_dockerfile(path: Path) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile: name and arguments, continued lines joined."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    return [(line.split()[0].upper(), line.split(maxsplit=1)[1]) for line in whole.splitlines() if line]


def make_base(root: Path) -> None:
    """Make a minimal Debian with Python, as this machine's own release, from where its apt has it."""
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)"]
    targets = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    mirror, release = next(line.split() for line in targets if "-" not in line.split()[1])
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={_BASE_PACKAGES}", release, str(root), mirror],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    for name in _OF_THE_NETWORK:
        if (source := Path("/") / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / name)
    (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")


@dataclass
class Stage:
    """A stage of a Dockerfile: its file system, and what it says of how it is run.

    Attributes:
        root: Where its file system is.
        environment: What ENV said.
        arguments: What ARG said, and the builder instead of it.
        labels: What LABEL said.
        stated: What other instructions said, by their names; WORKDIR is where the next step runs.
        performed: The steps that were run.
    """

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)
    performed: list[str] = field(default_factory=list)

    def variables(self, **more: str) -> dict[str, str]:
        """Return the environment of a step: the image's and what the network needs, nothing else of this machine's."""
        ours = {name: value for name in _PASSED_ON if (value := os.environ.get(name))}
        standard = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}
        return ours | standard | self.environment | more

    def command(self, arguments: list[str], *, writable: bool = False) -> list[str]:
        """Return what runs a command within the stage, in a namespace of its own for mounts.

        Args:
            arguments: The command.
            writable: As while it is built: by root, and the file system can be written. Else as the stage's USER over a
                file system that can be read alone, but for its VOLUME and /tmp.
        """
        root, folder = shlex.quote(str(self.root)), self.stated.get("WORKDIR", "/")
        within = f'cd {shlex.quote(folder)} && exec "$@"'
        mounts = [f"mount -t proc proc {root}/proc", f"mount --rbind /dev {root}/dev"]
        user = "0"
        if not writable:
            volume = shlex.quote(f"{self.root}{self.stated['VOLUME']}")
            user = self.stated["USER"]
            mounts = [
                f"mount --bind {root} {root}",
                *mounts,
                f"mount -t tmpfs tmp {root}/tmp",
                f"mount --bind {volume} {volume}",
                f"mount -o remount,bind,ro {root}",
            ]
        program = shutil.which("chroot")  # the step's PATH is the image's
        chroot = f'exec {program} --userspec={user}:{user} {root} /bin/sh -c {shlex.quote(within)} sh "$@"'
        return ["unshare", "--mount", "sh", "-ec", "; ".join([*mounts, chroot]), "sh", *arguments]


def build(dockerfile: Path, context: Path, folder: Path, **given: str) -> Stage:
    make_base(base := folder / "base")
    stages: dict[str, Stage] = {}
    stage: Stage | None = None
    for number, (instruction, arguments) in enumerate(read_dockerfile(dockerfile)):
        if instruction == "ARG" and stage is None:
            continue  # the base that is named there is the one that is made here
        if instruction == "FROM":
            _, _, name = arguments.partition(" AS ")
            root = folder / (name or f"stage-{number}")
            subprocess.run(["cp", "--archive", "--reflink=auto", base, root], check=True)
            stage = stages[name] = Stage(root)
            continue
        assert stage is not None, "a Dockerfile begins with FROM"
        if instruction == "ARG":
            name, _, default = arguments.partition("=")
            stage.arguments[name] = given.get(name, default.strip('"'))
        else:
            _perform(stage, stages, context, instruction, arguments)
    assert stage is not None
    return stage


def _perform(stage: Stage, stages: dict[str, Stage], context: Path, instruction: str, arguments: str) -> None:
    """Perform one instruction; an unknown one fails, so that no step is left out in silence."""
    if instruction == "RUN":
        step = stage.command(["/bin/sh", "-ec", arguments], writable=True)
        subprocess.run(step, env=stage.variables(), check=True)
        stage.performed.append(arguments)
    elif instruction == "COPY":
        _copy(stage, stages, context, arguments)
    elif instruction == "ENV":
        stage.environment |= _pairs(arguments)
    elif instruction == "LABEL":
        stage.labels |= _pairs(Template(arguments).substitute(stage.arguments))
    else:
        assert instruction in _STATED, f"a step this can't perform: {instruction} {arguments}"
        stage.stated[instruction] = arguments
        if instruction == "WORKDIR":
            (stage.root / arguments.lstrip("/")).mkdir(parents=True, exist_ok=True)


def _pairs(arguments: str) -> dict[str, str]:
    """Return the names and values of ENV or LABEL."""
    return dict(pair.split("=", 1) for pair in shlex.split(arguments))


def _copy(stage: Stage, stages: dict[str, Stage], context: Path, arguments: str) -> None:
    *sources, target = arguments.split()
    start = context
    if sources[0].startswith("--from="):
        start = stages[sources.pop(0).removeprefix("--from=")].root
    place = stage.root / str(Path(stage.stated.get("WORKDIR", "/"), target)).lstrip("/")
    for source in sources:
        matching = list(start.glob(source.lstrip("/")))
        assert matching, f"nothing to copy: {source}"
        place.mkdir(parents=True, exist_ok=True)
        copied = [f"{found}/." if found.is_dir() else str(found) for found in matching]
        subprocess.run(["cp", "--archive", *copied, str(place)], check=True)


def stated_command(stage: Stage, instruction: str) -> list[str]:
    """Return the command of CMD or HEALTHCHECK."""
    command: list[str] = json.loads(stage.stated[instruction].rpartition("CMD ")[2])
    return command
