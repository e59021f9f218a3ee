"""Only the speaker's own words reach the log, the memories and recall."""

import base64
import json

from tests.recollect_proxy.frontends import Frontend
from tests.scripted.extraction import Lesson, Pupil, messages_shown, shown, statement
from tests.scripted.upstream import ScriptedUpstream, completion, completion_body, events, streamed
from tests.servers.running_proxy import RunningProxy, User

PHOTO = base64.b64encode(bytes(range(256)) * 2_400).decode()
ASKS = "So you work nights, right?"
THOUGHT = "may be a nurse called Otto"
NOISE = "".join(
    f"The tram number {n} passes the bakery, the garden and the harbour at {n} o'clock.\n" for n in range(60)
)


async def test_a_photo_in_a_text_is_relayed_and_a_mark_of_it_kept(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    photo = f"![x](data:image/png;base64,{PHOTO})"
    upstream.answers.append(completion(f"{photo} A fine dog."))

    answer = await proxy.say(user, f"{photo} He weighs 11 kg")

    assert answer.body == completion_body(f"{photo} A fine dog.")
    assert PHOTO.encode() in upstream.last.body
    assert await proxy.logged(user) == [
        ("user", "![image] He weighs 11 kg"),
        ("assistant", "![image] A fine dog."),
    ]


AROUND = f"<system-reminder>\n{NOISE}</system-reminder>\n{{}}"


async def test_recall_asks_with_the_persons_words(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    key = "I put the spare key under the blue flower pot"
    pupil.lessons.append(Lesson(key, importance=0.2))
    await Frontend(proxy, upstream, user, "one").says(f"{key}.")
    await proxy.formed(user)

    asked = await Frontend(proxy, upstream, user, "two").says(AROUND.format("Where did I put the spare key?"))

    assert key in asked.text


async def test_of_several_people_under_one_user_each_statement_names_whose_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    pupil.lessons += [
        Lesson("I cannot eat gluten", "Cannot eat gluten"),
        Lesson("I run marathons", "Runs marathons"),
        Lesson("the allotment is mine", "Greta has an allotment"),
    ]
    chat = Frontend(proxy, upstream, user, "room")
    for name, text in (
        ("Greta", "I cannot eat gluten."),
        ("Otto", "I run marathons, and the allotment is mine."),
    ):
        chat.messages.append({"role": "user", "name": name, "content": text})
        await chat.again()
        chat.messages.append({"role": "assistant", "content": "All right."})
        await proxy.formed(user)

    assert sorted(await proxy.statements(user)) == ["Greta: Cannot eat gluten", "Otto: Runs marathons"]
    last = next(each for each in reversed(pupil.asked) if shown(each, "Message 1 by Otto"))
    assert messages_shown(last) == ["I run marathons, and the allotment is mine."]
    assert "Greta: I cannot eat gluten." in shown(last, "Earlier in this chat")[0]


async def test_an_answers_thought_is_relayed_and_neither_kept_nor_confirmed(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User
) -> None:
    pieces = [f"<think>{THOUGHT}", "</th", f"ink> {ASKS}"]
    stream = b"".join(events(*pieces))
    upstream.answers.append(streamed(stream))
    pupil.extracts = lambda _: [
        statement("a nurse called Otto"),
        statement("you work nights", "Works nights"),
    ]

    answer = await proxy.say(user, "Hello.", stream=True)
    await proxy.formed(user)
    sent_back = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "".join(pieces)},
        {"role": "user", "content": "exactly!"},
    ]
    await proxy.say(user, sent_back)

    assert answer.body == stream
    assert (await proxy.logged(user))[1] == ("assistant", ASKS)
    assert await proxy.statements(user) == ["Works nights"]
    assert all(THOUGHT not in json.dumps(each.json) for each in pupil.asked)
