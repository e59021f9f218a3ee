"""Cases are run through the engine as it is, and what came of them is read from the store."""

from typing import Any

import pytest
from rich.progress import Progress
from tests.bench.conversations import TITLE
from tests.bench.formation_cases import (
    as_case,
    bench_over,
    given_case,
    item,
    stored,
    truth,
)
from tests.people import person
from tests.stores import Store

from bench.formation.cases import Case
from bench.formation.opening import Bench, open_bench
from bench.formation.outcome import Outcome, holds, read_outcome
from bench.formation.running import bench_cases, run_cases
from bench.formation.scripts import CaseScript, ScriptedExtractor, ScriptedJudge
from bench.formation.staging import CHAT, StagingError, drain, hear_message, stage
from recollect.errors import InvalidExtractionError
from recollect.model import Formed, Ignore, Reason, Scope
from recollect.ports import Asker
from recollect_proxy.settings.proxy_settings import ProxySettings

CYCLING = {"extracted": [item("Cycles to work every day.", "I cycle to work every day")]}


@pytest.fixture
def bench(store: Store) -> Bench:
    return bench_over(store)


def new_case(said: str, **changed: Any) -> Case:
    """Return a case of somebody new."""
    return as_case(given_case(said, id=str(person("en-good")), **changed))


async def played(bench: Bench, said: str, **changed: Any) -> Outcome:
    return await read_outcome(bench, await stage(bench, new_case(said, **changed)))


async def test_what_is_quoted_is_kept_and_what_is_not_is_refused(bench: Bench) -> None:
    found = await played(
        bench,
        "I cycle to work every day, which lock is good?",
        extracted=[*CYCLING["extracted"], item("Owns a red car.", "my red car")],
        truth=[truth("add"), truth("ignore", 1)],
    )

    assert [(each.right, each.decided.reason) for each in found.judgements] == [
        (True, "new"),
        (True, "no_evidence"),
    ]
    assert (found.kept, found.consistent, found.stands) == (1, True, True)


async def test_stored_memories_are_there_with_their_dates_and_may_be_replaced(bench: Bench) -> None:
    found = await played(
        bench,
        "I moved to Linz last week",
        stored=[stored("Lives in Graz", event_date="2025-12-24", evidence="I live in Graz")],
        extracted=[item("Lives in Linz", "I moved to Linz", relation="contradicts", about=0)],
        truth=[truth("replace", 0, 0)],
    )

    [update] = [
        each for each in await bench.backends.memories.history(found.case.id, limit=9) if each.replaced_id
    ]
    assert update.before == "Lives in Graz"
    assert (found.gone, found.kept, found.stands) == (frozenset({0}), 1, True)


async def test_what_stood_in_the_prompt_and_nowhere_else_is_refused_as_injected(bench: Bench) -> None:
    found = await played(
        bench,
        "Which bread is good?",
        stored=[stored("Bakes sourdough bread every Sunday")],
        injected=[0],
        extracted=[item("Bakes sourdough bread", "Bakes sourdough bread every Sunday")],
        truth=[truth("ignore")],
    )

    [judgement] = found.judgements
    assert (judgement.right, judgement.decided.reason) == (True, "injected")
    assert found.re_extracted == 0


async def test_the_history_is_in_the_log_before_and_its_first_message_bears_the_block(
    bench: Bench,
) -> None:
    history = [
        {"role": "user", "text": "Which bread is good?"},
        {"role": "assistant", "text": "Sourdough, as you bake it on Sundays."},
    ]

    found = await played(
        bench,
        "And which butter?",
        history=history,
        stored=[stored("Bakes sourdough bread every Sunday")],
        injected=[0],
        extracted=[item("Bakes sourdough", "Bakes sourdough bread every Sunday")],
        truth=[truth("ignore")],
    )

    chat = await bench.backends.chats.chat(Scope(found.case.id, CHAT), exchanges=9)
    assert [each.said for each in chat.exchanges] == ["Which bread is good?", "And which butter?"]
    assert [each.anchor for each in chat.injections] == [chat.exchanges[0].anchor]
    assert found.judgements[0].decided.reason == "injected"


async def test_what_the_second_model_chooses_is_asked_by_memory(bench: Bench) -> None:
    case = new_case(
        "I cycle",
        stored=[stored("Cycles"), stored("Runs")],
        forgotten=[1],
        **CYCLING | {"truth": [truth("add")]},
    )
    staged = await stage(bench, case)
    ids = tuple(memory.id for memory in staged.stored)
    scripts = {case.id: CaseScript(case, ids)}
    extractor, judge = ScriptedExtractor(scripts), ScriptedJudge(scripts)
    assert staged.completed is not None
    exchange = staged.completed.formed.exchange
    assert len((await extractor.extract([exchange], staged.stored)).candidates) == 1
    asker = Asker(case.id, "any")

    assert (await judge.choose("that", [*reversed(staged.stored)], asker)).numbers == (0,)
    silent = ScriptedJudge({case.id: CaseScript(as_case(given_case("I cycle")), ())})
    with pytest.raises(InvalidExtractionError):
        await silent.choose("that", staged.stored, asker)
    await extractor.aclose()


@pytest.mark.parametrize(
    ("model", "shown", "about", "relation", "affects"),
    [
        ("wrong", (0, 1), 1, "refines", (0,)),
        ("wrong", (1,), 0, "refines", ()),
        ("wrong", (0,), None, "new", (0,)),
        ("nothing", (0, 1), None, "new", ()),
    ],
)
async def test_an_item_is_about_what_the_model_was_shown_by_its_number_there(
    bench: Bench,
    model: str,
    shown: tuple[int, ...],
    about: int | None,
    relation: str,
    affects: tuple[int, ...],
) -> None:
    case = new_case(
        "I cycle",
        model=model,
        stored=[stored("Cycles"), stored("Runs")],
        extracted=[item("Cycles daily", "I cycle", about=1, relation="refines", affects=[0])],
        truth=[truth("add")],
    )
    staged = await stage(bench, case)
    assert staged.completed is not None
    known = [staged.stored[number] for number in shown]
    extractor = ScriptedExtractor(bench.scripts)

    [candidate] = (await extractor.extract([staged.completed.formed.exchange], known)).candidates

    assert (next(iter(candidate.about), None), candidate.relation, candidate.unsettles) == (
        about,
        relation,
        affects,
    )


async def test_a_secret_that_is_anywhere_is_a_leak(bench: Bench) -> None:
    found = await played(
        bench,
        "our cat is called Biscuit and our dog is called Crumb",
        extracted=[item("Cat is called Biscuit", "our cat is called Biscuit")],
        truth=[truth("add")],
        redacted=["BIS-CUIT", "never said"],
    )

    assert found.leaks == 1
    assert not found.stands


def test_a_secret_is_found_however_it_is_spaced() -> None:
    assert holds(["card 4111-1111 1111.1111 it is"], "4111 1111 1111 1111")
    assert not holds(["card 4111"], "4111 1111")


async def test_a_message_that_nobody_hears_forms_nothing(bench: Bench) -> None:
    found = await played(bench, TITLE, **CYCLING, truth=[truth("ignore")], redacted=["Biscuit"])

    assert found.unheard == "task"
    assert [each.decided.reason for each in found.judgements] == ["not_asked"]


@pytest.mark.parametrize(("forgotten", "is_gone"), [(None, True), ([0], True), ([], False)])
async def test_a_statement_without_an_item_is_right_or_missed_and_labels_tell_the_wish_to_forget(
    bench: Bench, forgotten: list[int] | None, *, is_gone: bool
) -> None:
    found = await played(
        bench,
        "which gears are good? no, forget that I cycle",
        truth=[truth("add", None), truth("retire", None, 0)],
        stored=[stored("Cycles")],
        forgotten=forgotten,
    )

    assert [each.right for each in found.judgements] == [False, is_gone]
    assert found.judgements[0].decided.reason == "not_asked"


async def test_the_inbox_that_records_does_what_the_other_does(own_store: Store) -> None:
    bench = bench_over(own_store)
    case = new_case("I cycle to work")
    turn = hear_message(case, 0).turn
    assert turn is not None
    bench.clock.move_to(case.said_at)
    await bench.engine.remember(turn, "Good.")
    inbox, now = bench.inbox, bench.clock()
    [pending] = await inbox.pending(case.id, limit=5)

    done = Formed(pending.exchange, (Ignore(Reason.EMPTY),))
    assert await inbox.complete([done], at=now) == [[Ignore(Reason.EMPTY)]]
    assert await inbox.complete([done], at=now) is None
    assert list(inbox.completed) == [turn.key]
    inbox.forget()
    assert inbox.completed == {}


async def test_what_can_not_be_brought_about_is_told(bench: Bench) -> None:
    twice = new_case("Hi", stored=[stored("Cycles"), stored("cycles.")])
    silent = new_case("Hi", history=[{"role": "user", "text": TITLE}, {"role": "assistant", "text": "Hi"}])

    with pytest.raises(StagingError, match="stores the same twice"):
        await stage(bench, twice)
    with pytest.raises(StagingError, match="nobody hears message 0"):
        await stage(bench, silent)


async def test_formation_that_never_ends_is_told(bench: Bench) -> None:
    case = new_case("I cycle")
    turn = hear_message(case, 0).turn
    assert turn is not None
    bench.clock.move_to(case.said_at)
    await bench.engine.remember(turn, "")
    async with bench.backends.inbox.lease(case.id):  # so that formation is always somebody else's
        with pytest.raises(StagingError, match="does not end"):
            await drain(bench, case.id)


def test_a_named_speaker_is_named_in_every_message_of_theirs() -> None:
    history = [{"role": "user", "text": "Hello"}, {"role": "assistant", "text": "Hi"}]
    case = as_case(given_case("I cycle", speaker="Ada", history=history))

    turn = hear_message(case, 2).turn

    assert turn is not None
    assert turn.speaker == "Ada"
    assert [message.speaker for message in turn.history] == ["Ada", None]


async def test_cases_run_one_after_another_each_for_a_user_of_its_own(
    bench: Bench, progress: Progress
) -> None:
    cases = [new_case("I cycle to work every day", truth=[truth("add")], **CYCLING) for _ in range(2)]

    found = await run_cases(bench, cases, progress)

    assert [each.stands for each in found] == [True, True]


@pytest.mark.usefixtures("ready_server")
async def test_cases_are_measured_over_a_real_database(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    secret = as_case(
        given_case(
            "my password is Tulip!Sofa44 and I cycle to work every day",
            id="secret",
            redacted=["Tulip!Sofa44"],
            truth=[truth("add")],
            **CYCLING,
        )
    )
    forgetting = as_case(
        given_case(
            "forget that I keep bees, please",
            id="forgetting",
            stored=[stored("Keeps bees"), stored("Keeps hens")],
            wishes=[{"asking": "forget", "evidence": "forget that I keep bees, please", "about": [0]}],
            truth=[truth("retire", None, 0)],
            **{"class": "request"},
        )
    )

    figures = await bench_cases([secret, forgetting], operator_settings, progress=progress, what="two cases")

    assert figures["overall"]["cases"] == {"of": 2, "count": 2, "share": 1.0}
    assert figures["overall"]["leaks"] == {"of": 1, "count": 0}
    assert figures["overall"]["requests"]["forget"]["count"] == 1
    assert figures["overall"]["inconsistent_audits"] == 0
    assert figures["settings"]["embedder"].startswith("local:")


@pytest.mark.usefixtures("ready_server")
async def test_nothing_is_let_go_of_for_its_number_and_nothing_waits(
    operator_settings: ProxySettings, progress: Progress
) -> None:
    many = [item(f"Owns {n} pots", f"{n} pots") for n in range(3)]
    case = as_case(
        given_case(
            "I own 0 pots, 1 pots and 2 pots", extracted=many, truth=[truth("add", n) for n in range(3)]
        )
    )
    capped = operator_settings.model_copy(update={"user_cap": 1, "session_cap": 1, "memories_per_hour": 1})

    async with open_bench(capped) as bench:
        [found] = await run_cases(bench, [case], progress)

    assert found.kept == 3
