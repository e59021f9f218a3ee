"""Separates the person's own words in a message from those of others. Pure.

Read `reading` first: it puts together the modules that each find one kind of text by others.
"""

from recollect.text.attribution.marked_blocks import is_context, without_frame
from recollect.text.attribution.reading import (
    Attribution,
    asking_ends,
    attribute,
    others_words,
    question_in,
)
