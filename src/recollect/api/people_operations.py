"""The rows of the API's table that are about users and their chats. Never: a shape."""

from typing import Any

from recollect.api import people, queries
from recollect.api.failures import (
    DUPLICATE_ENTRY,
    EMBEDDER_UNAVAILABLE,
    EXCHANGE_NOT_FOUND,
    INVALID_EXPORT,
    MESSAGE_NOT_FOUND,
    PROFILE_ENTRY_NOT_FOUND,
    PROFILE_FULL,
    PROFILE_NOT_ALLOWED,
    SESSION_NOT_FOUND,
    SUMMARY_NOT_FOUND,
    SWITCHED_OFF,
    Failure,
)
from recollect.api.memories import Taught, Undone
from recollect.api.operation import Operation, Permission

LARGEST_IMPORT = 1 << 30
"""Bytes of an export that is brought back by HTTP; `recollect import recollect` takes any."""

IMPORT_TOO_LARGE = Failure(
    413, "body_too_large", f"The body is longer than {LARGEST_IMPORT >> 30} GiB: use `recollect import`."
)
_USER = "/memory/users/{user_id}"
_CHAT = f"{_USER}/sessions/{{session_id}}"
_PROFILE = f"{_USER}/profile"
_ENTRY_REFUSED = (PROFILE_NOT_ALLOWED, PROFILE_FULL, DUPLICATE_ENTRY)

erase_user = Operation(
    "erase_user",
    "DELETE",
    _USER,
    people.UserErasure,
    "Erase a user",
    "Everything is gone; this proves it.",
    "Everything of this user goes, in every table and queue; a tombstone without content stays.",
    "Users",
    takes=queries.OfErasure,
)
export_user: Operation[dict[str, Any]] = Operation(
    "export_user",
    "GET",
    f"{_USER}/export",
    dict,
    "Take along all that is kept of a user",
    "The export.",
    "Memories with their history, chats with what was said, summaries, profile, settings, requests, administrators' reads: one "
    "JSON document.\n\nEmbeddings are not in it. `docs/export.md` describes it, `docs/export.schema.json` is its schema. "
    "All of it is as it was at one time.",
    "Users",
)
import_user = Operation(
    "import_user",
    "POST",
    f"{_USER}/import",
    people.ImportedRows,
    "Bring back what was taken along",
    "What came.",
    "The body is an export, of whichever user: from now on it is this one's.\n\n"
    "What the user has already stays as it is, so it may be sent again. Every row is checked before the first is kept. "
    "What came is embedded and indexed in the background.",
    "Users",
    permission=Permission.ADMIN,
    further=(INVALID_EXPORT, IMPORT_TOO_LARGE),
)
list_sessions = Operation(
    "list_sessions",
    "GET",
    f"{_USER}/sessions",
    people.Sessions,
    "List a user's chats",
    "All that are remembered.",
    "A chat without an id of the frontend's has one of ours.",
    "Users",
    takes=queries.OfSessions,
)
erase_session = Operation(
    "erase_session",
    "DELETE",
    _CHAT,
    people.Erasure,
    "Erase a chat",
    "It is gone; this proves it.",
    "Erase the chat: its messages, the memories that rest on it alone, and its changes to other memories.\n\n"
    "A memory stays that was told in another chat, too, or that was written over, approved or brought back by hand. "
    "An unknown chat is erased by deleting nothing: 200, all counts are zero.",
    "Users",
)
undo_message = Operation(
    "undo_message",
    "POST",
    f"{_CHAT}/undo",
    Undone,
    "Undo what a message taught",
    "What was undone.",
    "Newest first, with what the answer to it said was remembered meanwhile; from then on its words are not recalled either.\n\n"
    "What waits to be formed of it never is. What was changed again since stays.",
    "Users",
    takes=people.SaidMessage,
    further=(EXCHANGE_NOT_FOUND,),
)
take_taught = Operation(
    "take_taught",
    "POST",
    f"{_CHAT}/taught",
    Taught,
    "Take what a message taught, to show it",
    "The line to show.",
    "It is told once: neither a second call nor the chat's next answer tells it again.",
    "Users",
    takes=people.SaidMessage,
)
list_messages = Operation(
    "list_messages",
    "GET",
    f"{_CHAT}/messages",
    people.MessagesPage,
    "List what was said in a chat",
    "The page.",
    "Oldest first, as the log has it: with what is recalled no more, and with every answer to a turn.",
    "Users",
    takes=queries.OfPage,
    further=(SESSION_NOT_FOUND,),
)
search_messages = Operation(
    "search_messages",
    "GET",
    f"{_USER}/messages",
    people.FoundMessages,
    "Search what was said in a user's chats",
    "The page.",
    "Messages and summaries of chats, best first, by meaning and by words, with nothing left out as irrelevant. Of a long message the part "
    "that fits best stands for all of it.\n\n"
    "Messages that are recalled no more are not found. Each search finds the thousand best at most.",
    "Users",
    takes=queries.OfMessages,
    further=(EMBEDDER_UNAVAILABLE,),
)
mark_turn = Operation(
    "mark_turn",
    "POST",
    f"{_CHAT}/messages/{{message_id}}/mark",
    type(None),
    "Call a turn valuable, or no longer",
    "It is noted.",
    "It holds for the message's whole turn, with its answers, as the header `x-recollect-mark` does.\n\n"
    "What is valuable is searched even where it looks like nothing to keep, and has embeddings with `RECOLLECT_EMBED=marked`. "
    "The turn is indexed again for that, in the background; until then it is not found. What is hidden stays so.",
    "Users",
    takes=people.MarkedTurn,
    status=204,
    further=(SESSION_NOT_FOUND, MESSAGE_NOT_FOUND),
)
read_summary = Operation(
    "read_summary",
    "GET",
    f"{_CHAT}/summary",
    people.SummaryOfSession,
    "Read a chat's summary",
    "The newest one.",
    "What was said since it was written is not in it. A chat has none before it was long enough for one.",
    "Users",
    further=(SESSION_NOT_FOUND, SUMMARY_NOT_FOUND),
)
ask_for_summary = Operation(
    "ask_for_summary",
    "POST",
    f"{_CHAT}/summary",
    people.AskedSummary,
    "Summarize a chat now",
    "It is asked for.",
    "The model summarizes it in the background, before the chats that are due; then `GET` on the same path returns it.\n\n"
    "What was said last is formed first. Asked again while it waits, nothing more is done. A chat is summarized so also "
    "where the setting `summaries` is off.",
    "Users",
    status=202,
    further=(SESSION_NOT_FOUND, SWITCHED_OFF),
)
read_profile = Operation(
    "read_profile",
    "GET",
    _PROFILE,
    people.Profile,
    "Read a user's profile",
    "The profile.",
    "What is confirmed and what is proposed. Where the user does not allow a profile it is empty.\n\n"
    'They allow it by `PATCH .../settings` with `{"profile": true}`. With `false` or `null` the profile and its embeddings '
    "are deleted in the same transaction, and what prompts were given of it.",
    "Profile",
)
add_profile_entry = Operation(
    "add_profile_entry",
    "POST",
    _PROFILE,
    people.ProfileEntry,
    "Write a statement into a profile",
    "The statement as it was written.",
    "It is confirmed. It stands in every chat, as far as the standing part has room for it; secrets are masked.",
    "Profile",
    takes=people.NewProfileEntry,
    status=201,
    further=_ENTRY_REFUSED,
    once=True,
)
propose_profile = Operation(
    "propose_profile",
    "POST",
    f"{_PROFILE}/proposals",
    people.Profile,
    "Propose what memories say for a profile",
    "The profile, with the proposals.",
    "Of the sixty memories that matter most those are proposed that seem to tell of one of the fields.\n\n"
    "No model is asked: each is compared with examples of the fields. Nothing counts before it is confirmed. What was "
    "refused is not proposed again. What is proposed goes with its memory.",
    "Profile",
    further=(PROFILE_NOT_ALLOWED, EMBEDDER_UNAVAILABLE),
)
change_profile_entry = Operation(
    "change_profile_entry",
    "PATCH",
    f"{_PROFILE}/{{entry_id}}",
    people.ProfileEntry,
    "Change a statement of a profile",
    "The statement as it is now.",
    "It is confirmed by that. With other words it stays also when the memory goes that proposed it.",
    "Profile",
    takes=people.ProfileEntryChange,
    further=(PROFILE_ENTRY_NOT_FOUND, *_ENTRY_REFUSED),
)
confirm_profile_entry = Operation(
    "confirm_profile_entry",
    "POST",
    f"{_PROFILE}/{{entry_id}}/confirm",
    people.ProfileEntry,
    "Confirm a statement of a profile",
    "The statement, which counts now.",
    "What is proposed counts from now on; what is outdated is true all the same.",
    "Profile",
    further=(PROFILE_ENTRY_NOT_FOUND, *_ENTRY_REFUSED),
)
remove_profile_entry = Operation(
    "remove_profile_entry",
    "DELETE",
    f"{_PROFILE}/{{entry_id}}",
    type(None),
    "Take a statement out of a profile",
    "It is gone.",
    "A proposal is refused so. The memory that proposed it stays, and proposes it no more.",
    "Profile",
    status=204,
    further=(PROFILE_ENTRY_NOT_FOUND,),
)
read_settings = Operation(
    "read_settings",
    "GET",
    "/memory/settings",
    people.CommonFlags,
    "Read what was changed for everybody",
    "The changes.",
    "Return the changed settings. A null setting has the value with which Recollect was started, which `effective` holds.",
    "Settings",
    permission=Permission.ADMIN,
)
change_settings = Operation(
    "change_settings",
    "PATCH",
    "/memory/settings",
    people.CommonFlags,
    "Change settings for everybody",
    "What is changed now.",
    "Change settings for everybody from the next request on; a restart keeps them. A user's own settings take precedence.\n\n"
    "`profile` is not among them: each user allows it for themselves.",
    "Settings",
    takes=people.CommonFlagsChange,
    permission=Permission.ADMIN,
)
read_user_settings = Operation(
    "read_user_settings",
    "GET",
    f"{_USER}/settings",
    people.UserFlags,
    "Read what was changed for a user",
    "What was changed for them, and what is so.",
    "Return a user's settings, and what holds for them.",
    "Settings",
)
change_user_settings = Operation(
    "change_user_settings",
    "PATCH",
    f"{_USER}/settings",
    people.UserFlags,
    "Change settings for a user",
    "What is changed now, and what is so.",
    "Change settings for a user from their next request on; a restart keeps them. Only administrators change caps.\n\n"
    "Each change is kept for a year with the name of the token; the user sees it with what administrators read.",
    "Settings",
    takes=people.FlagsChange,
)
read_usage = Operation(
    "read_usage",
    "GET",
    f"{_USER}/usage",
    people.Usage,
    "Read what models took for a user today",
    "The tokens, and how many they may be.",
    "Return the user's token counts. At the limit, exchanges are kept whole, without a model, until the day (UTC) is over.",
    "Operation",
)
list_admin_reads = Operation(
    "list_admin_reads",
    "GET",
    f"{_USER}/admin-reads",
    people.ReadsOfUser,
    "List what administrators read of a user, and who changed settings",
    "The reads and the changes.",
    "Each read by the admin token, an admin key or a reader key, this one included, for a year.\n\n"
    "And each change of the user's own settings, whichever token made it.",
    "Audit",
    takes=queries.OfLimit,
)
make_token = Operation(
    "make_token",
    "POST",
    f"{_USER}/tokens",
    people.OwnToken,
    "Make a token of a user's own",
    "The token, which is kept nowhere.",
    "It ends within an hour. A token of one's own makes no further ones.",
    "Tokens",
    status=201,
)
make_page_link = Operation(
    "make_page_link",
    "POST",
    f"{_USER}/page-links",
    people.PageLink,
    "Make a link to a user's own page",
    "The link.",
    "It opens the page once, within five minutes; the page then stays open for an hour.",
    "Tokens",
    status=201,
)
