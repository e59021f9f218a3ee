"""Shows Recollect at work: a short play of two people, through the proxy as it is served."""
