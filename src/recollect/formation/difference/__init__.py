"""In what two statements differ: words, numbers, names, dates, denials, and in whose life they are. Pure. Never: what is done about it."""
