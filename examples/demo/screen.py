"""Shows the demo on a terminal, readable in 80 columns and 20 seconds."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from examples.demo.memories import Changed
from examples.demo.play import Outcome
from examples.demo.script import Scene

_LABEL_WIDTH = 10


class Screen:
    """Prints what happens, as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def introduce(self, *, base_url: str, model: str, is_real: bool) -> None:
        """Name the proxy and the model."""
        if is_real:
            told = f"Recollect at {base_url}, before the model {model}."
        else:
            told = (
                "No LLM here: a script of three rules stands in for it, and says back its prompt. All else is "
                f"real: the proxy at {base_url}, its Postgres, its embedding models."
            )
        self._console.print(Text(told))

    def scene(self, scene: Scene) -> None:
        """A scene begins."""
        where = f"{scene.person}'s {scene.chat} chat"
        self._console.print()
        self._console.print(Text.assemble((scene.title, "bold"), (f"  {where}", "dim")))
        self._lines([(scene.person, scene.says, "bold")])

    def outcome(self, scene: Scene, outcome: Outcome) -> None:  # noqa: ARG002 -- the audience's
        """A scene is over: the recalled memories, the answer to a question, and the changes."""
        said = outcome.said
        lines = [("recalled", each, "cyan") for each in said.recalled]
        if said.text.endswith("?"):
            lines = [*(lines or [("recalled", "nothing", "cyan")]), ("LLM", said.answer, "")]
        self._lines([*lines, *((each.verb, _shown(each), "green") for each in outcome.changes)])

    def conclude(self, missed: Sequence[str], *, enforced: bool) -> None:
        """Report failures, or that there are none."""
        self._console.print()
        label = "FAILED" if enforced else "missed"
        self._lines([(label, each, "bold red") for each in missed])
        if not missed:
            self._console.print(Text("All came out as it must. The demo's data is deleted.", style="green"))

    def _lines(self, lines: Sequence[tuple[str, str, str]]) -> None:
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=_LABEL_WIDTH, no_wrap=True)
        grid.add_column(overflow="fold")
        for label, text, style in lines:
            grid.add_row(Text(label, style="dim"), Text(text, style=style))
        if lines:
            self._console.print(Padding(grid, (0, 0, 0, 2), expand=False))


def _shown(change: Changed) -> str:
    return " -> ".join(_texts(change))


def _texts(change: Changed) -> Iterator[str]:
    yield from (each for each in (change.before, change.after) if each)
