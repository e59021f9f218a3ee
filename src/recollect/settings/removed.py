"""Variables that set nothing, and what to do about each. Never: their values."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

from recollect.settings import PREFIX

_ALIKE = 0.85
"""From which ratio of ``difflib`` on a name is a slip of another: one letter of seven."""

_DECIDED = "remove it: it is decided by measurements"
_FOLLOWS_DEADLINE = "remove it: it follows from RECOLLECT_RECALL_DEADLINE_MS"
_CHANGED_WHILE_IT_RUNS = "set it for everybody with PATCH /memory/settings"
_FIXED_NAME = "remove it, and have the frontend send the header {}"

REMOVED: Mapping[str, str] = {
    "api_keys": "move the file to the data folder, as api-keys",
    "base_path": "remove it: clients find the proxy under /v1",
    "chat_memory_tokens": "remove it: it is eight times RECOLLECT_MEMORY_TOKENS",
    "chunking": "remove it: RECOLLECT_EMBED says what of the message log gets embeddings",
    "connect_timeout_seconds": "remove it: it is 10",
    "drain_delay_seconds": "let whoever stops the process wait before (in Kubernetes: a preStop hook that sleeps)",
    "embedder_cache_seconds": "remove it: it is a quarter of an hour",
    "embedder_cache_size": "remove it: it is 10,000",
    "embedder_precision": "remove it: it is int8",
    "extraction_instructions": "move the file to the data folder, as instructions.toml",
    "extraction_sdk": "set RECOLLECT_EXTRACTION_BASE_URL=https://api.mistral.ai for Mistral's SDK; any other speaks OpenAI's protocol",
    "extraction_timeout_seconds": "remove it: it is 120, and 600 of a server on this machine or its network",
    "first_byte_timeout_seconds": "remove it: it is 600, as for any silence of the upstream",
    "formation_batch_turns": _DECIDED,
    "formation_quiet_seconds": _DECIDED,
    "formation_tries": "remove it: it is 3",
    "formation_workers": "run `recollect worker` beside it for more",
    "global_memories": "move the file to the data folder, as global-memories.txt",
    "hybrid": _DECIDED,
    "job_heartbeat_seconds": "remove it: it is 10",
    "jwt_leeway_seconds": "remove it: it is 30",
    "later_memory_tokens": "remove it: it is 300, or RECOLLECT_MEMORY_TOKENS where that is less",
    "log_memory_text": "remove it: logs have no text of people; GET /memory/users/{user}/memories/history has it",
    "memory_body_limit": "remove it: it is 32 MiB",
    "message_header": _FIXED_NAME.format("x-recollect-message"),
    "minimum_importance": _CHANGED_WHILE_IT_RUNS,
    "oidc_header": "remove it: the token is read from authorization",
    "oidc_jwks": "move the file to the data folder, as jwks.json",
    "oidc_user_claim": "remove it: sub names the user",
    "openwebui_jwt_header": "remove it: it is OpenWebUI's own",
    "openwebui_status_seconds": "remove it: no answer waits for what it shows",
    "pool_size": "remove it: it is 10",
    "read_timeout_seconds": "remove it: it is 600",
    "recall_candidates": _DECIDED,
    "recall_cliff": _DECIDED,
    "recall_embedding_ms": _FOLLOWS_DEADLINE,
    "recall_gate_threshold": _DECIDED,
    "recall_in_temporary": "remove it: a temporary chat neither recalls nor forms memories",
    "recall_lexical_ms": _FOLLOWS_DEADLINE,
    "recall_limit": "set RECOLLECT_MEMORY_TOKENS, or send x-recollect-top-k-memories with a request",
    "recall_weights": _DECIDED,
    "session_cap": _CHANGED_WHILE_IT_RUNS,
    "shared_secret_header": _FIXED_NAME.format("x-recollect-secret"),
    "shutdown_seconds": "remove it: it is 30",
    "spool_mb": "remove it: it is 256",
    "summary_tokens": "remove it: `summaries` of PATCH /memory/settings switches them off",
    "summary_turns": "remove it: `summaries` of PATCH /memory/settings switches them off",
    "task_header": _FIXED_NAME.format("x-recollect-task"),
}
"""What to do about a setting that there was."""


def without_effect(variables: Iterable[str], settings: Collection[str]) -> dict[str, str]:
    """Return what to do about each variable that sets nothing: it was removed, or is a slip of one that does.

    Args:
        variables: The names of all there are.
        settings: The names of what can be set, in small letters and without the prefix.
    """
    told: dict[str, str] = {}
    for variable in sorted(variables):
        name = variable.lower().removeprefix(PREFIX.lower())
        if not variable.upper().startswith(PREFIX) or name in settings:
            continue
        if name in REMOVED:
            told[variable] = REMOVED[name]
        elif near := get_close_matches(name, settings, n=1, cutoff=_ALIKE):
            told[variable] = f"there is no such setting; did you mean {PREFIX}{near[0].upper()}?"
    return told
