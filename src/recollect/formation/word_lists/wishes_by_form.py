# ruff: noqa: RUF001 - people speak many languages
"""How people tell an assistant to forget what is theirs, by the form of the sentence. Pure data. Never: how it is looked for.

An order to forget, whatever words stand between it and the first person in its object ("the number of my locker").
"""

import re

from recollect.patterns import anchored

_OWN_EN = r"(?:my|mine|our|i|i['’]m|i['’]ve|i['’]d|me|we)\b"
_OWN_DE = r"(?:mein\w*|unser\w*|ich|mir|mich|wir)\b"
_OWN_FR = r"(?:mon|ma|mes|notre|nos|je|moi|nous)\b|j['’]|m['’]"
_OWN_ES = r"(?:mi|mis|mí|mío|mía|nuestr\w+|tengo|soy|vivo|trabajo|estoy|yo|me)\b"
_OWN_IT = r"(?:mi[oa]|miei|mie|nostr\w+|meu|minha|meus|minhas|noss\w+|eu|io|ho|sono|tenho|sou|moro)\b"
_OWN_RU = r"(?:мо[йяеёихюм]\w*|наш\w*|я|меня|мне|мной|нас)\b"
_FEW = r"(?:[^\s,.!?;:]+[ \t]+){0,7}?"
_THE_TASK = (
    r"(?!(?:[^\s]+[ \t]+){0,2}?(?:line|word|comma|syntax|regex|phrase|ligne|virgule|mot|zeile|komma|wort|línea|coma|frase|palabra|строк\w*|запят\w+|слово|last|previous|first|second|third|question|message|request|idea|comments?|prompt|code|loop|function|class|tests?|file|bug|api|database|table|column|row|paragraph|sentence|chapter|draft|essay|text|translation|plan|option|"
    r"letzte\w*|frage|nachricht|idee|absatz|satz|tabelle|spalte|umlaute|entwurf|dernière?|question|message|idée|paragraphe|tableau|code|balise|última?|pregunta|mensaje|idea|párrafo|tabla|código|фраз\w+|последн\w+|вопрос|сообщение|абзац|таблиц\w+)\b)"
)
_KNOWN = (
    r"(?:everything|anything|all|whatever|what|the (?:thing|things|stuff|bit|fact|facts|info|information|note|notes|memory|memories|entry|entries)|those (?:things|notes|memories)|any (?:info|information|notes?|memor\w+))[ \t]+"
    r"(?:(?:that[ \t]+)?(?:you(?:['’]ve| have)?|i(?:['’]ve| have)?)[ \t]+(?:know|remember|stored|saved|noted|have|learned|learnt|said|told you|mentioned|wrote|shared)(?:[ \t]+(?:down|stored|saved|earlier|before))?[ \t]+)?(?:about|of|on|regarding|concerning|to do with|with)[ \t]+"
)

FORGET_OWN = anchored(
    rf"(?:forget|unlearn)[ \t]+(?:about[ \t]+)?(?:{_KNOWN})?{_THE_TASK}(?={_FEW}{_OWN_EN})(?!(?:to|how to)\b)"
    rf"|(?:delete|remove|erase|drop|wipe|clear|scrub)[ \t]+{_KNOWN}{_THE_TASK}(?={_FEW}{_OWN_EN})"
    rf"|(?:delete|remove|erase|drop|wipe|clear|scrub|forget)[ \t]+(?:everything|anything|all|whatever|what)[ \t]+(?:that[ \t]+)?(?:you(?:['’]ve| have)?|i(?:['’]ve| have)?)[ \t]+(?:know|remember|stored|saved|have|learned|told you|said)[ \t]+(?:about|on)[ \t]+(?=\S)"
    r"|(?:you[ \t]+(?:do(?:n['’]t| not)|no longer|needn['’]t)[ \t]+(?:(?:really[ \t]+)?(?:need|have)[ \t]+to[ \t]+)?|(?:there['’]s[ \t]+)?no need(?: for you)?[ \t]+to[ \t]+|no longer[ \t]+)(?:remember|keep|store|know)[ \t]+(?:about[ \t]+|that[ \t]+)?"
    rf"{_THE_TASK}(?!to\b|when\b|it\b|this\b)(?={_FEW}{_OWN_EN})"
    r"|(?:don['’]t|do not)[ \t]+(?:remember|keep|store|save)[ \t]+(?=[^.!?\n]{2,80}\b(?:any ?more|any longer|in (?:your )?(?:memory|mind))\b)"
    r"|(?:stop|quit|no need)[ \t]+(?:to[ \t]+)?(?:remember|remembering|storing|saving|keeping track of|bringing up|mentioning)[ \t]+(?:that[ \t]+|about[ \t]+)?(?=(?:[^\s,.!?;:]+[ \t]+){0,7}?(?:my|i|our|i['’]m|we|me)\b)"
    rf"|(?:vergiss|vergesst|vergessen sie)[ \t]+(?:(?:bitte|einfach|mal|wieder|alles|mir)[ \t]+)*(?:über|zu|von|was)?[ \t]*{_THE_TASK}(?={_FEW}{_OWN_DE})(?![^.!?\n]*\bnicht\b)"
    rf"|(?:lösche?|löschen sie|entferne|streich|streiche)[ \t]+(?:(?:bitte|mal)[ \t]+)*(?:alles|was du|das|die (?:infos?|informationen|notiz|erinnerung(?:en)?|sache))[ \t]*,?[ \t]*(?:was[ \t]+du[ \t]+)?(?:über|zu|von|mit|an)[ \t]+{_THE_TASK}(?={_FEW}{_OWN_DE})"
    rf"|(?:oublie|oubliez)[ \t]+(?:(?:stp|aussi|tout(?: ce que)?)[ \t]+)*(?:sur[ \t]+)?(?!de\b|pas\b){_THE_TASK}(?={_FEW}(?:{_OWN_FR}))"
    rf"|(?:efface|effacez|supprime|supprimez|retire|enlève)[ \t]+(?:tout[ \t]+)?(?:ce[ \t]+(?:que[ \t]+(?:tu|vous|je)|qu['’]\w+|qui)[ \t]+(?:[\w'’]+[ \t]+){{1,4}}?(?:sur|de|à propos de|concernant|concerne)|(?:tout|les infos|l['’]info|la note|le souvenir|les souvenirs)[ \t]+(?:sur|de))[ \t]+(?=\S)"
    r"|(?:tu n['’](?:as|auras)|vous n['’]avez|t['’]as|plus|pas)[ \t]+(?:(?:plus|pas|besoin|la peine|nécessaire)[ \t]+)+(?:de[ \t]+|d['’])(?:te[ \t]+(?:souvenir|rappeler)|vous[ \t]+souvenir|retenir|garder en mémoire|mémoriser)[ \t]+(?:de[ \t]+|que[ \t]+|d['’])?(?=\S)"
    r"|(?:ne[ \t]+)?(?:retiens|mémorise|garde)[ \t]+plus[ \t]+(?:en mémoire[ \t]+)?(?=\S)"
    rf"|(?:olvida|olvídate|olvide|olvídese)[ \t]+(?:(?:ya|también|por favor|de)[ \t]+)*(?:todo[ \t]+)?(?:lo[ \t]+(?:de|que)[ \t]+)?{_THE_TASK}(?={_FEW}{_OWN_ES})"
    r"|(?:borra|borre|elimina|quita|suprime)[ \t]+(?:todo[ \t]+)?(?:lo[ \t]+(?:de|que[ \t]+(?:[\w']+[ \t]+){1,4}?(?:de|sobre|acerca de))|la (?:nota|información|info)[ \t]+(?:de|sobre))[ \t]+(?=\S)"
    r"|(?:ya[ \t]+)?no[ \t]+(?:hace falta|es necesario|necesitas|tienes|hay|hace)[ \t]+(?:que[ \t]+|ya[ \t]+)*(?:recordar|recuerdes|te acuerdes de|acordarte de|guardar|guardes|memorizar)[ \t]+(?:que[ \t]+|más[ \t]+)?(?=\S)|no[ \t]+(?:recuerdes|guardes|te acuerdes de)[ \t]+más[ \t]+(?=\S)|deja[ \t]+de[ \t]+(?:recordar|guardar)[ \t]+(?=\S)"
    rf"|(?:dimentica|dimenticati|scorda|esqueça|esquece|esqueça-se)[ \t]+(?:(?:pure|di|de|o|a|il|la|tutto)[ \t]+)*{_THE_TASK}(?={_FEW}{_OWN_IT})"
    r"|(?:non c['’]è (?:più )?bisogno che|non devi più|não precisa(?:s)? mais)[ \t]+(?:tu[ \t]+)?(?:ricordi|ricordare|ricordarti|lembrar(?: de| que)?)[ \t]+(?:di[ \t]+|che[ \t]+)?(?=\S)|je hoeft[ \t]+(?=[^.!?\n]{2,80}niet meer te onthouden)"
    rf"|(?:забудь(?:те)?|забывай)[ \t]+(?:(?:пожалуйста|уже|вс[её]|про|о|об|обо)[ \t,]+)*{_THE_TASK}(?={_FEW}{_OWN_RU})"
    r"|(?:удали(?:те)?|сотри(?:те)?|убери)[ \t]+(?:вс[её](?:,)?[ \t]+(?:что[ \t]+)?(?:ты[ \t]+)?(?:(?:знаешь|помнишь|запомнила?|я (?:говорил|рассказывал)а?)[ \t]+)?(?:про|о|об|обо)[ \t]+|(?:информацию|запись|сведения|данные)[ \t]+(?:про|о|об)[ \t]+)(?=\S)"
    r"|(?:(?:больше|тебе|вам)[ \t]+)?(?:не[ \t]+(?:надо|нужно|помни|запоминай|храни|обязательно)|можешь[ \t]+не)[ \t]+(?:(?:больше|тебе)[ \t]+)?(?:(?:помнить|запоминать|хранить)[ \t]+)?(?:(?:больше|про|о|об|что)[ \t]+)*(?=(?:[^\s,.!?;:]+[ \t]+){0,7}?(?:мо[йяеёихюм]\w*|наш\w*|я|меня|мне)\b)"
    r"|(?:请|請)?(?:忘记|忘掉|忘了|删掉|删除|刪除|清除|抹掉)(?:所有|一切|全部)?(?:有?关于|關於)?(?=[^，。！？\n]{0,10}我[^，。！？\n]{0,20}的)|(?:你)?(?:不用|不必|不需要|无需|別|别)(?:再|继续)?(?:记住|记得|記住|記得|记着)(?=[^，。！？\n]{0,10}我)",
    re.IGNORECASE,
)
"""What of the person's is to be forgotten follows."""

FORGET_BETWEEN = anchored(
    rf"(?:bitte[ \t]+)?(?P<first>(?={_FEW}{_OWN_DE})[^.!?\n]{{2,120}}?)[ \t]+(?:kannst|könntest|darfst|sollst|musst)[ \t]+du[ \t]+(?:dir[ \t]+)?(?:(?:bitte|jetzt|wieder|ruhig|gern|gerne|einfach|nicht mehr|nicht länger)[ \t]+)*(?:vergessen|löschen|merken)"
    rf"|(?:du[ \t]+)?(?:(?:kannst|könntest|sollst|musst|brauchst)[ \t]+)(?:du[ \t]+)?(?:dir[ \t]+)?(?:(?:bitte|jetzt|auch)[ \t]+)*(?P<second>(?={_FEW}{_OWN_DE})[^.!?\n]{{2,120}}?)[ \t]+(?:(?:wieder|bitte|ruhig|aus (?:deinem|dem) gedächtnis)[ \t]+)*(?P<gone>vergessen|löschen|nicht (?:mehr|länger|weiter)[ \t]+(?:zu[ \t]+)?merken)"
    rf"|merke?[ \t]+dir[ \t]+(?P<third>(?={_FEW}{_OWN_DE})[^.!?\n]{{2,120}}?)[ \t]+nicht[ \t]+(?:mehr|länger)"
    rf"|(?:delete|remove|erase|drop|wipe|clear|scrub|take)[ \t]+(?P<fourth>[^.!?\n]{{2,120}}?)[ \t]+(?:from|off|out of)[ \t]+(?:your|the)[ \t]+(?:memory|memories|mind|notes|records?)(?:[ \t]+(?:please|pls))?"
    r"|(?:efface|supprime|enlève|retire)[ \t]+(?P<fifth>[^.!?\n]{2,120}?)[ \t]+de[ \t]+(?:ta|votre)[ \t]+mémoire|(?:borra|elimina|quita)[ \t]+(?P<sixth>[^.!?\n]{2,120}?)[ \t]+de[ \t]+(?:tu|su)[ \t]+memoria|(?:lösche?|streiche?|entferne)[ \t]+(?:bitte[ \t]+)?(?P<seventh>[^.!?\n]{2,120}?)[ \t]+aus[ \t]+(?:deinem gedächtnis|deinen erinnerungen)|(?:удали|сотри|убери)[ \t]+(?P<eighth>[^.!?\n]{2,120}?)[ \t]+из[ \t]+(?:своей[ \t]+)?памяти"
    r"|把(?P<ninth>[^。！？\n]{0,20}我[^。！？\n]{1,40}?)(?:的事情?|的事)?(?:从你?的?(?:记忆|記憶)(?:中|里|裡|裏)?)?(?:忘了|忘掉|忘记|删了|删掉|删除|刪除|抹掉|清除)(?:掉)?(?:吧|好吗)?"
    r"|(?P<tenth>[^。！？!?\n]{2,60}?)(?:の話|の件|のこと|について)?(?:は|を|も)?[、 ]?(?:もう)?(?:記憶から(?:消して|削除して|消去して|外して)|覚えなくて(?:も)?(?:いい|大丈夫)|覚えておかなくて(?:も)?(?:いい|大丈夫)|忘れて(?:くれて)?(?:ください|下さい|いい|ほしい|大丈夫))(?:ください|下さい|です|よ|ね)*",
    re.IGNORECASE,
)
"""What is to be forgotten stands within or before; the named groups are it, but for `gone`."""

REMEMBER_OWN = anchored(
    r"(?:keep|bear|have)(?: it)? in mind[ ,]+(?:that[ ,]+)?(?=(?:i|i['’]\w+|my|we|our)\b)|(?:make|take)(?: yourself)? (?:a |another )?(?:mental )?note(?: of (?:this|it))?[ ,:–—-]+(?:that[ \t]+)?(?=(?:i|i['’]\w+|my|we|our|\w+ is)\b)"
    r"|(?:save|store|add|put|write|note|jot|log|file|record|commit|keep)[ \t]+(?:(?:this|that|it|the following|down|away|for later|on file|on record|a note|for me)[ \t]+)*(?:(?:in|to|into|on)[ \t]+(?:your[ \t]+|my[ \t]+|the[ \t]+)?(?:memory|memories|notes|mind|file|record|profile))?[ \t]*(?:[:：]|[-–—][ \t]|,|that\b)[ \t]*(?=(?:i|i['’]\w+|my|we|our)\b)"
    r"|(?:for (?:future|later|your|my) (?:reference|info|information|use|conversations?|chats?)|for the record|from now on,? (?:know|remember)(?: that)?|just so you know|so you know|please know)[ ,:–—-]+(?:that[ \t]+)?(?=(?:i|i['’]\w+|my|we|our)\b)"
    r"|(?:behalte?|behalten sie)[ \t]+(?:(?:bitte|auch|das|mal)[ \t]+)*im (?:hinterkopf|kopf|gedächtnis|blick)[ ,:]+(?:dass[ \t]+|(?=ich\b|mein|wir\b))|(?:bitte[ \t]+)?(?:abspeichern|speichern|merken|notieren|festhalten|einprägen)[ \t]*(?:[:,–—-]|dass)[ \t]*(?=(?:ich|mein\w*|wir|unser\w*|bei mir)\b)"
    r"|(?:präg|präge|schreib|notier|notiere|speicher|speichere|merk|merke|halt|halte)(?:[ \t]+(?:dir|euch|mir|bitte|das|mal|ein|auf|fest|ab|gut))*[ \t]*[:,–—-][ \t]*(?:dass[ \t]+)?(?=(?:ich|mein\w*|wir|unser\w*|bei mir)\b)|(?:denk|denke|denkt)[ \t]+(?:bitte[ \t]+)?(?:dran|daran)[ ,:–—-]+(?:dass[ \t]+)?(?=(?:ich|mein\w*|wir)\b)"
    r"|(?:garde[sz]?|gardez|aie|prends?|tiens?|tenez)[ \t]+(?:bien[ \t]+)?(?:en (?:tête|mémoire|compte|note)|à l['’]esprit|compte)[ \t]+(?:du fait[ \t]+)?qu(?:e[ \t]+|['’])|(?:sache|sachez|note|notez|retiens|enregistre|mémorise|souviens-toi|rappelle-toi)[ \t]+(?:(?:bien|aussi|stp|donc|quelque part)[ \t]+)*(?:qu(?:e[ \t]+|['’])|[:,–—-][ \t]*(?=(?:je|j['’]|mon|ma|mes|notre|nous|moi)))"
    r"|(?:ten|tenga|tené)[ \t]+(?:en cuenta|presente|en mente)[ ,:]+(?:que[ \t]+)?(?=\S)|(?:apunta|apúnta(?:te|lo|me)?|anota|anóta(?:te|lo|me)?|guarda|guárda(?:te|lo)?|graba|grába(?:te)?|memoriza|registra|recuerda|acuérdate)(?:[ \t]+(?:bien|por favor|esto|ahí|de))*(?:[ \t]+que[ \t]+|[ \t]*[:,–—-][ \t]*)(?=\S)(?!(?:los?|las?|el|en)\b)"
    r"|(?:segna(?:ti)?|tieni presente|sappi|anota aí|guarda aí|saiba)[ ,:]+(?:che[ \t]+|que[ \t]+)?(?=(?:io|mio|mia|il mio|la mia|sono|ho|eu|meu|minha|sou|tenho|moro)\b)"
    r"|(?:имей(?:те)?[ \t]+(?:это[ \t]+)?в виду|учти(?:те)?|учитывай(?:те)?|запиши(?:те)?|отметь(?:те)?|сохрани(?:те)?|заметь(?:те)?|запомни(?:те)?|помни(?:те)?|знай(?:те)?)[ \t]*(?:(?:себе|у себя|пожалуйста|это|на будущее|в память)[ \t,]*)*(?:,?[ \t]*что[ \t]+|[:,–—-][ \t]*)(?=(?:я|у меня|мо[йяеёи]\w*|мы|наш\w*|меня|мне)\b)"
    r"|(?:(?:帮|幫|替|给)我)?(?:记|記)(?:录|錄)?(?:一下|下来|下來|好|着|个|下)[，,：:、 ]*(?=我|俺|咱|家)|(?:保存|存)(?:一下|到记忆)[，,：: ]*(?=我)"
    r"|(?:覚えて|メモして|記録して|記憶して|保存して|覚えといて|メモっ?と?いて|書き留めて)(?:おいて)?(?:ください|下さい|ほしい|ね|くれ)*(?:んだけど|のですが)?[：:、。 ][ \t]*(?=\S)",
    re.IGNORECASE,
)
"""What is to be remembered follows: something of the person's."""

CORRECTED = anchored(
    r"(?:(?:scratch|strike|ignore|forget|cancel|undo) (?:that|this|what i (?:just )?said)|my (?:mistake|bad)|oops|i (?:misspoke|was wrong|made a mistake|got that wrong|mistyped|misremembered)|(?:that|this|it)(?:['’]s| is|['’]s been| was) (?:no longer|not|never)(?: been)?(?: really| actually)? (?:true|right|correct|the case|so|up to date|accurate|what i (?:said|meant))(?: any ?more| now)?|(?:that|this)(?:['’]s| is) (?:outdated|out of date|old|wrong)(?: info| now)?|you(?:['’]ve| have)? (?:got|mixed|had|remembered|misunderstood|mis\w+)(?: (?:that|this|it|me|them))*(?: (?:wrong|up|backwards))*)"
    r"[ \t]*[,.;:!–—-]+[ \t]*(?=(?:i|i['’]\w+|my|we|we['’]\w+|our|it['’]s|he|she|they)\b)"
    r"|(?:(?:das|es|dies) (?:stimmt|gilt|passt) (?:so )?(?:nicht|nimmer)(?: mehr| ganz)?|das (?:ist|war) (?:so )?(?:nicht mehr (?:aktuell|so|richtig)|veraltet|überholt|falsch|quatsch|ein irrtum|verkehrt)|(?:da )?(?:hab|habe) (?:ich )?mich (?:vertan|geirrt|verschrieben|versprochen)|(?:da )?(?:hast du|du hast) (?:mich|was|etwas|das|da was)[ \t]*(?:falsch verstanden|verwechselt|durcheinander\w*|missverstanden)|mein fehler|kommando zurück|falsch)[ \t]*[,.;:!–—-]+[ \t]*(?=(?:ich|mein\w*|wir|unser\w*|er|sie|es)\b)"
    r"|(?:ce n['’]est plus (?:vrai|le cas|exact|d['’]actualité)|c['’]est plus (?:vrai|le cas)|(?:erreur|faute) de ma part|je (?:me suis|m['’]étais) tromp\w+|j['’]ai (?:fait une erreur|dit une bêtise)|au temps pour moi|autant pour moi|tu (?:t['’]es trompé|as mal compris|confonds)|(?:petite )?rectification|c['’]est faux)[ \t]*[,.;:!–—-]+[ \t]*(?=(?:je|mon|ma|mes|nous|notre|il|elle|c['’]est)\b|j['’])"
    r"|(?:(?:eso )?ya no es (?:así|verdad|cierto)|me (?:he )?(?:equivoqué|equivocado|confundí|expresé mal)|perdón|fallo mío|error mío|lo (?:dije|he dicho) mal|(?:lo|me) (?:has entendido|entendiste) mal|te (?:has equivocado|equivocas|confundes)|corrijo|rectifico)[ \t]*[,.;:!–—-]+[ \t]*(?=(?:mi|mis|yo|soy|vivo|tengo|trabajo|es|son|nací|no|nuestr\w+)\b)"
    r"|(?:я (?:ошиб\w+|оговорил\w*|перепутала?|неправильно \w+|описал\w+)|это (?:уже|больше) не (?:так|правда|актуально)|уже (?:не так|неактуально|неправда)|ты (?:перепутала?|ошиб\w+|неправильно \w+|не так понял\w?)|моя ошибка|ошибка|вру|вернее|точнее)[ \t]*[,.;:!–—-]+[ \t]*(?=(?:я|мо[йяеёию]\w*|у меня|мы|меня|мне|наш\w*)\b)"
    r"|(?:(?:我)?(?:说|說|写|打|记|記|弄|搞)错了|(?:你)?(?:记|記|弄|搞|理解)错了|(?:那|这)?已经不是(?:这样|了)|更正一下|纠正一下|口误)[，,。.！! ：:]*(?=我|其实|是)"
    r"|(?:(?:すみません|ごめん(?:なさい)?)[、。 ]*)?(?:間違え(?:ました|た)|間違って(?:いました|ました|た)|言い間違え(?:ました|た)?|それは(?:もう)?(?:違います|違う)|もうそうじゃない(?:です)?|勘違い(?:です|でした))[、。,！! ]+(?=\S)",
    re.IGNORECASE,
)
"""What is so follows, behind words that take back what was said or known."""
