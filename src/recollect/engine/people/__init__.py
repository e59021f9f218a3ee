"""Operations of people and agents on memories: read, search, change, undo, share, erase; and reports on the store. Begin with `administration`."""
