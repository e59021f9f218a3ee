"""Reading language: what is told of a text by itself, shared by all that read people's words. Pure. Never: a model, a store."""
