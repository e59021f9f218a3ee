"""The composition root: the only importer of adapters, for every host."""
