"""Secrets in what people say: found, and masked before anything is kept or sent. Pure. Never: whose they are.

Found by their shape, their checksum, or the words around them; a secret in plain words that nothing announces is
not found.
"""

from recollect.secrets.kinds import Kind
<<<<<<< HEAD
from recollect.secrets.masking import (
    Masked,
    between_marks,
    has_mark,
    holds_secret,
    mark,
    mask,
    mask_together,
    without_marks,
)
=======
from recollect.secrets.masking import Masked, has_mark, holds_secret, mark, mask, mask_together, without_marks
from recollect.secrets.warming import warm
>>>>>>> 77039c57c9e7f58be932d45999b192f46e7f1963

__all__ = [
    "Kind",
    "Masked",
<<<<<<< HEAD
    "between_marks",
=======
>>>>>>> 77039c57c9e7f58be932d45999b192f46e7f1963
    "has_mark",
    "holds_secret",
    "mark",
    "mask",
    "mask_together",
<<<<<<< HEAD
=======
    "warm",
>>>>>>> 77039c57c9e7f58be932d45999b192f46e7f1963
    "without_marks",
]
