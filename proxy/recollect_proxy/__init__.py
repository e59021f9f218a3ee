"""The proxy: an application that knows HTTP, and the engine only by its facade.

Each folder is one room, whose first lines describe it. Read ``app`` first, which puts all together, then ``chat``.
"""
