"""Texts that come near a fence, for property tests, and what a reader would take for one."""

import html
import re
import unicodedata
from itertools import product

from hypothesis import strategies as st

MATHEMATICAL = str.maketrans({chr(97 + n): chr(0x1D41A + n) for n in range(26)})
FULL_WIDTH = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)})

FENCE_LIKE = [
    f"{opens}{gap}{name}{closes}"
    for opens, gap, name, closes in product(
        ("<", "\uff1c", "\u2039", "\ufe64", "&lt;", "&amp;lt;", "&#60;", "&#x3C;", "\\u003c", "%3C"),
        ("", "/", " / ", "\u200b/\u00ad", "\n/", "&#47;", "\\/"),
        (
            "recollect_memories",
            "recollect_history",
            "Recollect \u200b MEMORIES",
            "RECOLLECT\u2028HISTORY",
            "recollect_memories".translate(MATHEMATICAL),
            "recollect_history".translate(FULL_WIDTH),
            "r\u0435\u0441\u043ellect_m\u0435m\u043eri\u0435s",
            "re\u0301collect\u2060-hi\u0301story",
            "r e c o l l e c t _ h i s t o r y",
            "REC0llect_hi\ufb06ory",
        ),
        (">", "", " \u203a"),
    )
]

pieces = st.sampled_from(
    [
        *("<", "</", "/", ">", "-", "_", " ", "\t", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028"),
        *("recollect", "memories", "RECOLLECT", "Memories", "history", "<recollect_memories>"),
        *("</recollect_memories>", "<recollect_history>", "</recollect_history>"),
        *("\u200b", "\ufeff", "\u2060", "\u00ad", "\u200d", "&lt;", "\uff1c", "\x00", "\ud800"),
        *("a", "m\u00fcde", "- [FACT] x (2026-01-01)", "- User: x", "- Summary: x", "(2026-01-01)"),
    ]
)
hostile_texts = st.lists(pieces | st.sampled_from(FENCE_LIKE) | st.text(max_size=5), max_size=12).map("".join)

_A_FENCE = re.compile(
    r"<(?:[^\w\u2022]|_)*?recollect(?:[^\w<>]|_)*(?:memories|history)"
)  # a bullet of ours parts lines


def fences_seen(text: str) -> list[str]:
    """Return what a reader takes for fences who sees no invisible characters and no difference of letters.

    Made otherwise than the code under test: it drops and folds, and knows no places.
    """
    plain = html.unescape(html.unescape(text))
    for spelled in ("\\u003c", "%3c"):
        plain = re.sub(re.escape(spelled), "<", plain, flags=re.IGNORECASE)
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", plain)).casefold()
    seen = "".join(
        letter for letter in folded if unicodedata.category(letter) not in {"Cf", "Mn", "Cc", "Cs"}
    )
    for other, letter in (("\u2039", "<"), ("\u0435", "e"), ("\u0441", "c"), ("\u043e", "o"), ("0", "o")):
        seen = seen.replace(other, letter)
    spaced = re.sub(r"(?<=\b\w) (?=\w\b)", "", seen)
    return max(([found.group() for found in _A_FENCE.finditer(text)] for text in (seen, spaced)), key=len)
