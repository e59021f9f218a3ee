"""What speaks to models: embedders, extraction models, and when they are asked. Never: a store, a prompt for chats."""
