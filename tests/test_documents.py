"""README and docs say what is there: files, settings, commands, and the names on the two ways through the code."""

import re
import tomllib
from functools import cache
from pathlib import Path

import typer
from tests import openapi
from tests.log_events import LEVELS, logged_events

from recollect_proxy.commands.cli import app
from recollect_proxy.settings.proxy_settings import ProxySettings

ROOT = Path(__file__).parents[1]
ROOTS = (ROOT / "src" / "recollect", ROOT / "proxy" / "recollect_proxy")


OF_THE_TESTS = {"RECOLLECT_TEST_POSTGRES"}

_EVENT = re.compile(r"[a-z]+(_[a-z]+)*")

WAYS = ("A chat request", "A remembered exchange")


def documents() -> list[Path]:
    named = (
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "openwebui_filter/README.md",
        ".github/CONTRIBUTING.md",
    )
    return [*(ROOT / name for name in named), *sorted((ROOT / "docs").rglob("*.md"))]


def everything() -> str:
    """Return all of them but the page that is made from the settings."""
    return "\n".join(path.read_text("utf-8") for path in documents() if path.name != "settings.md")


@cache
def sources() -> str:
    return "\n".join(path.read_text("utf-8") for root in ROOTS for path in sorted(root.rglob("*.py")))


def way(title: str) -> list[str]:
    """Return the steps of one of the ways in the architecture."""
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    section = text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    return re.split(r"^[0-9]+\. ", section, flags=re.MULTILINE)[1:]


def test_the_page_of_log_events_lists_each_event_with_its_levels_and_no_other() -> None:
    page = (ROOT / "docs" / "reference" / "log-events.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z_]+)` \| ([a-z, ]+) \|", page, re.MULTILINE)
    listed = {event: set(levels.split(", ")) for event, levels in rows if set(levels.split(", ")) <= LEVELS}
    written = logged_events(ROOT)

    assert listed == written
    assert [event for event in written if not _EVENT.fullmatch(event)] == []


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len(re.findall(r"\S*\w\S*", (ROOT / "README.md").read_text("utf-8"))) <= 600


def headings(document: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_no_page_has_a_line_of_more_than_120_characters() -> None:
    long = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in (ROOT / "docs").rglob("*.md")
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert long == []


def test_the_index_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if page != "README.md" and f"]({page})" not in index] == []


def test_each_how_to_has_numbered_steps_and_says_how_to_undo_them() -> None:
    for page in (ROOT / "docs" / "how-to").rglob("*.md"):
        text = page.read_text("utf-8")
        assert re.search(r"^1\. .+^2\. ", text, re.MULTILINE | re.DOTALL), page.name
        assert re.search(r"\bundo", text, re.IGNORECASE), page.name


def test_the_page_of_a_frontend_fits_on_a_screen() -> None:
    pages = (ROOT / "docs" / "how-to" / "clients").glob("*.md")
    assert [page.name for page in pages if len(page.read_text("utf-8").splitlines()) > 30] == []


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for document in documents():
        for link, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", document.read_text("utf-8")):
            target = (document.parent / link).resolve() if link else document
            if not target.exists() or (anchor and anchor not in headings(target)):
                broken.append(f"{document.relative_to(ROOT)}: {link}#{anchor}")
    assert broken == []


def test_the_table_of_addresses_says_for_each_place_what_url_to_enter_and_where_recollect_listens() -> None:
    text = (ROOT / "docs" / "reference" / "openwebui.md").read_text("utf-8")
    section = text.split("## Which URL\n", 1)[1].split("\n## ", 1)[0]
    rows = section.strip().split("\n\n")[0].splitlines()[2:]
    cells = [row.strip("| ").split(" | ") for row in rows]
    urls = {(where, recollect): (url, listens) for where, recollect, url, listens in cells}

    linux = urls["in Docker on Linux", "on the same machine"]
    assert "http://host.docker.internal:8787/v1" in linux[0]
    assert "172.17.0.1" in linux[1]
    assert "--add-host=host.docker.internal:host-gateway" in section
    assert "RECOLLECT_HOST=172.17.0.1" in section
    for url, listens in urls.values():
        assert re.search(r"`http://[^`]+:8787/v1`", url)
        assert re.search(r"127\.0\.0\.1|0\.0\.0\.0|172\.17\.0\.1", listens)


def test_every_setting_that_is_named_exists() -> None:
    named = set(re.findall(r"\bRECOLLECT_[A-Z0-9]+(?:_[A-Z0-9]+)*", everything()))
    known = {f"RECOLLECT_{name.upper()}" for name in ProxySettings.model_fields} | of_commands()
    assert named - known == OF_THE_TESTS


def of_commands() -> set[str]:
    """Return the variables that are an option of a single command."""
    commands = typer.main.get_group(app).commands.values()
    told = (option.envvar for command in commands for option in command.params)
    return {each for each in told if isinstance(each, str)}


def test_every_command_that_is_named_exists() -> None:
    known = set(typer.main.get_group(app).commands)
    named = re.findall(
        r"(?:^ {4,}|`)(?:\.venv/bin/)?recollect ([a-z]+(?:-[a-z]+)*)", everything(), re.MULTILINE
    )
    assert {"serve", "doctor", "import"} <= set(named) <= known


def test_every_file_in_the_list_of_where_to_look_exists() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    section = text.split("## Where to look\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^- ((?:`[^`]+`,?\s+)*`[^`]+`): ", section, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^- ", section, re.MULTILINE)) > 25
    missing = []
    for row in rows:
        first, *others = re.findall(r"`([^`]+)`", row)
        folder = Path(first).parent
        places = [Path(first), *(Path(each) if (ROOT / each).exists() else folder / each for each in others)]
        missing += [str(place) for place in places if not (ROOT / place).exists()]
    assert missing == []


def test_every_dependency_has_its_reason_and_nothing_else_has() -> None:
    table = (
        (ROOT / "docs" / "explanation" / "architecture.md")
        .read_text("utf-8")
        .split("## Dependencies\n", 1)[1]
    )
    reasoned = re.findall(r"`([a-z0-9-]+)`(?=[,:])", table)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [match[0] for each in project["dependencies"] if (match := re.match(r"[\w-]+", each))]
    assert sorted(reasoned) == sorted(needed)


def test_each_way_has_twelve_steps_at_most_and_every_name_on_it_is_in_the_code() -> None:
    for title in WAYS:
        steps = way(title)
        assert 0 < len(steps) <= 12
        for name in re.findall(r"`([\w./]+)`", " ".join(steps)):
            assert is_in_the_code(name), f"{title}: {name}"


def is_in_the_code(name: str) -> bool:
    """Tell whether a file, a folder, a class, a function or a method of this name is there; not `/v1/...`."""
    if name.startswith("/v1"):
        return True
    if name.endswith((".py", "/")) or "/" in name:
        return any((root / name).exists() or (root.parent / name).exists() for root in ROOTS)
    *owner, last = name.split(".")
    defined = re.search(rf"^\s*(?:async )?(?:def|class) {last}\b", sources(), re.MULTILINE)
    owned = not owner or re.search(rf"^class {owner[0]}\b", sources(), re.MULTILINE) or is_module(owner[0])
    return bool(defined and owned)


def is_module(name: str) -> bool:
    return any(list(root.rglob(f"{name}.py")) or (root / name).is_dir() for root in ROOTS)


def test_the_types_of_the_javascript_client_have_each_sentence_of_the_api() -> None:
    """A sentence is the type's name, a summary, or a description; the generator wraps it, and needs Node."""
    types = re.sub(r"[\s*]", "", (ROOT / "clients" / "js" / "api.d.ts").read_text("utf-8"))
    schemas = openapi.document()["components"]["schemas"]
    operations = [each for methods in openapi.document()["paths"].values() for each in methods.values()]
    fields = [field for schema in schemas.values() for field in schema.get("properties", {}).values()]
    said = [
        each.get(key, "")
        for each in (*schemas.values(), *operations, *fields)
        for key in ("summary", "description")
    ]

    assert [each for each in (*schemas, *said) if re.sub(r"[\s*]", "", each) not in types] == [], (
        "make js-types"
    )
