"""Holds deploy/ against the facts: what is wired there exists, and no secret is written down."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from recollect.settings.variables_and_file import CONFIG, is_setting
from recollect_proxy.commands.config import environment
from recollect_proxy.identity.user_and_chat import MESSAGE_HEADER, TASK_HEADER
from recollect_proxy.serving.server import SHUTDOWN_SECONDS
from recollect_proxy.settings.proxy_settings import ProxySettings

DEPLOY = Path(__file__).parents[2] / "deploy"
TEXTS = {str(path.relative_to(DEPLOY)): path.read_text() for path in DEPLOY.rglob("*") if path.is_file()}
SECRET = re.compile(r"PASSWORD|KEY|TOKEN|SECRET")
REQUIRED = re.compile(r"\$\{([A-Z_]+):\?[^}]+\}")
ANY_VARIABLE = re.compile(r"\$\{([A-Z_]+)")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load(TEXTS["compose.yaml"])["services"]
    return services


def env_example() -> dict[str, str]:
    lines = [line for line in TEXTS[".env.example"].splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_recollect_variable_in_deploy_is_a_setting(name: str) -> None:
    named = set(re.findall(r"RECOLLECT_[A-Z_]+", TEXTS[name]))
    settings = {name for name, field in ProxySettings.model_fields.items() if is_setting(field)}
    assert named <= {f"RECOLLECT_{setting.upper()}" for setting in settings} | {CONFIG, "RECOLLECT_LOG_LEVEL"}


def test_compose_is_postgres_recollect_and_openwebui(services: dict[str, Any]) -> None:
    assert set(services) == {"postgres", "recollect", "openwebui"}
    assert services["postgres"]["image"] == "pgvector/pgvector:pg18"


def test_each_service_waits_until_the_one_below_is_healthy(services: dict[str, Any]) -> None:
    assert "healthcheck" in services["postgres"]
    assert "HEALTHCHECK" in TEXTS["Dockerfile"]
    assert services["recollect"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert services["openwebui"]["depends_on"] == {"recollect": {"condition": "service_healthy"}}


def test_openwebui_speaks_to_recollect(services: dict[str, Any]) -> None:
    [port] = re.findall(r"^EXPOSE (\d+)$", TEXTS["Dockerfile"], re.MULTILINE)
    base_path = ProxySettings.base_path
    assert (
        services["openwebui"]["environment"]["OPENAI_API_BASE_URLS"] == f"http://recollect:{port}{base_path}"
    )


def test_openwebui_says_who_speaks_and_what_for(services: dict[str, Any]) -> None:
    environment = services["openwebui"]["environment"]
    [connection] = json.loads(environment["OPENAI_API_CONFIGS"]).values()
    sent = {name.lower(): template for name, template in connection["headers"].items()}
    assert environment["ENABLE_FORWARD_USER_INFO_HEADERS"] == "true"
    assert sent[TASK_HEADER] == "{{TASK}}"
    assert sent[MESSAGE_HEADER] == "{{USER_MESSAGE_ID}}"
    assert sent["x-recollect-parent"] == "{{USER_MESSAGE_PARENT_ID}}"


def test_running_answers_may_finish_before_recollect_is_killed(services: dict[str, Any]) -> None:
    grace = int(services["recollect"]["stop_grace_period"].removesuffix("s"))
    assert grace > SHUTDOWN_SECONDS


def test_no_secret_has_a_default_and_compose_refuses_to_start_without(services: dict[str, Any]) -> None:
    for service in services.values():
        for name, value in service.get("environment", {}).items():
            assert not SECRET.search(name) or not value or REQUIRED.fullmatch(value), name
    assert REQUIRED.findall(TEXTS["compose.yaml"]) == ANY_VARIABLE.findall(TEXTS["compose.yaml"])


def test_the_example_names_what_compose_needs_and_gives_no_secret_away() -> None:
    example = env_example()
    assert set(example) == set(REQUIRED.findall(TEXTS["compose.yaml"]))
    assert [name for name, value in example.items() if value] == ["IMAGE", "RECOLLECT_DATABASE_URL"]
    assert "${POSTGRES_PASSWORD}@postgres:5432/recollect" in example["RECOLLECT_DATABASE_URL"]


def test_the_example_names_every_setting_as_the_settings_do() -> None:
    own, _, generated = TEXTS[".env.example"].partition("# Settings of Recollect, made by")

    assert own
    assert f"# Settings of Recollect, made by{generated}" == environment(), "`make docs` writes it anew"


def test_recollect_is_given_no_secret_that_is_another_services(services: dict[str, Any]) -> None:
    given = services["recollect"]["environment"]

    assert services["recollect"]["env_file"] == ".env"
    others = set(env_example()) - {f"RECOLLECT_{name.upper()}" for name in ProxySettings.model_fields}
    assert {name: given.get(name) for name in others} == dict.fromkeys(others, "")


def test_recollect_writes_to_its_volume_and_temporary_files_alone(services: dict[str, Any]) -> None:
    recollect = services["recollect"]

    assert (recollect["read_only"], recollect["tmpfs"], recollect["cap_drop"]) == (True, ["/tmp"], ["ALL"])
    assert recollect["environment"]["RECOLLECT_DATA_DIR"] == "/data"
    assert recollect["volumes"] == ["recollect:/data"]


def test_each_service_is_restarted_bounded_and_looked_after(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert service["restart"] == "unless-stopped", name
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name
        assert {"max-size", "max-file"} <= service["logging"]["options"].keys(), name
        assert "healthcheck" in service or name == "recollect", "whose image has its own"


def test_what_is_published_is_published_on_the_loopback_alone(services: dict[str, Any]) -> None:
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_every_volume_is_declared_and_used(services: dict[str, Any]) -> None:
    used = {mount.split(":")[0] for service in services.values() for mount in service.get("volumes", [])}
    assert used == set(yaml.safe_load(TEXTS["compose.yaml"])["volumes"])
