"""Templates become pages. Everything that is not a template's own text is escaped. Never: an engine, a request."""

from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from recollect_proxy.access import PageSession
from recollect_proxy.pages.catalogues import LANGUAGES, Catalogue

BASE = "/memory/ui"


@dataclass(frozen=True, slots=True)
class Shown:
    """What every page shows around its own.

    Attributes:
        words: In the language of its person.
        session: Whose it is; None: nobody has entered.
        form_token: What its forms carry.
        path: Where the page is, below ``BASE``: the language's switch leads back there.
        may_change: Whether its person may change what it shows.
    """

    words: Catalogue
    session: PageSession | None
    form_token: str
    path: str
    may_change: bool


class Templates:
    """Renders the templates of this package."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader("recollect_proxy.pages"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def render(self, name: str, shown: Shown, **values: Any) -> str:
        """Return the HTML of a template."""
        return self._environment.get_template(name).render(
            t=shown.words, shown=shown, base=BASE, languages=LANGUAGES, **values
        )
