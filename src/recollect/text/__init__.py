"""Language processing that needs the text alone: terms, dates, attribution, secrets, prompt injection, comparison. Pure."""
