import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.formation.new_memories import Origin
from recollect.formation.reconciliation import reconcile
from recollect.formation.verification import AcceptedCandidate, RefusedCandidate
from recollect.model import (
    COMMONS,
    STATEMENTS,
    Add,
    Candidate,
    Change,
    Doubt,
    Erase,
    Exchange,
    Hide,
    Hints,
    Ignore,
    Kind,
    Limit,
    Mark,
    Memory,
    Provenance,
    Reason,
    Reinforce,
    Relation,
    Replace,
    Retire,
    Scope,
    Source,
    Turn,
    Use,
)
from recollect.text.comparison import of_candidate, of_memory, same_letter, veto
from recollect.text.normalization import content_hash

NEW, REPEATS, REFINES, CONTRADICTS = Relation
SAID_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
EARLIER = SAID_AT - timedelta(days=30)
JANUARY = SAID_AT + timedelta(days=40)
NOW = SAID_AT + timedelta(seconds=5)
MESSAGE = (UUID(int=2_000),)


def exchange(turn: int) -> Exchange:
    said = Turn(Scope("anna", "chat-1"), "words", f"m{turn}", SAID_AT + timedelta(minutes=turn), "a-model")
    return Exchange(UUID(int=1_000 + turn), said, "reply", UUID(int=2_000 + turn), UUID(int=3_000 + turn))


def known(number: int, content: str = "Lives in Kassel", **changed: Any) -> Memory:
    memory = Memory(UUID(int=number), "anna", Kind.FACT, Source.EXTRACTED, content, 0.5, EARLIER, EARLIER)
    return replace(memory, **changed)


def candidate(
    content: str = "Lives in Leipzig", relation: Relation = NEW, *about: int, **changed: Any
) -> Candidate:
    return replace(Candidate(content, Kind.FACT, 0.5, "as I said", 0.9, relation, about), **changed)


def reconciled(
    said: Sequence[Candidate | tuple[Candidate, int]],
    *shown: Memory,
    nearby: Sequence[Memory] = (),
    ending: Sequence[RefusedCandidate] = (),
    **origin: Any,
) -> list[Change]:
    ids: Iterator[int] = count(100)
    told = {"asked": frozenset(), "corrects": frozenset(), "extractor": "a-model@7", **origin}
    turns = [exchange(turn) for turn in range(3)]
    made = Origin(turns, "tiny", NOW, lambda: UUID(int=next(ids)), **told)
    pairs = [each if isinstance(each, tuple) else (each, 0) for each in said]
    weighed = [AcceptedCandidate(*each, np.ones(2, np.float32)) for each in pairs]
    return [change for _, change in reconcile(weighed, shown, nearby, made, ending=ending)]


def decisions(changes: Sequence[Change]) -> str:
    """Return each change's type, reason, memory, and the rule or the answer that decided it."""
    targets = (getattr(change, "old", getattr(change, "target", None)) for change in changes)
    return "; ".join(
        f"{type(change).__name__} {change.reason} {target.int if target else '-'}: {getattr(change, 'decided_by', '')}"
        for change, target in zip(changes, targets, strict=True)
    )


def test_what_is_new_is_added_with_all_that_is_known_of_it() -> None:
    hints = Hints(Use.ASKED, ("city guides",), ("Was ist hier los?", "What is on here?"))
    held: dict[str, Any] = {"event_at": EARLIER, "holds_from": EARLIER, "holds_until": NOW, "hints": hints}

    [first, second] = reconciled([candidate(evidence="I moved", **held), (candidate("Plays chess"), 1)])

    assert isinstance(first, Add)
    assert isinstance(second, Add)
    assert first.memory.embedding is not None
    assert first.memory == Memory(
        id=UUID(int=100),
        owner="anna",
        kind=Kind.FACT,
        source=Source.EXTRACTED,
        content="Lives in Leipzig",
        importance=0.5,
        confidence=0.9,
        observed_at=SAID_AT,
        created_at=NOW,
        provenance=Provenance("chat-1", MESSAGE, "I moved", "a-model@7"),
        embedding_model="tiny",
        **held,
    )
    proven_by = (second.memory.observed_at, second.memory.provenance.message_ids)
    assert proven_by == (SAID_AT + timedelta(minutes=1), (UUID(int=2_001),))


@table(
    ("said", "fields", "use"),
    [
        (Use.ALWAYS, {"kind": Kind.PREFERENCE}, Use.ALWAYS),
        (Use.ALWAYS, {"kind": Kind.FACT}, Use.ALWAYS),
        (Use.ALWAYS, {"kind": Kind.TODO}, Use.TOPIC),
        (Use.ALWAYS, {"kind": Kind.ENTITY}, Use.TOPIC),
        (Use.ALWAYS, {"kind": Kind.DECISION}, Use.TOPIC),
        (Use.ALWAYS, {"kind": Kind.INSIGHT}, Use.TOPIC),
        (Use.ALWAYS, {"kind": Kind.PREFERENCE, "subject": "sister Clara"}, Use.TOPIC),
        (Use.ALWAYS, {"kind": Kind.FACT, "event_at": EARLIER}, Use.TOPIC),
        (Use.ASKED, {"importance": 0.5}, Use.ASKED),
        (Use.ASKED, {"importance": 0.85}, Use.TOPIC),
    ],
)
def test_only_a_general_statement_shapes_every_answer(said: Use, fields: dict[str, Any], use: Use) -> None:
    hints = Hints(said, ("every answer",), ())

    [change] = reconciled([candidate("", CONTRADICTS, 0, hints=hints, **fields)], known(1, hints=Hints()))

    assert isinstance(change, Replace)
    assert change.memory.hints == replace(hints, use=use)


@table(
    ("asked", "corrects", "number", "reason", "importance", "confidence"),
    [
        ({0}, set(), 0.5, Reason.ASKED, 0.8, 0.5),
        (set(), {0}, 0.5, Reason.CORRECTED, 0.6, 0.5),
        ({0}, {0}, 0.9, Reason.ASKED, 0.9, 0.9),
        ({1}, {1}, 0.4, Reason.NEW, 0.4, 0.4),
        (set(), set(), math.nan, Reason.NEW, 0.0, 0.0),
        (set(), set(), math.inf, Reason.NEW, 1.0, 1.0),
        (set(), set(), -3.0, Reason.NEW, 0.0, 0.0),
    ],
)
def test_what_is_asked_for_or_corrects_matters_more_and_shares_are_of_one(
    asked: set[int], corrects: set[int], number: float, reason: Reason, importance: float, confidence: float
) -> None:
    said = candidate(importance=number, confidence=number)

    [change] = reconciled([said], asked=frozenset(asked), corrects=frozenset(corrects))

    assert isinstance(change, Add)
    assert (change.reason, change.memory.importance, change.memory.confidence) == (
        reason,
        importance,
        confidence,
    )


@table("content", ["Lives in Kassel", "lives  in KASSEL.", "Lives in Ｋassel!"])
@table("relation", list(Relation))
@table("is_shown", [True, False])
def test_equal_content_strengthens_a_known_memory(
    content: str, relation: Relation, *, is_shown: bool
) -> None:
    shown, nearby = ([known(7)], []) if is_shown else ([], [known(7)])

    changes = reconciled([candidate(content, relation, 0)], *shown, nearby=nearby)

    assert changes == [Reinforce(UUID(int=7), Reason.EQUAL_CONTENT, MESSAGE)]


@table("relation", list(Relation))
@table("about", [(), (1,), (99,), (-1, 7)])
def test_a_number_that_was_not_shown_makes_it_new(relation: Relation, about: tuple[int, ...]) -> None:
    assert (
        decisions(reconciled([candidate("Has moved", relation, *about)], known(7))) == "Add new -: model: new"
    )


@table("relation", list(Relation))
@table(
    "fields",
    [
        {"kind": Kind.QA_TURN},
        {"kind": Kind.SUMMARY},
        {"kind": Kind.PROFILE},
        {"owner": COMMONS, "source": Source.GLOBAL},
    ],
)
def test_what_is_no_statement_of_the_users_own_stays(relation: Relation, fields: dict[str, Any]) -> None:
    said = candidate("Lives in a flat in Kassel", relation, 0, ends=(0,), unsettles=(0,))

    changes = reconciled([said], known(7, "Lives in the flat in Kassel", **fields))

    assert decisions(changes) == "Add new -: model: new"


@table(
    ("content", "said"),
    [
        ("Takes 50 mg losartan instead of enalapril", "Takes 10 mg enalapril"),
        ("Sold the van", "Drives a white van"),
        ("Works as head of product at Fernleaf from February on", "Works as a PM at Brightwave in Leeds"),
        ("Never rewrite poems: only point at the weak line", "Rewrite poems line by line"),
        ("出身は弘前", "弘前に住んでいる"),
        ("Daughter Isla born on 23 February 2026", "Partner is pregnant, due on 19 February 2026"),
    ],
)
def test_what_contradicts_replaces_the_older_whatever_its_words(content: str, said: str) -> None:
    changes = reconciled([candidate(content, CONTRADICTS, 1)], known(6, "Likes tea"), known(7, said))

    assert decisions(changes) == "Replace contradicts 7: model: contradicts 1"


@table(
    ("content", "said", "left_out"),
    [
        ("Sold the white van", "Drives a white van", ""),
        ("Takes 50 mg losartan each morning, since May", "Takes 50 mg losartan", ""),
        ("Takes 20 mg enalapril", "Takes 10 mg enalapril", ""),
        ("Has a bad knee on the right side", "Has a bad knee on the left side", ""),
        ("出身は弘前", "弘前に住んでいる", ""),
        ("Ballast has bad hips and takes carprofen", "Dog: Ballast, nine years old, 78 pounds", "number"),
        ("Trägt zur Pumpe den Sensor Dexcom", "Typ-1-Diabetes, trägt eine Pumpe", "number"),
        ("palettecat is archived", "palettecat: own tool in Python that shrinks pictures", "name"),
        ("Sings in the choir again, as an alto", "Sings in the choir on Mondays", "name"),
        ("Drinks no coffee in the evening", "Drinks coffee", ""),  # what is denied, the model knows
        # all its other words are said again
        ("Takes losartan at breakfast", "Takes 50 mg losartan each morning at breakfast", "number"),
        ("Sings in the choir of the old church", "Sings in the choir of the old church on Mondays", "name"),
        ("Lives in the house by the harbour", "Lives in the house by the harbour with Ana", "name"),
        ("Drives a white van to the market", "Drives a small white van to the market", ""),
        # most of its words are gone: the model wrote its addition alone
        (
            "Shoulder surgery as a day case",
            "Torn shoulder tendon, waits for repair, must lift no heavy box",
            "word",
        ),
        ("丈夫在吃非布司他", "丈夫有痛风、忌海鲜、内脏、浓汤、啤酒", "word"),
        ("Doet aan judo in Delft", "Doet aan een vechtsport", ""),
        ("Practises judo in a club", "Likes some sport outdoors", ""),  # a short one is filled in
        (
            "Drives a white van: broken heater, torn seat, rusty door",
            "Drives a white van: broken heater, torn seat, rusty door, cracked mirror, loose belt, noisy old fan",
            "",
        ),
    ],
)
def test_a_refinement_replaces_nothing_it_says_in_part(content: str, said: str, left_out: str) -> None:
    changes = reconciled([candidate(content, REFINES, 1)], known(6, "Likes tea"), known(7, said))

    both = f"Add distinct -: veto: {left_out} (model: refines 1)"
    assert decisions(changes) == (both if left_out else "Replace refines 7: model: refines 1")


@table(
    ("kind", "decided"),
    [
        (Kind.FACT, "Replace contradicts 7: model: refines 0"),
        (Kind.TODO, "Add distinct -: veto: number (model: refines 0)"),
    ],
)
def test_a_to_do_that_is_done_is_kept_as_past(kind: Kind, decided: str) -> None:
    said = candidate("The essay for Dr Anwar is written", REFINES, 0, kind=kind)
    changes = reconciled([said], known(7, "Essay of 1500 words for Dr Anwar", kind=Kind.TODO))

    assert decisions(changes) == decided
    assert all(each.past for each in changes if isinstance(each, Replace))


@table(
    ("content", "said", "speaks"),
    [
        ("Is a teetotaller", "Never drinks alcohol", ""),
        ("Wants short answers because of the bad eye", "Answers of three or four sentences at most", ""),
        ("Allergic to rubber gloves, swells up", "Latex allergy: comes up in welts, A&E in 2021", ""),
        ("Trägt eine Insulinpumpe am Bauch", "Typ-1-Diabetes, trägt eine Insulinpumpe", ""),
        ("对青霉素类抗生素严重过敏", "青霉素过敏，小时候打针出过严重反应", ""),
        ("Lives in Kassel since 2024", "Lives in Kassel", "more"),
        ("Lives in Kassel with her friend Mia", "Lives in Kassel", "more"),
        ("Lives in Kassel, Hessen", "Lives in Kassel", "more"),
        ("Takes 75 mg of the tablets", "Takes 50 mg of the tablets", "number"),
        ("Runs 40 miles on most days", "Runs 40 km on most days", "word"),
        ("Daughter Iona starts school", "Daughter Isla starts school", "name"),
        ("Knows Iona from school", "Has a friend called Isla, from school", "name"),
        ("Meets the choir on Mondays", "Meets the choir on Tuesdays", "name"),
        ("Had surgery on the right knee", "Had surgery on the left knee", "word"),
        ("Eats no meat", "Eats meat", "more"),
        ("Trinkt Kaffee", "Trinkt keinen Kaffee", "more"),
    ],
)
def test_a_repetition_strengthens_refines_or_is_kept_beside(content: str, said: str, speaks: str) -> None:
    changes = reconciled([candidate(content, REPEATS, 0)], known(7, said))

    told = {
        "": "Reinforce repeats 7: model: repeats 0",
        "more": "Replace refines 7: says more (model: repeats 0)",
    }
    assert decisions(changes) == told.get(speaks, f"Add distinct -: veto: {speaks} (model: repeats 0)")


moved = partial(candidate, "Moved to Bristol")
SEVEN, EIGHT, NINE = known(7), known(8, "Plays in a band"), known(9, "Rents a shed in Kassel")
FLAT, NEWER = known(7, "Look for a flat", kind=Kind.TODO), known(7, observed_at=SAID_AT)
SOON = SAID_AT + timedelta(days=9)
BAND, ESSAY = (
    candidate("Is in a band", REPEATS, 1),
    known(7, "Essay of 1500 words for Dr Anwar", kind=Kind.TODO),
)
REPEATED, BESIDE = "Reinforce repeats 8: model: repeats 1", "Add distinct -: order (model: contradicts 0)"
ADDED, KEPT = "Add new -: model: new", "Reinforce equal_content 8: equal text"
REPLACED, LIMITED = (f"{what} contradicts 7: model: contradicts 0" for what in ("Replace", "Limit"))
NOT_NEWER = "; ".join(
    f"{what} 7: order (model: contradicts 0)" for what in ("Ignore not_newer", "Mark disputed")
)


@table(
    ("said", "shown", "decided"),
    [
        # what was added, replaced something or repeated something is said again in the batch
        (
            [moved(), (candidate("moved  to BRISTOL"), 1), candidate("Plays chess")],
            [],
            f"{ADDED}; Ignore equal_content 100: equal text; {ADDED}",
        ),
        (
            [moved(CONTRADICTS, 0), candidate("Moved to Bristol!"), BAND, candidate("is in a BAND")],
            [SEVEN, EIGHT],
            f"{REPLACED}; Ignore equal_content 100: equal text; {REPEATED}; Ignore equal_content 8: equal text",
        ),
        # equal words of a summary
        ([candidate("Lives in Kassel")], [known(7, kind=Kind.SUMMARY)], "Ignore equal_content 7: equal text"),
        # almost equal letters, within the batch and once
        (
            [candidate("Lives in a flat in Kassel"), candidate("Lives in the flat in Kassel")],
            [],
            f"{ADDED}; Ignore repeats 100: equal letters",
        ),
        (
            [candidate("Lives in a flat in Kassel"), candidate("Lives in my flat in Kassel")],
            [known(7, "Lives in the flat in Kassel")],
            "Reinforce repeats 7: equal letters; Ignore repeats 7: equal letters",
        ),
        # a denial decides nothing
        ([candidate("Doesn't like blue cheese")], [known(7, "Likes blue cheese")], ADDED),
        # a repetition strengthens once a batch, and not what was just replaced
        (
            [BAND, replace(BAND, content="Is in it")],
            [SEVEN, EIGHT],
            f"{REPEATED}; Ignore repeats 8: model: repeats 1",
        ),
        (
            [
                candidate("Lives in Kassel, right at the park", REFINES, 0),
                candidate("At home there", REPEATS, 0),
            ],
            [SEVEN],
            "Replace refines 7: model: refines 0; Ignore repeats 7: model: repeats 0",
        ),
        # somebody else's, and the same person's
        *(
            (
                [candidate("Is allergic to penicillin", REPEATS, 0, subject="her brother")],
                [known(7, said)],
                decided,
            )
            for said, decided in (
                ("Can't take penicillin", "Add distinct -: veto: name (model: repeats 0)"),
                ("Brother gets a rash from penicillin", "Reinforce repeats 7: model: repeats 0"),
            )
        ),
        # the first that nothing speaks against
        (
            [candidate("Is on 75 mg", REPEATS, 0, 1)],
            [known(7, "Takes 50 mg of the tablets"), known(8, "Takes 75 mg of the tablets")],
            REPEATED,
        ),
        # a shared memory is replaced, and what serves everybody is said by this user, too
        ([moved(CONTRADICTS, 0)], [known(7, owner=COMMONS)], REPLACED),
        ([candidate("Lives in Kassel", REPEATS, 0)], [known(7, owner=COMMONS, source=Source.GLOBAL)], ADDED),
        # of the same time it disputes once, a refinement nothing
        ([moved(CONTRADICTS, 0)], [NEWER], NOT_NEWER),
        ([moved(REFINES, 0)], [NEWER], "Ignore not_newer 7: order (model: refines 0)"),
        (
            [moved(CONTRADICTS, 0)],
            [replace(NEWER, doubt=Doubt.DISPUTED)],
            "Ignore not_newer 7: order (model: contradicts 0)",
        ),
        # of one turn only the first replaces, a later one what an earlier one put in its place
        ([moved(CONTRADICTS, 0), candidate("Works", CONTRADICTS, 0)], [SEVEN], f"{REPLACED}; {BESIDE}"),
        (
            [moved(CONTRADICTS, 0), (candidate("Lives in Dresden", CONTRADICTS, 0), 1)],
            [SEVEN],
            f"{REPLACED}; Replace contradicts 100: model: contradicts 0",
        ),
        # what was just repeated is not replaced, and what held only before is kept beside it
        (
            [candidate("Is at home in Kassel", REPEATS, 0), moved(CONTRADICTS, 0)],
            [SEVEN],
            f"Reinforce repeats 7: model: repeats 0; {BESIDE}",
        ),
        ([moved(CONTRADICTS, 0, holds_until=EARLIER - timedelta(days=9))], [SEVEN], BESIDE),
        # several refined, one of them in part, and the first of them in part
        (
            [candidate("Lives in Leeds with Tom, who sings", REFINES, 0, 2, 2, 3, 9, -1)],
            [
                known(7, "Lives in Leeds"),
                EIGHT,
                known(9, "Tom lives in Leeds"),
                known(10, "Tom sings on Mondays"),
            ],
            "Replace refines 7: model: refines 0; Retire refines 9: model: refines 2",
        ),
        (
            [candidate("Lives in Leeds with Tom, who sings", REFINES, 0, 1)],
            [known(7, "Tom sings on Mondays"), known(8, "Lives in Leeds")],
            "Replace refines 8: model: refines 1",
        ),
        # a to-do that is done, and what is refined with it; one whose appointment is still to come
        (
            [candidate("Has written the essay for Dr Anwar", REFINES, 0, 1, 2)],
            [ESSAY, known(8, "Essay for Dr Anwar"), known(9, "Essay of 9 pages", kind=Kind.TODO)],
            "Replace contradicts 7: model: refines 0; Retire refines 8: model: refines 1; Retire contradicts 9: model: refines 2",
        ),
        (
            [candidate("Sees Dr Anwar about the essay", REFINES, 0, event_at=JANUARY)],
            [ESSAY],
            "Add distinct -: veto: number (model: refines 0)",
        ),
        # several contradicted
        (
            [moved(CONTRADICTS, 0, 2, 2, 9, -1)],
            [SEVEN, EIGHT, NINE],
            f"{REPLACED}; Retire contradicts 9: model: contradicts 2",
        ),
        # a new one, a contradiction and equal words end another
        ([moved(ends=(0,))], [SEVEN, EIGHT], f"{ADDED}; Retire ended 7: model: ends 0"),
        ([moved(CONTRADICTS, 0, ends=(1,))], [SEVEN, EIGHT], f"{REPLACED}; Retire ended 8: model: ends 1"),
        (
            [candidate("Plays in a band", CONTRADICTS, 1, 0, ends=(2,))],
            [SEVEN, EIGHT, NINE],
            f"{KEPT}; Retire contradicts 7: model: contradicts 0; Retire ended 9: model: ends 2",
        ),
        # what is newer or is said in the batch is not ended
        (
            [moved(CONTRADICTS, 0, 1, ends=(2,)), candidate("Shed in Kassel", REPEATS, 2)],
            [SEVEN, known(8, "Said later", observed_at=SAID_AT), NINE],
            f"{REPLACED}; Reinforce repeats 9: model: repeats 2",
        ),
        # what is older than all it contradicts ends nothing: the first is disputed, or of several the newer stays
        ([moved(CONTRADICTS, 0, ends=(1,))], [NEWER, EIGHT], NOT_NEWER),
        ([moved(CONTRADICTS, 0, 1)], [NEWER, replace(EIGHT, observed_at=SAID_AT)], NOT_NEWER),
        ([moved(CONTRADICTS, 0, 1)], [NEWER, EIGHT], "Replace contradicts 8: model: contradicts 1"),
        # what depended on it is suspect
        (
            [moved(CONTRADICTS, 0, unsettles=(0, 1, 1, 9, -1))],
            [SEVEN, EIGHT, NINE],
            f"{REPLACED}; Mark suspect 8: model: affects 1",
        ),
        # unless the batch says it again, replaces it, or it is doubted already
        (
            [
                moved(CONTRADICTS, 0, unsettles=(1, 2, 3)),
                candidate("Plays in a band still", REPEATS, 1),
                candidate("Rents a shed in Bristol", CONTRADICTS, 2),
            ],
            [SEVEN, EIGHT, NINE, known(10, "Rows in Kassel", doubt=Doubt.SUSPECT)],
            f"{REPLACED}; Reinforce repeats 8: model: repeats 1; Replace contradicts 9: model: contradicts 2",
        ),
        # and once a batch
        (
            [moved(CONTRADICTS, 0, unsettles=(1,)), candidate("Sold the boat", unsettles=(1,))],
            [SEVEN, EIGHT],
            f"{REPLACED}; Mark suspect 8: model: affects 1; {ADDED}",
        ),
        # what is to come leaves what holds until then
        (
            [moved(CONTRADICTS, 0, holds_from=JANUARY)],
            [SEVEN],
            f"Add new -: later (model: contradicts 0); {LIMITED}",
        ),
        # it replaces at once what was to come itself and a plan
        *(
            (
                [moved(CONTRADICTS, 0, 1, holds_from=JANUARY)],
                [replaced, EIGHT],
                f"{REPLACED}; Limit contradicts 8: model: contradicts 1",
            )
            for replaced in (known(7, "Lives in Lisbon", holds_from=JANUARY), FLAT)
        ),
        # it ends a plan now and a state then
        (
            [moved(ends=(0, 1), holds_from=JANUARY)],
            [FLAT, EIGHT],
            f"{ADDED}; Retire ended 7: model: ends 0; Limit ended 8: model: ends 1",
        ),
        # told again it ends nothing sooner and nothing twice
        *(
            (
                [candidate(EIGHT.content, CONTRADICTS, 0, holds_from=JANUARY)],
                [replace(SEVEN, holds_until=until), replace(EIGHT, holds_from=JANUARY)],
                decided,
            )
            for until, decided in ((None, f"{KEPT}; {LIMITED}"), (JANUARY, KEPT))
        ),
        # put off, it ends nothing that is over before; the store moves the end that it gave
        (
            [moved(CONTRADICTS, 0, 1, 2, holds_from=JANUARY)],
            [
                known(7, "Lives in Bristol", holds_from=SOON),
                known(8, holds_until=SOON),
                known(9, "Is a guest at the Fulda", holds_until=SAID_AT + timedelta(days=2)),
            ],
            REPLACED,
        ),
        # it replaces once it has come
        ([moved(CONTRADICTS, 0, holds_from=SAID_AT)], [SEVEN], REPLACED),
    ],
)
def test_a_batch_is_decided_in_order(said: list[Any], shown: list[Memory], decided: str) -> None:
    assert decisions(reconciled(said, *shown)) == decided


def test_what_no_model_decides() -> None:
    by_form = reconciled([candidate()], by_form=True)
    corrected = reconciled([candidate("", CONTRADICTS, 0)], known(7), corrects=frozenset({0}))
    confirmed = reconciled(
        [candidate("Lives in a flat in Kassel", CONTRADICTS, 1)],
        *(known(7, "Lives in the flat in Kassel"), known(8, "Lives in Leeds")),
        corrects=frozenset({0}),
    )
    nearby = reconciled(
        [candidate("Lives in a flat in Kassel")], nearby=[known(7, "Lives in the flat in Kassel")]
    )

    assert decisions(by_form) == "Add new -: form: remember"
    assert decisions(corrected) == "Replace corrected 7: model: contradicts 0"
    assert (
        decisions(confirmed) == "Reinforce repeats 7: equal letters; Retire corrected 8: model: contradicts 1"
    )
    assert nearby == [Reinforce(UUID(int=7), messages=MESSAGE)]


def test_a_change_names_its_message_heir_cause_and_time() -> None:
    moved = candidate("Moved to Bristol with Tom", CONTRADICTS, 0, 1, unsettles=(2,))
    older = candidate("Lives in Leipzig", CONTRADICTS, 0)

    [replaced, retired, marked] = reconciled(
        [moved], known(7), known(8, "Tom lives in Leeds"), known(9, "Rows")
    )
    [added, limit] = reconciled([candidate("Lives in Porto", CONTRADICTS, 0, holds_from=JANUARY)], known(7))
    [ignored, disputed] = reconciled([older], known(7, observed_at=SAID_AT))

    assert isinstance(replaced, Replace)
    assert retired == Retire(UUID(int=8), Reason.CONTRADICTS, replaced.memory, past=replaced.past)
    assert marked == Mark(UUID(int=9), Doubt.SUSPECT, Reason.SUSPECT, replaced.memory.id)
    assert isinstance(added, Add)
    assert added.memory.holds_from == JANUARY
    assert limit == Limit(UUID(int=7), JANUARY, Reason.CONTRADICTS, added.memory)
    assert ignored == Ignore(Reason.NOT_NEWER, older, UUID(int=7), MESSAGE)
    assert disputed == Mark(UUID(int=7), Doubt.DISPUTED, Reason.DISPUTED)


def test_a_refused_statement_ends_the_todo_that_it_calls_done_and_no_state() -> None:
    passing = RefusedCandidate(candidate("Went there", CONTRADICTS, 0, 1), 0, Reason.PASSING)

    assert decisions(reconciled([], FLAT, EIGHT, ending=[passing])) == "Retire ended 7: model: contradicts 0"


@table("changed", [{"kind": Kind.TODO}, {"event_at": JANUARY + timedelta(days=9)}])
def test_a_refused_statement_that_puts_a_todo_off_does_not_end_it(changed: dict[str, Any]) -> None:
    later = candidate("Look for a flat at the end of January", CONTRADICTS, 0, **changed)
    refused = RefusedCandidate(later, 0, Reason.RATE_LIMIT)

    assert reconciled([], replace(FLAT, event_at=JANUARY), ending=[refused]) == []


def test_what_is_not_kept_itself_ends_what_its_words_end() -> None:
    over = RefusedCandidate(candidate("Went there", ends=(0, 1, 2, 9)), 0, Reason.LOW_IMPORTANCE)
    newer = known(3, observed_at=SAID_AT + timedelta(minutes=9))

    changes = reconciled(
        [candidate("Lives in Bonn", CONTRADICTS, 1)], known(1), known(2), newer, ending=[over]
    )

    assert decisions(changes) == "Replace contradicts 2: model: contradicts 1; Retire ended 1: model: ends 0"


ODD = (
    *texts(
        "Lives in Kassel | lives in kassel. | Lives in Leipzig | Has cats | Has some cats | Brother has 2 cats"
    ),
    "",
)
contents = st.sampled_from(
    [*ODD, "Has 2 cats", "Has 3 cats", "Has no cats", "不吃肉", "\x00\ud800", "x" * 5_000]
) | st.text(max_size=30)
numbers = st.lists(st.integers(-2, 5), max_size=3).map(tuple)
candidates = st.builds(
    Candidate,
    contents,
    st.sampled_from(sorted(STATEMENTS)),
    st.floats(),
    contents,
    st.floats(),
    st.sampled_from(Relation),
    numbers,
    unsettles=numbers,
    ends=numbers,
    holds_from=st.none() | st.sampled_from([EARLIER, SAID_AT + timedelta(days=9)]),
)
weighings = st.tuples(candidates, st.integers(0, 2))
memories = st.fixed_dictionaries(
    {
        "content": contents,
        "kind": st.sampled_from(Kind),
        "observed_at": st.sampled_from([EARLIER, SAID_AT, JANUARY]),
        "owner": st.sampled_from(["anna", COMMONS]),
        "source": st.sampled_from(Source),
        "doubt": st.none() | st.sampled_from(Doubt),
    }
)


@given(
    st.lists(weighings, max_size=6),
    st.lists(memories, max_size=5),
    st.integers(0, 5),
    st.sets(st.integers(0, 2)).map(frozenset),
    st.sets(st.integers(0, 2)).map(frozenset),
)
def test_whatever_models_say_nothing_newer_is_lost_and_nothing_is_touched_twice(
    weighed: list[tuple[Candidate, int]],
    had: list[dict[str, object]],
    split: int,
    asked: frozenset[int],
    corrects: frozenset[int],
) -> None:
    everything = [known(number, **fields) for number, fields in enumerate(had, start=1)]  # type: ignore[arg-type]
    shown, nearby = everything[:split], everything[split:]

    changes = reconciled(weighed, *shown, nearby=nearby, asked=asked, corrects=corrects)

    mains = [change for change in changes if not isinstance(change, Mark | Retire | Limit)]
    assert len(mains) == len(weighed)
    old = {memory.id: memory for memory in everything}
    said_at = dict(zip(map(id, mains), (exchange(turn).turn.at for _, turn in weighed), strict=True))
    touched = [change.old for change in mains if isinstance(change, Replace)]
    touched += [change.target for change in changes if isinstance(change, Reinforce | Mark | Retire | Limit)]
    assert len(touched) == len(set(touched))
    made = {change.memory.id: change.memory for change in mains if isinstance(change, Add | Replace)}
    for change in changes:
        assert isinstance(change, Hide | Erase) or change.decided_by
        if isinstance(change, Retire | Limit):
            gone = old[change.target]
            assert change.heir is not None
            assert change.heir.id in made or change.heir.id in touched or change.heir.id in old
            assert gone.kind in STATEMENTS
            assert gone.source is not Source.GLOBAL
    for (each, _), change in zip(weighed, mains, strict=True):
        if isinstance(change, Replace):
            replaced = (old | made)[change.old]
            assert replaced.kind in STATEMENTS
            assert replaced.source is not Source.GLOBAL
            assert replaced.observed_at < said_at[id(change)]
        if isinstance(change, Reinforce):
            known_one = old[change.target]
            said = of_candidate(each, said_at[id(change)])
            assert (
                content_hash(known_one.content) == content_hash(said.content)
                or same_letter(said.content, known_one.content)
                or veto(said, of_memory(known_one)) is None
            )
    assert {change.target for change in changes if isinstance(change, Mark)} <= old.keys()
    hashes = [content_hash(memory.content) for memory in made.values()]
    own = [content_hash(memory.content) for memory in everything if memory.source is not Source.GLOBAL]
    assert len(set(hashes)) == len(hashes)
    assert not set(hashes) & set(own)


def test_many_candidates_and_memories_are_weighed_soon() -> None:
    weighed = [candidate(f"Statement of number {number} about cats and dogs") for number in range(100)]
    nearby = [known(number, f"What is known of {number} cats and dogs, or not") for number in range(10, 200)]

    assert len(reconciled(weighed, nearby=nearby)) == 100
