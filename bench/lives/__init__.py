"""Measures the fate of people's lives that are told in chats."""
