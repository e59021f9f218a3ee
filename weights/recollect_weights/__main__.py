"""`python -m recollect_weights FOLDER INTO`: finishes a sentence-transformers model for `RECOLLECT_EMBEDDER=local:INTO`."""

import sys
from pathlib import Path

_ARGUMENTS = 2


def main(arguments: list[str]) -> str | None:
    """Finish the model, and return why it can't be done; None if it was."""
    if len(arguments) != _ARGUMENTS:
        return "Usage: python -m recollect_weights FOLDER INTO"
    try:
        from recollect_weights.building import UnsupportedModelError  # noqa: PLC0415 - the extra may be missing
        from recollect_weights.building.finishing import finish_bert  # noqa: PLC0415
    except ImportError as error:
        return f"{error}: install the extra `build` of recollect-memory-weights"
    source, into = map(Path, arguments)
    try:
        finish_bert(source, into)
    except (UnsupportedModelError, OSError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
