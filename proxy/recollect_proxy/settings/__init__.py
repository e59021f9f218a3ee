"""The proxy's settings: their fields, where each value is from, and what the code decides itself.

Read ``proxy_settings`` first. ``sources`` finds where a value is from, ``command_settings`` reads all for a command.
"""
