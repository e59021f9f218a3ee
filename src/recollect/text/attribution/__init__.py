"""Separates the person's own words in a message from those of others. Pure.

Read `own_words` first: it puts together the modules that each find one kind of text by others.
"""

from recollect.text.attribution.marked_blocks import is_context, without_frame
from recollect.text.attribution.own_words import (
    Attribution,
    asking_ends,
    attribute,
    others_words,
    pasted_in,
    question_in,
)
