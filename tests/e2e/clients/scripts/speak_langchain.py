"""LangChain's ChatOpenAI asks a question."""

from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]  # of the clients' own environment
from task import TASK, tell  # type: ignore[import-not-found]  # beside this script

model = ChatOpenAI(
    model="scripted",
    base_url=TASK.address + "/v1",
    api_key=TASK.key,
    default_headers=TASK.headers,
    include_response_headers=True,
    use_responses_api="responses" in TASK.way,
    temperature=0.5,
    max_retries=0,
)
if "stream" in TASK.way:
    pieces = [piece.text for piece in model.stream(TASK.question)]
    tell({"said": [piece for piece in pieces if piece]})
else:
    answer = model.invoke(TASK.question)
    tell({"said": answer.text, "headers": dict(answer.response_metadata["headers"])})
