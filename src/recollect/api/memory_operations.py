"""The rows of the API's table that are about memories. Never: a shape."""

from dataclasses import replace

from recollect.api import memories, queries
from recollect.api.failures import (
    BULK_REFUSED,
    CHANGED_MEANWHILE,
    DUPLICATE_MEMORY,
    EMBEDDER_UNAVAILABLE,
    MEMORY_NOT_FOUND,
    NOT_UNDOABLE,
    SESSION_NOT_FOUND,
    UPDATE_NOT_FOUND,
)
from recollect.api.operation import Operation, Permission

_MEMORIES = "/memory/users/{user_id}/memories"
_MEMORY = f"{_MEMORIES}/{{memory_id}}"
_OF_CHAT = "/memory/users/{user_id}/sessions/{session_id}/memories"
_QUARANTINE = "/memory/users/{user_id}/quarantine"

NOT_GLOBAL = replace(MEMORY_NOT_FOUND, message="No such memory serves everybody.")
NOT_TO_SHARE = replace(
    MEMORY_NOT_FOUND,
    message="The user has no such memory that can be shared: what tells of a chat, a summary or a verbatim turn, can't be.",
)
GLOBAL_ALREADY = replace(DUPLICATE_MEMORY, message="A memory with the same content serves everybody already.")

list_memories = Operation(
    "list_memories",
    "GET",
    _MEMORIES,
    memories.MemoryPage,
    "List a user's memories",
    "The page.",
    "Newest first; of several filters all apply. What is written meanwhile shifts no page.\n\n"
    "An unknown user has no memories: the answer is an empty page, not an error.",
    "Memories",
    takes=queries.OfMemories,
)
add_memory = Operation(
    "add_memory",
    "POST",
    _MEMORIES,
    memories.Memory,
    "Write a memory by hand",
    "The memory as it was written.",
    "It is recalled like any other.",
    "Memories",
    takes=memories.NewMemory,
    status=201,
    further=(DUPLICATE_MEMORY,),
    once=True,
    etag=True,
)
search_memories = Operation(
    "search_memories",
    "GET",
    f"{_MEMORIES}/search",
    memories.FoundMemories,
    "Search a user's memories",
    "The best.",
    "Ranked by the same retrieval that recalls for a chat, by meaning and by words, but with nothing left out as irrelevant.\n\n"
    "It finds only what the list of the user's memories has. The scores of one answer compare with each other alone.",
    "Memories",
    takes=queries.OfSearch,
    further=(EMBEDDER_UNAVAILABLE,),
)
change_memories = Operation(
    "change_memories",
    "POST",
    f"{_MEMORIES}/bulk",
    memories.BulkResults,
    "Correct and take away many memories",
    "What became of each.",
    "All or nothing, in one transaction; each is a row of its own in the audit, and can be undone by itself.\n\n"
    "If one can't be done, the answer is 409, and `errors` says of each such operation why.",
    "Memories",
    takes=memories.Bulk,
    further=(BULK_REFUSED,),
    once=True,
)
read_history = Operation(
    "read_history",
    "GET",
    f"{_MEMORIES}/history",
    memories.History,
    "Read the audit of a user's memories",
    "The changes.",
    "Every change there was, newest first, also to memories that are gone.",
    "Memories",
    takes=queries.OfPage,
)
undo_update = Operation(
    "undo_update",
    "POST",
    f"{_MEMORIES}/history/{{update_id}}/undo",
    memories.Update,
    "Undo a change",
    "The row of the audit that says so.",
    "An added memory goes; a replaced one takes its place again; one taken away is back; one edited is as it was.\n\n"
    "What was changed since can't be undone: undo the later change first. Messages that a forgetting hid stay hidden.",
    "Memories",
    further=(UPDATE_NOT_FOUND, NOT_UNDOABLE, DUPLICATE_MEMORY),
    once=True,
)
read_memory = Operation(
    "read_memory",
    "GET",
    _MEMORY,
    memories.Memory,
    "Read a memory",
    "The memory.",
    "One of this user's memories.",
    "Memories",
    further=(MEMORY_NOT_FOUND,),
    etag=True,
)
revise_memory = Operation(
    "revise_memory",
    "PATCH",
    _MEMORY,
    memories.Memory,
    "Correct a memory",
    "The memory as it is now.",
    "It keeps its id, and what it was stays as a version in its history, which can be brought back by undo.\n\n"
    "A memory that several people share can't be changed here.",
    "Memories",
    takes=memories.MemoryChange,
    further=(DUPLICATE_MEMORY, MEMORY_NOT_FOUND, CHANGED_MEANWHILE),
    if_match=True,
    etag=True,
)
forget_memory = Operation(
    "forget_memory",
    "DELETE",
    _MEMORY,
    type(None),
    "Take a memory away",
    "It is gone.",
    "It is never recalled again. The audit still says what it was: to leave no trace, erase the chat or the user. A memory "
    "that is past can be taken away, too; that can't be undone.",
    "Memories",
    status=204,
    further=(MEMORY_NOT_FOUND, CHANGED_MEANWHILE),
    if_match=True,
)
read_memory_history = Operation(
    "read_memory_history",
    "GET",
    f"{_MEMORY}/history",
    memories.History,
    "Read the audit of a memory",
    "The changes.",
    "Every change to it, newest first, also when it is gone, and where another took its place.",
    "Memories",
    takes=queries.OfPage,
    further=(MEMORY_NOT_FOUND,),
)
list_todos = Operation(
    "list_todos",
    "GET",
    "/memory/users/{user_id}/todos",
    memories.Todos,
    "List what a user has to do",
    "The open todos.",
    "Return the memories of the kind todo, and the open todos of the chats' summaries.\n\n"
    "End one that was done or dropped by a POST to its path. "
    "What a summary says is to do goes when the chat goes on and is summarized again.",
    "Memories",
    takes=queries.OfLimit,
)
end_todo = Operation(
    "end_todo",
    "POST",
    "/memory/users/{user_id}/todos/{memory_id}",
    memories.Update,
    "Note that a to-do was done or dropped",
    "The row of the audit that says so; to undo it opens the to-do again.",
    "The memory is past from now on: a question about what is due gets it no more, and one about the past may.",
    "Memories",
    takes=memories.TodoEnd,
    further=(MEMORY_NOT_FOUND,),
    once=True,
)
list_session_memories = Operation(
    "list_session_memories",
    "GET",
    _OF_CHAT,
    memories.MemoryPage,
    "List the memories of a chat",
    "The page.",
    "Newest first. A memory that was told in several chats is of the one it was first kept from.",
    "Memories",
    takes=queries.OfPage,
    further=(SESSION_NOT_FOUND,),
)
add_session_memory = Operation(
    "add_session_memory",
    "POST",
    _OF_CHAT,
    memories.Memory,
    "Write a memory by hand for a chat",
    "The memory as it was written.",
    "It is recalled in every chat, like any other, and stays when this one is erased.",
    "Memories",
    takes=memories.NewSessionMemory,
    status=201,
    further=(SESSION_NOT_FOUND, DUPLICATE_MEMORY),
    once=True,
    etag=True,
)
read_session_memory = Operation(
    "read_session_memory",
    "GET",
    f"{_OF_CHAT}/{{memory_id}}",
    memories.Memory,
    "Read a memory of a chat",
    "The memory.",
    "One of this chat's memories; one of another chat is not found here.",
    "Memories",
    further=(SESSION_NOT_FOUND, MEMORY_NOT_FOUND),
    etag=True,
)
forget_session_memory = Operation(
    "forget_session_memory",
    "DELETE",
    f"{_OF_CHAT}/{{memory_id}}",
    type(None),
    "Take a memory of a chat away",
    "It is gone.",
    "It is recalled in no chat any more. One of another chat is not found here, and stays.",
    "Memories",
    status=204,
    further=(SESSION_NOT_FOUND, MEMORY_NOT_FOUND, CHANGED_MEANWHILE),
    if_match=True,
)
list_quarantine = Operation(
    "list_quarantine",
    "GET",
    _QUARANTINE,
    memories.Quarantine,
    "List what is held back",
    "The page.",
    "Without a limit the newest 500. Such as instructions to the assistant that came as a fact. Nothing of it is recalled "
    "before it is approved.",
    "Quarantine",
    takes=queries.OfQuarantine,
)
approve_quarantined = Operation(
    "approve_quarantined",
    "POST",
    f"{_QUARANTINE}/{{memory_id}}/approve",
    memories.Memory,
    "Approve what is held back",
    "The memory it is now.",
    "It is recalled from now on like any other.",
    "Quarantine",
    further=(MEMORY_NOT_FOUND, DUPLICATE_MEMORY),
    once=True,
)
refuse_quarantined = Operation(
    "refuse_quarantined",
    "DELETE",
    f"{_QUARANTINE}/{{memory_id}}",
    type(None),
    "Refuse what is held back",
    "It is gone.",
    "Reject the memory: it does not come back, not even if the person says it again.",
    "Quarantine",
    status=204,
    further=(MEMORY_NOT_FOUND,),
)
share_memory = Operation(
    "share_memory",
    "POST",
    f"{_MEMORY}/share",
    memories.Memory,
    "Share a memory",
    "The memory as all of them see it.",
    "Other users see it too, without the words it was said in; from then on it can't be corrected in place.\n\n"
    "Each of them can let go of it without taking it from the others. A user who has its content already keeps that.",
    "Sharing",
    takes=memories.Sharing,
    permission=Permission.ADMIN,
    further=(NOT_TO_SHARE,),
    once=True,
)
list_global_memories = Operation(
    "list_global_memories",
    "GET",
    "/memory/global",
    memories.GlobalMemories,
    "List what serves everybody",
    "The page.",
    "Without a limit all of it. It is recalled for users who have fewer than five memories of their own.",
    "Sharing",
    takes=queries.OfAll,
    permission=Permission.ADMIN,
)
add_global_memory = Operation(
    "add_global_memory",
    "POST",
    "/memory/global",
    memories.Memory,
    "Write a memory for everybody",
    "The memory as it was written.",
    "Where the data folder has `global-memories.txt`, the next start keeps what the file holds, and nothing else.",
    "Sharing",
    takes=memories.NewGlobalMemory,
    status=201,
    permission=Permission.ADMIN,
    further=(GLOBAL_ALREADY,),
)
remove_global_memory = Operation(
    "remove_global_memory",
    "DELETE",
    "/memory/global/{memory_id}",
    type(None),
    "Take away what serves everybody",
    "It is gone.",
    "Remove the memory: it is no longer recalled for anybody.",
    "Sharing",
    status=204,
    permission=Permission.ADMIN,
    further=(NOT_GLOBAL,),
)
