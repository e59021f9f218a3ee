"""The dates that a text means. Read ``date_finder`` first; ``languages.json`` has each language's words."""
