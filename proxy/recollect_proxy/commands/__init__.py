"""The commands of `recollect` but for those over the store, the imports and OpenWebUI's, which have rooms of their own.

Each module has the name of its command; `worker` is in ``serve``. Read ``cli`` first, which lists all commands.
"""
