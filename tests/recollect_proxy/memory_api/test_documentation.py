"""The documentation is a valid OpenAPI document, true of the API, and a page that works offline."""

import re
from contextlib import nullcontext
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it ships no types
from openapi_spec_validator import validate
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from tests.recollect_proxy.memory_api.serving import Api
from tests.support.tables import table

from recollect.api import failures
from recollect.api.endpoint_table import OPERATIONS
from recollect_proxy.memory_api.request_validation import RefusedError, read_body
from recollect_proxy.takeout.export_format import ROWS

ERRORS = {failure.code: failure for failure in failures.every_failure()}


def operations(document: Any) -> dict[str, Any]:
    return {
        f"{method.upper()} {path}": operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }


def validator(document: Any, name: str) -> Draft202012Validator:
    resource = Resource.from_contents(document, default_specification=DRAFT202012)
    registry = Registry().with_resource("urn:document", resource)
    return Draft202012Validator({"$ref": f"urn:document#/components/schemas/{name}"}, registry=registry)


def test_the_document_is_valid_openapi(documentation: Any) -> None:
    validate(documentation)


def test_every_operation_is_in_the_document(documentation: Any) -> None:
    assert set(operations(documentation)) == {f"{each.method} {each.path}" for each in OPERATIONS}


def test_the_guide_names_the_last_part_of_every_path() -> None:
    guide = (Path(__file__).parents[3] / "docs/reference/api.md").read_text("utf-8")
    parts = {[part for part in each.path.split("/") if "{" not in part][-1] for each in OPERATIONS}
    assert [part for part in sorted(parts) if not re.search(rf"\b{part}\b", guide)] == []


def test_all_but_health_need_a_token(documentation: Any) -> None:
    assert documentation["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    for name, operation in operations(documentation).items():
        public = name == "GET /memory/health"
        assert operation["security"] == ([{}] if public else [{"bearer": []}]), name
        assert ("401" in operation["responses"]) is not public


SHAPES = {each.takes.__name__: each.takes for each in OPERATIONS if each.takes and each.takes_body}
CONTENTS = ("", " ", "\n\u2003", "te\0a", "\0", " \0", "\x1d", "\x85\x1f", "x" * 8001, " " + "x" * 8000, None)


@table(
    "name, body, allowed",
    [
        *(("NewMemory", {"content": each}, False) for each in CONTENTS),
        *(
            ("NewMemory", {"content": each}, True)
            for each in (" tea ", "\n t\ntime \n", "\u3000t", "\x1dtea")
        ),
        *(("NewMemory", {"content": "x", "importance": each}, False) for each in (1.1, -1)),
        *(("NewMemory", {"content": "x", **each}, False) for each in ({"kind": "secret"}, {"text": "y"})),
        ("NewMemory", {}, False),
        ("NewMemory", {"content": "Sings", "topics": ["songs"], "questions": ["What do I sing?"]}, True),
        ("NewMemory", {"content": "Sings", "topics": ["songs", ""]}, False),
        *(("MemoryChange", each, False) for each in ({}, {"importance": -1}, {"questions": [" "]})),
        *(("MemoryChange", *each) for each in (({"topics": ["s" * 81]}, False), ({"importance": 0}, True))),
        *(("TodoEnd", {"ended_as": each}, each == "done") for each in ("done", "changed")),
        *(("FlagsChange", each, False) for each in ({}, {"minimum_importance": -1})),
        ("FlagsChange", {"minimum_importance": 0, "recall": None}, True),
        *(("CommonFlagsChange", each, False) for each in ({}, {"profile": True})),
        ("CommonFlagsChange", {"recall": None}, True),
        *(("ProfileEntryChange", each, False) for each in ({}, {"field": "secret"})),
        ("ProfileEntryChange", {"field": "notes"}, True),
        *(("Sharing", {"users": each}, False) for each in ([], ["*"])),
        ("Sharing", {"users": ["日本/語"]}, True),
    ],
)
def test_it_allows_what_is_taken(documentation: Any, *, name: str, body: Any, allowed: bool) -> None:
    assert validator(documentation, name).is_valid(body) is allowed
    with nullcontext() if allowed else pytest.raises(RefusedError):
        read_body(msgspec.json.encode(body), SHAPES[name])


def test_every_parameter_says_what_it_is(documentation: Any) -> None:
    for name, operation in operations(documentation).items():
        for parameter in operation.get("parameters", []):
            assert parameter["description"], (name, parameter["name"])
    listing = operations(documentation)["GET /memory/users/{user_id}/memories"]["parameters"]
    [limit] = [each["schema"] for each in listing if each["name"] == "limit"]
    assert [limit[name] for name in ("minimum", "maximum", "default")] == [1, 200, 50]


def test_every_error_has_its_example_in_the_one_shape(documentation: Any) -> None:
    shown = {}
    for operation in operations(documentation).values():
        assert operation["description"]
        for status, response in operation["responses"].items():
            assert response["description"]
            if int(status) < 400:
                continue
            assert list(response["content"]) == ["application/problem+json"]
            media = response["content"]["application/problem+json"]
            assert media["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
            for example in media["examples"].values():
                validator(documentation, "ErrorBody").validate(example["value"])
                shown[example["value"]["error"]["code"]] = int(status)
    everywhere = {"not_found": 404, "method_not_allowed": 405, "bad_request": 400}
    assert shown | everywhere == {code: failure.status for code, failure in ERRORS.items()}
    for code in everywhere:
        assert f"`{code}`" in documentation["info"]["description"]


def test_every_example_is_what_its_schema_says(documentation: Any) -> None:
    for name, schema in documentation["components"]["schemas"].items():
        for example in schema.get("examples", []):
            validator(documentation, name).validate(example)
    shapes = {each.answers.__name__ for each in OPERATIONS if issubclass(each.answers, msgspec.Struct)}
    assert all(documentation["components"]["schemas"][shape]["examples"] for shape in shapes)


def test_an_import_says_that_it_needs_a_body_and_of_which_parts(documentation: Any) -> None:
    body = operations(documentation)["POST /memory/users/{user_id}/import"]["requestBody"]

    assert body["required"]
    required = set(body["content"]["application/json"]["schema"]["required"])
    assert required == {"format", "version", *ROWS}


class Page(HTMLParser):
    """The links, scripts and loads of a page, and its open elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.links, self.ids, self.open = list[str](), list[str](), set[str](), list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)
        given = {name: value or "" for name, value in attrs}
        assert not given.keys() & {"src", "srcset", "style", "onclick", "onload", "action"}
        self.links += [given["href"]] if "href" in given else []
        self.ids |= {given["id"]} if "id" in given else set()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


async def test_the_page_works_offline_and_shows_everything(api: Api, documentation: Any) -> None:
    with api.over(None):
        response = await api.call("GET", "/memory/docs", headers=[])

    assert response.status == 200
    assert response.header(b"content-type") == b"text/html; charset=utf-8"
    assert b"default-src 'none'" in (response.header(b"content-security-policy") or b"")
    text = response.body.decode()
    page = Page(text)
    assert page.open == []
    assert not {"script", "link", "img", "iframe", "object", "embed", "form", "base"}.intersection(page.tags)
    assert not re.search(r"@import|url\(|https?:", text)
    for link in page.links:
        assert link == "/memory/docs/openapi.json" or link.removeprefix("#") in page.ids, link
    assert page.ids >= {operation["operationId"] for operation in operations(documentation).values()}
    assert page.ids >= documentation["components"]["schemas"].keys()
    assert page.ids >= {failure.body.type.rpartition("#")[2] for failure in ERRORS.values()}
    for code in ("content-security", "$title", "$operations", "{}"):
        assert code not in text


async def test_the_import_that_the_document_shows_is_taken(api: Api, documentation: Any) -> None:
    operation = documentation["paths"]["/memory/users/{user_id}/import"]["post"]
    [body] = operation["requestBody"]["content"]["application/json"]["schema"]["examples"]

    answer = await api.call("POST", f"{api.user}/import", body)

    assert answer.status == 200, answer.body
    assert not any(answer.json["new"].values())
