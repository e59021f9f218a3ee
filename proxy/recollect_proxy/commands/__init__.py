"""The commands of `recollect` but for those over the store, the imports and OpenWebUI's, which have rooms of their own.

A module is named as its command. Read ``cli`` first, which lists all commands.
"""
