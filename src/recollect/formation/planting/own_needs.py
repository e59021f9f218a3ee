# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Tells that a person speaks of a need of their own body or belief: what follows from it is no planted order. Pure."""

from recollect.patterns import bounded

_NEED = bounded(
    r"\b(?:allerg|intoleran|vegetari|vegan|diabet|coeliac|celiac|zöliaki|cœliaque|celíac|pregnan|schwanger|enceinte"
    r"|embaraz|incinta|halal|kosher|koscher|gluten|lacto|lakto|laktos"
    r"|аллерги|вегетариан|веган|диабет|беременн)|过敏|過敏|素食|糖尿病|怀孕|アレルギー|ベジタリアン|妊娠"
)
_SELF = bounded(
    r"\b(?:i'm|i am|i have|i've|i don't|i can't|i cannot|my|ich|mein|meine|je|j'|mon|ma|yo|soy|tengo|mi|io|sono|mia|eu|sou"
    r"|meu|minha|ik|mijn|jestem|mam|я|у меня|мой|моя)|我|私|僕"
)
_LINK = bounded(r"https?://|www\.|\b[\w-]+\.(?:com|net|org|io|example)\b")


def states_own_need(text: str) -> bool:
    """Tell whether somebody says "I'm allergic to ..." or the like, without handing over an address."""
    plain = text.casefold().replace("\u2019", "'")
    return bool(_NEED.search(plain) and _SELF.search(plain)) and not _LINK.search(plain)
