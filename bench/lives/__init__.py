"""Measures what becomes of people's lives that are told in chats. Never: how memories are formed or recalled."""
