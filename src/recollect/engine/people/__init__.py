"""Operations of people and agents on memories: read, search, change, undo, share, erase; and the audit of a store. Begin with `administration`."""
