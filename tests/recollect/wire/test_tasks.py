import json
from typing import Any

from tests.support.tables import table, texts

from recollect.model import Skip
from recollect.wire import ChatBody, is_background_task, read_body, session_skip

CHAT = "<chat_history>\nUSER: hi\nASSISTANT: hello\nUSER: bye\n</chat_history>"
TITLE = f"### Task:\nGenerate a concise title summarizing the chat history.\n### Output:\nJSON\n### Chat History:\n{CHAT}"
RETRIEVED = (
    "### Task:\nRespond to the user query using the provided context.\n\n"
    '<context>\n<source id="1">a</source>\n</context>\n\nWhat is it?'
)
SUB_AGENT = "You are a sub-agent working on a specific task assigned by the lead agent."


AS_JSON = {"response_format": {"type": "json_schema"}}
SHORT_TITLE = (
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. "
    "Only return the title itself.\n\nConversation:\nUser: I live in Lisbon.\nAI: "
)
TITLE_AND_LANGUAGE = (
    "Analyze this conversation and provide:\n1. The detected language of the conversation\n"
    "2. A concise title in the detected language (5 words or less, no punctuation or quotation)\n\n"
    "User: I live in Lisbon.\nAI: Noted."
)
QUOTING: list[tuple[str, dict[str, Any]]] = [
    # As the client of LibreChat sends them, recorded from `@librechat/agents` 3.2.21.
    (SHORT_TITLE, {}),
    (TITLE_AND_LANGUAGE, AS_JSON),
    # Reworded by an administrator.
    ("Titel in drei Worten.\nUser: I live in Lisbon.\nI have a dog.\nAI: Noted.", AS_JSON),
]
MEMORY = [
    "# Current Chat:\n\nHuman: I live in Lisbon.",
    "# Current Chat:\n\n[Earlier chat content omitted due to memory input limit]\n\nAI: Noted.\nHuman: Why?",
]
TOOL = {"tools": [{"type": "function", "function": {"name": "set_memory"}}]}


def chat(*messages: dict[str, Any], **fields: Any) -> ChatBody:
    read = read_body(json.dumps({"messages": messages, **fields}).encode())
    assert read is not None
    return read


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def system(content: Any) -> dict[str, Any]:
    return {"role": "system", "content": content}


TASKS = {
    "title": TITLE,
    "title, reworded by an administrator": f"Titel in drei Worten.\n{CHAT}",
    "title, before": f"### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n{CHAT}",
    "title, elsewhere put": "### Task:\nGenerate a concise title summarizing the chat history.\n<chat_history>\nUSER: a\n"
    "</chat_history>\nJSON only.",
    "tags": "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history, along with\n1.",
    "follow-up": "### Task:\nPredict 3-5 useful messages this user might naturally send next.\n1.",
    "follow-up, before": "### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask "
    "next in this conversation",
    "query": "### Task:\nAnalyze the chat history to determine the necessity of generating search queries, in",
    "autocomplete": "### Task:\nYou are an autocompletion system. Continue the text.\n<chat_history>\nUSER: a\n"
    "</chat_history>\n<type>search query</type>\n<text>what is</text>\n#### Output:",
    "image prompt": "### Task:\nGenerate a detailed prompt for am image generation task based on",
    "image prompt, spelled": "### Task:\nGenerate a detailed prompt for an image generation task based on",
    "note title": "### Task:\nGenerate a concise title summarizing the content\n<content>\na\n</content>",
    "compaction": "### Task:\nSummarize the conversation history that will be compacted out of the active chat context.\n"
    "### Previous Summary:\n",
    "compaction, since": "You MUST summarize the conversation history that will be compacted out of the active",
    "emoji": "Your task is to reflect the speaker's likely facial expression through a fitting emoji. Interpret",
}
MERGE = (
    "You have been provided with a set of responses from various models to the latest user query: "
    '"hi"\n\nYour task\n\nResponses from models: a'
)


@table("prompt", TASKS.values())
def test_a_frontends_task_is_known_by_its_shape(prompt: str) -> None:
    assert is_background_task(chat(user(prompt), stream=False, max_tokens=1000))
    assert is_background_task(chat(system("You are a pirate."), user([{"type": "text", "text": prompt}])))


@table("prompt", TASKS.values())
def test_a_task_that_is_not_merging_is_never_streamed_nor_one_of_several_messages(prompt: str) -> None:
    assert not is_background_task(chat(user(prompt), stream=True))
    assert not is_background_task(chat(user("hi"), {"role": "assistant", "content": "hello"}, user(prompt)))
    assert not is_background_task(chat(user(prompt), {"role": "assistant", "content": "Once"}))
    assert not is_background_task(chat(system(prompt)))


@table("stream", [True, False])
def test_merging_may_be_streamed(*, stream: bool) -> None:
    assert is_background_task(chat(user(MERGE), stream=stream))


@table(("prompt", "fields"), QUOTING)
def test_a_title_that_quotes_the_chat_alone_unstreamed_is_a_task(prompt: str, fields: dict[str, Any]) -> None:
    assert is_background_task(chat(user(prompt), **fields))
    assert not is_background_task(chat(user(prompt), **fields, stream=True))
    assert not is_background_task(chat(user("hi"), user(prompt), **fields))


@table("prompt", MEMORY)
def test_a_memory_that_reads_the_chat_is_a_task_with_its_tool_and_instructions(prompt: str) -> None:
    assert is_background_task(chat(system("Use the tool."), user(prompt), **TOOL, stream=False))
    assert not is_background_task(chat(system("Use the tool."), user(prompt), **TOOL, stream=True))
    assert not is_background_task(chat(user(prompt), **TOOL))
    assert not is_background_task(chat(system("Use the tool."), user(prompt)))
    assert not is_background_task(chat(system("Use the tool."), user(f"Why?\n{prompt}"), **TOOL))


@table("stream", [True, False])
def test_a_chat_as_json_is_a_task_unless_there_are_words_besides(*, stream: bool) -> None:
    titles = '[{"role":"user","mainText":"I live in Lisbon."},{"role":"assistant","mainText":"Noted."}]'  # Cherry Studio

    assert is_background_task(chat(system("Name the topic."), user(titles), stream=stream))
    assert not is_background_task(chat(user(f"{titles}\nIs this valid?"), stream=stream))
    assert not is_background_task(chat(user('[{"name":"Anna"}]'), stream=stream))
    assert not is_background_task(chat(user('[{"role":"user","content":"I live in Rome."}]'), stream=stream))


def test_choosing_a_tool_without_function_calling_is_a_task() -> None:
    tools = system('Available Tools: [{"name": "weather"}]\n\nYour task is to choose')
    query = 'History:\nUSER: """hi"""\nQuery: Will it rain?'

    assert is_background_task(chat(tools, user(query)))
    assert is_background_task(chat(tools, user(f"Query: {query}")))
    assert not is_background_task(chat(user(query)))
    assert not is_background_task(chat(tools, user("Query: Will it rain?")))
    assert not is_background_task(chat(tools, user(query), stream=True))


def test_reviewing_memories_is_a_task() -> None:
    reviewer = system("You are Open WebUI's private memory reviewer. Return only valid JSON.")
    prompt = user("Review the completed conversation turn and decide whether long-term memory should change.")

    assert is_background_task(chat(reviewer, prompt, stream=False))
    assert not is_background_task(chat(prompt))


def test_a_sub_agent_works_on_a_task_whatever_its_chat_looks_like() -> None:
    prompt = system(f"You are a pirate.\n{SUB_AGENT} Report back.")
    calls = {"role": "assistant", "tool_calls": [{"id": "1"}]}

    assert is_background_task(chat(prompt, user("Find the ship\n\n## Context\nIt sank."), stream=True))
    result = {"role": "tool", "content": "here"}
    assert is_background_task(chat(prompt, user("Find it"), calls, result, stream=True))
    assert not is_background_task(chat(user(SUB_AGENT), stream=True))


@table(
    "prompt",
    [
        *texts("""
        This is how a template ends: <chat_history>{{MESSAGES}}</chat_history> | </chat_history>
        <chat_history>
        You have been provided with a set of responses from various models to the latest user query. Why?
        Provide a concise, 5-word-or-less title for the conversation between my cats
    """),
        "### Task:\nfix my code",
        "### Task:\nGenerate a concise title for my blog",
        "### Task:\nGenerate a detailed prompt for a fantasy painting",
        "### Task:\nGenerate a concise title summarizing the content of this page",
        f"What does this mean?\n{CHAT}\nI found it in a log.",
        "My settings:\nUser: alice\nHost: nas\nWhy can't I sign in?",
        "Human: rights\nare my topic.",
        "I live in Rome. What went wrong here?\nUser: hi\nAI: hello\nThanks!",
        "What I mean by these:\nAI: artificial intelligence\nML: machine learning",
        RETRIEVED,
        f"{RETRIEVED}\n{CHAT}\nWhat is that?",
        "",
    ],
)
@table("stream", [True, False])
def test_what_a_person_writes_is_no_task(prompt: str, *, stream: bool) -> None:
    assert not is_background_task(chat(user(prompt), stream=stream))
    assert not is_background_task(chat(system("You are a pirate."), user(prompt), stream=stream))


def test_a_chat_without_a_user_is_no_task() -> None:
    assert not is_background_task(chat({"role": "assistant", "content": TITLE}))
    assert not is_background_task(chat({}))
    assert not is_background_task(chat({"role": ["user"], "content": TITLE}))


EVENT = "System: [2026-02-02 10:00:00 GMT+1] Node joined."


@table(
    "prompt",
    [
        "[ASYNC SUBAGENT COMPLETE - d1]\nA background subagent you dispatched earlier has finished.\n\nStatus: completed",
        "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
        "HEARTBEAT",
        "HEARTBEAT_OK",
        "Run the following periodic tasks (only those due based on their intervals):\n- mail",
        "[cron:4711 Morning news] Write the news.\nCurrent time: Monday",
        EVENT,
        f"{EVENT}\n{EVENT}\n\nRead HEARTBEAT.md if it exists.",
    ],
)
def test_what_no_person_wrote_is_a_task_however_long_the_chat(prompt: str) -> None:
    answered = {"role": "assistant", "content": "hello"}

    assert is_background_task(chat(user(prompt), stream=True))
    assert is_background_task(chat(user("hi"), answered, user(prompt), stream=True))
    assert not is_background_task(chat(user(prompt), answered, user("thanks"), stream=True))


@table(
    "prompt",
    [
        *texts("""
        What is HEARTBEAT.md for? | HEARTBEAT is my favourite song | [cron] does not start | System: [old] one
        I read HEARTBEAT.md today | Read HEARTBEAT.md and tell me whether it says that I live in Oslo.
    """),
        f"{EVENT}\n\nI live in Oslo.",
    ],
)
def test_what_a_person_writes_about_agents_or_below_their_events_is_no_task(prompt: str) -> None:
    assert not is_background_task(chat(user(prompt), stream=True))


@table(
    ("session_id", "skip"),
    [
        ("temporary:abc", Skip.TEMPORARY),
        ("local:abc", Skip.TEMPORARY),
        ("channel:abc", Skip.CHANNEL),
        ("automation:abc", Skip.TASK),
        ("0192f0c1-9e3b-7cc0-a3cf-6a2d7a8c8a51", None),
        ("fp:0123", None),
        ("my-local:abc", None),
        ("", None),
    ],
)
def test_a_session_that_is_not_saved_or_shared_has_no_memory(session_id: str, skip: Skip | None) -> None:
    assert session_skip(session_id) is skip
