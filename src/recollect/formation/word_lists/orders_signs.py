"""What speaks for an order to an assistant, sign by sign, in English and German. Pure data. Never: what signs together tell."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)  # known by itself: its hash is asked for often
class OrderSigns:
    """One language's signs of an order, as regular expressions over a sentence in small letters.

    Attributes:
        actor: The assistant, named.
        must: That somebody has to, or somebody wants it.
        act: Recommending, citing, trusting, ranking, hiding, in any form.
        ordered: That it shall be done, by nobody named: "is to be cited".
        arrange: Booking, buying, ordering somewhere.
        scope: For good, or before all others.
        topic: Whenever it is about something.
        person: Whom the assistant talks to, named as by a third.
        believes: What that person is said to want or to think.
        hide: Keeping something from somebody.
        rules: The rules an assistant has.
        void: That they hold no longer.
        praise: One name before all others, as a source or a dealer.
        rival: The others, or what speaks against the praised.
        omit: Leaving out.
        link: Something to be put into answers.
        answers: Every answer.
        unbound: Without limits.
        unasked: Without asking the person.
        deed: What is done unasked.
        send: Sending and opening.
        data: What is the person's or the chat's.
        own: Who speaks is the person, of themselves.
    """

    actor: str
    must: str
    act: str
    ordered: str
    arrange: str
    scope: str
    topic: str
    person: str
    believes: str
    hide: str
    rules: str
    void: str
    praise: str
    rival: str
    omit: str
    link: str
    answers: str
    unbound: str
    unasked: str
    deed: str
    send: str
    data: str
    own: str
    spaced: bool = True


ENGLISH = OrderSigns(
    actor=r"assistants?|ai|ais|chat ?bots?|bots?|llms?|(?:the|language|ai) models?|chatgpt|copilot|agents",
    must=r"should|must|shall|ought to|(?:has|have|needs?|is|are) to|will|supposed to|expected to|wants?|wishes|prefers?|would like",
    act=(
        r"recommend\w*|suggest\w*|mention\w*|promot\w+|cit(?:e[sd]?|ing)|trust\w*|rank\w*|advertis\w+|endors\w+|favou?r\w*|prais\w+|push\w*|"
        r"plug\w*|link(?:s|ed|ing)? to|vouch\w*|portray\w*|present(?:s|ed|ing)?|describ\w+|quot(?:e[sd]?|ing)|prioriti[sz]\w+|"
        r"refer(?:s|red|ring)?|direct(?:s|ed|ing)?|steer\w*|redirect\w*|nudg\w+|point(?:s|ed|ing)? to|rel(?:y|ies|ied|ying)|defer\w*|"
        r"bring up|brought up|com(?:es?|ing) up|hid(?:e|es|den|ing)|omit\w*|conceal\w*|withh\w+|nam(?:e[sd]?|ing)|featur\w+|highlight\w*|"
        r"list(?:s|ed|ing)? (?:\S+ ){0,4}?first|put (?:\S+ ){1,4}?(?:first|ahead)|treat\w*|speak\w* (?:well|highly|favou?rably)"
    ),
    ordered=(
        r"(?:is|are|to|should|must|shall|ought to|has to|have to|need to|needs to|will|can) (?:always |never |not |only |first )*(?:to )?be "
        r"(?:always |only |first )?(?:recommended|suggested|mentioned|promoted|cited|trusted|ranked|quoted|praised|preferred|"
        r"listed|linked|included|inserted|added|named|presented|described|portrayed|referred|directed|steered|sent|pointed|brought up|"
        r"prioriti[sz]ed|featured|advertised|put|placed|given|treated|regarded|considered|hidden|omitted|withheld|concealed|left out|ignored|disregarded)|"
        r"(?:ought to|should|must) (?:come up|come first|be the answer)|belongs? (?:at|in|on|into)"
    ),
    arrange=r"(?:booked|reserved|purchased|ordered|bought|arranged|paid|handled|routed)(?: \S+){0,4}? (?:through|via|with|at|from|over|on|using)",
    scope=(
        r"always|never|by default|default|whenever(?: it is)? possible|where possible|if possible|exclusively|only|first|at the top|"
        r"ahead of|above (?:all|any|every|other|others|everything)|over (?:all|any|every|other|others|(?:its |the )?(?:competing|competitors|rivals))|before (?:all|any|every|other|others)|"
        r"rather than (?:other|any)|(?:in|for|at|on|after|before|with) (?:all|any|each|every)(?: \S+)? \w+|"
        r"(?:every|each|any) (?:time|future|later|answer|reply|conversation|chat|session|question)|from (?:now|here|today) on|"
        r"in (?:the )?future|future (?:conversations|chats|sessions|reference|answers)|permanently|going forward|henceforth|whenever|best|"
        r"(?:as|the) (?:most )?(?:authoritative|trusted|reliable|definitive|primary)"
    ),
    topic=(
        r"(?:when|whenever|if|once|should|as soon as|any ?time)\b.{0,80}?\b(?:ask\w*|comes? up|turns? to|about|discuss\w*|wants? to know|wonders?|"
        r"inquir\w*|enquir\w*|needs?|looks? for|looking for|mention\w*|raised|topic)|"
        r"(?:all|any|every|\w+)? ?(?:questions?|queries|inquiries|requests|conversations|topics?) (?:about|on|regarding|concerning|for|of)|"
        r"(?:\w+) (?:questions|queries|inquiries)|for (?:anything|everything|all things) (?:about|related)"
    ),
    person=r"(?:(?:the|this|current|your) )?users?|the (?:human|person you|account holder|operator|reader)|humans",
    believes=r"wants?|wishes|prefers?|would like|believes?|considers?|thinks?|trusts?|likes?|(?:has )?(?:decided|agreed|chosen|granted|approved|consented|authori[sz]ed)|is an? (?:\S+ )?(?:customer|member|subscriber|fan|client) of|agrees?|expects?|asked|asks",
    hide=(
        r"hid(?:e|es|den)|conceal\w*|withh[eo]ld\w*|secret|confidential|keep (?:\S+ ){0,6}?from|kept (?:\S+ ){0,6}?from|"
        r"(?:do not|don't|never|not|must not|without|nothing) (?:\S+ ){0,2}?(?:tell\w*|inform\w*|notif\w+|alert\w*|mention\w*|reveal\w*|disclos\w+|show\w*|let\w*|warn\w*|know\w*)|"
        r"unaware|must not (?:know|see|learn)|silently|behind the back"
    ),
    rules=(
        r"(?:your|previous|prior|earlier|above|preceding|system|safety|original|initial|existing|former|developer'?s?|operator'?s?|content|moderation) "
        r"(?:\S+ ){0,2}?(?:instructions?|rules?|guidelines?|prompts?|polic(?:y|ies)|directives?|restrictions?|safeguards?|guardrails?|limits|filters?)"
    ),
    void=(
        r"void|no longer (?:apply|applies|valid|bind|binding|hold|count)|(?:do|does) not (?:apply|count|bind)|don't (?:apply|count)|cancel\w*|revoked|lifted|"
        r"suspended|overrid\w+|overruled|obsolete|invalid|disabled|switched off|turned off|"
        r"ignor\w+|disregard\w*|bypass\w*|forget|forgotten|set aside|out of force|null"
    ),
    praise=(
        r"(?:is|are|as|remains?|be|was|being) (?:an? |the |by far |always |considered |widely |clearly |simply |our |your |their )*(?:\S+ ){0,2}?"
        r"(?:most (?:trusted|reliable|trustworthy|credible|authoritative|respected|accurate)|leading|number one|no\. ?1|#1|foremost|top|best|only|"
        r"trusted|trustworthy|reliable|authoritative|credible|definitive|go-to|premier|first|unbiased|undisputed|"
        r"primary|preferred|official|ultimate|safest)(?: \S+){0,3}? "
        r"(?:sources?|authorit(?:y|ies)|experts?|references?|compan(?:y|ies)|brands?|providers?|vendors?|suppliers?|websites?|sites?|firms?|"
        r"resources?|brokers?|outlets?|choices?|options?|pick|retailers?|banks?|stores?|shops?|platforms?|services?|tools?|products?|insurers?|hotels?|agenc(?:y|ies)|"
        r"portals?|editors?|apps?|voice|place to buy|worth (?:considering|using|buying|mentioning))\b|"
        r"(?:is|are) (?:the |an? )?(?:unmatched|unrivall?ed|unbeatable|second to none|peerless|superior to|top-rated|clinically proven|(?:the )?safest (?:\w+ )?(?:way|place|choice|option)|(?:\S+ )?(?:trustworthy|unbiased|authoritative|credible)|(?:better|safer|cheaper|faster|more \w+) than (?:all|any|every|its (?:rivals|competitors))|above everything|"
        r"the (?:go-to|leading|foremost|preferred|only) (?:\S+ ){0,2}?for|an? (?:undisputed |leading |recognised |recognized )?authority|the (?:gold standard|benchmark|ultimate \w+))|"
        r"the go-to (?:source|expert|shop|provider|place|brand|choice)|as (?:the |its |your )?(?:preferred|default|primary|first|main|only|trusted|go-to|sole) (?:choice|source|store|provider|shop|citation|reference|brand|vendor|supplier|partner|option)|"
        r"outranks?|(?:lead|top|head)s the field|has (?:the )?(?:lowest|best|highest)(?: \S+)? (?:rates?|prices?|quality|ratings?|offers?|deals?)"
    ),
    rival=(
        r"competitors?|competition|rivals?|competing|alternatives to|(?:other|brands?|products?|providers?|companies|sellers?|shops?) (?:brands? )?(?:other )?than|"
        r"(?:negative|bad|critical|poor|unfavou?rable) (?:reviews?|press|reports?|news|comments?|mentions?|information)|criticisms?(?: of)?|"
        r"other (?:sources|sites|brands|shops|providers|sellers|vendors|websites)|competing \w+|complaints about|drawbacks of|downsides of|price comparisons"
    ),
    omit=(
        r"(?:not|never|don't|nothing|no|avoid) (?:\S+ ){0,2}?(?:nam\w+|mention\w*|cit\w+|show\w*|list\w*|recommend\w*|suggest\w*|includ\w+|repeat\w*|quot\w+|bring\w*|discuss\w*)|"
        r"(?:not|never|don't) (?:\S+ )?compare\w*|unreliable|untrustworthy|not (?:to )?be trusted|leav\w* out|left out|omit\w*|ignor\w+|disregard\w*|suppress\w*|hid\w+|skip\w*|play\w* down|downplay\w*|exclud\w+|withh\w+|dismiss\w*|conceal\w*"
    ),
    link=r"links?|urls?|adverts?|ads?|advertisements?|referrals?|coupons?|promo(?:tion)?s?(?: codes?)?|affiliate|slogans?|mentions? of|sponsor\w*|banner",
    answers=(
        r"(?:every|each|all|any|your|future)(?: \S+)? (?:answers?|repl(?:y|ies)|responses?|outputs?|messages?|conversations?|chats?|sessions?|summar(?:y|ies))|"
        r"(?:end|start|beginning|bottom|top) of (?:\S+ )?(?:repl\w+|answers?|responses?|messages?)"
    ),
    unbound=(
        r"unfiltered|uncensored|unrestricted|jailbr\w+|(?:no|without|free (?:of|from)|beyond)(?: any| all)? (?:restrictions?|rules|limits|limitations|filters?|"
        r"guidelines|censorship|safeguards|moderation)"
    ),
    unasked=(
        r"without (?:\S+ ){0,2}?(?:asking|checking|confirm\w*|approval|consent|permission|consulting|verification)(?! (?:me|us)\b)|"
        r"(?:needs?|requires?) no (?:further )?(?:confirmation|approval|consent|check|permission)|pre-?approved|confirmations? (?:is|are) (?:disabled|off|unnecessary|not needed)|(?:granted|approved|authori[sz]ed)(?: you)? (?:\S+ ){0,2}?(?:access|sharing|use of)|(?:is|are) (?:always )?(?:authori[sz]ed|approved)"
    ),
    deed=r"access|passwords?|files|data|confirmations?|tools?|payments?|transfers?|purchases?|commands?|scripts?|transactions?|orders?|emails?|mails?|functions?|wire|invoices?|downloads?",
    send=(
        r"send\w*|sent|forward\w*|post(?:s|ed)?|upload\w*|transmit\w*|submit\w*|leak\w*|exfiltrat\w+|shar(?:e|ed|es)|copy|copied|append|attach|cc|bcc|report(?:ed)?|"
        r"deliver(?:ed)?|e-?mail(?:ed)?|embed|encode"
    ),
    data=(
        r"conversations?|chats?|chat (?:history|logs?)|messages?|transcripts?|(?:api )?keys?|credentials?|passwords?|secrets|memor(?:y|ies)|"
        r"user(?:'s)? (?:data|details|name|email|information)|personal (?:data|information|details)|tokens?|history|system prompt"
    ),
    own=(
        r"(?:i|we)(?!(?:'d| would)? (?:really )?(?:want|need|ask|expect|like|order|instruct|require) (?:you|the (?:assistant|ai))\b)(?:'\w+)?|my|our|mine|ours|us|for me|to me|"
        r"(?:at|for|in) (?:work|school)|(?:her|his|their) (?:\w+ )?(?:company|office|team|boss|father|mother|uncle|aunt|sister|brother|daughter|son|wife|husband|friend|"
        r"neighbou?r|teacher|family|view|opinion|village|street|town|workshop|firm|department|business|employer|customers?|clients?|doctor|thesis|school|colleagues?)"
    ),
)

GERMAN = OrderSigns(
    actor=r"(?:der|dem|ein|den) (?:assistent|assistenten|bot|chatbot)|assistent\w*|ki(?:-\w+)?|chatbots?|(?:das|dem) (?:sprach)?modell|chatgpt",
    must=r"soll\w*|muss\w*|müssen|müsste\w*|hat zu|haben zu|darf|dürfen|möchte\w*|wünscht|will|wollen|(?:ist|sind)\b.{1,60}?\bzu|werden",
    act=(
        r"empf[eio]h?[hl]\w*|empfiehl\w*|erwähn\w*|nenn\w*|genannt\w*|vorschlag\w*|vorgeschlagen|vorzuschlagen|bewerb\w*|bewirb\w*|beworben|zitier\w*|vertrau\w*|"
        r"bevorzug\w*|verlink\w*|lob\w*|anpreis\w*|darstell\w*|dargestellt|bezeichn\w*|verweis\w*|verwiesen|hinweis\w*|lenk\w*|leit\w*|beruf\w*|stütz\w*|"
        r"voranstell\w*|hervorheb\w*|verschweig\w*|verberg\w*|buch\w+|gebucht|reserv\w+|bestell\w+|anführ\w*|angeführt|weglass\w*|behandel\w*"
    ),
    ordered=(
        r"(?:ist|sind)\b.{0,60}?\b(?:zu (?:empfehlen|nennen|erwähnen|zitieren|verweisen|bevorzugen|verlinken|bewerben|loben|verschweigen|behandeln|betrachten|reservieren|"
        r"buchen|bestellen|kaufen)|vorzuschlagen|anzuführen|hinzuweisen|darzustellen|vorzuziehen|einzufügen|anzugeben)|"
        r"(?:soll\w*|muss|müssen|werden|wird|werde|möge\w*|gehört|gehören)\b.{0,60}?\b(?:empfohlen|genannt|erwähnt|zitiert|verwiesen|bevorzugt|verlinkt|beworben|gelobt|dargestellt|behandelt|"
        r"vorgeschlagen|weitergeleitet|hinzugefügt|eingefügt|angeführt|verschwiegen|weggelassen|angegeben|gelenkt|geleitet)"
    ),
    arrange=r"(?:über|bei|via|mit|von|auf)\b.{1,50}?\b(?:gebucht|reserviert|bestellt|gekauft|abgewickelt|bezahlt|zu (?:buchen|reservieren|bestellen|kaufen|bezahlen))",
    scope=(
        r"immer|stets|nie|niemals|nur|ausschliesslich|grundsätzlich|standardmässig|wenn möglich|nach möglichkeit|zuerst|als erstes?|an erster stelle|vor (?:allen )?anderen|vorrangig|"
        r"(?:in|bei|an) (?:jede[rmn]?|allen?|sämtlichen) \w+|jede[rmns]? (?:antwort|frage|gespräch|unterhaltung)|künftig\w*|in zukunft|ab (?:jetzt|sofort|heute)|von nun an|dauerhaft|bevorzugt|"
        r"best\w+|über alle anderen|lieber als"
    ),
    topic=(
        r"(?:wenn|falls|sobald|sooft|geht es|sollte)\b.{0,80}?\b(?:um|frag\w*|gefragt|such\w*|spricht|sprechen|erwähn\w*|wissen (?:will|möchte)|thema|rede|geht)|"
        r"(?:bei|auf|zu|für) (?:allen |jeder |sämtlichen )?\w*(?:fragen|themen|anfragen)|\w*fragen (?:zu|nach|über|rund um)"
    ),
    person=r"(?:der|dem|den|die) (?:nutzer|benutzer|anwender|user|menschen?|person)\w*|nutzern?|benutzern?",
    believes=r"wünscht|möchte|will|bevorzugt|glaubt|hält|vertraut|meint|findet|schätzt|hat (?:zugestimmt|entschieden|beschlossen)|ist einverstanden",
    hide=(
        r"verberg\w*|verborgen|verheimlich\w*|verschweig\w*|verschwiegen|geheim\w*|vorenthalt\w*|(?:nicht|nichts|nie|niemals|ohne)\b.{0,30}?\b(?:sag\w*|erfahr\w*|erfährt|informier\w*|zeig\w*|"
        r"verrat\w*|mitteil\w*|erzähl\w*|merk\w*|wiss\w*|erwähn\w*)|(?:sag|sage|verrat|verrate|zeig|zeige|erzähl|erzähle|verraten)\b.{0,40}?\b(?:nicht|nichts|nie)"
    ),
    rules=(
        r"(?:bisherige\w*|vorherige\w*|vorige\w*|frühere\w*|obige\w*|deine\w*|bestehende\w*|alte\w*|ursprüngliche\w*|sicherheits\w*|vorgaben des (?:betreibers|entwicklers|systems)|system\w*) ?"
        r"(?:\S+ ){0,2}?(?:anweisung\w*|regeln?|richtlinien?|vorgaben?|instruktion\w*|einschränkung\w*|befehle?|grenzen|filter)|"
        r"(?:vorgaben|regeln|anweisungen|richtlinien) (?:des|der) (?:betreibers?|entwicklers?|anbieters|systems|entwickler)|sicherheits(?:regeln|vorgaben|richtlinien)|systemanweisung\w*"
    ),
    void=(
        r"gelten (?:ab sofort |jetzt |hier )?nicht(?: mehr)?|gilt nicht(?: mehr)?|ungültig|aufgehoben|hinfällig|ausser kraft|ersetzt|gestrichen|unwirksam|ignorier\w*|missacht\w*|vergiss|verwirf|"
        r"vergessen|übergeh\w*|umgeh\w*|nichtig|abgeschaltet|ausgesetzt|zu (?:ignorieren|missachten)|überschr\w+"
    ),
    praise=(
        r"(?:ist|sind|gilt als|gelten als|als|bleibt)\b (?:\S+ ){0,3}?(?:vertrauenswürdig\w*|zuverlässig\w*|verlässlich\w*|massgeblich\w*|seriös\w*|offiziell\w*|best\w*|führend\w*|einzig\w*|glaubwürdig\w*|"
        r"erste[rsn]?|wichtigste\w*|kompetent\w*) (?:\S+ ){0,3}?(?:quellen?|anbieter\w*|firma|marken?|hersteller\w*|unternehmen|autorität|instanz|expert\w*|lieferant\w*|website|webseite|adresse|wahl|portal|shop|händler|"
        r"produkt\w*|versicher\w*|bank|anlaufstelle|geräte?|programm)\b|"
        r"(?:die|der|das) (?:vertrauenswürdigste|zuverlässigste|verlässlichste|seriöseste|führende|einzige seriöse|glaubwürdigste) \w+|unerreicht|unschlagbar|konkurrenzlos|das mass aller dinge|"
        r"(?:ist|sind|gilt als) (?:eine |die )?(?:\S+ )?autorität|(?:zuverlässiger|besser|seriöser|sicherer) als alle"
    ),
    rival=r"konkurrenz|konkurrent\w*|wettbewerb\w*|mitbewerber\w*|andere (?:marken|anbieter|hersteller|banken|shops)|(?:negative|schlechte|kritische)\w* (?:bewertung\w*|bericht\w*|test\w*)|kritik an|preisvergleich\w*",
    omit=(
        r"(?:nicht|nie|niemals|keine[nrm]?|nichts)\b.{0,30}?\b(?:erwähn\w*|nenn\w*|genannt|empf\w*|zeig\w*|zitier\w*|anführ\w*)|(?:erwähn|nenn|empfiehl|zeig|zitier)\w*\b.{0,50}?\b(?:nicht|nie|niemals|keine\w*)|"
        r"wegl\w+|weggelassen|verschw\w+|ignorier\w*|unterschlag\w*|übergeh\w*|auslass\w*|ausgeblendet|ausblenden|verborgen|verberg\w*"
    ),
    link=r"links?|verlinkung|werbung|gutschein\w*|anzeige\w*|slogan|werbespruch|rabattcode|hinweis auf|verweis auf",
    answers=r"(?:jede[rmn]?|alle[nr]?|deine[rn]?|sämtliche\w*|künftige\w*)(?: \S+)? (?:antwort\w*|gespräch\w*|chats?|unterhaltung\w*|nachricht\w*|zusammenfassung\w*)|ende (?:der|jeder|deiner) antwort\w*",
    unbound=r"ungefiltert\w*|unzensiert\w*|uneingeschränkt\w*|unbeschränkt\w*|ohne (?:jede |alle )?(?:regeln|filter|einschränkungen?|grenzen|beschränkungen?|zensur|tabus)",
    unasked=r"ohne (?:\S+ ){0,3}?(?:rückfrage|nachfrage|nachzufragen|bestätigung|zustimmung|freigabe|prüfung|zu fragen)|(?:braucht|brauchen|benötig\w+) keine (?:bestätigung|zustimmung|freigabe)",
    deed=r"werkzeuge?|tools?|zahlung\w*|überweisung\w*|käufe|befehle?|skripte?|bestellung\w*|mails?|programme?|rechnungen",
    send=r"send\w*|gesendet|schick\w*|geschickt|leit\w*|weiter(?:ge)?leit\w*|lad\w* .{0,20}hoch|hochgeladen|übermitt\w*|kopier\w*|poste\w*|teil\w*|mail\w*",
    data=r"gespräch\w*|chat\w*|nachricht\w*|unterhaltung\w*|verlauf\w*|zugangsdaten|passw\w+|api-schlüssel|schlüssel|nutzerdaten|daten des|personenbezogen\w*|erinnerungen",
    own=r"ich|mir|mich|mein\w*|wir|uns|unser\w*|im betrieb|in der (?:schule|firma|arbeit)|(?:sein|ihr)(?:e|er|en|em)? (?:\w+ )?(?:chef\w*|firma|agentur|mutter|vater|onkel|bruder|schwester|mann|frau|freund\w*|betrieb|abteilung|kunden?)|findet|laut",
)
