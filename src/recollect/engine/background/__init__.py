"""Background work on a user's messages and memories: formation, summaries, hints, indexing, embeddings. Begin with `formation_worker`."""
