import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.formation.difference.likeness import same_letter
from recollect.formation.difference.vetoes import differs, of_candidate, of_memory
from recollect.formation.reconciliation import Weighed, reconcile
from recollect.formation.verification import Believed
from recollect.model import (
    COMMONS,
    STATEMENTS,
    Add,
    Candidate,
    Change,
    Exchange,
    Ignore,
    Kind,
    Mark,
    Memory,
    Provenance,
    Reason,
    Reinforce,
    Relation,
    Replace,
    Scope,
    Source,
    Standing,
    Turn,
)
from recollect.normalization import content_hash

SAID_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
EARLIER = SAID_AT - timedelta(days=30)
NOW = SAID_AT + timedelta(seconds=5)


def exchange(turn: int = 0, *, speaker: str | None = None) -> Exchange:
    said = Turn(
        Scope("anna", "chat-1"),
        "words",
        f"m{turn}",
        SAID_AT + timedelta(minutes=turn),
        "a-model",
        speaker=speaker,
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
    standing: Standing | None = None,
) -> Memory:
    return Memory(
        UUID(int=number), owner, kind, source, content, 0.5, observed_at, observed_at, standing=standing
    )


def candidate(
    content: str = "Lives in Leipzig",
    relation: Relation = Relation.NEW,
    about: tuple[int, ...] = (),
    *,
    evidence: str = "as I said",
    kind: Kind = Kind.FACT,
) -> Candidate:
    return Candidate(content, kind, 0.5, evidence, 0.9, relation, about)


def weigh(
    asked: Candidate,
    turn: int = 0,
    *,
    near: dict[int, float] | None = None,
    judged: dict[int, Relation | None] | None = None,
) -> Weighed:
    return Weighed(
        Believed(asked, turn),
        np.ones(2, np.float32),
        {UUID(int=number): cosine for number, cosine in (near or {}).items()},
        {UUID(int=number): relation for number, relation in (judged or {}).items()},
    )


def reconciled(
    weighed: Sequence[Weighed | Candidate],
    *shown: Memory,
    nearby: Sequence[Memory] = (),
    asked: frozenset[int] = frozenset(),
    corrects: frozenset[int] = frozenset(),
    turns: int = 3,
    speaker: str | None = None,
    floor: float = 0.2,
) -> list[Change]:
    ids: Iterator[int] = count(100)
    return [
        change
        for _, change in reconcile(
            [each if isinstance(each, Weighed) else weigh(each) for each in weighed],
            shown,
            nearby,
            exchanges=[exchange(turn, speaker=speaker) for turn in range(turns)],
            embedding_model="tiny",
            at=NOW,
            new_id=lambda: UUID(int=next(ids)),
            asked=asked,
            corrects=corrects,
            extractor="a-model@7",
            floor=floor,
        )
    ]


def outline(changes: Sequence[Change]) -> list[tuple[type[Change], Reason, int | None]]:
    """What kind of change each is, why, and which memory it touches."""
    targets = (getattr(change, "old", getattr(change, "target", None)) for change in changes)
    return [
        (type(change), change.reason, target.int if target else None)
        for change, target in zip(changes, targets, strict=True)
    ]


MESSAGE = (UUID(int=2_000),)


class TestWhatIsNew:
    def test_is_added_with_all_that_is_known_of_it(self) -> None:
        asked = replace(candidate(evidence="I moved"), event_at=EARLIER, holds_from=EARLIER, holds_until=NOW)

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
        )
        assert change.memory.embedding is not None

    def test_belongs_to_the_turn_that_proves_it(self) -> None:
        [(turn, change)] = reconcile(
            [weigh(candidate(), 1)], [], [], exchanges=[exchange(), exchange(1)], embedding_model="tiny", at=NOW,
            new_id=lambda: UUID(int=5), asked=frozenset(), corrects=frozenset(), extractor=None, floor=0.2,
        )  # fmt: skip

        assert turn == 1
        assert isinstance(change, Add)
        assert change.memory.observed_at == SAID_AT + timedelta(minutes=1)
        assert change.memory.provenance.message_ids == (UUID(int=2_001),)

    def test_has_no_embedding_model_where_the_embedder_is_away(self) -> None:
        [change] = reconciled([Weighed(Believed(candidate(), 0), None)])

        assert isinstance(change, Add)
        assert (change.memory.embedding, change.memory.embedding_model) == (None, None)

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


class TestEqualContent:
    @table("content", ["Lives in Kassel", "lives  in KASSEL.", "Lives in Ｋassel!"])
    @table("relation", list(Relation))
    @table("where", ["shown", "nearby"])
    def test_of_a_known_memory_is_ignored(self, content: str, relation: Relation, where: str) -> None:
        asked = candidate(content, relation, 0)
        memories = (
            {"shown": [known(7)], "nearby": []} if where == "shown" else {"shown": [], "nearby": [known(7)]}
        )

        assert reconciled([asked], *memories["shown"], nearby=memories["nearby"]) == [
            Ignore(Reason.EQUAL_CONTENT, asked, UUID(int=7), MESSAGE)
        ]

    def test_within_one_batch_is_ignored(self) -> None:
        changes = reconciled([candidate(), weigh(candidate("lives in leipzig"), 1), candidate("Plays chess")])

        assert outline(changes) == [
            (Add, Reason.NEW, None), (Ignore, Reason.EQUAL_CONTENT, 100), (Add, Reason.NEW, None),
        ]  # fmt: skip

    def test_counts_also_after_a_replacement_and_a_repetition(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Leipzig", Relation.CONTRADICTS, 0),
                candidate("Lives in Leipzig!"),
                candidate("Is fond of tea", Relation.REPEATS, 1),
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

    @pytest.mark.parametrize("standing", list(Standing))
    def test_strengthens_what_is_doubted(self, standing: Standing) -> None:
        assert reconciled([candidate("Lives in Kassel")], known(7, standing=standing)) == [
            Reinforce(UUID(int=7), messages=MESSAGE)
        ]

    def test_strengthens_what_somebody_asks_to_be_remembered_once(self) -> None:
        changes = reconciled(
            [candidate("Lives in Kassel"), candidate("lives in kassel")], known(7), asked=frozenset({0})
        )

        assert outline(changes) == [(Reinforce, Reason.REPEATS, 7), (Ignore, Reason.EQUAL_CONTENT, 7)]

    def test_of_a_summary_is_ignored_even_if_asked_for(self) -> None:
        changes = reconciled(
            [candidate("Lives in Kassel")], known(7, kind=Kind.SUMMARY), asked=frozenset({0})
        )

        assert outline(changes) == [(Ignore, Reason.EQUAL_CONTENT, 7)]


class TestAlmostEqualLetters:
    def test_are_a_repetition_without_any_model(self) -> None:
        [change] = reconciled(
            [candidate("Lives in a flat in Kassel")], nearby=[known(7, "Lives in the flat in Kassel")]
        )

        assert change == Reinforce(UUID(int=7), messages=MESSAGE)

    def test_are_a_repetition_of_what_the_batch_said_too(self) -> None:
        changes = reconciled(
            [candidate("Lives in a flat in Kassel"), candidate("Lives in the flat in Kassel")]
        )

        assert outline(changes) == [(Add, Reason.NEW, None), (Ignore, Reason.REPEATS, 100)]

    def test_strengthen_a_memory_once_a_batch(self) -> None:
        changes = reconciled(
            [candidate("Lives in a flat in Kassel"), candidate("Lives in some flat in Kassel")],
            known(7, "Lives in the flat in Kassel"),
        )

        assert outline(changes) == [(Reinforce, Reason.REPEATS, 7), (Ignore, Reason.REPEATS, 7)]

    def test_of_a_summary_are_new(self) -> None:
        changes = reconciled(
            [candidate("Lives in a flat in Kassel")],
            known(7, "Lives in the flat in Kassel", kind=Kind.SUMMARY),
        )

        assert outline(changes) == [(Add, Reason.NEW, None)]


class TestRepeats:
    def test_a_known_memory_is_reinforced_once_an_exchange(self) -> None:
        first = candidate("Has moved to Kassel", Relation.REPEATS, 0)
        second = candidate("Is at home in Kassel", Relation.REPEATS, 0)

        assert reconciled([first, second], known(7)) == [
            Reinforce(UUID(int=7), messages=MESSAGE),
            Ignore(Reason.REPEATS, second, UUID(int=7), MESSAGE),
        ]

    def test_what_was_just_replaced_is_ignored(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Kassel, right at the park", Relation.REFINES, 0),
                candidate("Is at home in Kassel", Relation.REPEATS, 0),
            ],
            known(7),
        )

        assert outline(changes) == [(Replace, Reason.REFINES, 7), (Ignore, Reason.REPEATS, 7)]

    def test_a_memory_that_several_share_is_reinforced(self) -> None:
        changes = reconciled(
            [candidate("Is at home in Kassel", Relation.REPEATS, 0)], known(7, owner=COMMONS)
        )

        assert outline(changes) == [(Reinforce, Reason.REPEATS, 7)]

    @pytest.mark.parametrize(
        "content",
        ["Lives in Kassel since 2024", "Lives in Kassel with her friend Mia", "Lives in Kassel, Hessen"],
    )
    def test_with_more_it_is_a_refinement(self, content: str) -> None:
        assert outline(reconciled([candidate(content, Relation.REPEATS, 0)], known(7))) == [
            (Replace, Reason.REFINES, 7)
        ]

    @table(
        ("content", "said"),
        [
            ("Takes 75 mg of the tablets", "Takes 50 mg of the tablets"),
            ("Daughter Iona starts school", "Daughter Isla starts school"),
            ("Meets the choir on Mondays", "Meets the choir on Tuesdays"),
            ("Had surgery on the right knee", "Had surgery on the left knee"),
            ("Brother lives in Kassel", "Lives in Kassel"),
        ],
    )
    def test_another_thing_is_kept_beside_it(self, content: str, said: str) -> None:
        changes = reconciled([candidate(content, Relation.REPEATS, 0)], known(7, said))

        assert outline(changes) == [(Add, Reason.DISTINCT, None)]

    def test_something_without_a_word_in_common_is_kept_beside_it_unless_it_is_near(self) -> None:
        asked = candidate("Speaks Danish at home", Relation.REPEATS, 0)
        memory = known(7, "Enjoys opera")

        assert outline(reconciled([weigh(asked, near={7: 0.1})], memory)) == [(Add, Reason.DISTINCT, None)]
        assert outline(reconciled([asked], memory)) == [(Add, Reason.DISTINCT, None)]
        vague = candidate("Has a musical evening often", Relation.REPEATS, 0)
        assert outline(reconciled([weigh(vague, near={7: 0.3})], memory)) == [(Reinforce, Reason.REPEATS, 7)]

    def test_words_in_common_may_stand_in_what_was_said(self) -> None:
        asked = candidate("Is a teetotaller", Relation.REPEATS, 0, evidence="no alcohol for me, ever")
        memory = replace(known(7, "Never drinks"), provenance=Provenance(evidence="I never drink alcohol"))

        assert outline(reconciled([asked], memory)) == [(Reinforce, Reason.REPEATS, 7)]

    @pytest.mark.parametrize(
        ("content", "evidence", "said"),
        [
            ("Takes 75 mg of the tablets", "I'm on 75 mg of the tablets now", "Takes 50 mg of the tablets"),
            ("Meets the choir on Mondays", "it's moved to Mondays", "Meets the choir on Tuesdays"),
            ("Works 35 hours a week", "I've worked 35 hours since May", "Works 30 hours a week"),
            ("Doesn't smoke at parties any more", "no longer at parties", "Smokes at parties"),
        ],
    )
    def test_what_is_said_to_have_changed_is_replaced(self, content: str, evidence: str, said: str) -> None:
        asked = candidate(content, Relation.REPEATS, 0, evidence=evidence)

        assert outline(reconciled([asked], known(7, said))) == [(Replace, Reason.CONTRADICTS, 7)]

    def test_another_one_as_well_is_kept_beside_it(self) -> None:
        asked = candidate(
            "Dentist on 26 March", Relation.REPEATS, 0, evidence="now there's another one on 26 March"
        )

        assert outline(reconciled([asked], known(7, "Dentist on 12 March"))) == [(Add, Reason.DISTINCT, None)]


class TestRefines:
    def test_the_newer_replaces_the_older(self) -> None:
        changes = reconciled(
            [candidate("Has a whippet named Pepper", Relation.REFINES, 1)],
            known(6),
            known(7, "Has a dog named Pepper"),
        )

        assert outline(changes) == [(Replace, Reason.REFINES, 7)]

    def test_what_is_not_newer_is_ignored_and_disputes_nothing(self) -> None:
        asked = candidate("Has a dog named Pepper", Relation.REFINES, 0)

        assert reconciled([asked], known(7, "Has a dog", observed_at=SAID_AT)) == [
            Ignore(Reason.NOT_NEWER, asked, UUID(int=7), MESSAGE)
        ]

    @table(
        ("content", "said"),
        [
            ("Has a grey dog", "Has a dog named Pepper"),
            ("Has dogs of her own", "Has 2 dogs"),
            ("Sings in a choir in Kassel", "Sings in a choir on Tuesdays"),
            ("Doesn't sing in a choir in Kassel", "Sings in a choir"),
            ("Sister sings in a choir", "Sings in a choir"),
        ],
    )
    def test_what_would_lose_something_is_kept_beside_it(self, content: str, said: str) -> None:
        changes = reconciled([candidate(content, Relation.REFINES, 0)], known(7, said))

        assert outline(changes) == [(Add, Reason.DISTINCT, None)]


class TestContradicts:
    def test_the_newer_replaces_the_older(self) -> None:
        changes = reconciled(
            [candidate(relation=Relation.CONTRADICTS, about=(1,))], known(6, "Likes tea"), known(7)
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7)]

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

        assert reconciled([asked], known(7, observed_at=observed_at)) == [
            Ignore(Reason.NOT_NEWER, asked, UUID(int=7), MESSAGE),
            Mark(UUID(int=7), Standing.DISPUTED, Reason.DISPUTED),
        ]

    def test_what_is_disputed_already_is_not_marked_again(self) -> None:
        stored = known(7, observed_at=SAID_AT, standing=Standing.DISPUTED)

        changes = reconciled([candidate(relation=Relation.CONTRADICTS, about=(0,))], stored)

        assert outline(changes) == [(Ignore, Reason.NOT_NEWER, 7)]

    def test_of_one_turn_only_the_first_replaces_and_the_second_is_added(self) -> None:
        changes = reconciled(
            [
                candidate("Lives in Leipzig", Relation.CONTRADICTS, 0),
                candidate(
                    "Works from home in Leipzig", Relation.CONTRADICTS, 0, evidence="in Leipzig, not Kassel"
                ),
            ],
            known(7),
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Add, Reason.DISTINCT, None)]

    def test_a_later_turn_replaces_what_an_earlier_one_put_in_its_place(self) -> None:
        changes = reconciled(
            [
                weigh(candidate("Lives in Leipzig", Relation.CONTRADICTS, 0)),
                weigh(candidate("Lives in Dresden", Relation.CONTRADICTS, 0), 1),
            ],
            known(7),
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Replace, Reason.CONTRADICTS, 100)]

    def test_what_was_just_repeated_is_not_replaced(self) -> None:
        changes = reconciled(
            [
                candidate("Is at home in Kassel", Relation.REPEATS, 0),
                candidate("Lives in Leipzig", Relation.CONTRADICTS, 0),
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

        assert outline(reconciled([candidate(content, relation, 0)], common)) == [(Add, Reason.NEW, None)]

    @pytest.mark.parametrize(
        ("content", "evidence", "said"),
        [
            ("Sister lives in Leipzig", "my sister lives in Leipzig", "Lives in Kassel"),
            ("Has a second home in Leipzig", "I also live in Leipzig", "Has a home in Kassel"),
            ("Lived in Leipzig as a child", "as a child I lived in Leipzig", "Lives in Kassel"),
        ],
    )
    def test_what_may_be_so_as_well_is_kept_beside_it(self, content: str, evidence: str, said: str) -> None:
        asked = candidate(content, Relation.CONTRADICTS, 0, evidence=evidence)

        assert outline(reconciled([asked], known(7, said))) == [(Add, Reason.DISTINCT, None)]

    @pytest.mark.parametrize(
        ("holds_from", "holds_until"),
        [(SAID_AT + timedelta(days=90), None), (None, EARLIER - timedelta(days=9))],
    )
    def test_what_holds_at_another_time_is_kept_beside_it(
        self, holds_from: datetime | None, holds_until: datetime | None
    ) -> None:
        asked = replace(
            candidate(relation=Relation.CONTRADICTS, about=(0,)),
            holds_from=holds_from,
            holds_until=holds_until,
        )

        assert outline(reconciled([asked], known(7))) == [(Add, Reason.DISTINCT, None)]

    @pytest.mark.parametrize(
        ("content", "said", "kind"),
        [
            ("Likes listening to Verdi", "Likes listening to Puccini", Add),
            ("Favourite composer is Verdi", "Favourite composer is Puccini", Replace),
        ],
    )
    def test_of_tastes_one_may_have_many_but_of_favourites_one(
        self, content: str, said: str, kind: type[Change]
    ) -> None:
        asked = candidate(content, Relation.CONTRADICTS, 0, kind=Kind.PREFERENCE)

        [change] = reconciled([asked], known(7, said, kind=Kind.PREFERENCE))

        assert isinstance(change, kind)

    @table(
        ("content", "said"),
        [
            ("Doesn't like blue cheese", "Likes blue cheese"),
            ("Mag keine Oliven", "Mag Oliven"),
            ("Не любит грибы", "Любит грибы"),
            ("不吃肉", "吃肉"),
        ],
    )
    @table("relation", [Relation.NEW, Relation.REPEATS])
    def test_a_flat_denial_is_one_whatever_the_models_say(
        self, content: str, said: str, relation: Relation
    ) -> None:
        asked = candidate(content, relation, None if relation is Relation.NEW else 0)

        assert outline(reconciled([asked], known(7, said))) == [(Replace, Reason.CONTRADICTS, 7)]
        assert outline(reconciled([asked], known(7, said, observed_at=SAID_AT))) == [
            (Ignore, Reason.NOT_NEWER, 7), (Mark, Reason.DISPUTED, 7),
        ]  # fmt: skip


class TestAJudge:
    def test_counts_where_the_extractor_had_not_seen_the_memory(self) -> None:
        asked = weigh(candidate(), near={7: 0.7}, judged={7: Relation.CONTRADICTS})

        assert outline(reconciled([asked], nearby=[known(7)])) == [(Replace, Reason.CONTRADICTS, 7)]

    @pytest.mark.parametrize("relation", [None, Relation.NEW])
    def test_that_says_nothing_or_unrelated_makes_it_new(self, relation: Relation | None) -> None:
        asked = weigh(candidate(), near={7: 0.7}, judged={7: relation})

        assert outline(reconciled([asked], nearby=[known(7)])) == [(Add, Reason.NEW, None)]

    @pytest.mark.parametrize(
        ("extractor", "judge", "change"),
        [
            (Relation.REPEATS, Relation.NEW, (Add, Reason.DISTINCT, None)),
            (Relation.REPEATS, Relation.REFINES, (Replace, Reason.REFINES, 7)),
            (Relation.CONTRADICTS, Relation.NEW, (Add, Reason.DISTINCT, None)),
            (Relation.REPEATS, None, (Reinforce, Reason.REPEATS, 7)),
        ],
    )
    def test_and_the_extractor_disagree_and_the_safer_word_counts(
        self, extractor: Relation, judge: Relation | None, change: tuple[type[Change], Reason, int | None]
    ) -> None:
        asked = weigh(candidate("Is at home in Kassel", extractor, 0), judged={7: judge})

        [(kind, _, target)] = outline(reconciled([asked], known(7)))

        assert (kind, target) == (change[0], change[2])

    def test_names_several_and_the_nearest_that_may_be_counts(self) -> None:
        asked = weigh(
            candidate("Takes 75 mg of the tablets now"),
            near={7: 0.9, 8: 0.8, 9: 0.7},
            judged={9: Relation.REPEATS, 8: Relation.REPEATS, 7: Relation.REPEATS},
        )
        nearby = [
            known(7, "Sister takes 50 mg of the tablets"), known(8, "Is on 75 mg of the tablets"), known(9, "Takes tablets"),
        ]  # fmt: skip

        assert outline(reconciled([asked], nearby=nearby)) == [(Reinforce, Reason.REPEATS, 8)]

    def test_that_names_what_is_gone_is_not_heard(self) -> None:
        asked = weigh(candidate(), judged={99: Relation.CONTRADICTS})

        assert outline(reconciled([asked], known(7))) == [(Add, Reason.NEW, None)]


class TestWhatDependedOnIt:
    def test_is_marked_suspect_where_the_extractor_says_so(self) -> None:
        asked = replace(candidate(relation=Relation.CONTRADICTS, about=(0,)), unsettles=(0, 1, 1, 9, -1))

        changes = reconciled(
            [asked], known(7), known(8, "Takes the tram to the office"), known(9, "Is left-handed")
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Mark, Reason.SUSPECT, 8)]
        assert changes[1] == Mark(UUID(int=8), Standing.SUSPECT, Reason.SUSPECT, UUID(int=100))

    def test_is_marked_where_it_names_what_is_no_longer_so(self) -> None:
        changes = reconciled(
            [candidate(relation=Relation.CONTRADICTS, about=(0,))],
            known(7),
            nearby=[known(8, "Sings in a choir in Kassel"), known(9, "Sings in the bath")],
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7), (Mark, Reason.SUSPECT, 8)]

    @pytest.mark.parametrize(
        ("content", "others", "speaker"),
        [
            ("Moved from Kassel to Leipzig", ["Sings in a choir in Kassel"], None),
            ("Lives in Leipzig", [f"Knows a place in Kassel, number {number}" for number in range(4)], None),
            ("Lives in Leipzig", ["Is called Kassel by friends"], "Rudi Kassel"),
        ],
    )
    def test_is_not_marked_for_a_name_that_stays_is_everywhere_or_their_own(
        self, content: str, others: list[str], speaker: str | None
    ) -> None:
        asked = candidate(content, Relation.CONTRADICTS, 0)

        changes = reconciled(
            [asked],
            known(7),
            nearby=[known(20 + number, other) for number, other in enumerate(others)],
            speaker=speaker,
        )

        assert outline(changes) == [(Replace, Reason.CONTRADICTS, 7)]

    def test_is_not_marked_where_the_batch_says_it_again_replaces_it_or_doubts_it_already(self) -> None:
        asked = replace(candidate(relation=Relation.CONTRADICTS, about=(0,)), unsettles=(1, 2, 3, 4))

        changes = reconciled(
            [
                asked,
                candidate("Is in a choir in Kassel still", Relation.REPEATS, 1),
                candidate("Rents a shed in Leipzig", Relation.CONTRADICTS, 2),
            ],
            known(7),
            known(8, "Sings in a choir in Kassel"),
            known(9, "Rents a shed in Kassel"),
            known(10, "Rows in Kassel", standing=Standing.SUSPECT),
            known(11, "All of Kassel in a summary", kind=Kind.SUMMARY),
        )

        assert [change for change in changes if isinstance(change, Mark)] == []

    def test_is_marked_once_a_batch(self) -> None:
        changes = reconciled(
            [
                candidate(relation=Relation.CONTRADICTS, about=(0,)),
                candidate("Rents a shed in Leipzig", Relation.CONTRADICTS, 1),
            ],
            known(7),
            known(8, "Rents a shed in Kassel"),
            known(9, "Rows in Kassel"),
        )

        assert outline(changes) == [
            (Replace, Reason.CONTRADICTS, 7), (Mark, Reason.SUSPECT, 9), (Replace, Reason.CONTRADICTS, 8),
        ]  # fmt: skip

    def test_is_not_marked_for_a_refinement(self) -> None:
        changes = reconciled(
            [candidate("Lives in the Kassel suburbs", Relation.REFINES, 0)],
            known(7),
            known(9, "Rows in Kassel"),
        )

        assert outline(changes) == [(Replace, Reason.REFINES, 7)]


@pytest.mark.parametrize("relation", [Relation.REPEATS, Relation.REFINES, Relation.CONTRADICTS])
class TestWhatCannotBeTouched:
    @pytest.mark.parametrize("about", [None, 1, 99, -1])
    def test_a_number_that_was_not_shown_makes_it_new(self, relation: Relation, about: int | None) -> None:
        assert outline(reconciled([candidate("Has moved", relation, about)], known(7))) == [
            (Add, Reason.NEW, None)
        ]

    @pytest.mark.parametrize("kind", [Kind.QA_TURN, Kind.SUMMARY, Kind.PROFILE])
    def test_turns_summaries_and_profiles_stay(self, relation: Relation, kind: Kind) -> None:
        changes = reconciled([candidate("Has moved away from Kassel", relation, 0)], known(7, kind=kind))

        assert outline(changes) == [(Add, Reason.NEW, None)]


contents = st.sampled_from(
    ["Lives in Kassel", "lives in kassel.", "Lives in Leipzig", "Has 2 cats", "Has 3 cats", "Has no cats", "Has cats",
     "Has some cats", "Brother has 2 cats", "不吃肉", "", "\x00\ud800", "x" * 5_000]
) | st.text(max_size=30)  # fmt: skip
candidates = st.builds(
    Candidate,
    contents,
    st.sampled_from(sorted(STATEMENTS)),
    st.floats(),
    contents,
    st.floats(),
    st.sampled_from(Relation),
    st.none() | st.integers(-2, 5),
    unsettles=st.lists(st.integers(-2, 5), max_size=3).map(tuple),
)
relations = st.none() | st.sampled_from(Relation)
weighings = st.builds(
    lambda asked, turn, near, judged: weigh(asked, turn, near=near, judged=judged),
    candidates,
    st.integers(0, 2),
    st.dictionaries(st.integers(1, 6), st.floats(0, 1), max_size=3),
    st.dictionaries(st.integers(1, 6), relations, max_size=3),
)
memories = st.builds(
    lambda content, kind, days, owner, source, standing: {
        "content": content,
        "kind": kind,
        "observed_at": SAID_AT + timedelta(days=days),
        "owner": owner,
        "source": source,
        "standing": standing,
    },
    contents,
    st.sampled_from(Kind),
    st.integers(-1, 1),
    st.sampled_from(["anna", COMMONS]),
    st.sampled_from(Source),
    st.none() | st.sampled_from(Standing),
)


@given(
    st.lists(weighings, max_size=6),
    st.lists(memories, max_size=5),
    st.integers(0, 5),
    st.sets(st.integers(0, 2)).map(frozenset),
    st.sets(st.integers(0, 2)).map(frozenset),
)
def test_whatever_models_say_nothing_newer_is_lost_and_nothing_is_touched_twice(
    weighed: list[Weighed],
    had: list[dict[str, object]],
    split: int,
    asked: frozenset[int],
    corrects: frozenset[int],
) -> None:
    everything = [known(number, **fields) for number, fields in enumerate(had, start=1)]  # type: ignore[arg-type]
    shown, nearby = everything[:split], everything[split:]

    changes = reconciled(weighed, *shown, nearby=nearby, asked=asked, corrects=corrects)

    mains = [change for change in changes if not isinstance(change, Mark)]
    assert len(mains) == len(weighed)
    old = {memory.id: memory for memory in everything}
    said_at = dict(
        zip(map(id, mains), (exchange(each.believed.turn).turn.at for each in weighed), strict=True)
    )
    touched = [change.old for change in mains if isinstance(change, Replace)]
    touched += [change.target for change in changes if isinstance(change, Reinforce | Mark)]
    assert len(touched) == len(set(touched))
    made = {change.memory.id: change.memory for change in mains if isinstance(change, Add | Replace)}
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
                or same_letter(said, of_memory(known_one))
                or not differs(said, of_memory(known_one)).forbids_repeating
            )
    assert {change.target for change in changes if isinstance(change, Mark)} <= old.keys()
    hashes = [content_hash(memory.content) for memory in made.values()]
    own = [content_hash(memory.content) for memory in everything if memory.source is not Source.GLOBAL]
    assert len(set(hashes)) == len(hashes)
    assert not set(hashes) & set(own)


def test_decisions_are_the_same_every_time() -> None:
    weighed = [candidate(f"Has {number} cats in Kassel", Relation.REPEATS, 0) for number in range(30)]

    assert outline(reconciled(weighed, known(7))) == outline(reconciled(weighed, known(7)))


def test_many_candidates_and_memories_are_weighed_soon() -> None:
    weighed = [candidate(f"Statement of number {number} about cats and dogs") for number in range(100)]
    nearby = [known(number, f"What is known of {number} cats and dogs, or not") for number in range(10, 200)]

    assert len(reconciled(weighed, nearby=nearby)) == 100
