"""Shows Recollect at work: a conversation of two people, through the proxy as it is served."""
