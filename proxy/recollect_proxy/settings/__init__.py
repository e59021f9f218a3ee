"""The proxy's settings, and the values that the code decides itself.

Read ``proxy_settings`` first. ``sources`` finds where a value is from, ``command_settings`` reads all settings for a command.
"""
