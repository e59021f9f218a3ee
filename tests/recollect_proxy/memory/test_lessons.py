"""The lessons in an agent's memory are recalled for the tasks that need them, without hints of a model."""

from uuid import uuid4

from tests.recollect.formation.test_dictation import LESSONS
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User

from recollect.model import Kind, project_scope

TASKS = {
    "Can you run the tests?": "Tests run with `make test`",
    "Commit what you have done": "Always run `make lint`|Commit messages are",
    "The tests fail with UndefinedTable, why?": "Run `make migrate`",
    "Build the frontend": "The build needs Node 20",
    "Why did we choose asyncpg?": "We decided to use asyncpg",
    "Install the dependencies": "Use `uv pip sync`",
    "Change the field in src/generated/orders.py": "Never edit files in src/generated",
    "test_reconnect is red again, have a look": "The flaky test test_reconnect",
    "There is a deadlock in the orders service": "Next time, look at the lock order",
    "Write a commit message for this change": "Commit messages are",
    "Connect to the staging database and count the orders": "The staging database",
    "Push this to main": "Don't push to main",
    "Open a pull request": "The user wants small pull requests|Don't push to main",
    "Who reviews the change in billing?": "The reviewer is Maria",
    "When is the next deploy?": "Deploys go out",
    "Write a test for the order repository with a mocked database": "Do not use mocks",
    "Upgrade pydantic": "Attempted to upgrade pydantic",
    "CI is red on arm64": "If the CI is red",
    "Run scripts/backfill.py": "You must set PYTHONPATH",
    "A customer wants 150 EUR back": "Refunds over 100",
    "Make the report of the quarter": "The report must be in PDF",
    "Search arXiv for papers on retrieval": "arXiv's API needs",
    "Run the e2e tests": "The command `npm run e2e`",
    "Run terraform apply for the cache": "Failed: `terraform apply`",
    "Format this Go file": "Prefers tabs",
    "Call the orders endpoint": "The endpoint /v2/orders",
    "Delete the old branches": "Ask before deleting",
    "The queue has 4000 jobs": "Escalate to the on-call",
    "What is still to do?": "To do: rename",
    "Which key does the sandbox take?": "The API key for the sandbox",
}
"""Each with the beginnings of the lessons that it needs."""
UNRELATED = (
    "Write a haiku about rain",
    "What is the capital of Peru?",
    "Explain how a B-tree works",
    "Translate 'good morning' into Spanish",
    "Thanks, that is all",
    "Summarize the plot of Hamlet",
    "How many days has February?",
    "What is a monad?",
    "Name three rivers in Africa",
    "Sort this list: 3, 1, 2",
)
LEAST = 25
"""Of the thirty tasks; 27 were seen."""
PLACE = "agent:coder"


async def test_a_task_gets_its_lesson_and_other_questions_none(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    dictate = listening_proxy.engine.agents.dictate
    for lesson in LESSONS:
        scope = project_scope(user.known_as, PLACE)
        await dictate(scope, lesson, kind=Kind.FACT, importance=0.5, agent="mcp: a coder")

    async def recalled_for(said: str) -> list[str]:
        extra = [(b"X-Recollect-Remember", b"off"), (b"X-Recollect-Project", PLACE.encode())]
        await listening_proxy.say(user, said, chat=uuid4().hex, extra=extra)
        lines = upstream.last.system.splitlines()
        return [line.removeprefix("\u2022 ") for line in lines if line.startswith("\u2022")]

    missed = []
    for task, needed in TASKS.items():
        found = await recalled_for(task)
        if not all(any(line.startswith(each) for line in found) for each in needed.split("|")):
            missed.append(task)
    needless = [each for each in UNRELATED if await recalled_for(each)]

    assert len(TASKS) - len(missed) >= LEAST, missed
    assert needless == []
