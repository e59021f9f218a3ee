"""How a message of the log is cut: into chunks to be found, into windows to be embedded. Never: a model."""

from recollect.chunking.chunks import Chunk, chunks
from recollect.chunking.packing import windows
