"""The engine's settings. Read ``engine_settings`` first. Assembly and hosts alone import them."""
