"""The proxy's settings, and the values that the code decides itself.

Read ``proxy_settings`` first. ``command_settings`` reads all settings for a command, and finds the source of each.
"""
