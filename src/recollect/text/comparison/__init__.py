"""The differences of two statements: numbers, dates, names, denials and letters. Pure."""
