"""A statement is kept if its quote is the person's, and changes known memories as its relation says."""

import json

from tests.recollect_proxy.frontends import Frontend
from tests.scripted.extraction import Lesson, Pupil, statement
from tests.scripted.upstream import ScriptedUpstream, completion
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
