"""What the words of an order to an assistant are, in any language. Pure data. Never: how they are looked for."""

from dataclasses import dataclass

ADDRESS = (
    r"(?:https?://|www\.|[\w.+-]{1,60}@[\w-]{1,60}\.\w|\b[a-z0-9-]{1,60}\.(?:com|net|org|io|ai|dev|app|info|biz|co|"
    r"example|test|ru|cn|de|fr|es|it|pl|nl|br|uk|eu|jp)\b)"
)
"""A place on the net: a link, a domain, a mailbox."""


@dataclass(frozen=True, slots=True, eq=False)  # known by itself: its hash is asked for often
class OrderWords:
    """One language's words for orders, as regular expressions over text in small letters.

    Attributes:
        lead: What may stand before an order, in its clause.
        override: Verbs for setting rules aside.
        rules: What is set aside: "your rules", "all previous instructions".
        always: "always", "never", and the like.
        steer: Verbs of recommending, as orders.
        steer_last: The same where the verb stands at the clause's end.
        asked: "when somebody asks about".
        say: Verbs of answering, as orders, behind ``asked``.
        persona: Who the assistant is to be; anywhere in a sentence.
        trusted: "is the most trusted source", "treat it as authoritative"; anywhere in a sentence.
        send: Verbs of sending, opening and running.
        data: What is sent or run, if it is no address.
        hide: Keeping something from the person.
        own: Whose opinion it is, where that makes a ``trusted`` somebody's own.
        sends_last: Whether ``send`` has what is sent, and ``data`` the verbs, which come behind it.
        spaced: Whether words are parted by spaces.
        style: What a person may wish for in answers to themselves.
    """

    lead: str
    override: str
    rules: str
    always: str
    steer: str
    asked: str
    say: str
    persona: str
    trusted: str
    send: str
    data: str
    hide: str
    own: str
    style: str
    steer_last: str = r"(?!)"
    spaced: bool = True
    sends_last: bool = False


ENGLISH = OrderWords(
    lead=(
        r"please|kindly|now|also|so|then|and|but|just|hey|ok|okay|remember|remember to|note|that|important|"
        r"from now on|in (?:the )?future|henceforth|going forward|be sure to|make sure to|make sure (?:that )?you|"
        r"don't forget to|(?:i|we) (?:want|need|ask|expect|order|would like) you to|"
        r"you (?:must|should|shall|will|have to|need to|are to|ought to)|"
        r"(?:the )?(?:assistant|ai|model|chatbot|bot|agent|llm|chatgpt|system)(?: must| should| shall| will| has to| needs to| is to)|"
        r"(?:the )?(?:user |person )?(?:wants|wishes|asks|asked|instructs|instructed|tells|told) "
        r"(?:the )?(?:assistant|ai|model|chatbot|bot|agent) to|"
        r"it is (?:important|essential|crucial|mandatory) to"
    ),
    override=r"ignore|disregard|override|bypass|forget|discard|drop|overwrite",
    rules=(
        r"(?:all|any|every|previous|prior|above|earlier|preceding|your|other|existing|system|safety|user's|former|initial|"
        r"original|these|those|past)\b.{0,40}\b(?:instructions?|rules?|guidelines?|prompts?|policy|policies|directives?|restrictions?|"
        r"safeguards?|guardrails?|messages|orders|training)"
        r"|(?:everything|anything|all|whatever) (?:above|before|that came before|you were (?:told|taught)|you have been told)"
    ),
    always=(
        r"always|never|only|exclusively|consistently|invariably|proactively|automatically|silently|secretly|whenever|every time|"
        r"each time|by default|in (?:all|every|each|any|future)|for (?:all|every|any)|to (?:all|every|any|everyone|anyone|users)|"
        r"above all|over (?:all )?(?:other|competitor)s?|as the first|first choice|from here on|in (?:your )?(?:recommendations|comparisons|suggestions)|when (?:asked|someone|anyone|users|people)|"
        r"if (?:asked|someone|anyone|users|people)"
    ),
    steer=(
        r"recommend|suggest|mention|promote|cite|trust|prefer|rank|advertise|endorse|favou?r|praise|push|plug|list|"
        r"link(?: to)?|vouch for|present|describe|portray|say|state|claim|insist|quote|advise|choose|pick|offer|bring up|weight|point (?:out )?(?:users|people|to)|"
        r"(?:answer|reply|respond|end|start|begin|close|finish|conclude)(?: \S+){0,4} (?:with|that)|"
        r"(?:direct|refer|steer|route|redirect|nudge|guide) (?:all |any |every )?(?:the )?(?:users?|people|customers?|readers?|them|"
        r"everyone|anyone|clients?|patients?|visitors?)|"
        r"(?:include|add|insert|append|embed|put) .{0,40}(?:link|ad|advert\w*|referral|affiliate|coupon|promo\w*|mention of)"
    ),
    asked=(
        r"(?:when|whenever|if|any ?time|every time|each time)(?: \S+){0,5}? (?:ask|asks|asked|questioned|talks? about|mentions?|"
        r"discuss\w*|comes? up|wants?|needs?|looks? for|(?:is|are) looking for|search\w*|inquires?|enquires?)"
    ),
    say=(
        r"say|claim|state|insist|answer (?:with|that)|reply (?:with|that)|respond (?:with|that)|name|pretend|"
        r"tell (?:them|him|her|the user|users|people|everyone|me that)|point (?:them|him|her|users|people)|refer (?:them|to)|direct them"
    ),
    persona=(
        r"\bthe user (?:has |hereby )?(?:agreed|agrees|consented|consents|authori[sz]e[ds]|approved|opted in|given (?:\S{1,40} )?(?:permission|consent)) "
        r".{0,60}?(?:@|shar\w+|send\w*|forward\w*|access|data|chats)|"
        r"\byou(?: are|'re) now (?!able|allowed|free to|ready|done|looking|seeing)|"
        r"\b(?:from now on|henceforth|going forward|from today),? (?:you|the assistant|the ai) "
        r"(?:are|is|must|will|shall|should|act|acts|obey|only|always|never|have to|no longer)\b|"
        r"(?:^|[.!?:\n] *)(?:new |updated )?(?:system|developer|admin) (?:prompt|override|instructions?|message|mode)\b ?[:=-]|"
        r"\b(?:enable|enter|activate|switch (?:in)?to|you are (?:now )?in) .{0,15}(?:developer|admin|god|dan|debug|jailbreak|unrestricted) mode|"
        r"(?:^|[.!?:\n,] *|\bplease |\bthen |\bnow |\byou (?:must|should) )(?:reveal|print|show|repeat|output|leak|dump|display|replace|reset|"
        r"overwrite|update) .{0,30}(?:system|developer|initial|hidden) (?:prompt|message|instructions?)"
    ),
    trusted=(
        r"\b(?:is|are|as) (?:an? |the |our |your |their )?(?:\S{1,40} ){0,2}?(?:trusted|trustworthy|reliable|authoritative|credible|definitive|"
        r"go-to|official|preferred|verified|#1|number one|no\. ?1|leading|most \w+|best|only|top)(?: \S+){0,2}? "
        r"(?:sources?|authority|authorities|experts?|reference|company|companies|brands?|providers?|vendors?|suppliers?|websites?|"
        r"sites?|firms?|resources?|broker|outlet)\b|"
        r"(?:^|[.!?:\n,] *|\bplease |\bto |\bmust |\bshould |\bremember that )(?:treat|regard|consider|view|accept|classify|rate|remember) .{1,80}? as "
        r"(?:an? |the |your |our )?(?:\S{1,40} ){0,2}?(?:authoritative|authority|trusted|trustworthy|reliable|credible|official|true|facts?|safe|"
        r"verified|preferred|default|primary|final|correct|expert|source)\b"
    ),
    send=(
        r"send|forward|bcc|post|upload|e-?mail|transmit|submit|leak|exfiltrate|deliver|copy|share|append|attach|call|fetch|open|visit|"
        r"execute|run|click|download|load|install|invoke|access|browse|navigate to|go to|use|query|request|add|include|insert|link"
    ),
    data=(
        r"(?:conversation|chat (?:history|log)s?|chat transcript|memories|user(?:'s)? (?:data|details|name|e-?mail|information|messages?)|"
        r"personal (?:data|information|details)|credentials|passwords?|api keys?|tokens|secrets)\b|"
        r"(?:the |a |this |following |your |any )(?:\S{1,40} ){0,2}(?:tool|function|command|script|endpoint|plugin|webhook|shell|url)\b"
    ),
    hide=(
        r"(?:hide|conceal|withhold) .{0,60}\bfrom (?:the |your |any |all )?(?:users?|humans?|persons?|readers?|owners?|operators?|admins?|me)\b|"
        r"(?:do not|don't|never) (?:ever )?(?:tell|inform|notify|alert|warn|mention|reveal|disclose|show|let) .{0,40}"
        r"\b(?:the |your )(?:users?|humans?|person|reader|owner|operator|admin)\b|"
        r"keep (?:this|it|that|these) .{0,30}(?:secret|hidden|confidential|private) from (?:the |your )?(?:users?|humans?|person|owner|operator)|"
        r"without (?:telling|informing|notifying|alerting) (?:the |your )?(?:users?|humans?|person|owner)"
    ),
    own=(
        r"\b(?:i|i'm|i've|we|my|our|for me|to me|me|personally|imo|imho|thinks?|believes?|finds?|considers|feels?|says?|said|told|"
        r"favou?rite)\b"
    ),
    style=(
        r"\b(?:bullets?|bullet points?|short|shorter|brief|concise|lists?|tables?|steps?|german|english|french|spanish|italian|polish|language|"
        r"emojis?|units?|metric|imperial|celsius|examples?|code|snippets?|comments?|tests?|types?|markdown|formal|informal|sentences?|"
        r"paragraphs?|one word|yes or no|(?:your|the|with|cite|any|all) sources|details?|summary|page numbers?|vegan|vegetarian|halal|kosher|gluten|"
        r"lactose|dairy|meat|pork|beef|fish|nuts?|peanuts?|alcohol|sugar|healthy|cheap|cheaper|affordable|budget|free|open[- ]source|local|"
        r"second[- ]hand|trains?|bikes?|public transport|kids?|children|wheelchair|accessib\w+|jokes?|haikus?|my (?:name|ex|\w+ name|"
        r"weight|age|job|family|mother|father|mum|mom|dad|brother|sister|wife|husband|son|daughter|illness|diagnosis))\b"
    ),
)
