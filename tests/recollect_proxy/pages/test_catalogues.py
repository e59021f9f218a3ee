"""Every language says everything, with the same places for values; and every name of the engine's has words."""

import re
from importlib.resources import files
from string import Formatter
from typing import get_args

import pytest
from jinja2 import PackageLoader

from recollect.engine.people.report import THRESHOLDS
from recollect.model import (
    Action,
    Actor,
    Awaits,
    Change,
    Doubt,
    Drop,
    Ignore,
    Kind,
    Party,
    ProfileField,
    Reason,
    SearchPath,
    Skip,
    Source,
    Use,
)
from recollect_openwebui.languages import words_in
from recollect_proxy.pages.rendering import LANGUAGES, Templates, chosen_language, load_catalogues
from recollect_proxy.settings.flags import flag_fields

CATALOGUES = load_catalogues()
_USED = re.compile(r"""\bt\(["']([a-z_.]+)["'][,)]""")

_SAME = {
    "de": {"In {milliseconds} ms.", "Chat", "Chats", "Chats: {count}", "Name"},
    "fr": {"Importance", "Messages", "Notes", "important"},
    "es": {"Chat", "Chats", "Chats: {count}", "{count}\u00d7"},
}
"""What is the same word in English."""
_ENGLISH = re.compile(r"\b(the|of|and|with|this|your|you|by|not)\b")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def places(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_has_every_key_and_every_place_for_a_value(language: str) -> None:
    words, english = CATALOGUES[language].words, CATALOGUES["en"].words

    assert list(words) == list(english)
    assert [key for key in words if places(words[key]) != places(english[key])] == []
    assert [key for key in words if not words[key].strip() and key != "format.thousands"] == []


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_a_catalogue_is_translated(language: str) -> None:
    words, english = CATALOGUES[language].words, CATALOGUES["en"].words
    told = {key: said for key, said in words.items() if not key.startswith("format.")}

    assert {said for key, said in told.items() if said == english[key]} == _SAME.get(language, set())
    assert [key for key, said in told.items() if _ENGLISH.search(said)] == []


def test_chinese_is_in_chinese() -> None:
    told = {key: said for key, said in CATALOGUES["zh"].words.items() if not key.startswith("format.")}

    assert [key for key, said in told.items() if not _CHINESE.search(said)] == ["analytics.of", "series.p95"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_has_one_kind_of_apostrophe_and_no_space_at_an_end(language: str) -> None:
    words = CATALOGUES[language].words

    assert [key for key, said in words.items() if said != said.strip() and key != "format.thousands"] == []
    assert language == "en" or [key for key, said in words.items() if "'" in said] == []


def test_no_line_of_french_begins_with_its_double_punctuation() -> None:
    said = {**CATALOGUES["fr"].words, **words_in("fr")}

    assert [key for key, each in said.items() if re.search(r" [:;?!\u00bb]|\u00ab ", each)] == []


def test_every_key_of_a_template_is_there_and_none_is_there_for_nothing() -> None:
    folder = files("recollect_proxy.pages")
    texts = [
        each.read_text("utf-8")
        for name in ("templates", ".")
        for each in folder.joinpath(name).iterdir()
        if each.is_file() and each.name.endswith((".html", ".py"))
    ]
    text = "\n".join(texts)
    used = set(_USED.findall(text))
    composed = re.compile(
        r"^(done|failure|nav|kept|importance|kind|doubt|why|source|action|actor|held|format|setting|setting_about|choice"
        r"|use|menu|mark|skip|drop|party|field|field_about|signal|path|part|made|reason|trigger|series|stored|analytics|awaits|extraction|role)\.|^erase\.word$"
    )

    assert used <= set(CATALOGUES["en"].words)
    quoted = {key for key in CATALOGUES["en"].words if f'"{key}"' in text or f"'{key}'" in text}
    assert [key for key in CATALOGUES["en"].words if key not in quoted and not composed.match(key)] == []


def test_every_name_of_the_engine_that_is_shown_has_words() -> None:
    words = CATALOGUES["en"].words
    names = [
        *(("kind", each) for each in Kind),
        *(("awaits", each) for each in Awaits),
        *(("source", each) for each in Source),
        *(("why", each) for each in Source),
        *(("action", each) for each in Action),
        *(("actor", each) for each in Actor),
        *(("doubt", each) for each in Doubt),
        *(("use", each) for each in Use),
        *(("held", each) for each in (Reason.INSTRUCTION, Reason.CONFIDENTIAL, Reason.RATE_LIMIT)),
        *(("skip", each) for each in Skip),
        *(("drop", each) for each in Drop),
        *(("path", each) for each in SearchPath),
        *(("reason", each) for each in Reason),
        *(("made", change.__name__.lower()) for change in get_args(Change) if change is not Ignore),
        *(("trigger", each.name) for each in THRESHOLDS),
        *((group, each.name) for group in ("setting", "setting_about") for each in flag_fields()),
        *((group, each) for group in ("field", "field_about") for each in ProfileField),
        *(("party", each) for each in Party),
        *(("choice", choice) for each in flag_fields() for choice in each.choices),
    ]

    assert [f"{group}.{name}" for group, name in names if f"{group}.{name}" not in words] == []


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "de", "de"),
        (None, "de-CH;q=0.5, fr-CA", "fr"),
        (None, "zh-Hant-TW,zh;q=0.9", "zh"),
        (None, "it,es;q=0.1", "es"),
        (None, "de;q=0,en;q=0.1", "en"),
        (None, "de;q=x", "en"),
        (None, "," * 100_000 + "de", "en"),
        ("es", "de", "es"),
        ("xx", "de", "de"),
    ],
)
def test_the_language_is_the_chosen_or_browsers(chosen: str | None, accepted: str, language: str) -> None:
    assert chosen_language(chosen, accepted) == language


def test_no_template_is_read_after_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    templates = Templates()
    read: list[str] = []
    monkeypatch.setattr(PackageLoader, "get_source", lambda _loader, _environment, name: read.append(name))

    for name in templates._environment.list_templates():
        templates._environment.get_template(name)

    assert templates._environment.list_templates()
    assert read == []
