"""A chat request on its way through the proxy: read, prepared, forwarded, relayed, recorded.

``conversation`` is one request from beginning to end, each other module one step of it. Read ``conversation`` first.
"""
