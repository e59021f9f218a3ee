"""A user's audit: one row for each change to a memory, from which earlier states are computed. Pure.

``replay`` writes the details of a row and goes back through rows; ``redaction`` removes erased chats and memories from them. Read ``replay``
first.
"""
