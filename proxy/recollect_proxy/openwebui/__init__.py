"""At home beside OpenWebUI: brings what people have there, and tells whether it is set up well. Never: a chat on its way."""
