"""docs/how-to/go-into-production.md names metrics, alerts and reasons that are there; its SQL makes a database that a start takes."""

import re
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
import yaml
from tests.deploy.test_monitoring import served
from tests.servers.databases import administrator, new_database, run_sql
from tests.support.stores import Store

from recollect.model import Skip
from recollect.store import check_postgres, open_postgres
from recollect_proxy.upstream.timeouts import SILENCE_SECONDS

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "how-to" / "go-into-production.md").read_text("utf-8")
POSTGRES = (REPOSITORY / "docs" / "how-to" / "set-up-postgres.md").read_text("utf-8")
FIRST_HOUR = PAGE.split("## The first hour\n", 1)[1].split("\n## ", 1)[0]


async def test_each_metric_of_the_first_hour_is_served(own_store: Store) -> None:
    names = await served(own_store)
    asked = set(re.findall(r"`(recollect_[a-z_]+)`", FIRST_HOUR))

    assert len(asked) > 8
    assert {name for name in asked if name not in names and f"{name}_bucket" not in names} == set()


def test_each_alert_and_each_reason_that_it_names_is_there() -> None:
    rules = yaml.safe_load((REPOSITORY / "deploy/prometheus/alerts.yaml").read_text("utf-8"))["groups"][0][
        "rules"
    ]
    critical = {rule["alert"] for rule in rules if rule["labels"]["severity"] == "critical"}
    [reasons] = [item for item in FIRST_HOUR.split("\n- ") if "recollect_requests_without_memory" in item]

    assert set(re.findall(r"`(Recollect[A-Z]\w+)`", PAGE)) == critical
    named = set(re.findall(r"`([a-z-]+)`", reasons))
    assert named == {"nothing-relevant", "task", "no-identity", "bad-identity", "deadline"}
    assert named <= {reason.value for reason in Skip}


def test_the_load_balancer_waits_longer_than_the_proxy() -> None:
    silence = SILENCE_SECONDS
    [told] = re.findall(r"proxy_read_timeout (\d+)s;", (REPOSITORY / "deploy/nginx.conf").read_text("utf-8"))

    assert int(told) > silence
    assert f"waits for the LLM ({silence:.0f} s)" in " ".join(PAGE.split())


@pytest.mark.process
async def test_the_sql_makes_a_database_that_a_start_takes(database_server: str) -> None:
    [block] = re.findall(r"```sql\n(.*?)```", POSTGRES, re.DOTALL)
    in_server, in_database = (
        [line.strip() for line in part.splitlines() if line.strip()]
        for part in block.split("\\connect recollect\n")
    )
    role = f"recollect_test_{uuid4().hex}"
    async with new_database(database_server) as dsn:
        name = urlsplit(dsn).path.removeprefix("/")
        async with administrator(dsn) as connection:
            for line in in_server:
                if line.startswith("CREATE DATABASE"):
                    line = f"ALTER DATABASE {name} OWNER TO {role};"  # noqa: PLW2901 -- it is there, under another name
                await connection.execute(line.replace("ROLE recollect", f"ROLE {role}"))
            for line in in_database:
                await connection.execute(line)
        own = (
            urlsplit(dsn)._replace(netloc=f"{role}:SECRET@{urlsplit(dsn).netloc.rpartition('@')[2]}").geturl()
        )

        report = await check_postgres(own, seconds=20)
        await (await open_postgres(own)).aclose()

        await run_sql(dsn, f"REASSIGN OWNED BY {role} TO current_user; DROP OWNED BY {role}")
    await run_sql(database_server, f"DROP ROLE {role}")
    assert (report.mistakes, report.remarks) == ([], [])
