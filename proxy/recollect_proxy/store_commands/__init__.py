"""Commands that look after the configured store itself, while a server runs or not: `users`, `memories`, `erase`, ...

``options_of_commands`` has their common options and opens the engine, ``printing`` prints their results. Read ``projects_commands``
first.
"""
