# ruff: noqa: RUF001 - Cyrillic letters that look like Latin ones
"""The words of each cue, by language. Pure data. Never: how they are looked for.

Each list takes the languages in one order: English, German, French, Spanish, Portuguese, Italian,
Dutch, Russian, Arabic; then, unspaced, Chinese, Japanese, Korean.
"""

from recollect.text.cues.phrases import PhraseList

BEFORE = PhraseList.of(
    """last time, last conversation, previous conversation, previous chat, earlier conversation, other conversation
    previously, earlier you, earlier we, earlier i, you earlier, me earlier, we discussed, we talked, we spoke
    we agreed, we decided, we ve discussed, we ve talked, have we talked, have we discussed, did we talk
    did we discuss, did we decide, did we say, did we agree, do you remember, you remember, remember when
    remember that, remember what, remember my, remember the, do you recall, can you recall, as i told you, i told you
    i ve told you, did i tell you, have i told you, did i say, did i mention, i mentioned, i said, have i mentioned
    i already told, told you before, said before, mentioned before, discussed before, talked about before
    talked before, asked before, asked you before, the other day, we left off, left off, you told me
    you said, you mentioned, back when, pick up where
    letztes mal, beim letzten mal, letzte mal, das letzte mal, neulich, vorhin, früher gesagt, erinnerst du dich
    erinnerst du, weißt du noch, weisst du noch, wir besprochen, wir haben über, wir gesprochen, habe ich gesagt
    hab ich gesagt, habe ich dir, hab ich dir, ich dir erzählt, dir gesagt, habe ich erwähnt, ich erwähnt
    hatten wir, zuvor gesagt, schon mal gesagt, du gesagt, haben wir entschieden
    la dernière fois, dernière fois, tu te souviens, te souviens tu, vous souvenez vous, vous vous souvenez
    te rappelles tu, tu te rappelles, précédemment, on a parlé, nous avons parlé, avons nous parlé, je t ai dit
    je t avais dit, t ai je dit, j ai dit, j ai mentionné, je vous ai dit, l autre jour, tu m as dit, tu avais dit
    la última vez, la ultima vez, última vez, recuerdas, te acuerdas, recuerda lo que, hablamos de, hablamos sobre
    anteriormente, te dije, te conté, te he dicho, mencioné, el otro día, habíamos hablado, me dijiste
    da última vez, na última vez, a última vez, você lembra, lembra, te lembras, lembras te, falamos sobre
    falamos de, conversamos sobre, eu te disse, eu disse, te contei, mencionei, outro dia, você me disse
    l ultima volta, ultima volta, ti ricordi, ricordi, si ricorda, abbiamo parlato, parlavamo, ti ho detto
    ho detto, ti avevo detto, ho menzionato, in precedenza, l altro giorno, mi hai detto
    de vorige keer, vorige keer, de laatste keer, laatst, weet je nog, herinner je je, herinner je, eerder gezegd
    we hebben besproken, we besproken, hadden we het over, heb ik gezegd, ik je vertelde, heb ik verteld, onlangs
    в прошлый раз, прошлый раз, помнишь, помните, ты помнишь, ранее, мы говорили, мы обсуждали, я говорил
    я говорила, я тебе говорил, я тебе говорила, я рассказывал, я рассказывала, я упоминал, я упоминала, ты говорил
    المرة السابقة, المرة الماضية, في المرة السابقة, هل تتذكر, هل تتذكرين, أتتذكر, تتذكر, تحدثنا, تكلمنا, ناقشنا
    قلت لك, أخبرتك, ذكرت لك, سابقا, سابقًا""",
    """上次 上回 上一次 还记得 還記得 记得吗 记不记得 我们聊过 我们谈过 我们说过 我说过 我跟你说 我告诉过 我告诉你 我提到 我提过
    你说过 聊过的 我們聊過 我說過 前回 この前 先日 この間 覚えて 話したこと 言ったこと 話しました 前に話 前に言 前にも 以前話
    以前言 前に教え 지난번 저번에 기억나 기억해 기억하 이전에 내가말했 말했던 말했었 말한적 얘기했던 얘기했지 예전에""",
)

ASSISTANT_SAID = PhraseList.of(
    """did you say, did you tell, did you recommend, did you suggest, did you propose, did you advise, did you write
    did you mention, did you answer, did you give me, did you explain, did you list, did you come up, did you call
    you said, you told me, you recommended, you suggested, you proposed, you advised, you mentioned, you wrote
    you gave me, you explained, you listed, you answered, you came up with, you showed me, you provided, you ve suggested
    you have suggested, you have recommended, you had recommended, your recommendation, your recommendations
    your suggestion, your suggestions, your answer, your answers, your advice, your reply, your response, your proposal
    your explanation, were you saying, have you recommended, have you suggested, you generated
    hast du gesagt, hast du empfohlen, hast du vorgeschlagen, hast du mir, hast du geschrieben, hast du geraten
    du empfohlen, du vorgeschlagen, du gesagt, du mir empfohlen, du mir vorgeschlagen, du mir geraten, du geantwortet
    deine empfehlung, deine empfehlungen, dein vorschlag, deine vorschläge, deinen vorschlag, deine antwort, dein rat
    haben sie empfohlen, haben sie gesagt, haben sie vorgeschlagen, sagtest du, empfahlst du, hattest du
    as tu dit, as tu recommandé, as tu conseillé, as tu suggéré, as tu proposé, tu as dit, tu m as dit, tu as recommandé
    tu m as recommandé, tu m as conseillé, tu m as suggéré, tu m as proposé, tu as proposé, tu as suggéré
    avez vous dit, avez vous recommandé, vous avez recommandé, vous m avez, ta recommandation, ta réponse, ton conseil
    ta suggestion, votre réponse, votre recommandation, m avais tu, tu avais
    dijiste, me dijiste, recomendaste, sugeriste, propusiste, aconsejaste, me has dicho, has dicho, has recomendado
    tu recomendación, tus recomendaciones, tu respuesta, tu sugerencia, tu consejo, mencionaste, su recomendación
    você disse, você me disse, você recomendou, você sugeriu, você propôs, você me recomendou, você me sugeriu
    você aconselhou, sua recomendação, sua resposta, sua sugestão, suas sugestões, teu conselho, disseste
    recomendaste me, você mencionou, seu conselho
    hai detto, mi hai detto, hai consigliato, mi hai consigliato, hai suggerito, hai proposto, hai raccomandato
    il tuo consiglio, la tua risposta, i tuoi consigli, la tua raccomandazione, il tuo suggerimento, avevi detto
    avevi consigliato
    heb je gezegd, heb je aanbevolen, heb je voorgesteld, heb je aangeraden, je aanraadde, zei je, raadde je, je zei
    je voorstelde, jouw advies, je advies, jouw antwoord, je antwoord, jouw aanbeveling, jouw suggestie, je gaf
    ты сказал, ты сказала, ты говорил, ты говорила, ты советовал, ты посоветовал, ты посоветовала, ты рекомендовал
    ты порекомендовал, ты предложил, ты предложила, ты мне сказал, ты мне посоветовал, ты мне порекомендовал
    вы сказали, вы посоветовали, вы рекомендовали, твой совет, твоя рекомендация, твой ответ, твои рекомендации
    ماذا قلت لي, ماذا قلت, قلت لي, أوصيت, نصحتني, اقترحت, نصيحتك, توصيتك, إجابتك, اقتراحك, أخبرتني""",
    """你推荐 你推薦 你说 你說 你建议 你建議 你告诉 你告訴 你提到 你给我 你提过 你回答 你的建议 你的推荐 你的回答 您推荐 您建议
    您说 おすすめしてくれ 勧めてくれ 言ってくれ 教えてくれた 提案してくれ あなたが言った あなたのおすすめ あなたの答え あなたの提案
    何と言いました 何て言った と言ってた 추천해줬 추천해준 추천했 네가말 네가추천 말해줬 말해준 제안했 제안해 알려줬 알려준 너의추천 당신의추천 당신이""",
)

FORMERLY = PhraseList.of(
    """used to, formerly, in the past, originally, at first, before that, back then, years ago, was before, were before
    did i have before, had before, did i live before, lived before, did i work before, worked before, did i use before, used before
    what was my, what were my, where did i, who was my, old address, old job, old number, old plan, former, previous, changed
    früher, damals, ursprünglich, ehemals, ehemalige, ehemaliger, vorherige, vorheriger, vorher, zuvor, davor, einst, geändert
    autrefois, auparavant, à l origine, ancien, ancienne, jadis, au début, avant ça, avant cela, à l époque, précédent, précédente, changé
    originalmente, antiguo, antigua, al principio, en el pasado, solía, antes, anterior, entonces, cambiado, cambió
    antigamente, costumava, antigo, antiga, no passado, no início, mudou
    in passato, una volta, originariamente, vecchio indirizzo, ex, precedente, prima di, all inizio, cambiato
    vroeger, destijds, oorspronkelijk, voormalig, voormalige, toen, vorige, veranderd
    раньше, прежде, прежний, прежняя, бывший, бывшая, изначально, когда то, изменилось
    سابقا, سابقًا, من قبل, في الماضي, كنت, كان, السابق, السابقة""",
    "以前 从前 從前 过去 過去 原来 原來 当初 當初 之前 本来 昔 かつて 元々 もともと 以前は 前は 예전 이전 원래 과거 옛날",
)

ONESELF = PhraseList.of(
    """i, me, my, mine, myself, im, ive, we, us, our, ours, ourselves
    ich, mich, mir, mein, meine, meinen, meinem, meiner, meines, wir, uns, unser, unsere, unserem, unseren, unserer
    je, j, moi, mon, ma, mes, nous, notre, nos, mien, mienne
    yo, mi, mis, mí, conmigo, nosotros, nosotras, nuestro, nuestra, nuestros, nuestras, mío, mía
    eu, meu, minha, meus, minhas, mim, comigo, nós, nosso, nossa, nossos, nossas
    io, mio, mia, miei, mie, noi, nostro, nostra, nostri, nostre
    ik, mij, mijn, wij, ons, onze
    я, меня, мне, мной, мой, моя, моё, мое, мои, моего, моей, моему, моим, моих, мою, мы, нас, нам, наш, наша, наше, наши
    нашей, нашего
    أنا, انا, لي, عندي, نحن, لدي, معي, عني, نفسي""",
    "我 咱 俺 私 僕 俺 わたし ぼく うちの 自分 내가 나는 나의 나를 나한테 내게 저는 제가 저의 저를 저한테 우리",
)
"""Spanish "me" is English's; the Italian "mi" is Spanish's."""
ONESELF_KOREAN = PhraseList.of("나, 내, 난, 날, 전, 제, 저")

SMALL_TALK = PhraseList.of(
    """hi, hello, hey, heya, hiya, yo, howdy, greetings, good morning, good afternoon, good evening, good night, goodnight
    how are you, how are you doing, how are you today, how s it going, how is it going, what s up, whats up, sup
    how do you do, nice to meet you, thanks, thank you, thx, ty, cheers, much appreciated, you re welcome, welcome
    bye, goodbye, see you, see you later, see ya, later, take care, have a nice day, have a good day, have a great day
    tell me a joke, tell a joke, another joke, joke, ok, okay, k, kk, lol, haha, hahaha, lmao, rofl, cool, nice, great, awesome
    perfect, wow, sure, alright, fine, got it, sounds good, yay, hm, hmm, oh, ah, test, who are you, good job, well done
    hallo, guten morgen, guten tag, guten abend, gute nacht, moin, servus, grüß gott, wie geht s, wie geht es dir
    wie geht es ihnen, wie gehts, danke, dankeschön, vielen dank, danke schön, bitte, tschüss, tschüß, auf wiedersehen, bis bald
    bis später, bis morgen, erzähl mir einen witz, erzähle mir einen witz, alles klar, super, prima, gut, genau
    bonjour, salut, bonsoir, bonne nuit, coucou, ça va, comment ça va, comment vas tu, comment allez vous, merci
    merci beaucoup, au revoir, à bientôt, à plus, bonne journée, raconte moi une blague, d accord, super, parfait
    hola, buenos días, buenos dias, buenas tardes, buenas noches, buenas, qué tal, que tal, cómo estás, como estas
    cómo está, gracias, muchas gracias, de nada, adiós, adios, hasta luego, hasta mañana, chao, cuéntame un chiste, vale
    perfecto, genial, jaja, jajaja
    olá, ola, oi, bom dia, boa tarde, boa noite, tudo bem, como vai, como você está, obrigado, obrigada, muito obrigado
    muito obrigada, tchau, até logo, até mais, até amanhã, conta uma piada, me conta uma piada, conte uma piada, beleza, valeu, kkk
    ciao, buongiorno, buonasera, buonanotte, salve, come stai, come va, come sta, grazie, grazie mille, prego, arrivederci
    a presto, raccontami una barzelletta, va bene, perfetto
    hoi, hallo, goedemorgen, goedemiddag, goedenavond, goedendag, welterusten, hoe gaat het, hoe gaat het met je, dank je
    dank je wel, dankjewel, bedankt, doei, tot ziens, tot straks, tot morgen, vertel me een grap, vertel een grap, oké, prima, leuk
    привет, здравствуй, здравствуйте, доброе утро, добрый день, добрый вечер, спокойной ночи, как дела, как ты, спасибо
    большое спасибо, пожалуйста, пока, до свидания, до встречи, до завтра, расскажи анекдот, расскажи шутку, ок, ладно, хорошо, круто
    مرحبا, مرحبًا, أهلا, أهلًا, السلام عليكم, وعليكم السلام, صباح الخير, مساء الخير, كيف حالك, كيف الحال, شكرا, شكرًا
    شكرا جزيلا, شكرًا جزيلًا, عفوا, وداعا, مع السلامة, إلى اللقاء, احك لي نكتة, أخبرني نكتة, حسنا, حسنًا, تمام""",
    """你好吗 你好 您好 嗨 早上好 早安 晚上好 晚安 下午好 谢谢你 谢谢您 谢谢 謝謝 多谢 不客气 再见 再見 拜拜 讲个笑话 讲一个笑话 给我 说个笑话 好的 好吧
    哈哈 嗯 最近怎么样 在吗 こんにちは こんばんは おはようございます おはよう おやすみなさい おやすみ ありがとうございます ありがとう どうも
    さようなら またね バイバイ お元気ですか 元気ですか 元気 冗談を言って はい 了解 なるほど 안녕하세요 안녕히 계세요 안녕 감사합니다 고마워요 고마워 잘 자
    잘가 농담 해줘 네 응 ㅋㅋㅋ ㅋㅋ ㅎㅎ 오케이 吗 啊 呀 吧 哦 了 ね よ""",
)
SMALL_TALK_BESIDES = PhraseList.of(
    """so, very, much, a, lot, all, there, again, then, and, for, your, the, that, this, help, please, my friend, friend, today
    everyone, now, too, well, sehr, und, für, deine, die, hilfe, dir, ihnen, auch, pour, ton, aide, votre, et, toi, por, tu, tu
    ayuda, y, pela, ajuda, e, per, l, aiuto, voor, je, hulp, en, за, помощь, большое, и, очень, على, المساعدة, you, it, really"""
)

FOLLOW_ON = PhraseList.of(
    """and, or, but, so, then, what about, how about, what if, also, or the, except, besides, same for, same with, instead
    und, oder, aber, also, was ist mit, wie wäre es mit, sondern
    et, ou bien, mais, alors, et pour
    y, o, pero, entonces, qué hay de, y si
    e, ou, mas, então, e se
    ma, oppure, allora, e per
    en, of, maar, dus, hoe zit het met
    и, а, но, или, тогда, а что насчёт, а если
    و, أو, لكن, وماذا عن, ماذا عن, وما, وفي, والثاني, والآخر""",
    "那么 那 还有 那个 那個 另外 然后 而且 以及 じゃあ では それ それで あと 次は もう 그럼 그러면 그리고 그건 그거 그",
)
BARE = PhraseList.of(
    """why, why not, how, how so, how come, when, where, who, which, which one, which ones, what, what else, who else, and, more
    yes, no, yeah, yep, nope, yup, nah, maybe, ok, okay, sure, really, exactly, right, correct, go on, continue, please continue
    tell me more, more please, again, do it, please, of course, neither, both, all of them, none, none of them, the same
    the other, the other one, the first, the first one, the second, the second one, the third, the third one, the last one
    that one, this one, these, those, them, never mind, one more, another, another one, since when, so what, what for, for example
    warum, wieso, weshalb, warum nicht, wann, wo, wer, wie, was, ja, nein, doch, vielleicht, genau, weiter, mehr, bitte, nochmal
    noch einmal, der zweite, die zweite, das zweite, der andere, die andere, das andere, welcher, welche, welches, und dann, beide
    pourquoi, pourquoi pas, comment, quand, où, qui, quoi, oui, non, si, peut être, continue, encore, encore une fois, l autre
    le deuxième, la deuxième, le second, la seconde, lequel, laquelle, lesquels, vraiment, d accord, plus
    por qué, por qué no, cómo, cuándo, dónde, quién, qué, sí, tal vez, quizás, continúa, sigue, otra vez, el otro, la otra
    el segundo, la segunda, cuál, cuáles, de verdad, más
    por quê, por que, porque, por que não, quando, onde, quem, sim, não, talvez, continua, continue, de novo, o outro, a outra
    o segundo, a segunda, qual, quais, sério, mais
    perché, perché no, come, dove, chi, cosa, sì, forse, continua, ancora, l altro, l altra, il secondo, la seconda, quale, quali
    waarom, waarom niet, hoe, wanneer, waar, wie, wat, nee, misschien, ga door, nog een keer, de andere, de tweede, welke, echt
    почему, зачем, как, когда, где, кто, что, да, нет, может быть, продолжай, ещё, еще, ещё раз, другой, второй, какой, какая
    лучше, и что
    لماذا, كيف, متى, أين, من, ماذا, نعم, لا, ربما, أكمل, المزيد, الآخر, الثاني, أي واحد, حقا""",
    """为什么 为何 为啥 怎么 哪个 哪一个 什么 谁 什么时候 哪里 是的 是 不是 不 对 好的 好 继续 再来一个 还有呢 然后呢 第二个 第一个 另一个 呢 吗 真的 嗯
    なぜ なんで どうして どれ どっち どう 誰 いつ どこ はい いいえ うん ええ 続けて もう一度 もっと 二つ目 もう一つ 本当 ですか 는요 은요 왜요 왜 어떻게 언제 어디
    누구 뭐 네 아니요 아니 응 계속 다시 더 두 번째 다른 거 정말""",
)
POINTING = PhraseList.of(
    """it, its, that, this, these, those, them, they, he, she, him, his, her, the other one, the second one, the first one, the one
    the latter, the former, the same, that one, this one, such
    dieser, diese, dieses, diesen, davon, damit, dazu, dafür, darüber, er, ihn, ihm, denen, letzteres, derselbe
    ça, cela, ceci, celui, celle, celui ci, celle ci, ceux, celles, lui, leur, eux, en, y
    eso, esto, ese, esa, esos, esas, aquello, él, ella, ellos, ellas, lo mismo
    isso, isto, aquilo, ele, ela, eles, elas, dele, dela
    questo, questa, quello, quella, quelli, ciò, lui, lei, loro, ne
    dat, dit, deze, die, hij, hem, ze, ervan, daarvan, ermee, daarover
    это, этот, эта, эти, он, она, они, оно, его, её, ее, их, ему, ней, нём, этого, этом
    هذا, هذه, ذلك, تلك, هو, هي, هم, عنه, عنها, فيه, فيها""",
    "它 他 她 这个 這個 那个 那個 这些 那些 第二个 另一个 这 那 それ これ あれ その 彼 彼女 もう一つ 그거 그것 이거 이것 그건 이건 저거 그게 그녀",
)
POINTING_LAST = frozenset(
    [
        "das",
        "die",
        "der",
        "es",
        "het",
        "dat",
        "ihr",
        "ihnen",
        "sie",
        "la",
        "lo",
        "le",
        "las",
        "los",
        "o",
        "a",
        "os",
        "as",
        "one",
        "ones",
    ]
)
"""Articles that, at the end, are pronouns."""

CODE = PhraseList.of(
    """function, functions, exception, exceptions, traceback, stack trace, stacktrace, compile, compiles, compiler, compiling, regex
    regexp, sql, api, apis, script, scripts, bug, bugs, debug, debugging, debugger, code, codebase, refactor, refactoring, python
    javascript, typescript, java, kotlin, golang, rust, php, html, css, json, yaml, toml, xml, docker, dockerfile, kubernetes
    git, github, npm, pip, webpack, algorithm, async, await, endpoint, endpoints, repository, repo, unit test, unit tests, pytest
    syntax, syntax error, variable, variables, runtime, segfault, null pointer, subclass, dataclass, abstract class, base class
    class method, a class that, class called, class named, class definition, error, error message, import error, type error, typeerror
    valueerror, keyerror, library version, for loop, while loop, recursion, linter, mypy, postgres, postgresql, mysql, sqlite, bash
    shell script, command line, programming, programmer, database schema, pull request, merge conflict, framework, frontend, backend
    funktion, funktionen, fehlermeldung, ausnahme, skript, quellcode, programmieren, kompilieren, programmierung, quelltext, klasse erbt
    fonction, fonctions, erreur, programmation, compiler, débogage, bogue, code source, script
    función, funciones, código, codigo, error de, programación, compilar, depurar, excepción
    função, funções, programação, exceção, depurar, erro de
    funzione, funzioni, codice, programmazione, eccezione, compilare, errore
    functie, functies, foutmelding, broncode, programmeren, compileren
    функция, функцию, функции, код, кода, коде, ошибка, ошибку, скрипт, компиляция, программирование, исключение, баг, отладка
    دالة, كود, الكود, برمجة, برمجي, خطأ برمجي, سكربت, استثناء, البرمجة""",
    """函数 代码 程式碼 报错 异常 编译 脚本 正则 接口 变量 编程 调试 数据库 コード 関数 例外 エラー コンパイル スクリプト 正規表現 変数 プログラム
    デバッグ バグ 함수 코드 예외 오류 컴파일 스크립트 정규식 변수 프로그래밍 디버그 버그""",
)

LITTLE_WORDS = PhraseList.of(
    """a, an, the, is, are, was, were, be, do, does, did, of, to, in, on, at, for, with, and, or, what, how, why, when, where, who
    which, can, could, should, would, will, you, me, please, about, there, has, have, had, not, tell, so, then, from, by, many, much
    ist, sind, war, der, die, das, ein, eine, was, wie, wo, wer, wann, mit, von, zu, und, du, mir, kannst, hat, haben
    est, sont, le, la, les, un, une, de, du, des, que, qu, quoi, comment, où, pour, avec, et, tu, peux, c, d, l, n, s
    es, son, el, los, las, una, qué, cómo, dónde, con, por, para, puedes, está
    é, o, os, as, um, uma, como, onde, com, pode, são, che, il, lo, gli, di, per, è, puoi, cosa
    de, het, een, wat, hoe, waar, met, van, kun, zijn, что, как, где, с, в, на, о, ты, про, ما, هل, في, من, عن"""
)
"""Words that say nothing of what a message is about."""
