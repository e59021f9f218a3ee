"""A turn's recall: its state and deadline, the parts of the prompt, and their explanation. Begin with `recall`."""
