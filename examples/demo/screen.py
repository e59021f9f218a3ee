"""Shows the demo on a terminal, readable in 80 columns. Never: what is expected of it."""

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from examples.demo.chat import Said
from examples.demo.memories import Remembered
from examples.demo.play import Expectation
from examples.demo.script import Person

_LABEL_WIDTH = 10


class Screen:
    """Prints what happens, as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def introduce(self, *, base_url: str, model: str, is_real: bool) -> None:
        """Say what is played, and with whom."""
        said = f"the model {model}" if is_real else "a demo model that only says back its own prompt (no LLM)"
        self._console.print(
            Text(
                f"Recollect at {base_url}, before {said}. Two people, Alice and Bob, talk to it through "
                "OpenAI's SDK; the headers of each request say who talks, as a chat frontend's do."
            )
        )

    def chat(self, person: Person, ordinal: str) -> None:
        """A chat begins."""
        self._rule(f"{person.name}'s {ordinal} chat")

    def said(self, person: Person, said: Said) -> None:
        """Something was said, and answered; below it, what Recollect says it did."""
        lines = [(person.name, said.text, "bold"), ("model", said.answer, "")]
        count = f"{said.injected} {'memory' if said.injected == 1 else 'memories'} injected"
        lines.append(("recollect", f"{count} ({said.skipped})" if said.skipped else count, "cyan"))
        lines += [("", f"- {memory}", "cyan") for memory in said.memories]
        self._lines(lines)

    def forming(self) -> None:
        """Memories are being formed."""
        self._console.print()
        self._console.print(Text("(waiting until memories are formed ...)", style="dim"))

    def holds(self, person: Person, memories: Sequence[Remembered]) -> None:
        """This is what the Memory API shows of a person."""
        self._rule(f"What is remembered of {person.name} (GET /memory/users/{person.user_id}/memories)")
        self._lines([(memory.kind, memory.content, "green") for memory in memories] or [("", "nothing", "")])

    def conclude(self, expectations: Sequence[Expectation], *, enforced: bool) -> None:
        """Say what came of it."""
        self._rule("What came of it")
        missed = "FAILED" if enforced else "missed"
        self._lines(
            [
                ("ok", each.text, "green") if each.met else (missed, each.text, "bold red")
                for each in expectations
            ]
        )

    def _rule(self, title: str) -> None:
        self._console.print()
        self._console.print(Rule(Text(title), align="left", characters="-"))

    def _lines(self, lines: Sequence[tuple[str, str, str]]) -> None:
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=_LABEL_WIDTH, no_wrap=True)
        grid.add_column(overflow="fold")
        for label, text, style in lines:
            grid.add_row(Text(label, style="dim"), Text(text, style=style))
        self._console.print(Padding(grid, (0, 0)))
