"""What the engine looks for in the data folder. Never: reads it."""

INSTRUCTIONS = "instructions.toml"
GLOBAL_MEMORIES = "global-memories.txt"

FILES = {
    INSTRUCTIONS: "Instructions of your own for the extraction model, for all models or some: `[[instructions]]` with "
    '`models = "*coder*"` and `text = "..."`.',
    GLOBAL_MEMORIES: "Memories, one a line, that serve users who have fewer than five of their own.",
}
"""What each file is for, by its name."""
