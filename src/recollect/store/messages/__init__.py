"""Messages: the log of exchanges, other versions of a turn, and the state of a chat.

Read ``message_log`` first; ``chats`` returns the state that a prompt needs in one round trip.
"""

from recollect.store.messages.chats import ChatRequests, Chats
from recollect.store.messages.message_log import MessageLog

__all__ = ["ChatRequests", "Chats", "MessageLog"]
