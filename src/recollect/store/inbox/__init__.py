"""The inbox: exchanges from which memories are still to be formed, and chats that are due for a summary.

Read ``inbox`` first. A worker holds a lease (``jobs``) while it forms for a user.
"""

from recollect.store.inbox.inbox import Inbox

__all__ = ["Inbox"]
