"""The LiteLLM SDK asks a question."""

import litellm  # type: ignore[import-not-found]  # of the clients' own environment
from task import TASK, tell  # type: ignore[import-not-found]  # beside this script

answer = litellm.completion(
    model="openai/scripted",
    messages=[{"role": "user", "content": TASK.question}],
    api_base=TASK.address + "/v1",
    api_key=TASK.key,
    extra_headers=TASK.headers,
    temperature=0.5,
    stream=TASK.way == "stream",
    num_retries=0,
)
if TASK.way == "stream":
    pieces = [chunk.choices[0].delta.content for chunk in answer]
    tell({"said": [piece for piece in pieces if piece]})
else:
    headers = answer._hidden_params["additional_headers"]  # where LiteLLM documents them
    tell({"said": answer.choices[0].message.content, "headers": dict(headers)})
