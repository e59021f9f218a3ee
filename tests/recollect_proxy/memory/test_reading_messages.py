"""Of messages and answers the words of who speaks are read, at the wire: in the log, in memories, in what is recalled."""

import base64
import json

from tests.recollect_proxy.frontends import Frontend
from tests.recollect_proxy.in_turn import in_turn
from tests.running_proxy import RunningProxy, User
from tests.scripted_extraction import Lesson, Pupil, messages_shown, shown, statement
from tests.scripted_upstream import ScriptedUpstream, completion, completion_body, events, streamed

PHOTO = base64.b64encode(bytes(range(256)) * 2_400).decode()
ASKS = "So you work nights, right?"
THOUGHT = "may be a nurse called Otto"
OTHERS = "I live in Bergen."
NOISE = "".join(
    f"The tram number {n} passes the bakery, the garden and the harbour at {n} o'clock.\n" for n in range(60)
)


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


PASTES = [
    "[file content begin]\n{}\n[file content end]\nPlease sum this up for my nurse Ada.",
    "<page_content>\n{}\n</page_content>\nPlease sum this up for my nurse Ada.",
    "<selection>\n{}\n</selection>\nPlease sum this up for my nurse Ada.",
    "Please proofread this for my nurse Ada:\n---\n{}\n---",
    "Please answer this for my nurse Ada.\n\n[12.03.26, 10:15] Otto: {}",
    "![{}](https://example.org/a.png) What breed is that? my nurse Ada asks.",
    "[CONTEXT 0]:\n{}\n\nWhat is my nurse Ada to know?",
    "Ask my nurse Ada.\n\nOn 2 March 2026 at 09:12, Otto Berg <o@example.org> wrote:\n> {}\n> Otto",
    "Ada is my nurse. She wrote \u201c{} And I am allergic to all kinds of nuts.\u201d today.",
]


@in_turn("paste", PASTES)
async def test_what_others_wrote_is_no_memory_even_of_a_credulous_model_and_not_recalled_as_the_persons_word(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User, paste: str
) -> None:
    pupil.extracts = lambda _: [statement(OTHERS, "Lives in Bergen"), statement("my nurse", "Has a nurse")]

    await Frontend(proxy, upstream, user, "one").says(paste.format(OTHERS))
    await proxy.formed(user)
    asked = await Frontend(proxy, upstream, user, "two").says("In which town do I live?")

    assert await proxy.statements(user) == ["Has a nurse"]
    assert "Bergen" not in asked.text


@in_turn(
    ("message", "kept"),
    [
        ("<me>{}</me>", ["Lives in Bergen"]),
        ("[spoiler]{}[/spoiler]", ["Lives in Bergen"]),
        ("BEGIN\n{}\nEND", ["Lives in Bergen"]),
        ("FROM: HR <hr@example.org>\nSubject: Your offer\nWelcome aboard!\n----\n{}", ["Lives in Bergen"]),
        ("<me>{}</me>\nWhat can I cook?", []),
        ("> {}\n> My son is vegan.\nWhat can we cook?", []),
    ],
)
async def test_what_a_person_marks_off_is_shown_to_the_model_and_proves_a_statement_where_it_is_all_they_say(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User, message: str, kept: list[str]
) -> None:
    pupil.extracts = lambda _: [statement(OTHERS, "Lives in Bergen")]

    await Frontend(proxy, upstream, user, "one").says(message.format(OTHERS))
    await proxy.formed(user)

    assert pupil.extractions(OTHERS)
    assert await proxy.statements(user) == kept


@in_turn(
    "around",
    [
        f"<system-reminder>\n{NOISE}</system-reminder>\n{{}}",
        f"<open_files>\n{NOISE}</open_files>\n\n{{}}",
        f"<context>\n{NOISE}</context>\n<user_query>\n{{}}\n</user_query>\n<environment>\n{NOISE}</environment>",
    ],
)
async def test_recall_asks_with_the_persons_words(
    proxy: RunningProxy, upstream: ScriptedUpstream, pupil: Pupil, user: User, around: str
) -> None:
    key = "I put the spare key under the blue flower pot"
    pupil.lessons.append(Lesson(key, importance=0.2))
    await Frontend(proxy, upstream, user, "one").says(f"{key}.")
    await proxy.formed(user)

    asked = await Frontend(proxy, upstream, user, "two").says(around.format("Where did I put the spare key?"))

    assert key in asked.text


async def test_a_chat_is_known_again_whatever_an_editor_puts_around_its_messages(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    chat = Frontend(proxy, upstream, user, None)
    words = "I keep bees in Basel."
    await chat.says(f"<open_files>\na.py\n</open_files>\n{words}")
    chat.messages[0]["content"] = words
    await chat.says("And a cat.")

    sessions = await proxy.api(b"GET", f"/users/{user.id}/sessions")
    assert len(sessions.json["sessions"]) == 1


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
