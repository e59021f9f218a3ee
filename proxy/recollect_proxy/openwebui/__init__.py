"""Two commands for OpenWebUI: one imports its memories and chats, the other (the doctor) checks its configuration."""
