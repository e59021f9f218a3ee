"""The engine of a process that serves chats: it opens and reopens the store, and keeps messages while the store is away. Begin with `live_engine`."""
