"""The LLM server: requests to it over HTTP and WebSockets, and a check at the start that it answers. Read ``upstream`` first."""
