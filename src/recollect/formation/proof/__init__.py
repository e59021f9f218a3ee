"""What a statement rests on: where its quote stands, who says it there, and as what. Pure. Never: what is done about it."""
