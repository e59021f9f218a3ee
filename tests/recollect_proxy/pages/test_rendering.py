"""Templates are compiled before the first page is asked for."""

import pytest
from jinja2 import PackageLoader

from recollect_proxy.pages.rendering import Templates


def test_no_template_is_read_after_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    templates = Templates()
    read: list[str] = []
    monkeypatch.setattr(PackageLoader, "get_source", lambda _loader, _environment, name: read.append(name))

    for name in templates._environment.list_templates():
        templates._environment.get_template(name)

    assert templates._environment.list_templates()
    assert read == []
