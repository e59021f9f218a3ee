"""Embedders and extraction models, and the limits of the background work that asks them.

The limits are ``yielding`` (chats come first) and ``attempts`` (a step that kills its worker is given up; the tokens of a call are
counted). Read ``extractors`` or ``embedders`` first.
Never: a store, a prompt for chats.
"""
