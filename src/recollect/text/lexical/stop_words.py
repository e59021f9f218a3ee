# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Function and question words by language: what a text is not about. Never: how a word is read or stemmed.

Written as people write them; readers fold them (`recollect.text.lexical.folding.fold`) before they compare.
Negations are among them: who asks "didn't I like" and who asks "did I like" look for the same text.
"""

STOP_WORDS: dict[str, str] = {
    "english": """
        a about after again all also am an and any are aren't as at be because been before being between both
        but by can cannot can't could couldn't did didn't do does doesn't doing don't down during each few for
        from further had hadn't has hasn't have haven't having he he'd he'll her here here's hers herself he's
        him himself his how how's i i'd if i'll i'm in into is isn't it it'd it'll its it's itself i've just let's
        me more most mustn't my myself no nor not of off on once only or other ought our ours ourselves out over
        own same shan't she she'd she'll she's should shouldn't so some such than that that'll that's the their
        theirs them themselves then there there's these they they'd they'll they're they've this those through
        to too under until up very was wasn't we we'd we'll were we're weren't we've what what's when when's where
        where's which while who whom whose who's why why's will with won't would wouldn't you you'd you'll your
        you're yours yourself yourselves you've im ive dont cant wont didnt doesnt isnt wasnt arent youre thats
        whats theyre eg ie
    """,
    "german": """
        aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anders auch auf aus
        bei beim bin bis bist da dabei damit dann das dass daß dein deine deinem deinen deiner dem den denn der
        des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen
        einer eines er es etwas euch euer eure für gegen gibt hab habe haben habt hat hatte hatten hattest hast
        heißt hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden
        jeder jedes jener kann kannst kein keine keinem keinen keiner können könnte machen man mein meine meinem
        meinen meiner mich mir mit muss musste nach nein nicht nichts noch nun nur ob oder ohne sehr sein seine
        seinem seinen seiner seit sich sie sind so solche soll sollte sondern sonst über um und uns unser unsere
        unter viel vom von vor wann war waren warst warum was weil welche welchem welchen welcher welches wem wen
        wenn wer werde werden weshalb wessen wie wieder wieso will wir wird wirst wo woher wohin wollen worden
        wurde wurden würde zu zum zur zwar zwischen
    """,
    "french": """
        a ai ainsi alors après as au aucun aucune aussi autre aux avais avait avant avec avez avoir avons ça car
        ce ceci cela celle celui ces cet cette ceux chez ci combien comme comment d dans de déjà depuis des deux
        donc dont du elle elles en encore entre es est et étaient étais était été êtes être eu eux fait faut fut il
        ils j je jusqu l la là le lequel les leur leurs lors lui m ma mais me même mes moi moins mon n ne ni non
        nos notre nous on ont ou où par parce pas peu peut plus pour pourquoi qu quand que quel quelle quelles
        quels qui quoi sa sans se sera ses si son sont sous suis sur t ta te tes toi ton toujours tous tout toute
        toutes très tu un une vers voici voilà vos votre vous y
    """,
    "spanish": """
        a al algo algún alguna alguno algunos ante antes aquel aquella así aún aunque cada casi como cómo con
        contra cual cuál cuáles cuando cuándo cuanto cuánto cuántos de del desde donde dónde durante e el él ella
        ellas ellos en entre era eran eres es esa esas ese eso esos esta está están estar estas este esto estos
        estoy estuve fue fueron fui ha había habían haber hace hacia han has hasta hay he hemos la las le les lo
        los más me mi mí mis mucho muy nada ni no nos nosotros nuestra nuestro o os otra otro otros para pero poco
        por porque pues que qué quien quién quiénes se sea ser si sí sido siempre sin sobre son soy su sus también
        tan tanto te tengo ti tiene tienen tienes todo todos tu tú tus un una uno unos usted ustedes y ya yo
    """,
    "portuguese": """
        a à ainda algo alguém algum alguma ao aos apenas aquela aquele aquilo as às até cada com como da das de
        dela dele deles depois do dos e é ela elas ele eles em entre era eram essa esse esta está estão estar
        estas este estes estou eu foi foram fui há isso isto já la lhe lhes lo mais mas me mesmo meu meus minha
        minhas muito na nas não nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos por
        porque qual quais quando quanto quantos que quê quem são se sem ser será seu seus só sobre sou sua suas
        também te tem têm tenho ter teu teve tinha toda todo todos tu tua um uma você vocês vos
    """,
    "italian": """
        a abbiamo ad ai al alla alle allo anche ancora avere aveva avevo c che chi ci ciò coi col come con
        contro cosa così cui da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dopo dov
        dove e è ed era erano eri ero essere fa fra già gli ha hai hanno ho i il in io la le lei li lo loro lui l
        ma mai me mi mia mie miei mio molto ne negli nei nel nell nella nelle no noi non nostra nostro o ogni
        ora per perché perciò più poi prima quale quali quando quanta quanto quanti quegli quel quella quelle
        quelli quello questa queste questi questo qui sarà se sei si sia siamo siete solo sono sta stata stato
        sto su sua sue sugli sui sul sull sulla suo suoi te ti tra tu tua tue tuo tutti tutto un una uno vi voi
    """,
    "dutch": """
        aan al alle alleen als altijd andere ben bent bij daar dan dat de deze die dit doch doen door dus een en
        er ge geen geweest had hadden heb hebben hebt heeft heel heet hem het hier hij hoe hoeveel hun iemand iets
        ik in is ja je jij jou jouw jullie kan kon kunnen maar me meer men met mij mijn moet na naar niet niets
        nog nu of om omdat onder ons ook op over te tegen toch toen tot tussen u uit uw van veel voor waar waarom
        wanneer want waren was wat we wel welk welke werd wezen wie wij wil worden wordt zal ze zei zelf zich zij
        zijn zo zonder zou
    """,
    "swedish": """
        alla allt än att av bara bli blev då där de deg dem den denna deras dess det detta dig din dina ditt du
        efter ej eller en er ett finns för från ha hade han hans har här hennes heter hon honom hos hur i icke in
        ingen inom inte jag ju kan kunde man med mellan men mig min mina mitt mot mycket när någon något några nej
        ni nu och också om oss på så sig sin sina sitt ska skulle som till under upp ut utan vad var vår vara
        varför varit vart vem vi vid vilka vilken vilket är åt över
    """,
    "danish": """
        af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din dine dog du efter
        eller en end er et for fra ham han hans har have havde hedder hende hendes her hos hun hvad hvem hver
        hvilken hvis hvor hvordan hvorfor hvornår i ikke ind ingen jeg jer kan kunne man mange med meget men mig
        min mine mit mod når ned nej noget nogle nogen nu og også om op os over på selv sig sin sine sit skal
        skulle som sådan til ud under var ved vi vil ville være været
    """,
    "norwegian": """
        alle alt at av bare ble bli blir da de deg dem den denne der deres det dette di din ditt du eller en enn
        er et ett etter for fordi fra før ha hadde han hans har heter hun hva hvem hver hvilken hvis hvor hvordan
        hvorfor når i ikke ingen inn jeg kan kunne man mange med meg mellom men mer min mine mitt mot mye må nei
        noe noen nå og også om opp oss over på seg selv sin sine sitt skal skulle slik som så til under ut uten
        var vår ved vi vil ville være vært
    """,
    "finnish": """
        ei eikä eivät ennen entä en että ette emme he heidän heille hän hänen hänet häntä ja jo joka jonka jos
        jossa jota jotka joskus kai kaikki kanssa keitä ketkä ken kenen kenelle ketä koska kuin kuinka kuka kun
        kyllä läpi me meidän meille mihin mikä miksi milloin minkä minua minulla minulle minun minä missä mistä
        mitä mitkä mutta myös ne niiden niin niitä noin nuo nyt ole olen olet oletko oli olin olit olivat olla
        olemme on onko ovat se sekä sen siinä siitä sille sinua sinulla sinun sinä sitä tai te teidän tämä tämän
        tässä tätä tuo vai vaikka vain vielä voi
    """,
    "hungarian": """
        a abban ahol aki akik alatt által amely ami amikor amit arra át az azért azok azon azt azzal be csak de
        e egy egyik el én ennek erre és ezek ezen ezt ez fel és ha hanem hány hát ő ők hogy hol hogyan honnan hova
        igen ill így ilyen is itt jó kell ki kik kit le lehet lenne lesz lett már meg mely mert mi miért mikor
        milyen mind minden mint mit ne nekem neked nem nincs nélkül óta ott pedig s saját sem soha szerint
        számára tehát tól több ugyan úgy után van vagy vagyok vagyunk valami való végül vissza volt voltam vele
        között hívják
    """,
    "romanian": """
        a acea aceasta această acel acest acesta acestea acolo acum ai aici al ale altă am ar are as asta astfel
        atât atunci au avea avem aveți avut care când cât câte cei cel cele ce cine cu cum cumva da dacă dar de
        deci deja despre din după ea ei el ele era eram este eu fără face fi fie fost iar îi îl îmi în încă
        între își îți la le li lor lui mă mai mea mele meu mi mult ne nici nimic noi nostru nu o ori pe pentru
        peste prin sa să sale sau se și sub sunt suntem ta tale tău te tot toate toți tu un una unde unei unor unui
        va vă vor vostru voi
    """,
    "turkish": """
        acaba ama ancak ara aslında ayrıca bana bazı belki ben benden beni benim bir biri birkaç biz bize bizi
        bizim bu buna bunda bundan bunlar bunu bunun burada çok çünkü da daha de defa değil diğer diye dolayı en
        gibi göre hangi hangisi hem hep hepsi hiç için ile ise ki kim kimin kimse mı mi mu mü nasıl ne neden
        nedir nerede nereye nereden niçin niye o olan olarak oldu olduğu olsun on ona ondan onlar onları onu
        onun oysa sen senin seni siz sizin şey şu şuna ve veya ya yani yok var zaman kaç
    """,
    "russian": """
        а без более больше будет будто бы был была были было быть в вам вас весь во вот все всегда всего всех вы
        где да даже два для до другой его ее ей ему если есть еще ж же за зачем здесь и из или им их к как какая
        какие какой какое когда кого кем кому кто ли лучше между меня мне много может можно мой моя моё мои моей
        моего моему мою твою мы на над надо наш не него нее ней нельзя нет ни нибудь никогда них ничего но ну о об один он
        она они оно опять от откуда перед по под после потом потому почему почти при про раз разве с сам свой своя
        свою себе себя сейчас со совсем так такой там тебя тем теперь то тогда того тоже только том тот ты твой
        твоя твоё твои тебе у уж уже хоть чего чей чем через что чтоб чтобы чуть эта эти это этого этой этом этот
        эту я сколько куда зовут
    """,
    "greek": """
        αλλά αν αντί από αυτά αυτές αυτή αυτό αυτοί αυτός αυτού για γιατί δε δεν διά εάν εγώ εδώ είμαι είναι
        είσαι είστε είχα είχε εκεί εκείνη εκείνο εκείνος εμένα εμείς ένα ένας έναν επί εσείς εσένα εσύ έχει έχεις
        έχουμε έχουν έχω ή η ήμουν ήταν θα και κάθε κατά κι λέγεται μα με μέχρι μετά μη μην μία μια μου μας να ο
        οι όμως όπου όπως όταν ότι ούτε πια ποια ποιες ποιο ποιοι ποιος ποιον πολύ πόσα πόσο πόσοι πότε που πού
        πριν προς πως πώς σαν σας σε στα στη στην στις στο στον στους συ σου τα τη την της τι τις το τον του τους
        των τώρα ως
    """,
    "arabic": """
        أن إن إلى التي الذي الذين اللتي أنا أنت أنتم أو أي أين أيضا إذا أم أما بأن بعد بعض بل بن به بها بين
        تحت تكون تلك ثم حتى حيث خلال ذلك عليه عليها على عن عند عندما غير في فيه فيها قبل قد كان كانت كل كم كما
        كيف كنت لا لأن لقد لك لكن لم لماذا لن له لها لهم لي ما ماذا متى مثل مع من منذ منه منها نحن هذا هذه هل
        هم هنا هناك هو هي و ولا ولم وما وهو وهي يا يكون
    """,
}
"""Language (as Snowball names it) -> its function, auxiliary and question words."""

_LOOKALIKES = """
    ad ai al ale alle alles also am an anders ante are art as at be been ben bin biz but car care chat
    chez com come comment con cum da dame dan dans dare dat deg del dela dell den der des det die dies dig
    din dir do dog door dos dove du en end er era eras es est face fame fat fee fie fin fit for force fra
    from fut gate geen gift had ham han has hat have hay he hem her here hers him his hoe hot hun if il in
    io is its jo kan ken kit la las led les let list lo long los made main male man mange mate me meg men
    mere met mia mind mine mint mis mit mod mode more most mot mug nada name no noi non not note nun ob of
    on once one or ore os our out over pain pan par pas per place plus pot pour prima primo pro red rend
    rot sage sale sales same san sans se sea see sein sen sent sera she sia sin so solo some son sous star
    sub sue sul sur tai tale tan te ten the then they till to toe ton tot tout tu um under up use va van
    var vest vi via voice vol war was we wet who will with word worden ya you zone
"""
ENGLISH_LOOKALIKES = frozenset(_LOOKALIKES.split())
"""Words of other languages' lists that English text holds too (names and titles included): weak evidence."""

HAN_FUNCTION_CHARACTERS = frozenset("的了吗嗎呢吧啊是我你您他她它们們这這那么麼什谁誰哪怎何")
"""Chinese (and a few Japanese) characters that bind words and ask, and hardly ever make one."""

HAN_FUNCTION_WORDS = ("还记得", "還記得", "记得", "記得", "告诉", "告訴", "知道", "一下", "请问", "請問")
"""Chinese words by which something is asked for, and which say nothing of what."""

_SYLLABIC = """
    です ます まし した して いる いま ある あり こと もの から まで では には とは のは のが のを んで って でし
    ない なか なん なに どこ いつ どの だれ どう ので けど たい たの すか せん ませ たか るの れる られ
    니다 습니 입니 합니 니까 어요 아요 에요 예요 나요 가요 해요 했어 았어 었어 는데 에서 으로 에게 무엇 언제 어디
    누구 어떤 뭐야
"""
SYLLABIC_STOP_BIGRAMS = frozenset(_SYLLABIC.split())
"""Pairs of kana and Hangul that inflect and ask."""
