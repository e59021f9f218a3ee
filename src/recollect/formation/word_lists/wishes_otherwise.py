# ruff: noqa: RUF001 - people speak many languages
"""How people tell an assistant to forget, or that something is otherwise. Pure data. Never: how it is looked for."""

import re

from recollect.patterns import anchored

_WHO = r"(?:i|i['’]m|i['’]ve|i['’]ll|i['’]d|my|we|we['’]re|we['’]ve|our|he|he['’]s|she|she['’]s|they|his|her|their|it['’]s|there|(?-i:[A-Z])\w+)\b|the \w+ (?:is|was|are|has|lives|works)\b"
_NOT_THE_TASK = r"(?!(?:last|previous|first|question|message|request|idea|comment|prompt|code|letzte\w*|frage|nachricht|dernière?|question|última?|pregunta|mensaje|последн\w+|вопрос|сообщение)\b)"
_MEMORY = r"(?:from|in) (?:your |my |the )?(?:memory|memories|notes)"

FORGET_ALL = anchored(
    r"(?:forget|delete|erase|clear|wipe|remove) (?:everything|all|anything)(?: that)?(?: (?:of|about me|you (?:know|remember|have)(?: stored| saved)?(?: about me)?|i(?:['’]ve)? (?:ever )?(?:told|said to) you(?: about me)?|"
    r"(?:your |my |the )?memories(?: about me)?|from (?:your|my) memory))+"
    r"|(?:delete|erase|clear|wipe) (?:all )?(?:of )?(?:your|my|the) (?:memory|memories)(?: (?:of|about) me)?"
    r"|(?:vergiss|lösch|lösche)(?: bitte)? alles(?:,)? (?:über mich|von mir|was (?:du|ich) .{0,40}(?:weißt|weisst|gesagt habe|erzählt habe|gespeichert hast))|lösche?(?: bitte)? (?:alle )?(?:deine|meine) erinnerungen"
    r"|(?:oublie|efface|supprime)(?:z)? tout (?:ce que (?:tu sais|je t['’]ai dit)(?: (?:sur|de) moi)?|(?:sur|de) moi)|(?:olvida|borra) todo (?:lo que (?:sabes|te (?:dije|he dicho|conté))(?: (?:de|sobre) mí)?|(?:de|sobre) mí)"
    r"|(?:dimentica|cancella) tutto (?:quello che (?:sai|ti ho detto)(?: (?:di|su) me)?|(?:di|su) me)|(?:esqueça|apague) tudo (?:o que (?:sabe|te disse|eu disse)(?: sobre mim)?|sobre mim)|vergeet alles (?:over mij|wat je over mij weet)"
    r"|zapomnij (?:o mnie wszystko|wszystko(?:,)? (?:o mnie|co o mnie wiesz))|(?:забудь|удали|сотри)(?:те)? вс[её](?:,)? (?:обо мне|что (?:ты )?(?:обо мне )?зна(?:ешь|ете)(?: обо мне)?|что я (?:тебе )?(?:говорил|рассказывал)а?)"
    r"|(?:忘记|忘掉|删除|清除|忘了)(?:所有|一切|全部)?(?:关于我|你知道的|我告诉你|我的)(?:的)?(?:所有|一切|全部)(?:内容|事情|信息|记忆|东西)?|私(?:に関する|について|の)(?:の)?(?:こと|記憶|情報)?(?:を|は)?(?:全部|すべて|全て)(?:の記憶を)?(?:忘れて|消して|削除して)"
    r"|나에 대한 (?:모든 )?(?:것|기억|정보)(?:을|를)? (?:모두 |다 )?(?:잊어|지워|삭제)",
    re.IGNORECASE,
)
"""Everything is to be forgotten."""

FORGET = anchored(
    rf"(?:forget|don['’]t remember|stop remembering|no longer remember|unlearn)(?: (?:that|about the fact that)[ \t]+(?={_WHO})| about (?=(?:my|our|me)\b|the (?!loop|function|code|errors?|tests?|last|first|second|third|other|previous|approach|idea|question|part|rest|format\w*|class|file|bug|api|database|text|translation|plan|one)\b)| what i (?:said|told you|mentioned) (?:about|regarding)[ \t]+| (?=(?:my|our) )(?!(?:my|our) {_NOT_THE_TASK[3:]})"
    rf"|(?:delete|remove|erase|drop|wipe|clear)(?: it| this| that)?(?: {_MEMORY}[ ]?[:：]?[ \t]*(?:that |the fact that )?(?=\S)| the memor(?:y|ies) (?:that|of|about)[ \t]+| what (?:you know|i said|i told you) about[ \t]+)"
    r"|vergiss(?: bitte)?(?:,? dass[ \t]+| das mit (?=(?:dem|der|den|mein\w+|unser\w*) )| (?=(?:meine?[nmrs]?|unsere?[nmrs]?) )(?!\w+ (?:letzte|frage|nachricht|idee))|,? was ich (?:dir )?(?:über|von|zu)[ \t]+)|lösche?(?: bitte)?(?: (?:aus (?:deinem|dem) gedächtnis|aus deinen erinnerungen)(?:,? dass|[:：]|,)?[ \t]+| die erinnerung (?:an|daran, dass|dass)[ \t]+)|merk dir nicht(?: mehr)?,? dass[ \t]+"
    r"|oublie(?:z)? (?:qu(?:e[ \t]+|['’])|ce que (?:j['’]|je t['’]|je vous )ai (?:dit|raconté) (?:sur|de|à propos de)[ \t]+|(?=(?:mon|ma|mes|notre|nos) )(?!\w+ (?:dernière?|question|message|idée)))|(?:efface|supprime)(?:z)? (?:de ta mémoire|de tes souvenirs)(?: qu(?:e[ \t]+|['’])|[ ]?[:：][ \t]*|[ \t]+)"
    r"|olvida(?:te)? (?:que[ \t]+|de que[ \t]+|lo que (?:dije|te dije|conté) (?:de|sobre)[ \t]+|(?=(?:mi|mis|nuestr\w+) )(?!\w+ (?:última?|pregunta|mensaje|idea)))|(?:borra|elimina) de tu memoria(?: que[ \t]+|[ ]?[:：][ \t]*|[ \t]+)"
    r"|dimentica (?:che[ \t]+|quello che ho detto (?:su|di)[ \t]+|(?=(?:il mio|la mia|i miei|le mie) ))|cancella dalla (?:tua )?memoria(?: che[ \t]+|[ ]?[:：][ \t]*|[ \t]+)"
    r"|(?:esqueça|esquece)(?:-se)? (?:(?:de )?que[ \t]+|o que (?:eu )?disse sobre[ \t]+|(?=(?:o meu|a minha|meu|minha|meus|minhas) ))|(?:apague|apaga|remova) da (?:sua |tua )?memória(?: que[ \t]+|[ ]?[:：][ \t]*|[ \t]+)"
    r"|vergeet (?:dat (?=ik |mijn |we |ons |hij |zij )|wat ik (?:zei )?over[ \t]+|(?=mijn ))|(?:wis|verwijder) uit je geheugen(?: dat[ \t]+|[ ]?[:：][ \t]*|[ \t]+)"
    r"|zapomnij(?:,? że[ \t]+| o (?=moi\w+ |mojej |moim ))|usuń z pamięci(?:,? że[ \t]+|[ ]?[:：][ \t]*|[ \t]+)"
    r"|забудь(?:те)?(?:,? пожалуйста,?)?(?:,? что[ \t]+(?=я |у меня |мо[йяеёи]|мы |наш|он |она |они )| (?:про|о|об) (?=мо\w+ )| (?=мо[йяюеёи]\w* ))|(?:удали|сотри)(?:те)? из памяти(?:,? что[ \t]+|[ ]?[:：][ \t]*|[ \t]+)"
    r"|(?:忘记|忘掉|忘了|别再记|不要再记|别记|删除关于|从记忆(?:中|里)删除)(?:住|着|得)?[：:，, ]?(?=我|关于我|他|她|家)|(?:unut(?:abilirsin)?)[ \t]+(?=(?:benim|ben) )",
    re.IGNORECASE,
)
"""What is to be forgotten follows."""

FORGET_BEFORE = anchored(
    r"(?P<about>.{2,}?)(?:(?:と(?:いうこと|言ったこと)?|こと|の|の件|話)?(?:は|を|も)?[、 ]?)(?:もう)?(?:忘れて(?:ください|ね|下さい|くれ|いいよ)?|覚えておかないで|記憶から(?:消して|削除して)(?:ください)?)[ \t]*$"
    r"|把(?P<thing>(?:我|关于我|他|她).{2,}?)(?:这件事|的事)?(?:忘了|忘掉|忘记|从记忆(?:中|里)?删(?:掉|除))(?:吧)?[ \t]*$"
    r"|(?P<told>(?:내|나의|제|우리).{2,}?)(?:(?:라)?는 (?:것|걸|거)(?:은|는|을)?|(?:은|는|을|를))? ?(?:잊어|잊어버려|기억에서 지워)(?: ?줘| ?주세요|요)?[ \t]*$",
    re.IGNORECASE,
)
"""What is to be forgotten stands before; the groups are it."""

_NO = r"(?:no|nope|nah|nein|nee|non|não|nie|нет|ні|hayır|不|不是|不对|不對|错了|いいえ|いや|違う(?:よ)?|違います|ちがう(?:よ)?|아니(?:요|야)?)"
_I_AM = (
    r"(?:i['’]m (?!not sure|sure|fine|good|ok|okay|done|asking|talking|looking|trying|getting|just|still|afraid|sorry|only|going to|wondering|using|having|confused|lost|stuck|aware|saying)"
    r"|i am (?!not sure|sure|fine|done|asking|talking|looking|trying|getting|just|still|afraid|sorry|only|going to|wondering|using|having)"
    r"|i (?:live|work|moved|was born|grew up|was|prefer|like|love|hate|study|studied|own|speak|play|drive|never said|only have)\b"
    r"|i(?: have|['’]ve got)(?! (?:to|no idea|a question|an error|a problem|tried|already|the same|another)\b) "
    r"|my [\w'’ -]{2,40}?(?:is|are|isn['’]t|was|lives|works|has)\b)"
)
_I_SAID = r"(?:what )?(?:i (?:just )?(?:said|meant|told you|wrote|mean)|i(?:['’]ve)? said)\b(?: that| is| was)?[,:]?[ \t]*"

CORRECT = anchored(
    rf"{_NO}[,!.;: \u2013\u2014-]+(?:sorry[, ]+|actually[, ]+|wait[, ]+)?(?:{_I_SAID}(?=\S)|(?={_I_AM})|(?=(?:it|he|she|they)(?:['’]s|['’]re| is| are| was) .{{1,80}}\bnot\b))"
    rf"|(?:that|this|it)(?:['’]s| is| was)(?: just| simply)? (?:wrong|not (?:right|true|correct|what i said)|incorrect|false|a mistake)[,.;:! \u2013\u2014-]+(?:{_I_SAID}(?=\S)|(?=(?:{_I_AM})))"
    rf"|you(?:['’]ve| have)? (?:got|have) (?:that|it|this) wrong[,.;:! \u2013\u2014-]+(?:{_I_SAID}(?=\S)|(?=(?:{_I_AM})))"
    r"|(?:actually|sorry|wait|oops|correction)[,: ]+(?:no[, ]+)?(?:i (?:meant|said)(?: that)?[,:]? (?!to\b)|(?=(?:it['’]s|i['’]m|i am|my|he['’]s|she['’]s|i live|i work|we['’]re) .{1,80}(?:,| and)? not (?!sure|working|the problem)\S))"
    r"|(?:small |quick )?correction[ ]?[:\u2013\u2014-][ \t]*(?=\S)|i (?:said|meant) (?=.{2,60},? not )"
    r"|nein[,!. \u2013\u2014-]+(?:ich (?:meinte|sagte|habe? (?:doch )?gesagt|hab gesagt)[,:]?(?: dass)?[ \t]*|(?=ich (?:bin (?!mir|nicht sicher|gerade|noch|fertig)|wohne|arbeite|habe (?!eine frage|ein problem|noch|schon)|heiße|mag|hasse|komme aus|lebe)|(?=mein[e]? \w+ (?:ist|heißt|wohnt|arbeitet|war)))|(?=(?:es|er|sie) ist .{1,60}nicht ))"
    r"|(?:das|dies) (?:stimmt (?:so )?nicht|ist falsch|ist nicht (?:richtig|wahr)|war falsch)[,.;:! \u2013\u2014-]+(?:ich (?:meinte|sagte)[,: ]+|(?=ich (?:bin|wohne|arbeite|habe|heiße|mag|lebe)\b|mein[e]? ))|(?:korrektur|berichtigung)[ ]?[:\u2013\u2014-][ \t]*|ich meinte (?=.{2,60}nicht )"
    r"|non[,!. \u2013\u2014-]+(?:j['’]ai (?:bien )?dit (?:qu(?:e[ \t]+|['’]))?|je (?:voulais dire|disais)[,: ]*(?:qu(?:e[ \t]+|['’]))?|(?=j['’]habite|je (?:suis (?!pas sûre?|désolée?)|vis|travaille|m['’]appelle|préfère|déteste)|j['’]ai (?!une question|un problème|une erreur|essayé)|(?:mon|ma|mes) \w+ (?:est|sont|s['’]appelle|habite)))"
    r"|(?:c['’]est (?:faux|inexact|pas (?:vrai|ça|exact))|ce n['’]est pas (?:vrai|exact|ça|ce que j['’]ai dit))[,.;:! \u2013\u2014-]+(?:j['’]ai dit (?:qu(?:e[ \t]+|['’]))?|(?=j['’]habite|je (?:suis|vis|travaille)|j['’]ai |(?:mon|ma|mes) ))|(?:correction|rectification)[ ]?[:\u2013\u2014-][ \t]*"
    r"|no[,!. \u2013\u2014-]+(?:(?:yo )?(?:dije|he dicho|quise decir|quería decir|me refería a)(?: que)?[,: ]*|ho detto(?: che)?[,: ]*|intendevo[,: ]*|(?=(?:vivo|trabajo|soy |tengo (?!que|una duda|una pregunta|un problema)|me llamo|mi \w+ (?:es|se llama|vive|trabaja)|abito|lavoro|sono (?!sicur)|mi chiamo|il mio \w+ |la mia \w+ )))"
    r"|(?:eso (?:no es (?:cierto|verdad|correcto|así)|está mal|es falso)|no es (?:cierto|verdad|así))[,.;:! \u2013\u2014-]+(?:(?:yo )?dije que |(?=vivo|trabajo|soy |tengo |mi ))|corrección[ ]?[:\u2013\u2014-][ \t]*"
    r"|(?:non è (?:vero|giusto|così)|è sbagliato)[,.;:! \u2013\u2014-]+(?:ho detto che |(?=vivo|abito|lavoro|sono |ho |il mio |la mia ))|correzione[ ]?[:\u2013\u2014-][ \t]*"
    r"|não[,!. \u2013\u2014-]+(?:eu disse(?: que)?[,: ]*|(?:eu )?quis dizer[,: ]*|(?=(?:eu )?(?:moro|vivo|trabalho|sou |me chamo|tenho (?!que|uma dúvida|um problema))|(?:o meu|a minha|meu|minha) \w+ ))|(?:isso (?:não é verdade|está errado|não está certo))[,.;:! \u2013\u2014-]+(?=\S)|correção[ ]?[:\u2013\u2014-][ \t]*"
    r"|nee[,!. \u2013\u2014-]+(?:ik (?:zei|bedoelde)(?: dat)?[,: ]*|(?=ik (?:woon|werk|ben (?!niet zeker|klaar)|heb (?!een vraag|een probleem)|heet)\b|mijn \w+ (?:is|heet|woont)))|(?:dat klopt niet|dat is (?:fout|niet waar))[,.;:! \u2013\u2014-]+(?=ik |mijn )"
    r"|nie[,!. \u2013\u2014-]+(?:(?:po)?mówił[ae]m,? że |powiedział[ae]m,? (?:że )?|chodziło mi o |miał[ae]m na myśli |(?=mieszkam|pracuję|jestem (?!pewn)|mam (?!pytanie|problem)|mój \w+ |moja \w+ ))|to (?:nieprawda|nie tak|błąd)[,.;:! \u2013\u2014-]+(?=mieszkam|pracuję|jestem|mam|mój |moja )"
    r"|нет[,!. \u2013\u2014-]+(?:я (?:же )?(?:сказал|говорил|имел в виду|имела в виду|сказала|говорила)[а]?(?:,? что)?[,: ]*|(?=я (?:живу|работаю|родил\w+|учусь|люблю|не люблю|переехал\w*)|у меня (?!вопрос|проблема|ошибка)|(?:мой|моя|моё|мое|мои|меня зовут) ))"
    r"|это (?:неправда|не так|неверно|не верно|неправильно|ошибка)[,.;:! \u2013\u2014-]+(?:я (?:сказала?|говорила?)[,: ]+|(?=я |у меня |мой |моя |меня ))|(?:поправка|исправление)[ ]?[:\u2013\u2014-][ \t]*"
    r"|(?:不对|不對|不是|错了|錯了|不)[，,。！! ]+(?:我(?:刚才|明明)?(?:是说|说的是|說的是|的意思是|说)[：:，, ]*|(?=我(?:住|叫|是(?!想|问|说)|在(?!想|问|用)|有(?!个?问题|疑问)|的\S{1,8}(?:是|叫)|喜欢|不喜欢)))|更正[：:][ \t]*"
    r"|(?:いいえ|いや|違う(?:よ)?|違います|ちがう(?:よ)?|そうじゃなくて)[、。,！! ]+(?=.{2,40}(?:じゃなくて|ではなく)|(?:私|僕|俺|わたし)(?:は|の))|訂正[：:、][ \t]*"
    r"|아니(?:요|야)?[,. ]+(?=(?:나는|저는|내|제|전|난) )|정정[:：][ \t]*",
    re.IGNORECASE,
)
"""What is so follows."""

NOT_BUT = anchored(r".{1,60}(?:じゃなくて|ではなくて?)、?.{1,60}(?:だよ|です|なんだ|だ)[ \t。]*$")
"""Japanese "not X but Y", a sentence of its own."""

NEVER_MIND = anchored(
    r"(?:forget (?:it|about it|this|that)(?: then| please)?|never ?mind|vergiss es|schon gut|laisse tomber|oublie(?: ça)?|olvídalo|déjalo|lascia stare|lascia perdere|deixa pra lá|esquece|laat maar|nieważne|забудь(?: об этом)?|неважно|算了|もういい(?:です|よ)?|忘れて|됐어)[ \t]*$",
    re.IGNORECASE,
)
"""A whole sentence that only gives up what was just asked."""
