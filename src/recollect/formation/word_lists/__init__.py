"""The words by which a message is read, by language. Pure data. Never: how they are looked for."""
