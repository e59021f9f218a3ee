"""What a fault of the world around Recollect costs: chats, memories, seconds. Never: a test, what the tests' servers are."""
