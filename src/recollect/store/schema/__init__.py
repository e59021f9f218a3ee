"""The schema of the database: its migrations, and a report of missing parts.

Read ``migration`` first; ``steps`` lets no step wait long for a lock that others hold.
"""
