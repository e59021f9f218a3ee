"""The server under the application: uvicorn, its limits, and servers that live as long as one command.

Read ``server`` first, then ``http_protocol`` for the limits.
"""
