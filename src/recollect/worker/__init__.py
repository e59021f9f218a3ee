"""The process that works in the background, and its supervisor.

``supervisor`` runs in the proxy: it starts the process, sends it messages, and restarts it. ``main`` runs in the process itself,
and ends it when it is stuck. Read ``supervisor`` first. It does not know formation.
"""
