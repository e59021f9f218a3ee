"""Names the files that the engine reads from the data folder. Never: reads them."""

INSTRUCTIONS = "instructions.toml"
GLOBAL_MEMORIES = "global-memories.txt"

FILES = {
    INSTRUCTIONS: "Instructions of your own for the extraction model, for all models or some: `[[instructions]]` with "
    '`models = "*coder*"` and `text = "..."`.',
    GLOBAL_MEMORIES: "Memories, one a line, that serve users who have fewer than five of their own.",
}
"""The purpose of each file, by its name."""
