"""In what two statements differ: numbers, dates, names, denials and letters. Pure. Never: what is done about it."""
