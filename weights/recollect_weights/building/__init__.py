"""Finishes models: from weights as others publish them to the files that an embedder loads.

Needs the extra `build`. ``finishing`` writes the files; ``bert_folder`` and ``packed_file`` read weights; ``onnx_graph`` makes a graph.
"""


class UnsupportedModelError(Exception):
    """A model's files are damaged, or it is not of a supported kind."""
