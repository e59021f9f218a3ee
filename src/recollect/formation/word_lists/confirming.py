# ruff: noqa: RUF001 - people speak many languages
"""How people confirm what was said to them, by language. Pure data. Never: how it is looked for."""

import re

from recollect.patterns import anchored, bounded

_FIRST = (
    r"(?:(?:oh|ah|aha|haha+|hehe|lol|well|hm+|mhm|um|uh|wow|ok|okay|ach|äh|na|naja|tja|also|ach so|mais|bah|eh|ben|euh|ah bon|pues|bueno|hombre|ay|pero|eh|ну|ой|а|о|ага)[ ,.!…]+|"
    r"(?:啊|哈+|嗯+|哦|噢|呃)[,，、。！!~ ]*|(?:あ+っ?|えっと|ええと|おお|まあ|ああ)[、,。！! ]+)"
)
YES = anchored(
    rf"(?:{_FIRST}){{0,3}}(?:"
    r"(?:yes|yeah|yea|yess+|yep|yup|yas|aye|ya|ja|jep|jup|jo|joa|jawohl|jawoll|genau|eben|oui|ouais|ouaip|sí|si|sip|sim|sì|hai|da|evet|tak|да|ага|угу|так|нуда|نعم|أجل|ايوه|بالضبط|صحيح)\b"
    r"|(?:exactly|exactly right|precisely|indeed|correct|right|true|absolutely|definitely|totally|confirmed|affirmative|100 ?%|a hundred percent|hundred percent|"
    r"(?:that|this|it)(?:(?:'|’)?s| is| sounds| would be)(?: pretty much| exactly| all| totally| basically| indeed| about| definitely)? (?:it|me|us|right|correct|true|so|him|her|them|accurate|the one|the case|a fair (?:summary|description)|fair|spot on|what i (?:mean|meant|said))|"
    r"(?:that|this) sums (?:it|me) up|that describes me|all (?:correct|true|right|of (?:it|that) is (?:true|right|correct))|(?:you(?:'|’)?re|you are|ur)(?: absolutely| quite| totally)? right|"
    r"you(?:(?:'|’)ve)? (?:got|nailed|guessed) (?:it|that|me)(?: right)?|got it in one|nailed it|spot on|spot-on|bang on|dead on|bingo|guilty(?: as charged)?|couldn(?:'|’)t have (?:said|put) it better|well (?:put|said|summarized)|good (?:summary|memory)|"
    r"(?:i|he|she|we|they|it) (?:do|does|am|is|are|have|has|did|was|were|can)(?: indeed)?(?=[.! ]*$)|sure (?:am|do|is|does|are|did)|"
    r"stimmt|richtig|korrekt|exakt|absolut|so ist(?:(?:'|’)s| es| das)|so (?:isses|schaut(?:(?:'|’)s| es) aus|war das|war(?:'|’)?s|sieht(?:(?:'|’)s| es) aus)|ganz genau|das (?:stimmt|bin ich|trifft(?:'|’)?s|trifft es|trifft zu|passt|ist (?:richtig|korrekt|so|wahr))|(?:da )?(?:hast|haben) (?:du|sie) recht|trifft zu|"
    r"(?:gut|richtig|perfekt) (?:zusammengefasst|verstanden|erkannt|getroffen|beschrieben)|volltreffer|treffer|"
    r"exactement|exact|tout à fait|tout juste|parfaitement|en effet|précisément|c(?:'|’)est (?:ça|exact|exactement ça|vrai|juste|bien ça|tout à fait ça|moi|cela|correct)|c(?:'|’)est (?:bien )?(?:moi|lui|elle)|voilà|effectivement|absolument|(?:tu as|t(?:'|’)as|vous avez) (?:raison|tout compris|bien compris|vu juste)|bien (?:vu|résumé|deviné)|je confirme|affirmatif|"
    r"exacto|exactamente|correcto|correctísimo|así (?:es|mismo)|eso (?:es|mismo)|(?:ese|esa) soy(?: yo)?|tal cual|tal y como (?:lo )?dices|ni más ni menos|en efecto|justo|justamente|precisamente|efectivamente|cierto|claro que sí|(?:tienes|tiene) (?:toda la )?razón|(?:lo )?has (?:acertado|clavado|entendido bien)|bien resumido|confirmo|"
    r"esatto|esattamente|giusto|corretto|proprio (?:così|lui|lei|io)|infatti|è (?:vero|così|esatto)|hai ragione|exato|exatamente|é isso(?: mesmo| aí)?|isso mesmo|isso|certo|correto|tens razão|"
    r"klopt|precies|inderdaad|juist|dat ben ik|helemaal juist|dokładnie|zgadza się|owszem|prawda|racja|właśnie|masz rację|верно|точно|именно(?: так)?|правильно|совершенно верно|вс[её] (?:так|верно|правильно)|так и есть|так оно и есть|это (?:точно|я|правда|верно|так)|(?:ты|вы) прав\w*|(?:в )?(?:самую )?точку|в точности|истинно|подтверждаю|правда|абсолютно|угадал\w*|"
    r"вірно|саме так|правильно|точно так|aynen|doğru|kesinlikle|tamamen öyle)(?!\w)"
    r"|(?:是的|是啊|是呀|是呢|没错|沒錯|没毛病|对的|對的|对对|對對|对[,，。!！呀啊呢哦吧~]|對[,，。!！呀啊呢哦~]|对$|對$|是$|正确|正確|确实|確實|的确|正是|就是(?:这样|這樣|我|的|啊|呀)|说得对|說得對|你说对了|说对了|完全正确|完全正確|一点没错|一點沒錯|可不是|我就是|正如你|如你所说|准确|嗯[,，]?(?:对|是|對))"
    r"|(?:はい|うん|うんうん|ええ|そうそう|そうです|そうだ|そうなん|そうですね|そう[、。,!！よねー〜]|そう$|その通り|そのとおり|おっしゃる通り|仰る通り|ご名答|正解|合って|合ってます|あってる|あってます|まさに|まさしく|正しい|間違いない|間違いありません|よくわかった|よく分かった|ですです)"
    r"|(?:네[,. !]|네$|예[,. !]|예$|응[,. !]|응$|맞아|맞습니다|맞어|그래요?|정확해|정확합니다|그렇습니다)"
    r")",
    re.IGNORECASE,
)
"""What a confirmation begins with."""

OF_COURSE = anchored(
    rf"(?:{_FIRST}){{0,3}}(?:(?:of course|sure|certainly|obviously|naturally|natürlich|klar|na klar|logisch|selbstverständlich|freilich|sicher|bien sûr|évidemment|bien entendu|certainement|claro|por supuesto|desde luego|naturalmente|certo che sì|claro|com certeza|natuurlijk|oczywiście|конечно|разумеется|естественно)\b|当然|當然|那当然|もちろん|勿論|물론)",
    re.IGNORECASE,
)
"""What confirms a question, and only accepts a statement."""

ACCEPTS = bounded(
    r"\b(?:please|pls|do it|go ahead|go for it|let(?:'|’)?s|sounds|thanks|bitte|mach das|danke|gern(?:e)?|s(?:'|’)il (?:te|vous)|vas-y|volontiers|merci|por favor|hazlo|dale|adelante|gracias|per favore|пожалуйста|давай\w*|спасибо|сделай)\b|请|好的|谢谢|お願い|ください|ありがとう",
    re.IGNORECASE,
)
"""What takes an offer."""

BUT = bounded(
    r"\b(?:but|no|not|nope|nah|isn't|don't|doesn't|didn't|wasn't|aren't|except|although|almost|nearly|wrong|never|anymore|any more|used to|"
    r"aber|nein|nee|nicht|kein\w*|doch|falsch|außer|fast|beinahe|früher|(?<!^)mais|non|pas|sauf|presque|plus|(?<!^)pero|excepto|casi|ya no|ma|però|tranne|mas|não|porém|maar|niet|"
    r"ale|nie|oprócz|но|нет|не|кроме|почти|раньше|але|ні|ama|fakat|hayır|değil|لكن|لا)\b|但|不过|可是|不是|不对|没有|差不多|以前|でも|けど|しかし|違|じゃない|ではない|ほとんど|하지만|아니|근데",
    re.IGNORECASE,
)
"""What a confirmation does not hold."""

EITHER_OR = bounded(
    r"\b(?:or|oder|ou|oppure|albo|lub|или|либо)\b(?!\s*(?:not|no|nicht|nein|pas|non|não|niet|nie|нет|so|am i|is that|isn['’]t|something|anything|so etwas|etwas)?\W*$)"
    r"|\b(\w{1,3}) [\w'’-]+ o \1 |(?<=\w )czy\b|还是|還是|それとも|または",
    re.IGNORECASE,
)
"""What joins the answers that a question gives to choose from."""

EITHER_OR_IN = {
    "dutch": bounded(r"\w \bof\b (?!niet\W*$|zo\W*$)", re.IGNORECASE),
    "italian": bounded(r"\w \bo\b (?!no\W*$)", re.IGNORECASE),
    "spanish": bounded(r"\w \b[ou]\b (?!no\W*$)", re.IGNORECASE),
}
"""The same, where other languages have the word for something else."""

OPEN = bounded(
    r"^\W*(?:(?:so|and|but|ok|okay|well|und|aber|also|et|mais|alors|y|pero|e|ma|mas|en|maar|a|и|а|но)[ ,]+){0,2}"
    r"(?:(?:at|in|for|with|from|on|to|an|bei|mit|für|seit|aus|à|de|dans|pour|avec|en|con|para|por|a|da|di|per|em|op|met|voor|na|w|z|do|в|на|с|из|для|у)\s+)?"
    r"(?:what|which|how|why|where|when|who|whose|whom|was|welche[rsnm]?|wie|warum|wieso|wo|wohin|woher|wann|wer|wem|wen|wessen|womit|wie ?viele?|"
    r"que(?=l| )|quels?|quelles?|combien|comment|pourquoi|où|quand|qui|lequel|laquelle|qué|cuál(?:es)?|cuánt[oa]s?|cómo|dónde|cuándo|quién(?:es)?|"
    r"che|cosa|quale?|quali|quant[oaie]|come|perché|dove|quando|chi|qual|quais|quant[oa]s?|como|onde|quem|wat|welke?|hoe|waarom|waar|wanneer|"
    r"co|jaki\w*|jaka|jakie|któr\w+|ile|jak|dlaczego|gdzie|kiedy|kto|что|какой|какая|какие|какое|какую|каком|каких|сколько|почему|зачем|где|куда|откуда|когда|кто|чем)\b(?! about\b)"
    r"|什么|什麼|哪[里裡儿个個些种位家]|谁|誰|几[个個岁歲点點次]|多少|怎么|怎麼|为什么|何[をがでのかに歳年人]|どこ|だれ|いつ|どの|どんな|どれ|いくつ|いくら|なぜ",
    re.IGNORECASE,
)
"""How a question begins that a yes does not answer."""
