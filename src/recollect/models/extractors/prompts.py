"""Reads the prompt files. Never: what people said."""

from dataclasses import dataclass
from functools import cache
from importlib import resources

from recollect.errors import ConfigurationError

_INSTRUCTIONS_HEADING = """# Instructions of this deployment

They come from the operator, and say more closely what to keep here. The form of the answer stays as it is."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file: its version, and its text."""

    version: int
    text: str

    def filled(self, *, form: str, instructions: str = "") -> str:
        """Return the text with the answer's ``form`` and the operator's ``instructions`` in their places."""
        own = f"{_INSTRUCTIONS_HEADING}\n\n{instructions}\n\n" if instructions else ""
        before, _, after = self.text.replace("{form}", form).partition("{instructions}\n\n")
        return before + own + after


@cache
def read_prompt(name: str) -> Prompt:
    """Read ``prompts/{name}.md`` of this package.

    Raises:
        ConfigurationError: The file does not begin with a line ``version: N``.
    """
    front, _, text = (
        (resources.files("recollect.models") / "prompts" / f"{name}.md").read_text("utf-8").partition("\n")
    )
    label, _, version = front.partition(":")
    if label != "version" or not version.strip().isdecimal():
        raise ConfigurationError(f"The prompt {name} does not begin with its version.")
    return Prompt(int(version), text.strip())
