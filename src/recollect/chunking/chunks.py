"""A message becomes chunks of prose and of code, each code in its language. Pure. Never: the use of a chunk, a parser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.chunking.fences import fenced_blocks
from recollect.chunking.packing import CODE, PROSE, Span, packed
from recollect.text.patterns import anchored, bounded

_NAMES = {
    "python": "py python3 python2 py3 pyi ipython pycon gyp",
    "javascript": "js jsx mjs cjs node javascriptreact",
    "typescript": "ts tsx mts cts typescriptreact",
    "shell": "sh bash zsh fish ksh console shell-session shellsession shellscript terminal",
    "powershell": "ps1 pwsh posh",
    "c++": "cpp cc cxx hpp hxx",
    "c#": "csharp cs",
    "f#": "fsharp fs",
    "c": "h",
    "go": "golang",
    "rust": "rs",
    "ruby": "rb",
    "kotlin": "kt kts",
    "java": "jav",
    "perl": "pl pm",
    "haskell": "hs",
    "elixir": "ex exs",
    "erlang": "erl",
    "clojure": "clj cljs edn",
    "objective-c": "objc objectivec obj-c",
    "sql": "postgres postgresql psql mysql sqlite plpgsql tsql pgsql",
    "json": "json5 jsonc jsonl ndjson",
    "yaml": "yml",
    "html": "htm xhtml",
    "markdown": "md mdx",
    "latex": "tex",
    "docker": "dockerfile containerfile",
    "make": "makefile mk",
    "visual basic": "vb vbnet vba",
    "diff": "patch",
}
_NORMAL = {other: name for name, others in _NAMES.items() for other in others.split()}
_NO_LANGUAGE = frozenset({"text", "txt", "plain", "plaintext", "plain-text", "output", "none", "raw"})

_WORD = anchored(r"[\s{.]*+(?:lang(?:uage)?-)?([^\s{},:;=()]{1,40})(?=[\s{},:;()]|$)")

_LOOKED_AT = 2000
"""How much of a block is looked at for signs of its language, in characters."""
_SIGNS = tuple(
    (bounded(pattern, flags), language)
    for pattern, flags, language in (
        (r"\A#!.{0,80}\bpython", 0, "python"),
        (r"\A#!.{0,80}\b(?:ba|z|k|da)?sh\b", 0, "shell"),
        (r"\A#!.{0,80}\bnode\b", 0, "javascript"),
        (r"\A<(?:!doctype html|html)\b", re.IGNORECASE, "html"),
        (r"\A(?:\{\s*+(?:\"|\})|\[\s*+[\[{\"0-9\]])", 0, "json"),
        (r"\A\s*+SELECT\b.{1,400}?\bFROM\b", re.DOTALL | re.IGNORECASE, "sql"),
        (r"\A\s*+(?:INSERT[ ]INTO |UPDATE[ ]\S{1,80}[ ]SET |DELETE[ ]FROM )", re.IGNORECASE, "sql"),
        (r"\A\s*+(?:CREATE|ALTER|DROP) (?:TABLE|INDEX|VIEW|FUNCTION)\b", re.IGNORECASE, "sql"),
        (r"\A\$ \S", 0, "shell"),
        (r"^(?:async )?def \w{1,80}\([^\n]{0,200}:[ \t]*$", re.MULTILINE, "python"),
        (r"^(?:import [\w.]{1,80}(?: as \w{1,80})?|from [\w.]{1,80} import [^\n;]{1,200})$", 8, "python"),
        (r"\A#include [<\"]", 0, "c"),
        (r"^package \w{1,80}$", re.MULTILINE, "go"),
    )
)


def named_language(info: str) -> str | None:
    """Return the language that ``info``, the words behind a fence, names; None when it names none.

    ``py`` and ``python3 title="a.py"`` are python, ``main.rs`` is rust, ``{.bash}`` is shell; a name
    that is not known is kept, in lower case.
    """
    word = _WORD.match(info)
    if word is None:
        return None
    name = word[1].lower()
    if name in _NO_LANGUAGE:
        return None
    stem, dot, ending = name.rpartition(".")
    if stem and dot:
        name = ending
    return _NORMAL.get(name, name)


def guessed_language(text: str, start: int, stop: int) -> str | None:
    """Return the language of ``text[start:stop]`` where an obvious sign tells it, else None."""
    body = text[start : min(stop, start + _LOOKED_AT)].lstrip()
    return next((language for sign, language in _SIGNS if sign.search(body)), None)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a text that is found separately.

    Attributes:
        start: Its first character's place.
        stop: The place after its last character: the chunk is ``text[start:stop]``.
        code: Whether it is a fenced block, or a part of one that was too long.
        language: A code block's language: ``python``, ``shell``, ``sql``, ...; None for prose, and if unknown.
    """

    start: int
    stop: int
    code: bool
    language: str | None


def chunks(text: str, *, tokens: int = 500) -> list[Chunk]:
    """Return the chunks of any text, in order, each of at most so many tokens (below 40 some may have a few more); linear in the text.

    They do not overlap, none is blank, and together they hold every character that is not blank. A fenced block is one chunk
    with its fences, or several if it is too long. Prose is cut between paragraphs if possible, else between lists and lines,
    sentences, words; a heading stays with its text. Less than one token is a ValueError.
    """
    if tokens < 1:
        raise ValueError("A chunk has at least one token.")
    return list(_chunks(text, tokens))


def _chunks(text: str, tokens: int) -> Iterator[Chunk]:
    place = 0
    for block in fenced_blocks(text):
        yield from _prose(text, Span(place, block.start), tokens)
        body = Span(block.body, block.stop)
        language = named_language(block.info) or guessed_language(text, body.start, body.stop)
        for part in packed(text, Span(block.start, block.stop), CODE, tokens):
            yield Chunk(part.start, part.stop, code=True, language=language)
        place = block.stop
    yield from _prose(text, Span(place, len(text)), tokens)


def _prose(text: str, span: Span, tokens: int) -> Iterator[Chunk]:
    for part in packed(text, span, PROSE, tokens):
        yield Chunk(part.start, part.stop, code=False, language=None)
