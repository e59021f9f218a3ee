"""Holds the models that `recollect` embeds texts with, finished, as files in the folder ``models``. Importing it loads nothing.

`python -m recollect_weights FOLDER INTO` finishes a model of one's own in the same way.
"""
