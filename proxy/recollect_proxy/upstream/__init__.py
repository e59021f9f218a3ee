"""The LLM server: requests to it over HTTP and WebSockets, and a check at the start that it answers.

``http1`` is the HTTP client. Read ``upstream`` first.
"""
