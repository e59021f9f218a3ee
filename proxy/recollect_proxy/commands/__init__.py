"""The commands of `recollect` but for those over the store, the imports and OpenWebUI's, which have rooms of their own.

A module is named as its command; `worker` stands with `serve`. Read ``cli`` first, which lists all commands.
"""
