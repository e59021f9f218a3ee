"""An upstream that refuses a prompt for its length is asked once more without memories, and never otherwise."""

import json
from typing import Any

from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import named
from tests.scripted.upstream import JSON, End, ScriptedUpstream, completion_body, failure, head, whole
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.recollections import turn
from tests.support.tables import table

from recollect_proxy.chat.prompt_too_long import says_too_long
from recollect_proxy.chat.request_preparer import FullChats

OPENAI = {
    "error": {
        "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 8300 tokens.",
        "type": "invalid_request_error",
        "param": "messages",
        "code": "context_length_exceeded",
    }
}
LLAMA = {
    "error": {
        "code": 400,
        "message": "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 9412,
        "n_ctx": 8192,
    }
}
ANTHROPIC = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "prompt is too long: 210000 tokens > 200000 maximum",
    },
}
BUDGET = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    },
}
TOO_LONG_BY_WORDS = (
    "litellm.ContextWindowExceededError: litellm.BadRequestError: prompt is too long: 5 tokens > 4 maximum",
    "This model's maximum prompt length is 131072 but the request contains 137000 tokens.",
    "The prompt (total length 14424) is too long to fit into the model (context length 8096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens. For image inputs, the number of image tokens depends on the images.",
    "This endpoint's maximum context length is 8192 tokens. However, you requested about 9100 tokens (8000 of file input, 1100 of text input).",
    "Your messages and files have 9100 tokens, more than the 8192 tokens that a request can hold at most",
    "Requested tokens (2285) exceed context window of 2048",
    "max_length (2347) cannot be greater than model context_length (2176)",
    "Invalid request: Your request exceeded model token limit: 8192",
    "Prompt length 5000 is greater than max_seq_len 4096",
    "This model's maximum context length is 4097 tokens, however you requested 4105 tokens (3849 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
    "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "invalid params, context window exceeds limit (2013)",
    "input length exceeds maximum context length",
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "You passed 4097 input tokens and requested 1 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4095 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=4097)",
    "Requested generation length 1 is not possible! The provided prompt is 9000 tokens and generating 1 tokens would be over the maximum sequence length of 8192.",
    "prompt + max tokens exceed the limit: 9000 tokens > 8192",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
    "Prompt has too many tokens (9000)",
    "Message too long: 9000 tokens, at most 8192",
    "Sorry, your prompt has 9000 tokens, the maximum is 8000",
    "We cannot answer because your conversation has more than 8192 tokens, which is too many",
    "Error code: 400 - {'error': {'message': \"Your request exceeded model token limit: 8192\"}}",
    "Input length 5000 exceeds the maximum allowed of 4096 tokens",
    "The prompt is too long: 140000, model maximum context length: 131071",
    "Please ensure your prompt has less than 8192 tokens; it has 9000, which is too large",
    "Please use less than the context window of 8192 tokens",
    "The request is too large: it has 9000 tokens",
    "prompt length must be less than context length",
    "Prompt tokens (5000) exceed limit (4096)",
    "The total number of tokens in your prompt and image is larger than 8192",
    "Exceeded max_context_length",
    "conversation too long, 9000 tokens, at most 8192",
    "prompt_tokens (5000) exceeds the limit of 4096 tokens",
    "The number of tokens in your request is larger than 4096",
    "Prompt exceeds max_input_tokens of 4096",
    "google.genai.errors.ClientError: the request has 5000 tokens, at most 4096",
)
TOO_LONG: tuple[Any, ...] = (
    OPENAI,
    LLAMA,
    ANTHROPIC,
    {"error": {"message": "Your input exceeds the context window of this model.", "code": "context_length_exceeded"}},
    {"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"},
    {"error": {"message": "'max_tokens' is too large: 500. This model's maximum context length is 4096 tokens and your request has 3900 input tokens", "type": "BadRequestError", "param": None, "code": 400}},
    {"object": "error", "message": "The input (5000 tokens) is longer than the model's context length (4096 tokens).", "type": "BadRequestError"},
    {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 and 500", "error_type": "validation"},
    {"error": "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000", "error_type": "validation"},
    {"type": "error", "error": {"type": "invalid_request_error", "message": "input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000"}},
    {"object": "error", "type": "invalid_request_prompt", "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "code": "3051"},
    [{"error": {"code": 400, "message": "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}}],
    {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": json.dumps(OPENAI), "provider_name": "X"}}},
    {"error": "the prompt is too long; the input exceeds the context length of the model"},
    {"message": "Input is too long for requested model."},
    {"message": "too many tokens: size limit exceeded by 511 tokens."},
    {"error": {"code": "1261", "message": "Prompt exceeds max length"}},
    {"error": {"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]"}},
    {"detail": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"},
    {"error": {"message": "prompt token count of 130000 exceeds the limit of 128000", "code": "model_max_prompt_tokens_exceeded"}},
    {"error": {"message": "Please reduce the length of the messages or completion.", "type": "invalid_request_error", "param": "messages"}},
    {"object": "error", "message": "Multimodal prompt is too long after expanding multimodal tokens of 3 images: 5192 => 6153 >= 5489."},
    {"error": {"code": "InvalidParameter", "message": "Total tokens of image and text exceed max message tokens"}},
    {"code": 20015, "message": "length of prompt_tokens (131073) must be less than max_seq_len (131072).", "data": None},
    {"error": {"message": "The prompt is 5000 tokens, at most 4096", "param": "input_tokens"}},
    {"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081"},
    {"error": "prompt too long; exceeded max context length by 5 tokens"},
    {"error": {"code": 400, "message": "zu lang", "n_prompt_tokens": 14429, "n_ctx": 8192}},
    {"error": {"message": "Die Anfrage ist zu lang.", "code": "context_length_exceeded", "param": "messages[0].content"}},
    *({"error": {"message": words}} for words in TOO_LONG_BY_WORDS),
)  # fmt: skip
OTHERWISE_BY_WORDS = (
    "The input exceeds the maximum number of images (4)",
    "Your prompt exceeds the content policy score",
    "input exceeds your monthly quota",
    "Too many tokens: total per minute",
    "Invalid context size option: use only num_ctx",
    "reduce the length of the messages[3].name field",
    "max_tokens=9000 exceeds the maximum output; see the context limit docs",
    "Input exceeds the maximum length of 100 for field name",
    "The input is too long: 300 characters, at most 256",
    "Requested max_tokens 9000 exceeds the limit of 8192",
    "The image is larger than the maximum of 2048 tokens",
    "max_output_tokens: Input should be less than or equal to 8192",
    "thinking.budget: Input should be less than or equal to 8192 tokens",
    "Number of stop sequences in request must be less than or equal to 4 tokens",
    "Input stop sequences must have at most 4 tokens each",
    "CachedContent is of 900 tokens: minimum total token count must be greater than 4096 for this request",
    "Your prompt has 900 tokens, less than the minimum of 1024 tokens",
    "The prompt must have more than 16 tokens",
    "context_length must be greater than 0",
    "Image exceeds the maximum number of tokens per request input",
    "Input image exceeds the maximum number of tokens",
    "CachedContent can not be created: minimum total token count must be greater than 4096 for this request",
    "The cached content is of 2048 tokens. The minimum token count to start caching is 4096 for this request",
    "Cached content is too small. total_token_count=100, min_total_token_count=4096",
    "`max_tokens` must be greater than `thinking.budget_tokens`",
    "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for this request",
    "The maximum tokens you requested exceeds the model limit of 4096.",
    "Each stop sequence of the request must have at most 16 tokens",
    "logit_bias can have at most 300 tokens in a request",
    "top_logprobs must be less than or equal to 20 per token in the request",
    "Audio input exceeds the maximum of 3000 tokens for this message",
    "prompt cache key must be at most 64 tokens",
    "Input tag 'x' found using 'type' does not match any of the expected tags: at most 3 tokens",
    "reasoning.max_tokens: input must be at most 4 tokens",
    "document in message 3 has too many tokens",
    "budget_tokens must be less than max_tokens in your request",
    "context_window must be greater than 1024",
    "Requested output of 9000 tokens exceeds the maximum of 8192",
    "prefix tokens in the request exceed 4",
    "tools.0.custom.description: input is too long",
    "Unable to submit request because it has a maxOutputTokens value of 9000 but must be at most 8192",
    "max_completion_tokens (9000) must be less than the context length (8192)",
)
OTHERWISE: tuple[Any, ...] = (
    {"error": {"message": "max_tokens is too large: 5000. This model supports at most 4096 completion tokens.", "type": "invalid_request_error", "param": "max_tokens", "code": None}},
    {"error": {"message": "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000", "type": "tokens", "code": "rate_limit_exceeded"}},
    {"error": {"message": "Unsupported value: 'temperature' does not support 0.3 with this model.", "code": "unsupported_value"}},
    {"error": {"message": "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10.", "code": "string_above_max_length"}},
    {"error": {"message": "Image is too large: the maximum is 20 MB.", "code": "image_too_large"}},
    {"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}},
    {"error": {"message": "Invalid schema for function 'context': too many properties", "code": "invalid_function_parameters"}},
    {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}},
    {"error": {"message": "Input should be a valid list", "type": "value_error"}},
    {"detail": [{"loc": ["body", "messages"], "msg": "Input should be a valid list", "type": "list_type"}]},
    {"error": {"message": "Your prompt has 9000 tokens, the maximum is 8000 tokens.", "code": "rate_limit_exceeded"}},
    {"error": {"message": "The prompt is too long: 9000 tokens > 8192", "param": "messages[3].name"}},
    {"error": {"n_ctx": 8192, "message": "no slot is free"}},
    BUDGET,
    {"error": {"message": "Requested tokens must be at most 64 in this request", "param": "stop"}},
    {"detail": [{"loc": ["body", "thinking", "budget"], "msg": "input tokens must be less than 1024"}]},
    {"error": None},
    "prompt",
    [],
    7,
    *({"error": {"message": words}} for words in OTHERWISE_BY_WORDS),
)  # fmt: skip


@table("error", TOO_LONG)
def test_an_error_for_the_length_of_the_prompt_is_known(error: Any) -> None:
    assert says_too_long(json.dumps(error).encode())


@table("error", OTHERWISE)
def test_any_other_error_is_none(error: Any) -> None:
    assert not says_too_long(json.dumps(error).encode())


@table("error", [b"", b"<html>413 Request Entity Too Large</html>", b"{", b"[" * 5_000, b'{"error":"\xff"}'])
def test_what_is_no_json_says_nothing(error: bytes) -> None:
    assert not says_too_long(error)


def test_a_chat_is_full_from_the_least_size_on_that_was_too_long() -> None:
    chats, asked = FullChats(), turn()
    for size in (10, 8, 9):
        chats.note_too_long(asked, size)

    assert [chats.is_full(asked, size) for size in (7, 8, 11)] == [False, True, True]


proxy = named("session_listening")


def refusal(error: Any, status: int = 400) -> Any:
    return whole(json.dumps(error).encode(), status=status)


@in_turn(("error", "status"), [(OPENAI, 400), (LLAMA, 400), (ANTHROPIC, 413), (OPENAI, 422)])
async def test_a_prompt_too_long_with_memories_is_sent_once_more_without(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, error: Any, status: int
) -> None:
    await given_memory(proxy, user)
    upstream.answers += [refusal(error, status), whole(completion_body("Assam."))]
    headers = [*user.headers(), (b"X-Odd", b"a  b"), (b"Digest", b"sha-256=x")]

    answer = await proxy.fetch(b"POST", CHAT, headers, chat_body(WHICH_TEA, n=1.0))

    first, second = upstream.received
    assert TEA in first.system
    assert second.body == chat_body(WHICH_TEA, n=1.0)
    assert second.values(b"digest") == [b"sha-256=x"]
    assert answer.json["choices"][0]["message"]["content"] == "Assam."
    assert answer.header(b"x-recollect-skipped") == b"context-length"
    assert answer.header(b"x-recollect-memories") == b"0"
    assert await proxy.logged(user) == [("user", WHICH_TEA), ("assistant", "Assam.")]
    request_id = (answer.header(b"x-recollect-request-id") or b"").decode()
    explained = (await proxy.api(b"GET", f"/explain/{request_id}")).json
    assert (explained["skipped"], explained["tokens"]) == ("context-length", 0)
    assert not await proxy.rows("SELECT FROM recollect.injections WHERE user_id = $1", user.known_as)
    recalled = "SELECT recall_count FROM recollect.users_vectors WHERE user_id = $1"
    assert [row["recall_count"] for row in await proxy.rows(recalled, user.known_as)] == [0]


async def test_what_is_too_long_without_memories_too_is_said_once(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    upstream.answers += [refusal(OPENAI), refusal(LLAMA)]

    answer = await proxy.say(user, WHICH_TEA)

    assert len(upstream.received) == 2
    assert (answer.status, answer.json) == (400, LLAMA)


@in_turn(
    "refused",
    [
        failure(400),
        failure(429),
        failure(500, message="prompt is too long"),
        refusal(OPENAI, 401),
        refusal(OTHERWISE[1], 413),
        refusal(BUDGET),
        whole(
            b"<html>413 Request Entity Too Large</html>",
            status=413,
            headers=[(b"Content-Type", b"text/html")],
        ),
        whole(json.dumps({"error": OPENAI, "padding": "x" * 70_000}).encode(), status=400),
        (head(400, [*JSON, (b"Content-Length", b"900")]) + json.dumps(OPENAI).encode(), End.CLOSE),
    ],
)
async def test_any_other_refusal_is_relayed_and_nothing_is_asked_again(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, refused: Any
) -> None:
    await given_memory(proxy, user)
    upstream.answers.append(refused)

    answer = await proxy.say(user, WHICH_TEA)

    assert len(upstream.received) == 1
    assert TEA in upstream.last.system
    assert b"".join(each for each in refused if isinstance(each, bytes)).endswith(answer.body)
    assert answer.body


async def test_a_chat_without_room_is_sent_once_each_turn_until_it_is_shorter(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    asked = {"role": "user", "content": WHICH_TEA}
    longer = [
        asked,
        {"role": "assistant", "content": "Assam."},
        {"role": "user", "content": "And which tea is my favourite?"},
    ]
    upstream.answers += [refusal(OPENAI), whole(completion_body("Assam."))]
    await proxy.say(user, [asked])
    upstream.received.clear()

    full = await proxy.say(user, longer)
    other_chat = await proxy.say(user, longer, chat="chat-2")
    other_model = await proxy.say(user, longer, model="larger")
    shorter = await proxy.say(user, [{"role": "user", "content": "My favourite tea?"}])

    assert [TEA.encode() in each.body for each in upstream.received] == [False, True, True, True]
    assert full.header(b"x-recollect-skipped") == b"context-length"
    for answer in (other_chat, other_model, shorter):
        assert answer.header(b"x-recollect-skipped") is None


@in_turn("again", [refusal(OPENAI), refusal(BUDGET), failure(429), failure(500)])
async def test_a_chat_is_full_only_if_it_is_answered_without_memories(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, again: Any
) -> None:
    await given_memory(proxy, user)
    upstream.answers += [refusal(OPENAI), again, whole(completion_body("Assam."))]
    await proxy.say(user, WHICH_TEA)

    answer = await proxy.say(user, WHICH_TEA + " Please.")

    assert len(upstream.received) == 3
    assert TEA in upstream.last.system
    assert answer.header(b"x-recollect-skipped") is None
