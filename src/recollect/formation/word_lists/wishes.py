# ruff: noqa: RUF001 - people speak many languages
"""How people tell an assistant to remember, to forget, or that something is otherwise. Pure data. Never: how it is looked for.

Each is matched at the beginning of a sentence, behind a lead-in; what follows the match is what it is about.
"""

import re

from recollect.patterns import anchored

LEAD_IN = anchored(
    r"(?:(?:please|pls|plz|hey|hi|ok|okay|so|and|nd|n|p\.?s\.?|last thing|also|but|oh|btw|by the way|one more thing|just|now|well|sorry|thanks|thank you|for next time|for the future|in future|(?:can|could|would|will) you(?: please)?|"
    r"i(?:['’]d like| want| need| would like) you to|you (?:should|can|may|must)|bitte|hallo|ach|also|und|aber|übrigens|noch was|kannst du(?: bitte)?|könntest du(?: bitte)?|du kannst|ich möchte, dass du|"
    r"s['’]il (?:te|vous) pla[iî]t|stp|svp|et|au fait|alors|peux-tu|tu peux|pourrais-tu|por favor|porfa|y|oye|por cierto|puedes|podrías|per favore|e|senti|comunque|puoi|você pode|pode|"
    r"alsjeblieft|en|trouwens|kun je|proszę|a propos|możesz|пожалуйста|и|а|кстати|можешь|слушай|lütfen|请|請|麻烦(?:你)?|麻煩(?:你)?|帮我|幫我|你)(?:[,:，、]?[ \t]+|[,，、]|(?<=[\u4e00-\u9fff])))",
    re.IGNORECASE,
)
"""Politeness and the like in front of a wish."""

_WHO = (
    r"(?:i|im|ive|i['’]m|i['’]ve|i['’]ll|i['’]d|my|me|mine|we|we['’]re|we['’]ve|our|he|he['’]s|she|she['’]s|they|they['’]re|his|her|their|it['’]s|the|a|an|there|both|all|no|on|in|"
    r"every|each|mum|mom|dad|(?-i:[A-Z])\w+)\b"
)
_OWN = r"(?:i|im|ive|i['’]m|i['’]ve|i['’]ll|i['’]d|my|we|we['’]re|we['’]ve|our)\b"
_NO_THING = r"(?!(?:time|day|one|song|movie|film|book|function|thing|conversation|guy|girl|idea|approach|plan|question|part|error|last)\b)"
_COLON = r"[ \t]*[:：\u2013\u2014][ \t]*"

REMEMBER = anchored(
    rf"(?:remember|keep in mind|bear in mind|memori[sz]e|don['’]?t (?:ever )?forget|do not forget|never forget|take note|make a note|note)[ ,]*(?:for (?:later|next time|the future))?(?:[ ,]+that\b,?[ \t]+(?={_WHO}){_NO_THING}|{_COLON}|[ ,]+(?={_OWN}))"
    rf"|(?:note|for the record|fyi for later|for (?:later|future) reference|note (?:for|to) (?:later|yourself|future))(?:{_COLON}|, )(?=\S)"
    rf"|(?:save|store|add|write down|put|record)(?: (?:this|that|it|the following))?(?: (?:down|for later|(?:in|to|into) (?:your |my |the )?(?:memory|memories|notes)))+(?:{_COLON}|[ ,]+that[ \t]+)"
    rf"|remember (?:this|the following|these(?: things)?)(?: about me)?(?:{_COLON}|[ \t]*$)"
    rf"|(?:merke?|merken sie|merk) (?:dir|sich)(?: bitte| mal| das| folgendes| auch)*(?:,? dass[ \t]+|{_COLON}|,[ \t]+(?=ich |wir |mein|unser))|vergiss (?:bitte )?nicht,? (?:dass[ \t]+|(?=ich |mein)(?![^.!?\n]* zu \w+en\b))"
    rf"|(?:denk|denke) (?:bitte )?(?:daran|dran),? dass[ \t]+|behalte?(?: bitte)? im (?:kopf|gedächtnis),? dass[ \t]+|(?:notiere?|speichere?)(?: dir)?(?: bitte| das)*(?:,? dass[ \t]+|{_COLON})|nicht vergessen{_COLON}|für später{_COLON}"
    rf"|(?:souviens-toi|souvenez-vous|rappelle-toi|retiens|retenez|note|notez|n['’]oublie(?:z)? pas|mémorise|garde en tête|garde en mémoire)(?: bien)?(?: qu(?:e[ \t]+|['’])|{_COLON})|(?:pour plus tard|à retenir){_COLON}"
    rf"|(?:recuerda|recuerde|acuérdate de|acuerdate de|no olvides|no te olvides de|ten en cuenta|ten presente|anota|apunta|guarda|memoriza)(?: que[ \t]+|{_COLON})|para más tarde{_COLON}"
    rf"|(?:ricorda|ricordati|ricordi|non dimenticare|tieni a mente|tieni presente|annota|segnati|memorizza)(?: che[ \t]+|{_COLON})"
    rf"|(?:lembre-se|lembra-te|lembre|lembra|não (?:se )?esqueça|não te esqueças|tenha em mente|anote|anota|guarde|memorize)(?: de)?(?: que[ \t]+|{_COLON})"
    rf"|(?:onthoud|vergeet niet|houd er rekening mee|noteer|let op)(?:,? dat[ \t]+|{_COLON})"
    rf"|(?:zapamiętaj|pamiętaj|nie zapomnij|zapisz|zanotuj)(?:,? że[ \t]+|{_COLON})"
    rf"|(?:запомни(?:те)?|помни(?:те)?|не забудь(?:те)?|не забывай(?:те)?|запиши(?:те)?|имей(?:те)? в виду|учти(?:те)?)(?:,? что[ \t]+|{_COLON}|,[ \t]*(?=я |мой|моя|у меня|мы ))"
    rf"|(?:запам['’]ятай|не забудь|май на увазі)(?:,? що[ \t]+|{_COLON})|(?:unutma|hatırla|aklında tut|not al|kaydet)(?: ki[ \t]+|{_COLON})"
    r"|(?:记住|記住|记下(?:来)?|記下(?:來)?|记得|記得|别忘了|別忘了|不要忘记|不要忘了|牢记|记一下|記一下|备注)(?!吗|嗎|我们|你|去|买|做|给|叫|要|跟|把|带|多|先)(?:[哈啊呀哦喔了吧]?[ ：:，,]*(?=我|俺|咱|他|她|本人|家|每|今|从|以后|老|爸|妈|孩|女|儿|[A-Za-z])|[：:][ ]?)"
    r"|覚えておいて(?:ください|ほしい)?[：:、。][ \t]*(?=\S)|기억해(?: ?줘| ?주세요| ?둬)?[:：,][ \t]*(?=\S)",
    re.IGNORECASE,
)
"""What is to be remembered follows."""

REMEMBER_BEHIND = anchored(
    r"(?P<about>.{2,}?)(?:[,;.\u2013\u2014-]+[ \t]*)(?:and |und |et |y |e |и )?(?:please |bitte |por favor,? )?(?:(?:remember|keep|note|save|store|memori[sz]e) (?:that|this|it)(?: (?:down|please|in mind|for (?:later|next time|the future)))*|"
    r"merk (?:dir|es dir)(?: das)?(?: bitte)?|retiens(?:-le| ça| bien ça)|souviens-t['’]en|note-le|recuérdalo|apúntalo|recuerda esto|ricordatelo|ricordalo|lembre-se disso|guarde isso|onthoud dat|"
    r"zapamiętaj to|запомни(?:те)?(?: это)?|bunu unutma)(?:,? please|,? bitte)?[ \t]*$"
    r"|(?P<object>.{2,}?)(?:(?:と(?:いうこと|言うこと|のこと)?|こと|の|って)?(?:を|は)?[、 ]?)(?:(?:ちゃんと|しっかり|必ず)?(?:覚えておいて|覚えといて|覚えて|おぼえておいて|記憶して(?:おいて)?|メモして(?:おいて)?|忘れないで)(?:ください|ね|下さい|くれ|ほしい|おいて)*)[ \t]*$"
    r"|(?P<thing>.{2,}?)(?:[，,；;]|(?:这件事|这点|這點|这个|這個))?(?:请|請|你要|帮我|幫我)?(?:记住|記住|记一下|記一下|记下来|記下來)(?:这件事|这点|這點|这个|這個|了|吧|哦)?[ \t]*$"
    r"|(?P<told>.{2,}?)(?:(?:라)?는 (?:것|걸|거)(?:을|를)? |다고 |을 |를 |[,.] ?)(?:꼭 )?(?:기억해|잊지 ?마|메모해)(?: ?줘| ?주세요| ?둬| ?두세요|요)?[ \t]*$",
    re.IGNORECASE,
)
"""What is to be remembered stands before; the groups are it."""

REMEMBER_WHAT_WAS_SAID = anchored(
    r"(?:remember (?:that|this|it)|keep (?:that|this) in mind|note that|save (?:that|this)(?: for later)?|don['’]t forget (?:that|this|it)|merk dir das|merke dir das|vergiss das nicht|retiens (?:ça|bien ça|cela)|souviens-t['’]en|n['’]oublie pas(?: ça)?|"
    r"recuérdalo|recuerda eso|no lo olvides|ricordatelo|non dimenticarlo|lembre-se disso|não esqueça isso|onthoud dat|zapamiętaj to|запомни(?:те)?(?: это)?|не забудь(?: это)?|bunu unutma|"
    r"记住(?:这点|这个|了)?|記住|别忘了|覚えておいて(?:ください|ね)?|忘れないで(?:ください|ね)?|기억해 ?(?:줘|주세요|둬))(?:,? (?:please|bitte|ok|okay|s['’]il te plaît|por favor|per favore|пожалуйста))?[ \t]*$",
    re.IGNORECASE,
)
"""A whole sentence by which the one before it is to be remembered."""
