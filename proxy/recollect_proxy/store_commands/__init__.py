"""Commands that look after the configured store itself, while a server runs or not: `users`, `memories`, `erase`, ..."""
