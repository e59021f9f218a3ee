"""The LLM's answers to chats are counted with their times and tokens; refused and broken ones are not."""

from tests.scripted.upstream import End, ScriptedUpstream, completion, failure
from tests.servers.running_proxy import RunningProxy, User


async def test_an_answer_is_counted_and_a_failure_is_not(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    answers = proxy.app.engine.answers
    before = sum(answers.to_end.counts), answers.prompt_tokens.total
    upstream.answers += [failure(500), (End.CLOSE,), (End.CLOSE,), completion("Nice.")]

    for _ in range(3):
        await proxy.say(user, "My cat is called Minka.")
    await proxy.settle()

    assert sum(answers.to_end.counts) - before[0] == 1
    assert 0 < answers.to_first_byte.total <= answers.to_end.total
    assert answers.prompt_tokens.total > before[1]
