"""A statement is kept if its quote is the person's, and changes known memories as its relation says."""

import json
from typing import Any

from tests.recollect_proxy.frontends import Frontend
from tests.scripted.extraction import Lesson, Pupil, memories_shown, statement
from tests.scripted.upstream import Received, ScriptedUpstream, completion
from tests.servers.running_proxy import RunningProxy, User

COFFEE = "You drink five cups of coffee a day"


async def test_what_a_short_answer_confirms_is_read_in_the_request_where_the_log_has_no_beginning(
    proxy: RunningProxy, pupil: Pupil, user: User
) -> None:
    key = "sk-proj-Zk3Qm8vTn2Wx7Lp4Rb9Yc6Hd"
    pupil.extracts = lambda _: [
        statement("exactly!", "Drinks five cups of coffee a day", confirms=COFFEE),
        statement("exactly!", "Is a vegan", confirms="You are a vegan"),
    ]

    await proxy.say(
        user,
        [
            {"role": "user", "content": "Why can't I sleep?"},
            {"role": "assistant", "content": f"<think>a nurse called Otto</think>{key} {COFFEE}, right?"},
            {"role": "user", "content": "exactly!"},
        ],
    )
    await proxy.formed(user)

    assert await proxy.statements(user) == ["Drinks five cups of coffee a day"]
    asked = json.dumps([each.json for each in pupil.asked])
    assert COFFEE in asked
    assert key not in asked
    assert "Otto" not in asked


async def test_what_contradicts_or_ends_a_known_memory_takes_its_place_though_it_shares_its_words(
    proxy: RunningProxy, pupil: Pupil, user: User
) -> None:
    told = ("Has a job interview at Aldi on 3 December", "Wears a brace", "Is getting divorced from Tom")
    pupil.lessons = [Lesson("interview at Aldi on 3 December", told[0]), Lesson("brace", told[1])]
    pupil.lessons += [Lesson("divorced from Tom", told[2])]
    await proxy.say(user, "interview at Aldi on 3 December, brace, getting divorced from Tom", chat="told")
    await proxy.memories(user, at_least=3)
    await proxy.formed(user)

    def changed(request: Received) -> list[dict[str, Any]]:
        known = memories_shown(request)
        interview, brace, divorce = (known.index(each) for each in told)
        return [
            statement("they took me!!", "Got the job at Aldi", relation="contradicts", about=[interview]),
            statement("it is out", "Feels well", importance=0.0, ends=[brace]),
            statement(
                "not doing it after all", "Is not divorcing Tom", relation="contradicts", about=[divorce]
            ),
        ]

    pupil.extracts = changed
    await proxy.say(user, "they took me!! and it is out. we're not doing it after all", chat="news")
    await proxy.formed(user)

    kept = {memory.content for memory in await proxy.memories(user)}
    assert kept == {"Got the job at Aldi", "Is not divorcing Tom"}


async def test_a_message_of_a_word_or_two_is_shown_to_the_model_and_small_talk_is_not(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    telling = (
        *(
            "Diyabetim var.",
            "당뇨가 있어요",
            "Bin schwanger",
            "Estou grávida",
            "Peanut allergy!",
            "Vegan.",
            "我怀孕了",
        ),
        *(
            "妊娠中です",
            "أنا حامل",
            "Я беременна",
            "Είμαι έγκυος",
            "אני צמחוני",
            "मैं शाकाहारी हूँ",
            "Nina siku 40",
        ),
    )
    answers = ("Mia", "Уфа", "دبي", "42", "दिल्ली", "東京", "Ó", "Ja, Ben")
    empty = ("Thanks!", "ok", "Hallo", "👍", "ありがとう")
    pupil.lessons = [Lesson(each) for each in (*telling, *answers, *empty)]
    for number, words in enumerate((*telling, *empty)):
        await proxy.say(user, words, chat=f"told-{number}")
    upstream.otherwise = lambda _request: completion("Which one is it;")
    for number, words in enumerate(answers):
        frontend = Frontend(proxy, upstream, user, chat=f"asked-{number}")
        await frontend.says("Hello there, my friend")
        await frontend.says(words)
    await proxy.formed(user)

    assert sorted(await proxy.statements(user)) == sorted([*telling, *answers])
    assert [words for words in empty if pupil.extractions(words)] == []
