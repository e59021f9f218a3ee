"""Measures how many of the facts that people type in chats are lost, and why."""
