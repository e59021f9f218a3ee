"""Names whose statements are that were learned before a second person spoke in the chat. Pure."""

from collections.abc import Iterator, Sequence

from recollect.formation.grounding import plain_quote, searchable
from recollect.formation.turns import AnalyzedTurn
from recollect.model import Memory, Role
from recollect.text.attribution.speakers import several_speakers, speaker_of


def unnamed(turns: Sequence[AnalyzedTurn], known: Sequence[Memory]) -> Iterator[tuple[Memory, str]]:
    """Yield known memories of this chat that name no one, and their content with the name of who said it."""
    names = several_speakers([each.exchange for each in turns])
    if not names:
        return
    session = turns[0].exchange.turn.scope.session_id
    said = [
        (speaker_of(each.speaker), searchable(each.text))
        for each in turns[0].exchange.turn.history
        if each.role is Role.USER and each.speaker
    ]
    for memory in known:
        evidence = memory.provenance.evidence
        if memory.provenance.session_id != session or not evidence:
            continue
        content, quote = searchable(memory.content), plain_quote(evidence)
        speakers = {name for name, text in said if text.has(quote)}
        if len(speakers) == 1 and not any(content.has(plain_quote(name)) for name in names):
            yield memory, f"{speakers.pop()}: {memory.content}"
