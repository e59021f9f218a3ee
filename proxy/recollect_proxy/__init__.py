"""The proxy: an application that knows HTTP, and the engine only by its facade.

Each folder is one room, and says in its first lines what is in it. Read ``app`` first, which puts all together, then ``chat``.
"""
