"""Holds each file of deploy/, and the workflows, to the tool that reads it in earnest; none needs an engine or a cluster.

Zizmor, hadolint, Compose, Helm's own library and the schemas of Kubernetes come from `requirements/deploy.txt`, into `.venv-deploy`;
promtool is Debian's (`apt-get install prometheus`).
"""

import json
import os
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.servers.served_process import RECOLLECT

from recollect.settings.variables_and_file import SETTINGS_FILE, is_setting
from recollect.store.migration import MIGRATION_SECONDS
from recollect_proxy.commands.config import FILES
from recollect_proxy.serving.server import SHUTDOWN_SECONDS
from recollect_proxy.settings.admin_token import TOKEN_FILE
from recollect_proxy.settings.command_settings import secret_settings
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.upstream.timeouts import SILENCE_SECONDS

REPOSITORY = Path(__file__).parents[2]
DEPLOY = REPOSITORY / "deploy"
TOOLS = REPOSITORY / ".venv-deploy" / "bin"
CHART = DEPLOY / "helm" / "recollect"
KUBERNETES = ("1.29.0", "1.33.0", "1.37.0")
NEEDED: dict[str, Any] = {
    "image": {"repository": "registry.example/recollect"},
    "settings": {"upstream": "http://llm.example.svc:8000/v1", "identity": "openwebui-jwt"},
    "existingSecret": "recollect",
}
EVERYTHING = NEEDED | {
    "image": {"repository": "registry.example/recollect", "digest": f"sha256:{'0' * 64}"},
    "settings": {**NEEDED["settings"], "memory_tokens": 800, "system_styles": {"o1*": "none"}},
    "autoscaling": {"enabled": True},
    "workers": {"enabled": True, "autoscaling": {"enabled": True, "maxReplicas": 9}},
    "dataFiles": {"existingSecret": "recollect-files", "names": ["jwks.json", "api-keys"]},
    "secretVersion": "2",
    "ingress": {"enabled": True, "host": "llm.example", "className": "nginx", "tlsSecret": "llm-tls"},
    "podMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "persistence": {"storageClassName": "fast"},
    "networkPolicy": {
        "egress": [{"to": [{"podSelector": {"matchLabels": {"app": "postgres"}}}], "ports": [{"port": 5432}]}]
    },
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "recollect"}},
        }
    ],
    "imagePullSecrets": [{"name": "registry"}],
}
LEAST = NEEDED | {
    "persistence": {"enabled": False},
    "networkPolicy": {"enabled": False},
    "disruptionBudget": {"enabled": False},
    "migration": {"enabled": False},
}
_RENDER = """
import json, sys
from helm_python.chart import Chart, lint
chart, values = sys.argv[1], json.loads(sys.argv[2])
found = lint(chart, values=values, strict=True)
with Chart.load(chart) as loaded:
    loaded.validate_schema(values)
    made = loaded.render(values=values, name="demo", namespace="chat")
print(json.dumps({"messages": found["messages"], "made": made}))
"""


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a tool, and return how it ended."""
    environment = {**os.environ, **variables}
    return subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, check=False, env=environment
    )


def render(values: dict[str, Any]) -> dict[str, Any]:
    """Return what `helm template` makes of the chart, by kind and name; lint and the values' schema have to be content."""
    done = run(TOOLS / "python", "-c", _RENDER, CHART, json.dumps(values))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [each for each in told["messages"] if "icon is recommended" not in each["error"]] == []
    made = {name: yaml.safe_load(text) for name, text in told["made"].items() if name.endswith(".yaml")}
    return {f"{each['kind']}/{each['metadata']['name']}": each for each in made.values() if each}


def test_hadolint_finds_nothing_wrong_with_the_dockerfile() -> None:
    done = run(TOOLS / "hadolint", DEPLOY / "Dockerfile")

    assert (done.stdout, done.returncode) == ("", 0)


def test_zizmor_finds_nothing_wrong_with_the_workflows() -> None:
    done = run(
        TOOLS / "zizmor", "--offline", "--strict-collection", "--quiet", REPOSITORY / ".github/workflows"
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["compose.yaml", "compose.join.yaml"])
def test_compose_reads_its_files_with_a_filled_example(name: str, tmp_path: Path) -> None:
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    lines = (DEPLOY / ".env.example").read_text("utf-8").splitlines()
    filled = [f"{line}filled" if line.endswith("=") and not line.startswith("#") else line for line in lines]
    own = ["RECOLLECT_USER_CAP=7", "RECOLLECT_UPSTREAM=http://llm:8000/v1"]
    own += [f"{name}={secrets.token_hex(24)}" for name in ("RECOLLECT_ADMIN_TOKEN", "IDENTITY_SECRET")]
    (tmp_path / "deploy/.env").write_text("\n".join([*filled, *own]), "utf-8")

    done = run(
        *(TOOLS / "docker-compose", "--file", tmp_path / "deploy" / name, "config", "--format", "json"),
        OPENWEBUI_NETWORK="openwebui_default",
    )

    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    given = read["services"]["recollect"]["environment"]
    assert given["RECOLLECT_DATABASE_URL"] == "postgresql://recollect:filled@postgres:5432/recollect"
    assert given["RECOLLECT_USER_CAP"] == "7", "every setting of .env reaches Recollect"
    assert given["WEBUI_SECRET_KEY"] == ""
    for service in read["services"].values():
        assert int(service["mem_limit"]) >= 1024**3
        assert service["logging"]["options"] == {"max-size": "20m", "max-file": "5"}
    assert ("openwebui" in read["services"]) == (name == "compose.yaml")
    checked = run(RECOLLECT, "config", "check", "--offline", **given | {"RECOLLECT_DATA_DIR": str(tmp_path)})
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_compose_names_what_is_missing(tmp_path: Path) -> None:
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    (tmp_path / "deploy/.env").write_text("", "utf-8")

    done = run(TOOLS / "docker-compose", "--file", tmp_path / "deploy/compose.yaml", "config", "--quiet")

    assert done.returncode != 0
    assert "set it in .env" in done.stderr


@pytest.mark.parametrize("values", [NEEDED, EVERYTHING, LEAST], ids=["needed", "everything", "least"])
@pytest.mark.parametrize("version", KUBERNETES)
def test_kubernetes_schemas_take_what_the_chart_makes(
    values: dict[str, Any], version: str, tmp_path: Path
) -> None:
    made = tmp_path / "made.yaml"
    of_kubernetes = [each for each in render(values).values() if each["kind"] != "PodMonitor"]
    made.write_text(yaml.safe_dump_all(of_kubernetes), "utf-8")

    done = run(TOOLS / "kubernetes-validate", "--strict", "--kubernetes-version", version, made)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_chart_makes_what_was_asked_for() -> None:
    assert {name.partition("/")[0] for name in render(EVERYTHING)} == {
        *("ConfigMap", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job", "NetworkPolicy"),
        *("PodDisruptionBudget", "PodMonitor", "Service", "StatefulSet"),
    }
    assert {name.partition("/")[0] for name in render(LEAST)} == {"ConfigMap", "Service", "StatefulSet"}


@pytest.mark.parametrize("values", [NEEDED, EVERYTHING, LEAST], ids=["needed", "everything", "least"])
def test_each_container_runs_without_root_over_a_file_system_that_can_not_be_written(
    values: dict[str, Any],
) -> None:
    pods = [
        each["spec"]["template"]["spec"]
        for each in render(values).values()
        if each["kind"] in {"StatefulSet", "Deployment", "Job"}
    ]

    for pod in pods:
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["automountServiceAccountToken"] is False
        [container] = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        mounts = {each["mountPath"] for each in container["volumeMounts"] if not each.get("readOnly")}
        assert mounts == {"/data", "/tmp"}
    assert pods


def test_a_pod_that_leaves_has_time_for_the_endpoints_and_the_answers_that_run() -> None:
    pod = render(NEEDED)["StatefulSet/demo-recollect"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    [_, waits] = container["lifecycle"]["preStop"]["exec"]["command"]
    runs = SHUTDOWN_SECONDS

    assert pod["terminationGracePeriodSeconds"] > int(waits) + runs
    assert {container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness")} == {
        "/memory/ready"
    }
    assert container["livenessProbe"]["httpGet"]["path"] == "/memory/live"


def pods(made: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the templates of the pods of proxies and workers."""
    return [
        each["spec"]["template"] for each in made.values() if each["kind"] in {"StatefulSet", "Deployment"}
    ]


@pytest.mark.parametrize(
    "changed",
    [{"settings": {**EVERYTHING["settings"], "memory_tokens": 900}}, {"secretVersion": "3"}],
    ids=["a setting", "the secret"],
)
def test_pods_are_made_anew_where_something_that_they_read_changed(changed: dict[str, Any]) -> None:
    before, after = ([pod["metadata"] for pod in pods(render(v))] for v in (EVERYTHING, EVERYTHING | changed))

    assert len(before) == len(after) == 2
    assert all(one["annotations"] != other["annotations"] for one, other in zip(before, after, strict=True))
    assert before == [pod["metadata"] for pod in pods(render(EVERYTHING))], "and not otherwise"


def test_the_schema_is_made_before_the_pods_which_a_probe_would_end_in_the_middle_of_it() -> None:
    job = render(NEEDED)["Job/demo-recollect-migration"]

    [container] = job["spec"]["template"]["spec"]["containers"]
    assert set(job["metadata"]["annotations"]["helm.sh/hook"].split(",")) == {"pre-install", "pre-upgrade"}
    assert container["command"] == ["recollect", "migrate"]
    assert "env" not in container, "before an install there is no ConfigMap to read settings from"
    assert job["spec"]["activeDeadlineSeconds"] > MIGRATION_SECONDS


def test_workers_are_scaled_by_themselves() -> None:
    made = render(EVERYTHING)

    of_workers = made["HorizontalPodAutoscaler/demo-recollect-worker"]["spec"]
    assert of_workers["scaleTargetRef"]["kind"] == "Deployment"
    assert of_workers["scaleTargetRef"]["name"] == "demo-recollect-worker"
    assert of_workers["maxReplicas"] == 9
    assert "replicas" not in made["Deployment/demo-recollect-worker"]["spec"]
    fixed = render(NEEDED | {"workers": {"enabled": True, "replicas": 3}})
    assert fixed["Deployment/demo-recollect-worker"]["spec"]["replicas"] == 3
    assert "HorizontalPodAutoscaler/demo-recollect-worker" not in fixed


def test_files_of_the_data_folder_are_where_a_start_looks_for_them() -> None:
    names = set(EVERYTHING["dataFiles"]["names"])

    for pod in pods(render(EVERYTHING)):
        [container] = pod["spec"]["containers"]
        mounted = {each["mountPath"] for each in container["volumeMounts"] if each["name"] == "data-files"}
        assert mounted == {f"/data/{name}" for name in names}
    known = json.loads((CHART / "values.schema.json").read_text("utf-8"))["properties"]["dataFiles"]
    assert set(known["properties"]["names"]["items"]["enum"]) == set(FILES) - {SETTINGS_FILE, TOKEN_FILE}


def test_no_secret_may_stand_among_the_values() -> None:
    given = json.loads((CHART / "values.schema.json").read_text("utf-8"))["properties"]["settings"][
        "properties"
    ]
    secret = {name for name in secret_settings() if is_setting(ProxySettings.model_fields[name])}

    assert {name for name in secret if given.get(name) is not False} == {"upstreams"}
    assert given["upstreams"]["items"]["properties"] == {"api_key": False}


def test_an_ingress_lets_answers_stream_for_as_long_as_the_proxy_waits() -> None:
    ingress = render(EVERYTHING)["Ingress/demo-recollect"]

    told = {name.rpartition("/")[2]: value for name, value in ingress["metadata"]["annotations"].items()}
    assert (told["proxy-buffering"], told["proxy-request-buffering"]) == ("off", "off")
    assert told["proxy-body-size"] == "0"
    silence = SILENCE_SECONDS
    assert min(int(told["proxy-read-timeout"]), int(told["proxy-send-timeout"])) > silence
    [rule] = ingress["spec"]["rules"]
    assert [path["path"] for path in rule["http"]["paths"]] == ["/v1", "/memory"]


def test_prometheus_scrapes_each_proxy_under_the_name_that_the_alerts_ask_for() -> None:
    spec = render(EVERYTHING)["PodMonitor/demo-recollect"]["spec"]

    [endpoint] = spec["podMetricsEndpoints"]
    [proxy] = [pod for pod in pods(render(EVERYTHING)) if pod["spec"]["containers"][0]["name"] == "proxy"]
    assert endpoint["path"] == "/memory/metrics"
    assert endpoint["port"] in {each["name"] for each in proxy["spec"]["containers"][0]["ports"]}
    assert endpoint["authorization"]["credentials"] == {"name": "recollect", "key": "RECOLLECT_ADMIN_TOKEN"}
    assert spec["selector"]["matchLabels"].items() <= proxy["metadata"]["labels"].items()
    assert proxy["metadata"]["labels"][spec["jobLabel"]] == "recollect"


def test_the_settings_of_the_chart_are_taken_by_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "recollect.toml"
    file.write_text(render(EVERYTHING)["ConfigMap/demo-recollect"]["data"]["recollect.toml"], "utf-8")
    secret = {
        "RECOLLECT_OPENWEBUI_JWT_SECRET": secrets.token_hex(24),
        "RECOLLECT_ADMIN_TOKEN": secrets.token_hex(24),
        "RECOLLECT_DATABASE_URL": "postgresql://u:p@db/d",
    }

    done = run(
        *(RECOLLECT, "config", "check", "--offline", "--json"),
        **secret,
        RECOLLECT_CONFIG=str(file),
        RECOLLECT_DATA_DIR=str(tmp_path),
        RECOLLECT_HOST="0.0.0.0",
    )

    told = json.loads(done.stdout)
    assert (told["mistakes"], told["remarks"], done.returncode) == ([], [], 0)
    assert told["given"][f"file {file}"] == 5


TRUSTING = {"upstream": "http://llm/v1", "trusted_networks": "10.0.0.0/8"}
# Null takes a default out, and Recollect's own is the plain header.
ANYBODY: tuple[Any, ...] = ("header", "openwebui-jwt, header", ["api-key", "header"], "", [], None)
NONSENSE: list[tuple[dict[str, Any], str]] = [
    *(
        (EVERYTHING | {"settings": TRUSTING | {"identity": each}}, "could claim any identity")
        for each in ANYBODY
    ),
    (NEEDED | {"dataFiles": {"names": ["jwks.json"]}}, "no Secret that has them"),
    *(
        (NEEDED | wrong, "HelmValuesError")
        for wrong in (
            {"image": {"repository": ""}},
            {"existingSecret": ""},
            {"settings": {"upstream": "llm:8000"}},
            {"settings": {"upstream": "http://llm/v1", "admin_token": "in-a-release"}},
            {"settings": {"upstream": "http://llm/v1", "upstreams": [{"name": "a", "api_key": "secret"}]}},
            {"ingress": {"enabled": True}},
            {"dataFiles": {"existingSecret": "files", "names": ["../etc"]}},
        )
    ),
]


@pytest.mark.parametrize(("values", "told"), NONSENSE)
def test_values_that_make_no_sense_are_refused(values: dict[str, Any], told: str) -> None:
    done = run(TOOLS / "python", "-c", _RENDER, CHART, json.dumps(values))
    assert done.returncode != 0
    assert told in done.stderr + done.stdout


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed here")
class TestPromtool:
    def test_takes_the_alerts_which_fire_when_they_should(self) -> None:
        checked = run("promtool", "check", "rules", DEPLOY / "prometheus/alerts.yaml")
        tested = run("promtool", "test", "rules", DEPLOY / "prometheus/alerts_test.yaml")

        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert tested.returncode == 0, tested.stdout + tested.stderr

    def test_takes_each_expression_of_the_dashboard(self, tmp_path: Path) -> None:
        panels = json.loads((DEPLOY / "grafana/recollect.json").read_text("utf-8"))["panels"]
        asked = [target["expr"] for panel in panels for target in panel.get("targets", ())]
        rules = [
            {
                "record": f"panel:{number}",
                "expr": expr.replace("$__rate_interval", "5m").replace("$__range", "6h"),
            }
            for number, expr in enumerate(asked)
        ]
        file = tmp_path / "rules.yaml"
        file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), "utf-8")

        done = run("promtool", "check", "rules", file)

        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{len(asked)} rules found" in done.stdout
