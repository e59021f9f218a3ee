"""Every language says everything, with the same places for values; and every name of the engine's has words."""

import re
from collections.abc import Iterable
from importlib.resources import files
from string import Formatter
from typing import get_args

import pytest
from jinja2 import PackageLoader

from recollect import model
from recollect.engine.people.weekly_report import THRESHOLDS
from recollect_openwebui.notices import words_in
from recollect_proxy.pages.rendering import LANGUAGES, Templates, chosen_language, load_catalogues
from recollect_proxy.settings.runtime_settings import flag_fields

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
def test_a_catalogue_has_every_key_and_place_for_a_value_and_no_space_at_an_end(language: str) -> None:
    words, english = CATALOGUES[language].words, CATALOGUES["en"].words

    assert list(words) == list(english)
    assert [key for key in words if places(words[key]) != places(english[key])] == []
    told = {key: said for key, said in words.items() if key != "format.thousands"}
    assert [key for key, said in told.items() if not said.strip() or said != said.strip()] == []
    assert language == "en" or [key for key, said in words.items() if "'" in said] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_kind_has_one_name_on_the_pages_and_in_open_webui(language: str) -> None:
    named = {key: said for key, said in words_in(language).items() if key.startswith("kind.")}

    assert {key: CATALOGUES[language].words[key].casefold() for key in named} == {
        key: said.casefold() for key, said in named.items()
    }


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


OF_THE_MODEL = "kind awaits action actor doubt use skip drop reason party"


def test_every_name_of_the_engine_that_is_shown_has_words() -> None:
    words = CATALOGUES["en"].words
    held, fields = (
        (model.Reason.INSTRUCTION, model.Reason.CONFIDENTIAL, model.Reason.RATE_LIMIT),
        flag_fields(),
    )
    shown: dict[str, Iterable[str]] = {
        **{name: getattr(model, name.title()) for name in OF_THE_MODEL.split()},
        **dict.fromkeys(("source", "why"), model.Source),
        **dict.fromkeys(("field", "field_about"), model.ProfileField),
        **dict.fromkeys(("setting", "setting_about"), tuple(each.name for each in fields)),
        "held": held,
        "path": model.SearchPath,
        "made": [each.__name__.lower() for each in get_args(model.Change) if each is not model.Ignore],
        "trigger": [each.name for each in THRESHOLDS],
        "choice": [choice for each in fields for choice in each.choices],
    }

    names = [f"{group}.{name}" for group, those in shown.items() for name in those]
    assert [each for each in names if each not in words] == []


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
