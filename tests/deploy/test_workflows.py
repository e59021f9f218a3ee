"""What CI runs is there: each target of make, each script; and what is slow is run once a week."""

import re
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).parents[2]
WORKFLOWS = REPOSITORY / ".github" / "workflows"
MAKEFILE = (REPOSITORY / "Makefile").read_text("utf-8")
CONTRIBUTING = (REPOSITORY / ".github" / "CONTRIBUTING.md").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z][a-z0-9-]*):", MAKEFILE, re.MULTILINE))
ELSEWHERE = {
    *("test", "test-fast", "lint", "types", "check"),  # with every push
    "bench",  # measures, and fails at nothing
}
"""Targets of tests that are no matter of the weekly run."""


def workflow(name: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((WORKFLOWS / name).read_text("utf-8"))
    return read


RELEASE: dict[str, Any] = workflow("release.yaml")["jobs"]


def weekly() -> list[dict[str, str]]:
    """Return what is run once a week: the target, and what of Debian it needs."""
    [job] = workflow("weekly.yaml")["jobs"].values()
    found: list[dict[str, str]] = job["strategy"]["matrix"]["include"]
    return found


def test_each_target_of_make_that_is_run_is_there() -> None:
    named = {each["make"] for each in weekly()}
    commands = "\n".join(
        path.read_text("utf-8") for path in (*WORKFLOWS.glob("*.yaml"), REPOSITORY / ".ci" / "run")
    )
    named |= set(re.findall(r"^\s*(?:- run: )?make ([a-z0-9-]+)$", commands, re.MULTILINE))

    assert {"test", "test-slow", "chaos"} <= named
    assert named - TARGETS == set()
    assert len(weekly()) == len({each["make"] for each in weekly()})


def test_what_is_tested_by_make_and_not_with_every_push_is_run_once_a_week() -> None:
    tests = {name for name in TARGETS if re.match(r"(test|e2e|bench|chaos|fuzz|coverage|audit)", name)}

    assert tests - ELSEWHERE == {each["make"] for each in weekly()}


def test_both_are_documented() -> None:
    [told] = re.findall(r"`weekly\.yaml`.*?\n\n", CONTRIBUTING, re.DOTALL)

    assert set(re.findall(r"`(?:make )?([a-z0-9-]+)`", told)) == {each["make"] for each in weekly()}
    assert set(re.findall(r"`make ([a-z0-9-]+)`", CONTRIBUTING)) <= TARGETS


def test_what_a_target_says_that_it_needs_of_debian_is_installed() -> None:
    packages = {each["make"]: set(each.get("packages", "").split()) for each in weekly()}
    for target, wanted in packages.items():
        [line] = re.findall(rf"^{target}:.*## (.*)$", MAKEFILE, re.MULTILINE) or [""]
        asked = {name for told in re.findall(r"apt-get install ([\w-]+)", line) for name in [told]}
        assert asked <= wanted, target


def test_workflows_may_read_the_code_and_nothing_else_and_jobs_of_a_release_what_each_is_for() -> None:
    may = {
        "check": {"contents": "read"},
        "build": {"contents": "read"},
        "attest": {"id-token": "write", "attestations": "write"},
        "image": {"contents": "read", "packages": "write", "id-token": "write", "attestations": "write"},
        "pypi": {"id-token": "write"},
        "release": {"contents": "write"},
    }

    assert {name: job["permissions"] for name, job in RELEASE.items()} == may
    assert workflow("release.yaml")["permissions"] == {}
    for name in ("ci.yaml", "weekly.yaml"):
        assert workflow(name)["permissions"] == {"contents": "read"}, name
    assert "secrets." not in "".join(path.read_text("utf-8") for path in WORKFLOWS.glob("*.yaml"))


def test_a_release_is_tested_before_it_is_built_and_published_when_all_else_is_there() -> None:
    assert [(name, job.get("needs")) for name, job in RELEASE.items()] == [
        *(("check", None), ("build", "check"), ("attest", "build")),
        *(("image", "attest"), ("pypi", "image"), ("release", "pypi")),
    ]
    assert (
        [step["run"] for step in RELEASE["check"]["steps"] if "run" in step]
        == [
            'python -m tests.release_notes "$GITHUB_REF_NAME"',
            'if gh release view "$GITHUB_REF_NAME"; then exit 1; fi',  # else its image is replaced, and its wheels are not
            "bash .ci/run",
        ]
    )
    assert RELEASE["pypi"]["environment"]["name"] == "pypi"
    assert [name for name, job in RELEASE.items() if "environment" in job] == ["pypi"]


def test_the_image_of_a_release_is_made_of_the_attested_wheels_for_two_platforms() -> None:
    steps = {str(step.get("uses", "")).partition("@")[0]: step for step in RELEASE["image"]["steps"]}
    pushed = steps["docker/build-push-action"]["with"]
    arguments = set(re.findall(r"^ARG (\w+)", (REPOSITORY / pushed["file"]).read_text("utf-8"), re.MULTILINE))

    assert steps["actions/download-artifact"]["with"] == {"name": "release"}
    assert set(pushed["platforms"].split(",")) == {"linux/amd64", "linux/arm64"}
    assert (pushed["provenance"], pushed["sbom"], pushed["push"]) == ("mode=max", True, True)
    assert pushed["build-args"].partition("=")[0] in arguments
    assert steps["actions/attest"]["with"]["sbom-path"] == "sbom.json"


def test_each_action_is_pinned_by_the_commit_of_a_named_version_and_by_one_alone() -> None:
    used = [line for path in WORKFLOWS.glob("*.yaml") for line in path.read_text("utf-8").splitlines()]
    used = [line.partition("uses: ")[2] for line in used if "uses: " in line]
    pinned = [re.match(r"([\w./-]+)@([0-9a-f]{40}) # (v[\d.]+)", each) for each in used]

    assert [each for each, match in zip(used, pinned, strict=True) if match is None] == []
    pins = {match.groups() for match in pinned if match}
    assert len(pins) == len({action for action, *_ in pins})


def test_what_ci_runs_by_name_is_there() -> None:
    steps = [step for job in workflow("ci.yaml")["jobs"].values() for step in job["steps"]]

    assert [step["run"] for step in steps if "run" in step] == ["bash .ci/run"]
    assert (REPOSITORY / ".ci" / "run").is_file()
