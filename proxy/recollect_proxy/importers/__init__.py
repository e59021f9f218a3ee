"""Imports people's memories and chats from other products, and restores an export of Recollect's own.

Each product has a module that turns its items into the format of `lines.py`; `importer.py` takes that format. Begin with
`import_command.py`.
"""
