"""What speaks to models: embedders and extraction models. And what bounds the work in the background that asks them.

That is `yielding` (chats come first), `attempts` (a step that kills its worker is given up) and `spending` (tokens).
Never: a store, a prompt for chats.
"""
