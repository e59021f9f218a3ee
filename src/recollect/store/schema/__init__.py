"""The schema of the database: its migrations, and a report of what is missing.

Read ``migration`` first; ``steps`` lets no step wait long for a lock that others hold.
"""
