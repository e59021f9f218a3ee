"""Embedders and extraction models, and the limits of the background work that asks them.

``background_limits`` are those: chats come first, a step that kills its worker is given up, and the tokens of a call are counted.
Read ``extractors`` or ``embedders`` first. Models use no store; the prompts of chats are made elsewhere.
"""
