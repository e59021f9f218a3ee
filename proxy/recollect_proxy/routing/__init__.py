"""Routes a request to an LLM server: by its path, or by its model if several servers share a path."""
