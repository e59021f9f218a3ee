import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.formation.reconciliation import WeighedCandidate, reconcile
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
from recollect.text.comparison.vetoes import of_candidate, of_memory, same_letter, veto
from recollect.text.normalization import content_hash

SAID_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
EARLIER = SAID_AT - timedelta(days=30)
NOW = SAID_AT + timedelta(seconds=5)


def exchange(turn: int = 0) -> Exchange:
    said = Turn(
        Scope("anna", "chat-1"),
        "words",
        f"m{turn}",
        SAID_AT + timedelta(minutes=turn),
        "a-model",
    )
    return Exchange(UUID(int=1_000 + turn), said, "reply", UUID(int=2_000 + turn), UUID(int=3_000 + turn))


def known(
    number: int,
    content: str = "Lives in Kassel",
    *,
    kind: Kind = Kind.FACT,
    observed_at: datetime = EARLIER,
    owner: str = "anna",
    source: Source = Source.EXTRACTED,
    doubt: Doubt | None = None,
) -> Memory:
    return Memory(UUID(int=number), owner, kind, source, content, 0.5, observed_at, observed_at, doubt=doubt)


def candidate(
    content: str = "Lives in Leipzig",
    relation: Relation = Relation.NEW,
    about: tuple[int, ...] = (),
    *,
    evidence: str = "as I said",
    kind: Kind = Kind.FACT,
) -> Candidate:
    return Candidate(content, kind, 0.5, evidence, 0.9, relation, about)


def weigh(asked: Candidate, turn: int = 0, *, by_form: bool = False) -> WeighedCandidate:
    return WeighedCandidate(AcceptedCandidate(asked, turn), np.ones(2, np.float32), by_form)


def reconciled(
    weighed: Sequence[WeighedCandidate | Candidate],
    *shown: Memory,
    nearby: Sequence[Memory] = (),
    asked: frozenset[int] = frozenset(),
    corrects: frozenset[int] = frozenset(),
    turns: int = 3,
    ending: Sequence[RefusedCandidate] = (),
) -> list[Change]:
    ids: Iterator[int] = count(100)
    return [
        change
        for _, change in reconcile(
            [each if isinstance(each, WeighedCandidate) else weigh(each) for each in weighed],
            shown,
            nearby,
            ending=ending,
            exchanges=[exchange(turn) for turn in range(turns)],
            embedding_model="tiny",
            at=NOW,
            new_id=lambda: UUID(int=next(ids)),
            asked=asked,
            corrects=corrects,
            extractor="a-model@7",
        )
    ]


def outline(changes: Sequence[Change]) -> list[tuple[type[Change], Reason, int | None]]:
    """Return each change's type, reason and memory."""
    targets = (getattr(change, "old", getattr(change, "target", None)) for change in changes)
    return [
        (type(change), change.reason, target.int if target else None)
        for change, target in zip(changes, targets, strict=True)
    ]


MESSAGE = (UUID(int=2_000),)


class TestWhatIsNew:
    def test_is_added_with_all_that_is_known_of_it(self) -> None:
        hints = Hints(Use.ASKED, ("city guides",), ("Was ist hier los?", "What is on here?"))
        asked = replace(
            candidate(evidence="I moved"), event_at=EARLIER, holds_from=EARLIER, holds_until=NOW, hints=hints
        )

        [change] = reconciled([weigh(asked)])

        assert isinstance(change, Add)
        assert change.reason is Reason.NEW
        assert change.memory == Memory(
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
            event_at=EARLIER,
            holds_from=EARLIER,
            holds_until=NOW,
            hints=hints,
        )
        assert change.memory.embedding is not None

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
            (Use.ASKED, {"importance": 0.9}, Use.TOPIC),
        ],
    )
    def test_only_a_general_preference_or_fact_can_shape_every_answer_and_health_is_needed_unasked(
        self, said: Use, fields: dict[str, Any], use: Use
    ) -> None:
        hints = Hints(said, ("every answer",), ())

        [change] = reconciled([replace(candidate(), hints=hints, **fields)])

        assert isinstance(change, Add)
        assert change.memory.hints == replace(hints, use=use)

    def test_belongs_to_the_turn_that_proves_it(self) -> None:
        [(turn, change)] = reconcile(
            [weigh(candidate(), 1)], [], [], exchanges=[exchange(), exchange(1)], embedding_model="tiny", at=NOW,
            new_id=lambda: UUID(int=5), asked=frozenset(), corrects=frozenset(), extractor=None,
        )  # fmt: skip

        assert turn == 1
        assert isinstance(change, Add)
        assert change.memory.observed_at == SAID_AT + timedelta(minutes=1)
        assert change.memory.provenance.message_ids == (UUID(int=2_001),)

    @pytest.mark.parametrize(
        ("asked", "corrects", "reason", "importance"),
        [
            (frozenset({0}), frozenset[int](), Reason.ASKED, 0.8),
            (frozenset[int](), frozenset({0}), Reason.CORRECTED, 0.6),
            (frozenset({0}), frozenset({0}), Reason.ASKED, 0.8),
            (frozenset({1}), frozenset({1}), Reason.NEW, 0.5),
        ],
    )
    def test_matters_more_where_it_is_asked_for_or_corrects(
        self, asked: frozenset[int], corrects: frozenset[int], reason: Reason, importance: float
    ) -> None:
        [change] = reconciled([candidate()], asked=asked, corrects=corrects)

        assert isinstance(change, Add)
        assert (change.reason, change.memory.importance, change.memory.confidence) == (
            reason,
            importance,
            0.9,
        )

    @pytest.mark.parametrize(("number", "share"), [(math.nan, 0.0), (math.inf, 1.0), (-3.0, 0.0), (0.4, 0.4)])
    def test_has_shares_of_one_whatever_the_extractor_says(self, number: float, share: float) -> None:
        [change] = reconciled([replace(candidate(), importance=number, confidence=number)])

        assert isinstance(change, Add)
        assert (change.memory.importance, change.memory.confidence) == (share, share)

    def test_takes_its_own_hints_to_the_place_of_what_it_replaces(self) -> None:
        hints = Hints(topics=("city guides",))
        old = replace(known(1), hints=Hints(topics=("Kassel",)))

        [change] = reconciled(
            [replace(candidate(relation=Relation.CONTRADICTS, about=(0,)), hints=hints)], old
        )

        assert isinstance(change, Replace)
        assert change.memory.hints == hints


def why(changes: Sequence[Change]) -> list[str | None]:
    """Return by which rule or answer each change was decided."""
    return [change.decided_by for change in changes if not isinstance(change, Hide | Erase)]


class TestEqualContent:
    @table("content", ["Lives in Kassel", "lives  in KASSEL.", "Lives in Ｋassel!"])
    @table("relation", list(Relation))
    @table("where", ["shown", "nearby"])
    def test_of_a_known_memory_strengthens_it(self, content: str, relation: Relation, where: str) -> None:
        asked = candidate(content, relation, (0,))
        memories = (
            {"shown": [known(7)], "nearby": []} if where == "shown" else {"shown": [], "nearby": [known(7)]}
        )

        changes = reconciled([asked], *memories["shown"], nearby=memories["nearby"])

        assert changes == [Reinforce(UUID(int=7), Reason.EQUAL_CONTENT, MESSAGE)]
        assert why(changes) == ["equal text"]

    def test_within_one_batch_is_ignored(self) -> None:
        changes = reconciled([candidate(), weigh(candidate("lives in leipzig"), 1), candidate("Plays chess")])

        assert outline(changes) == [
            (Add, Reason.NEW, None), (Ignore, Reason.EQUAL_CONTENT, 100), (Add, Reason.NEW, None),
        ]  # fmt: skip

    def test_counts_also_after_a_replacement_and_a_repetition(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Leipzig", Relation.CONTRADICTS, (0,)),
                candidate("Lives in Leipzig!"),
                candidate("Is fond of tea", Relation.REPEATS, (1,)),
                candidate("is fond of tea"),
            ],
            known(7),
            known(8, "Likes tea"),
        )

        assert outline(changes) == [
            (Replace, Reason.CONTRADICTS, 7),
            (Ignore, Reason.EQUAL_CONTENT, 100),
            (Reinforce, Reason.REPEATS, 8),
            (Ignore, Reason.EQUAL_CONTENT, 8),
        ]

    def test_of_a_summary_is_ignored(self) -> None:
        changes = reconciled([candidate("Lives in Kassel")], known(7, kind=Kind.SUMMARY))

        assert outline(changes) == [(Ignore, Reason.EQUAL_CONTENT, 7)]


class TestAlmostEqualLetters:
    def test_are_a_repetition_without_any_model(self) -> None:
        changes = reconciled(
            [candidate("Lives in a flat in Kassel")], nearby=[known(7, "Lives in the flat in Kassel")]
        )

        assert changes == [Reinforce(UUID(int=7), messages=MESSAGE)]
        assert why(changes) == ["equal letters"]

    def test_are_a_repetition_of_what_the_batch_said_too(self) -> None:
        changes = reconciled(
            [candidate("Lives in a flat in Kassel"), candidate("Lives in the flat in Kassel")]
        )

        assert outline(changes) == [(Add, Reason.NEW, None), (Ignore, Reason.REPEATS, 100)]

    def test_strengthen_a_memory_once_a_batch(self) -> None:
        changes = reconciled(
            [candidate("Lives in a flat in Kassel"), candidate("Lives in my flat in Kassel")],
            known(7, "Lives in the flat in Kassel"),
        )

        assert outline(changes) == [(Reinforce, Reason.REPEATS, 7), (Ignore, Reason.REPEATS, 7)]

    def test_of_a_summary_are_new(self) -> None:
        changes = reconciled(
            [candidate("Lives in a flat in Kassel")],
            known(7, "Lives in the flat in Kassel", kind=Kind.SUMMARY),
        )

        assert outline(changes) == [(Add, Reason.NEW, None)]


class TestNew:
    def test_tells_who_found_it(self) -> None:
        assert why(reconciled([candidate()])) == ["model: new"]
        assert why(reconciled([weigh(candidate(), by_form=True)])) == ["form: remember"]

    def test_is_all_that_letters_do_not_decide_whatever_it_denies(self) -> None:
        changes = reconciled([candidate("Doesn't like blue cheese")], known(7, "Likes blue cheese"))

        assert outline(changes) == [(Add, Reason.NEW, None)]


class TestRepeats:
    def test_a_known_memory_is_reinforced_once_an_exchange(self) -> None:
        first = candidate("Has moved to Kassel", Relation.REPEATS, (0,))
        second = candidate("Is at home in Kassel", Relation.REPEATS, (0,))

        changes = reconciled([first, second], known(7))

        assert changes == [
            Reinforce(UUID(int=7), messages=MESSAGE),
            Ignore(Reason.REPEATS, second, UUID(int=7), MESSAGE),
        ]
        assert why(changes) == ["model: repeats 0", "model: repeats 0"]

    def test_what_was_just_replaced_is_ignored(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Kassel, right at the park", Relation.REFINES, (0,)),
                candidate("Is at home in Kassel", Relation.REPEATS, (0,)),
            ],
            known(7),
        )

        assert outline(changes) == [(Replace, Reason.REFINES, 7), (Ignore, Reason.REPEATS, 7)]

    @pytest.mark.parametrize(
        "content",
        ["Lives in Kassel since 2024", "Lives in Kassel with her friend Mia", "Lives in Kassel, Hessen"],
    )
    def test_with_more_it_is_a_refinement(self, content: str) -> None:
        changes = reconciled([candidate(content, Relation.REPEATS, (0,))], known(7))

        assert outline(changes) == [(Replace, Reason.REFINES, 7)]
        assert why(changes) == ["says more (model: repeats 0)"]

    @table(
        ("content", "said", "told"),
        [
            ("Takes 75 mg of the tablets", "Takes 50 mg of the tablets", "number"),
            ("Runs 40 miles on most days", "Runs 40 km on most days", "number"),
            ("Daughter Iona starts school", "Daughter Isla starts school", "name"),
            ("Knows Iona from school", "Has a friend called Isla, from school", "name"),
            ("Meets the choir on Mondays", "Meets the choir on Tuesdays", "date"),
            ("Doesn't eat meat at all", "Often eats meat", "denial"),
            ("Had surgery on the right knee", "Had surgery on the left knee", "word"),
        ],
    )
    def test_of_what_something_speaks_against_both_are_kept(self, content: str, said: str, told: str) -> None:
        changes = reconciled([candidate(content, Relation.REPEATS, (0,))], known(7, said))

        assert outline(changes) == [(Add, Reason.DISTINCT, None)]
        assert why(changes) == [f"veto: {told} (model: repeats 0)"]

    def test_of_somebody_else_is_kept_beside_it(self) -> None:
        asked = replace(candidate("Is allergic to penicillin", Relation.REPEATS, (0,)), subject="her brother")

        changes = reconciled([asked], known(7, "Can't take penicillin"))

        assert why(changes) == ["veto: name (model: repeats 0)"]
        assert outline(reconciled([asked], known(7, "Brother gets a rash from penicillin"))) == [
            (Reinforce, Reason.REPEATS, 7)
        ]

    def test_strengthens_the_first_that_nothing_speaks_against(self) -> None:
        changes = reconciled(
            [candidate("Is on 75 mg", Relation.REPEATS, (0, 1))],
            known(7, "Takes 50 mg of the tablets"),
            known(8, "Takes 75 mg of the tablets"),
        )

        assert outline(changes) == [(Reinforce, Reason.REPEATS, 8)]
        assert why(changes) == ["model: repeats 1"]

    def test_a_memory_that_several_share_is_reinforced(self) -> None:
        changes = reconciled(
            [candidate("Is at home in Kassel", Relation.REPEATS, (0,))], known(7, owner=COMMONS)
        )

        assert outline(changes) == [(Reinforce, Reason.REPEATS, 7)]

    @table(
        ("content", "said"),
        [
            ("Is a teetotaller", "Never drinks alcohol"),
            ("Wants short answers because of the bad eye", "Answers of three or four sentences at most"),
            ("Allergic to rubber gloves, swells up", "Latex allergy: comes up in welts, A&E in 2021"),
            ("Trägt eine Insulinpumpe am Bauch", "Typ-1-Diabetes, trägt eine Insulinpumpe"),
            ("对青霉素类抗生素严重过敏", "青霉素过敏，小时候打针出过严重反应"),
        ],
    )
    def test_in_any_words_strengthens_what_is_known(self, content: str, said: str) -> None:
        changes = reconciled([candidate(content, Relation.REPEATS, (0,))], known(7, said))

        assert outline(changes) == [(Reinforce, Reason.REPEATS, 7)]


SUPERSEDING = [(Relation.REFINES, Reason.REFINES), (Relation.CONTRADICTS, Reason.CONTRADICTS)]


class TestRefinesAndContradicts:
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
    @pytest.mark.parametrize(("relation", "reason"), SUPERSEDING)
    def test_the_newer_replaces_the_older_whatever_its_words(
        self, content: str, said: str, relation: Relation, reason: Reason
    ) -> None:
        changes = reconciled([candidate(content, relation, (1,))], known(6, "Likes tea"), known(7, said))

        assert outline(changes) == [(Replace, reason, 7)]
        assert why(changes) == [f"model: {relation} 1"]

    def test_a_correction_is_named_so(self) -> None:
        changes = reconciled(
            [candidate(relation=Relation.CONTRADICTS, about=(0,))], known(7), corrects=frozenset({0})
        )

        assert outline(changes) == [(Replace, Reason.CORRECTED, 7)]

    @pytest.mark.parametrize("observed_at", [SAID_AT, SAID_AT + timedelta(seconds=1)])
    def test_what_is_not_newer_replaces_nothing_and_the_stored_one_is_disputed(
        self, observed_at: datetime
    ) -> None:
        asked = candidate(relation=Relation.CONTRADICTS, about=(0,))

        changes = reconciled([asked], known(7, observed_at=observed_at))

        assert changes == [
            Ignore(Reason.NOT_NEWER, asked, UUID(int=7), MESSAGE),
            Mark(UUID(int=7), Doubt.DISPUTED, Reason.DISPUTED),
        ]
        assert why(changes) == ["order (model: contradicts 0)"] * 2

    def test_a_refinement_that_is_not_newer_disputes_nothing(self) -> None:
        asked = candidate("Has a dog named Pepper", Relation.REFINES, (0,))

        assert reconciled([asked], known(7, "Has a dog", observed_at=SAID_AT)) == [
            Ignore(Reason.NOT_NEWER, asked, UUID(int=7), MESSAGE)
        ]

    def test_what_is_disputed_already_is_not_marked_again(self) -> None:
        stored = known(7, observed_at=SAID_AT, doubt=Doubt.DISPUTED)

        changes = reconciled([candidate(relation=Relation.CONTRADICTS, about=(0,))], stored)

        assert outline(changes) == [(Ignore, Reason.NOT_NEWER, 7)]

    def test_of_one_turn_only_the_first_replaces_and_the_second_is_added(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Leipzig", Relation.CONTRADICTS, (0,)),
                candidate("Works from home in Leipzig", Relation.CONTRADICTS, (0,)),
            ],
            known(7),
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Add, Reason.DISTINCT, None)]

    def test_a_later_turn_replaces_what_an_earlier_one_put_in_its_place(self) -> None:
        changes = reconciled(
            [
                weigh(candidate("Lives in Leipzig", Relation.CONTRADICTS, (0,))),
                weigh(candidate("Lives in Dresden", Relation.CONTRADICTS, (0,)), 1),
            ],
            known(7),
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Replace, Reason.CONTRADICTS, 100)]

    def test_what_was_just_repeated_is_not_replaced(self) -> None:
        changes = reconciled(
            [
                candidate("Is at home in Kassel", Relation.REPEATS, (0,)),
                candidate("Lives in Leipzig", Relation.CONTRADICTS, (0,)),
            ],
            known(7),
        )

        assert outline(changes) == [(Reinforce, Reason.REPEATS, 7), (Add, Reason.DISTINCT, None)]

    def test_a_memory_that_several_share_is_replaced_for_this_user(self) -> None:
        changes = reconciled([candidate(relation=Relation.CONTRADICTS, about=(0,))], known(7, owner=COMMONS))

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7)]

    @table("relation", [Relation.REPEATS, Relation.REFINES, Relation.CONTRADICTS])
    @table("content", ["Lives in Leipzig", "Lives in Kassel"])
    def test_what_serves_everybody_stays_and_the_user_has_it_besides(
        self, relation: Relation, content: str
    ) -> None:
        common = known(7, owner=COMMONS, source=Source.GLOBAL)

        assert outline(reconciled([candidate(content, relation, (0,))], common)) == [(Add, Reason.NEW, None)]

    def test_what_held_only_before_is_kept_beside_it(self) -> None:
        asked = replace(
            candidate(relation=Relation.CONTRADICTS, about=(0,)), holds_until=EARLIER - timedelta(days=9)
        )

        changes = reconciled([asked], known(7))

        assert outline(changes) == [(Add, Reason.DISTINCT, None)]
        assert why(changes) == ["order (model: contradicts 0)"]


class TestSeveral:
    @pytest.mark.parametrize(("relation", "reason"), SUPERSEDING)
    def test_memories_go_for_the_one_that_says_otherwise(self, relation: Relation, reason: Reason) -> None:
        changes = reconciled(
            [candidate("Moved to Bristol with Tom", relation, (0, 2, 2, 9, -1))],
            known(7, "Lives in Leeds"),
            known(8, "Likes tea"),
            known(9, "Tom lives in Leeds"),
        )

        assert outline(changes) == [(Replace, reason, 7), (Retire, reason, 9)]
        assert why(changes) == [f"model: {relation} 0", f"model: {relation} 2"]
        [replaced, retired] = changes
        assert isinstance(replaced, Replace)
        assert isinstance(retired, Retire)
        assert retired.heir == replaced.memory

    @pytest.mark.parametrize(
        ("relation", "about", "first"),
        [
            (Relation.NEW, (), Add),
            (Relation.CONTRADICTS, (1,), Replace),
            (Relation.REPEATS, (1,), Reinforce),
        ],
    )
    def test_what_is_ended_goes_whatever_the_statement_is_otherwise(
        self, relation: Relation, about: tuple[int, ...], first: type[Change]
    ) -> None:
        asked = replace(candidate("Lives in Bristol by now", relation, about), ends=(0,))

        changes = reconciled([asked], known(7, "Plans to move to Bristol"), known(8, "Is in Bristol at last"))

        assert [type(change) for change in changes] == [first, Retire]
        assert outline(changes)[1] == (Retire, Reason.ENDED, 7)
        assert why(changes)[1] == "model: ends 0"

    def test_said_again_in_equal_words_ends_too(self) -> None:
        changes = reconciled(
            [replace(candidate("Lives in Kassel", Relation.CONTRADICTS, (1,)), ends=(2,))],
            known(7),
            known(8, "Lives in Leipzig"),
            known(9, "Plans to move back"),
        )

        assert outline(changes) == [
            (Reinforce, Reason.EQUAL_CONTENT, 7), (Retire, Reason.CONTRADICTS, 8), (Retire, Reason.ENDED, 9),
        ]  # fmt: skip

    def test_what_is_newer_is_said_in_the_batch_or_is_no_statement_stays(self) -> None:
        asked = replace(candidate("Moved", Relation.CONTRADICTS, (0, 1)), ends=(2, 3, 4))

        changes = reconciled(
            [asked, candidate("Is fond of rowing", Relation.REPEATS, (2,))],
            known(7),
            known(8, "Said later", observed_at=SAID_AT),
            known(9, "Likes rowing"),
            known(10, "A summary", kind=Kind.SUMMARY),
            known(11, "Serves everybody", owner=COMMONS, source=Source.GLOBAL),
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Reinforce, Reason.REPEATS, 9)]

    def test_what_is_not_kept_itself_ends_what_its_words_end(self) -> None:
        over = RefusedCandidate(replace(candidate("Went there"), ends=(0, 1, 2, 9)), 0, Reason.LOW_IMPORTANCE)
        newer = known(3, observed_at=SAID_AT + timedelta(minutes=9))
        moved = candidate("Lives in Bonn", Relation.CONTRADICTS, (1,))

        changes = reconciled([moved], known(1), known(2), newer, ending=[over])

        assert outline(changes) == [
            (Replace, Reason.CONTRADICTS, 2),
            (Retire, Reason.ENDED, 1),
        ]
        assert why(changes)[1] == "model: ends 0"

    def test_what_is_older_than_all_it_contradicts_ends_nothing(self) -> None:
        asked = replace(candidate("Moved", Relation.CONTRADICTS, (0,)), ends=(1,))

        changes = reconciled([asked], known(7, observed_at=SAID_AT), known(8, "Plans to move"))

        assert outline(changes) == [(Ignore, Reason.NOT_NEWER, 7), (Mark, Reason.DISPUTED, 7)]

    def test_of_those_it_contradicts_what_is_newer_stays(self) -> None:
        changes = reconciled(
            [candidate("Moved", Relation.CONTRADICTS, (0, 1))],
            known(7, observed_at=SAID_AT),
            known(8, "Stays"),
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 8)]

    def test_of_those_that_are_all_newer_the_first_is_disputed(self) -> None:
        newer = (known(number, f"Lives at {number}", observed_at=SAID_AT) for number in (7, 8))

        assert outline(reconciled([candidate("Moved", Relation.CONTRADICTS, (0, 1))], *newer)) == [
            (Ignore, Reason.NOT_NEWER, 7),
            (Mark, Reason.DISPUTED, 7),
        ]


class TestWhatDependedOnIt:
    def test_is_marked_suspect_where_the_extractor_says_so(self) -> None:
        asked = replace(candidate(relation=Relation.CONTRADICTS, about=(0,)), unsettles=(0, 1, 1, 9, -1))

        changes = reconciled(
            [asked], known(7), known(8, "Takes the tram to the office"), known(9, "Is in a choir in Kassel")
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Mark, Reason.SUSPECT, 8)]
        assert changes[1] == Mark(UUID(int=8), Doubt.SUSPECT, Reason.SUSPECT, UUID(int=100))
        assert why(changes)[1] == "model: affects 1"

    def test_is_not_marked_where_the_batch_says_it_again_replaces_it_or_doubts_it_already(self) -> None:
        asked = replace(candidate(relation=Relation.CONTRADICTS, about=(0,)), unsettles=(1, 2, 3, 4))

        changes = reconciled(
            [
                asked,
                candidate("Is in a choir in Kassel still", Relation.REPEATS, (1,)),
                candidate("Rents a shed in Leipzig", Relation.CONTRADICTS, (2,)),
            ],
            known(7),
            known(8, "Sings in a choir in Kassel"),
            known(9, "Rents a shed in Kassel"),
            known(10, "Rows in Kassel", doubt=Doubt.SUSPECT),
            known(11, "All of Kassel in a summary", kind=Kind.SUMMARY),
        )

        assert [change for change in changes if isinstance(change, Mark)] == []

    def test_is_marked_once_a_batch(self) -> None:
        asked = replace(candidate(relation=Relation.CONTRADICTS, about=(0,)), unsettles=(1,))

        changes = reconciled(
            [asked, replace(candidate("Sold the boat"), unsettles=(1,))], known(7), known(8, "Rows in Kassel")
        )

        assert sum(isinstance(change, Mark) for change in changes) == 1


@pytest.mark.parametrize("relation", [Relation.REPEATS, Relation.REFINES, Relation.CONTRADICTS])
class TestWhatCannotBeTouched:
    @pytest.mark.parametrize("about", [(), (1,), (99,), (-1, 7)])
    def test_a_number_that_was_not_shown_makes_it_new(
        self, relation: Relation, about: tuple[int, ...]
    ) -> None:
        assert outline(reconciled([candidate("Has moved", relation, about)], known(7))) == [
            (Add, Reason.NEW, None)
        ]

    @pytest.mark.parametrize("kind", [Kind.QA_TURN, Kind.SUMMARY, Kind.PROFILE])
    def test_turns_summaries_and_profiles_stay(self, relation: Relation, kind: Kind) -> None:
        changes = reconciled([candidate("Has moved away from Kassel", relation, (0,))], known(7, kind=kind))

        assert outline(changes) == [(Add, Reason.NEW, None)]


class TestWhatIsToCome:
    """ "From January I will live in Porto": until then it is as it was."""

    JANUARY = SAID_AT + timedelta(days=40)

    def coming(self, relation: Relation = Relation.CONTRADICTS, **changed: Any) -> Candidate:
        changed = {"about": (0,), "holds_from": self.JANUARY, **changed}
        return replace(candidate("Lives in Porto", relation), **changed)

    def test_leaves_what_holds_until_then(self) -> None:
        changes = reconciled([self.coming()], known(7))

        assert outline(changes) == [(Add, Reason.NEW, None), (Limit, Reason.CONTRADICTS, 7)]
        assert why(changes) == ["later (model: contradicts 0)", "model: contradicts 0"]
        add, limit = changes
        assert isinstance(add, Add)
        assert isinstance(limit, Limit)
        assert (limit.until, limit.heir) == (self.JANUARY, add.memory)
        assert add.memory.holds_from == self.JANUARY

    def test_replaces_at_once_what_was_to_come_itself_and_a_plan(self) -> None:
        lisbon = replace(known(7, "Lives in Lisbon"), holds_from=self.JANUARY)
        for old in (lisbon, known(7, "Look for a flat in Lisbon", kind=Kind.TODO)):
            changes = reconciled([self.coming(about=(0, 1))], old, known(8))

            assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Limit, Reason.CONTRADICTS, 8)]

    def test_ends_a_plan_now_and_a_state_then(self) -> None:
        shown = known(7, "Look for a flat", kind=Kind.TODO), known(8, "Works in the office in Kassel")

        changes = reconciled([self.coming(Relation.NEW, about=(), ends=(0, 1))], *shown)

        assert outline(changes) == [
            (Add, Reason.NEW, None),
            (Retire, Reason.ENDED, 7),
            (Limit, Reason.ENDED, 8),
        ]

    def test_told_again_ends_nothing_sooner_and_nothing_twice(self) -> None:
        porto = replace(known(8, "Lives in Porto"), holds_from=self.JANUARY)
        kassel = known(7)

        changes = reconciled([self.coming()], kassel, porto)
        again = reconciled([self.coming()], replace(kassel, holds_until=self.JANUARY), porto)

        assert outline(changes) == [(Reinforce, Reason.EQUAL_CONTENT, 8), (Limit, Reason.CONTRADICTS, 7)]
        assert outline(again) == [(Reinforce, Reason.EQUAL_CONTENT, 8)]

    def test_put_off_lets_what_holds_go_on_as_long(self) -> None:
        porto = replace(known(7, "Lives in Porto"), holds_from=SAID_AT + timedelta(days=9))
        kassel = replace(known(8), holds_until=porto.holds_from)
        by_contract = replace(known(9, "Is a guest at the Fulda"), holds_until=SAID_AT + timedelta(days=2))

        changes = reconciled(
            [self.coming(about=(0, 1, 2), content="Moves to Porto")], porto, kassel, by_contract
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Limit, Reason.CONTRADICTS, 8)]

    def test_replaces_once_it_has_come(self) -> None:
        changes = reconciled([self.coming(holds_from=SAID_AT)], known(7))

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7)]


contents = st.sampled_from(
    ["Lives in Kassel", "lives in kassel.", "Lives in Leipzig", "Has 2 cats", "Has 3 cats", "Has no cats", "Has cats",
     "Has some cats", "Brother has 2 cats", "不吃肉", "", "\x00\ud800", "x" * 5_000]
) | st.text(max_size=30)  # fmt: skip
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
weighings = st.builds(weigh, candidates, st.integers(0, 2))
memories = st.builds(
    lambda content, kind, days, owner, source, doubt: {
        "content": content,
        "kind": kind,
        "observed_at": SAID_AT + timedelta(days=days),
        "owner": owner,
        "source": source,
        "doubt": doubt,
    },
    contents,
    st.sampled_from(Kind),
    st.integers(-1, 1),
    st.sampled_from(["anna", COMMONS]),
    st.sampled_from(Source),
    st.none() | st.sampled_from(Doubt),
)


@given(
    st.lists(weighings, max_size=6),
    st.lists(memories, max_size=5),
    st.integers(0, 5),
    st.sets(st.integers(0, 2)).map(frozenset),
    st.sets(st.integers(0, 2)).map(frozenset),
)
def test_whatever_models_say_nothing_newer_is_lost_and_nothing_is_touched_twice(
    weighed: list[WeighedCandidate],
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
    said_at = dict(
        zip(map(id, mains), (exchange(each.believed.turn).turn.at for each in weighed), strict=True)
    )
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
    for each, change in zip(weighed, mains, strict=True):
        if isinstance(change, Replace):
            replaced = (old | made)[change.old]
            assert replaced.kind in STATEMENTS
            assert replaced.source is not Source.GLOBAL
            assert replaced.observed_at < said_at[id(change)]
        if isinstance(change, Reinforce):
            known_one = old[change.target]
            said = of_candidate(each.believed.candidate, said_at[id(change)])
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


def test_decisions_are_the_same_every_time() -> None:
    weighed = [candidate(f"Has {number} cats in Kassel", Relation.REPEATS, (0,)) for number in range(30)]

    assert outline(reconciled(weighed, known(7))) == outline(reconciled(weighed, known(7)))
