"""Requests to the memory in a chat ("forget number 2"): understood by the list they point at, carried out, and reported. Begin with `chat_requests`."""
