"""Estimates how many tokens a text costs a model. Never: a tokenizer, which differs by model."""

import math
import re

_CHARACTERS_A_TOKEN = 4
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u30ff\u3130-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff01-\uffee\U0001b000-\U0001b2ff\U00020000-\U0003ffff]"
)
"""Chinese, Japanese and Korean letters and marks, full-width forms included."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens ``text`` has.

    A rule of thumb of byte-pair tokenizers: about four characters a token in alphabetic text, one
    character a token in Chinese, Japanese and Korean. Rounded up, so that a budget is kept rather
    than passed; only the empty text has none.
    """
    wide = len(_WIDE.findall(text))
    return wide + math.ceil((len(text) - wide) / _CHARACTERS_A_TOKEN)
