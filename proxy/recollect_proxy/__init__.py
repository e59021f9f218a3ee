"""The proxy: an application that knows HTTP, and the engine only by its facade."""
