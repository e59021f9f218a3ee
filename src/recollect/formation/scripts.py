"""In which script something is written, as far as it tells that a model left a person's language. Pure.

Never: languages. Ranges after the Unicode Character Database (Blocks.txt).
"""

from recollect.patterns import bounded

_MOST_CHARACTERS = 1_000
_SCRIPTS = {
    "latin": bounded("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "cyrillic": bounded("[\u0400-\u052f]"),
    "greek": bounded("[\u0370-\u03ff\u1f00-\u1fff]"),
    "han and kana": bounded("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    "hangul": bounded("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"),
    "arabic": bounded("[\u0600-\u06ff\u0750-\u077f]"),
    "hebrew": bounded("[\u0590-\u05ff]"),
    "thai": bounded("[\u0e00-\u0e7f]"),
    "devanagari": bounded("[\u0900-\u097f]"),
}


def scripts(text: str) -> frozenset[str]:
    """Return in which scripts the first 1,000 characters of ``text`` are."""
    cut = text[:_MOST_CHARACTERS]
    return frozenset(name for name, letter in _SCRIPTS.items() if letter.search(cut))


def share_no_script(one: str, other: str) -> bool:
    """Tell whether two texts are written, each in scripts that the other has no letter of."""
    of_one, of_other = scripts(one), scripts(other)
    return bool(of_one and of_other) and not of_one & of_other
