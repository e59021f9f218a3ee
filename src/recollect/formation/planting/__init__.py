"""Orders that somebody planted, told from what a person wants or needs. Pure. Never: what is done about them."""
