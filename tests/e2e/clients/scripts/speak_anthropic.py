"""The Anthropic SDK asks a question."""

from anthropic import Anthropic, APIStatusError  # type: ignore[import-not-found]  # of the clients' environment
from task import TASK, tell  # type: ignore[import-not-found]  # beside this script

client = Anthropic(base_url=TASK.address, api_key=TASK.key, default_headers=TASK.headers, max_retries=0)
request = {"model": "scripted", "max_tokens": 100, "messages": [{"role": "user", "content": TASK.question}]}
if TASK.way == "stream":
    with client.messages.stream(**request) as stream:
        pieces = list(stream.text_stream)
        tell({"said": pieces, "final": stream.get_final_message().content[0].text})
elif TASK.way == "error":
    try:
        client.messages.create(**request)
    except APIStatusError as error:
        tell({"class": type(error).__name__, "status": error.status_code, "body": error.body})
else:
    answer = client.messages.with_raw_response.create(**request)
    tell({"said": answer.parse().content[0].text, "headers": dict(answer.headers)})
