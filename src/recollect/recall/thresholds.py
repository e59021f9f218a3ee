"""The bars that statements and passages of the log must reach to be recalled: the thresholds of need, and the gate of the log. Pure."""

import math
from dataclasses import dataclass, replace

from recollect.recall.candidates import Floats
from recollect.recall.question import RecallQuery


@dataclass(frozen=True, slots=True)
class NeedThresholds:
    """The thresholds of need, chosen on the lives data set by cross-validation over persons.

    The ones for a document were chosen on questions of made-up people.

    Attributes:
        need: The logit that the turn needs any statement, below which it gets none.
        need_of_agent: ``need`` in an agent's memory: nearly each of its requests is the work that its lessons are about.
        need_with_document: ``need`` if a document comes with the question.
        statement: The least probability with which a statement is needed.
        statement_of_several: ``statement`` for a question that surely asks for several things; one that may do so has a bar between.
        surely_several: The logit of the intent "list" from which on it surely does.
        linked: ``statement`` for a statement that shares a name with the best.
        serves: The least probability of the best statement with which no passages of the log are needed.
        about_document: ``statement`` if a document comes with the question.
        own_about_document: ``about_document`` if the question also speaks of the person, as "may my son eat this?" does.
        own_share: The least share of the best statement's probability that ``own_about_document`` also asks for.
        overview: The logit of the intent "overview" above which the turn gets all statements.
        about_one: The probability of the best statement from which on such a turn asks for one person or thing instead.
        overview_with_document: ``overview`` if a document comes with the question: "sum this up" asks for the document.
        most_of_several: The most statements for a question that asks for several things.
        most_in_overview: The most statements for an overview.
    """

    need: float = -1.05
    need_of_agent: float = -1.8
    need_with_document: float = -1.5
    # So low since a missing statement hurts an answer, and a needless one hardly does (decisions 0035, 0100).
    statement: float = 0.01
    statement_of_several: float = 0.001
    surely_several: float = 2.0
    linked: float = 0.0003  # not for a list: its own bar is so low that names only add noise (decision 0100)
    serves: float = 0.035
    about_document: float = 0.12
    own_about_document: float = 0.03
    own_share: float = 0.7
    overview: float = 0.8
    about_one: float = 0.8
    overview_with_document: float = 4.0
    most_of_several: int = 30
    most_in_overview: int = 40

    @property
    def of_agent(self) -> "NeedThresholds":
        """The same thresholds in an agent's memory."""
        return replace(self, need=self.need_of_agent)

    @property
    def lifted(self) -> "NeedThresholds":
        """The same thresholds with each bar of need at its lowest, for a gate that is always open."""
        return replace(
            self,
            need=-math.inf,
            need_with_document=-math.inf,
            statement=0.0,
            statement_of_several=0.0,
            linked=0.0,
            serves=0.0,
            about_document=0.0,
            own_about_document=0.0,
            own_share=0.0,
        )

    def floor(self, query: RecallQuery, likely: Floats, several: float = 0.0) -> float:
        """Return the least of the statements' probabilities with which one is needed; ``several``: the logit of the intent "list"."""
        if not query.has_document:
            surely = min(max(several / self.surely_several, 0.0), 1.0)
            return math.pow(self.statement, 1 - surely) * math.pow(self.statement_of_several, surely)
        if not query.is_about_oneself:
            return self.about_document
        return max(self.own_about_document, self.own_share * float(likely.max(initial=0.0)))


@dataclass(frozen=True, slots=True)
class Gate:
    """The coefficients of the gate's logistic regression, and its threshold.

    Trained and cross-validated on four public sets of conversations and on 500 questions that ask for nothing remembered.
    At the threshold, 2 to 9 % of the latter still get memories, and 0.5 to 4.5 % of the conversations' own questions lose
    their answer.

    Attributes:
        threshold: The probability from which the gate opens; 0: whenever anything was found.
        cosine: The cosine below which a match means nothing; None: the embedder's own.
        bias: The intercept.
        best_cosine: The weight of the nearest candidate's cosine, minus the gate's cosine.
        own_statement: The weight of the cosine of the nearest statement of the user about themselves, less the gate's cosine.
        seen: The weight of the idf share of the query's terms that the user has used before.
        about_oneself: The weight of a question in which users speak of themselves.
        small_talk: The weight of small talk.
        seeks_advice: The weight of a question that seeks advice.
        names_speaker: The weight of a question that names a speaker of the log.
        means_date: The weight of a question that means a date.
        exact_share: The idf share of the query that a single candidate must hold to open the gate alone.
        lexical_share: Without an embedding, the idf share that a single candidate must hold to open the gate.
    """

    threshold: float = 0.35
    cosine: float | None = None
    bias: float = -4.08
    best_cosine: float = 10.78
    own_statement: float = 16.46
    seen: float = 2.06
    about_oneself: float = 3.33
    small_talk: float = -7.27
    seeks_advice: float = 2.12
    names_speaker: float = 6.82
    means_date: float = 0.91
    exact_share: float = 0.8
    lexical_share: float = 0.4

    def opens(self, score: float | None) -> bool:
        """Return whether ``score`` reaches the threshold; False for None, if nothing was found."""
        return score is not None and score >= self.threshold
