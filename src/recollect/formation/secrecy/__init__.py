"""What must not be kept: passwords, codes, keys, card numbers; found, and blacked out. Pure. Never: what is done with the rest."""
