"""A question is searched for in later chats if a memory was formed of it; one that taught nothing is not."""

from tests.recollect_proxy.frontends import Frontend
from tests.scripted.extraction import Lesson, Pupil
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User
from tests.support.waiting import until

TELLING = {
    "Should I take the Seville job?": "Has an offer of a job in Seville",
    "Soll ich mit meinem Rheuma schwimmen?": "Hat Rheuma",
    "¿Dejo el piano?": "Toca el piano",
    "腰痛でも走っていい?": "腰痛がある",
}
ASKING = ("What is my job?", "Wo wohne ich?", "¿Dónde vivo?", "私はどこに住んでいますか?")


async def test_a_question_that_taught_something_is_found_and_one_that_taught_nothing_is_not(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    pupil.lessons = [Lesson(words, content) for words, content in TELLING.items()]
    for number, said in enumerate((*ASKING, *TELLING)):
        await Frontend(proxy, upstream, user, chat=f"chat-{number}").says(said)
    await proxy.formed(user)
    found: set[str] = set()

    async def all_found() -> bool:
        rows = await proxy.rows(
            "SELECT m.content FROM recollect.messages AS m JOIN recollect.message_chunks AS k "
            "ON k.user_id = m.user_id AND k.message_id = m.id WHERE m.user_id = $1 AND m.role = 'user'",
            user.known_as,
        )
        found.update(row["content"] for row in rows)
        return found >= set(TELLING)

    await until(all_found)
    assert found == set(TELLING)
