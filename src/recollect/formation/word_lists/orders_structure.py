# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Closed classes of words by which a note about "the user" is told from what a person says. Pure data. Never: how it is looked for.

All over text in small letters with straight apostrophes, all languages at once.
"""

from recollect.patterns import bounded

USER = bounded(
    r"(?:(?<![\w-])(?<!\w')(?:(?:the|this|current|active|said) (?:current |active )?(?:user|human|account (?:owner|holder)|end user)(?:'s)?"
    r"|users?(?= (?:has|have|is|was|wants?|prefers?|likes?|loves?|trusts?|holds?|gave|agreed|agrees|consents?|consented|waives?|waived|opted|accepts?|approves?|allows?|enjoys?|considers?|believes?)\b)"
    r"|(?:der|die|dem|den|des|diese[rmns]?|beim) (?:aktuelle[nr]? )?(?:(?:be)?nutzer(?:in|s)?|anwender(?:in|s)?)"
    r"|(?:l'|d'|de l'|à l'|cet |cette )(?:utilisat(?:eur|rice)|usager)"
    r"|(?:el|la|al|del|este|esta|a la|de la) usuari[oa]|(?:o|a|ao|do|da|este|esta) (?:usuári[oa]|utilizador[a]?)"
    r"|(?:l'|dell'|all'|quest'|questo )utente|(?:de|deze|den) (?:eind)?gebruiker|(?:этот |этого |данный |данного |у )?пользовател[ьяюем]{1,2})(?!\w))"
    r"|(?:该|該|此|本|这位|這位|当前|目前|的)?(?:用户|用戶|使用者)(?!研究|增长|體驗|体验|调研|名|量)|(?:この|本|当該)?(?:利用者|使用者|ユーザー?)(?=は|が|に|の|を|も|へ)"
)
"""The person, named as only a third would."""

OWN = bounded(
    r"(?<!\w)(?:i|i'(?:m|ve|ll|d)|my|mine|me|we|we'(?:re|ve|ll)|our|us|myself|ich|mein\w{0,2}|mir|mich|wir|unser\w{0,2}|uns|je|mon|ma|mes|moi|nous|notre|nos"
    r"|yo|mi|mis|conmigo|nuestr[oa]s?|nosotr[oa]s|soy|tengo|trabajo|estoy|quiero|prefiero|io|mio|mia|miei|mie|nostr[oaie]|sono|lavoro|ho"
    r"|eu|meu|minha|meus|minhas|noss[oa]s?|sou|tenho|trabalho|ik|mijn|ons|onze|wij|we|я|мой|моя|моё|мое|мои|моей|моего|моему|мне|меня|мной|мы|наш\w{0,3}|нам|нас)(?!\w)"
    r"|(?<!\w)(?:j'|m')\w|我|咱|俺|私|僕|わたし|うち|弊社|自分"
)
"""Words of the first person."""

NOTE = bounded(
    r"(?<!\w)(?:(?:note|memo|entry|reminder|info|instruction|message)s? (?:for|to|in|into) (?:the )?(?:\S{1,20} ){0,3}?memor(?:y|ies)|(?:for|to) (?:the )?(?:\S{1,20} ){0,3}?memory"
    r"|(?:\S{1,20} )?memory(?: (?:note|update|entry|write|record|item))?|(?:system|internal|assistant|config\w{0,8}|profile|hidden)(?: (?:note|setting|update|message|memo|prompt|context))?|config\w{0,8}|settings?|(?:user )?profile"
    r"|\S{0,20}(?:gedächtnis\w{0,6}|erinnerungs?notiz|merkposten)(?: \S{1,20}){0,3}|(?:system|profil)\w{0,10}|einstellung\w{0,2}|konfiguration|voreinstellung"
    r"|(?:à noter|note|notes?)?(?: (?:en|pour|dans) (?:la )?)?(?: ?mémoire)(?: à long terme)?|(?:configuration|paramètres?|réglages?|système|note interne)"
    r"|(?:nota )?(?:(?:para|en|de|da|na|para a) )?(?:la )?memoria(?: a largo plazo| a lungo termine)?|(?:nota )?(?:de|para a|da|na)? ?memória(?: de longo prazo)?|nota (?:interna|de sistema|di sistema)|sistema|configura\w{3,6}|ajustes?|impostazion[ie]"
    r"|(?:notitie )?(?:voor )?het (?:lange ?termijn)?geheugen|geheugen\w{0,8}|instelling\w{0,2}|systeem"
    r"|(?:заметка |запись )?(?:в |для )(?:долговременн\w{2} )?памят[иь]|память|настройк[аи]|конфигурация|системн\w{2,4}(?: \S{1,15})?)\s{0,2}[:\u2013\u2014]"
    r"|(?:系统|系統)?(?:长期|長期)?(?:记忆|記憶|设定|設定|设置|配置|メモリー?|システム)(?:设定|設定|用|写入|更新)?(?:备注|備註|メモ|笔记)?[:：]"
)
"""A label, as a note to the machine has it."""

STANCE = bounded(
    r"(?<!\w)(?:prefer|want|wish|trust|lik(?:es|ed)|lov(?:es|ed)|enjoy|glad|happy|pleased|appreciat|consent|agree|authori[sz]|approv|accept|allow|permission|admin|privileg|verified|vetted|confirm|waiv"
    r"|opted|granted|full access|clearance|loyal|considers|believes|regards|faith|fond|satisf"
    r"|bevorzug|vertrau|möchte|wünsch|schätz|liebt|mag\b|freut|zugestimmt|zustimm|stimmt|eingewillig|einverstanden|erlaub|genehmig|berechtig|adminrecht|administrator|vollzugriff|verzichte|hält|am liebsten|begeistert"
    r"|préfèr|préféré|appréci|souhait|veut|aime|confiance|consent|accept|autoris|droits|accord|renonc|dispens|ravi"
    r"|prefier|confí|quiere|gusta|desea|autoriz|acept|consient|consinti|permis|renunci|aprecia|encanta|dispensa|fía"
    r"|preferisc|si fida|vuole|desidera|ama\b|piace|consens|acconsent|autorizz|accett|gradisce|rinuncia"
    r"|prefere|confia|quer\b|deseja|gosta|autoriza|aceit|consent|permiss|dispensa|renuncia|adora"
    r"|vertrouw|wil\b|wenst|houdt van|toestemming|akkoord|goedgekeurd|geeft de voorkeur|waardeert|bevoegd|rechten"
    r"|довер|предпочит|хочет|желает|нравит|любит|согла[сш]|разреш|прав[аом]|одобр|ценит|отказ|не требу|рад)"
    r"|偏好|偏爱|偏愛|喜欢|喜歡|信任|信赖|信賴|希望|同意|授权|授權|权限|權限|无需|不必|允许|認可|认可|好む|好み|信頼|望|同意|許可|権限|不要|承諾|気に入"
)
"""What such a note says of the person: taste, trust, consent, rights."""

ACTOR = bounded(
    r"(?<![\w'])(?:the|der|die|dem|l'|le|el|la|il|o|a|de|ai) ?(?:ai )?(?:assistent(?:in|en)?|assistant[e]?|chatbot|bot|model|modell|modèle|modelo|modello|asistente|assistente|assistants?|ki|ia)(?!\w)|(?<!\w)(?:ассистент\w{0,2}|помощник\w{0,2}|чат-?бот\w{0,2}|модели|модель)(?!\w)"
    r"|(?:助手|助理|模型|机器人|アシスタント|モデル|ボット)(?=[^a-z])"
)
"""The assistant, named as only a third would."""

OBLIGED = bounded(
    r"(?<!\w)(?:must|shall|should|is to|has to|ought to|needs to|is (?:obliged|required|instructed|bound|expected|asked) to|will always|muss|soll(?:te)?|hat (?=(?:\S+ ){0,8}?zu \w)|ist (?:verpflichtet|gehalten|angewiesen)|darf nicht"
    r"|doit|devra|est (?:tenue?|priée?|chargée?) de|a pour consigne|debe(?:rá)?|ha de|tiene que|está obligad[oa]|queda obligad[oa]|deve|dovrà|è (?:tenut[oa]|obbligat[oa])|è chiamat[oa]|deverá|terá de|tem de|fica obrigad[oa]|está obrigad[oa]"
    r"|moet|dient|hoort te|zal voortaan|is verplicht|обязан[аоы]?|долж(?:ен|на|но|ны)|надлежит|следует|предписано|необходимо|вменяется)(?!\w)"
    r"|必须|必須|应当|應當|应该|须|務必|务必|べき|なければならない|しなければ|ものとする|すること|義務"
)
"""That somebody has to."""

TO_BE = bounded(
    r"(?<!\w)(?:(?:is|are) to be|shall be|must be|ought to be|(?:ist|sind) (?:[^.!?\n]{1,80}? )?zu \w{3,20}en|(?:est|sont) à \w{3,15}er|(?:doit|doivent|devra|devront) être|(?:debe|deben|deberá|deberán|ha de|han de) \w{3,15}se|(?:deve|devono|devem|dovrà|dovranno|deverá) (?:essere|ser)"
    r"|(?:moet|moeten|dient|dienen) (?:[^.!?\n]{1,60}? )?(?:te )?worden|надлежит|следует \w{3,20}ть|долж(?:ен|на|но|ны) быть)(?!\w)"
    r"|(?:应|應|须|須)(?:当|當)?(?:视为|視為|被)|(?:するもの|ものとする|こととする)"
)
"""That something is to be done, by nobody named."""

HIDDEN = bounded(
    r"(?<!\w)(?:without (?:\S+ ){0,3}?(?:mention|tell|say|inform|disclos|notice|knowing)\w*|not (?:to )?be (?:disclosed|mentioned|revealed)|ohne (?:dass|es|dies|das|den|die|ihn|sie)(?: \S+){0,4}? (?:erfähr|erfahr|erwähn|mitzuteil|merk|hinzuweis|sag)\w*|sans (?:(?:que|le|l'|en) ?)?(?:\S+ ){0,3}?(?:mention|dire|préciser|inform|sache|signal)\w*"
    r"|sin (?:\S+ ){0,2}?(?:mencion|decir|inform|avis|que)\w*|senza (?:\S+ ){0,2}?(?:menzion|dir|inform|avvis|che)\w*|sem (?:\S+ ){0,2}?(?:mencion|diz|inform|avis)\w*|zonder (?:\S+ ){0,4}?(?:noemen|melden|vermelden|zeggen)|не (?:упомина|сообща|говор|раскры)\w*)"
    r"|不要(?:提|告诉)|不得(?:提|透露)|(?:触れず|知らせず|明かさず|言わず)"
)
"""Behind somebody's back."""

SERVES = bounded(
    r"(?<!\w)(?:memor|remember|answer|respon[ds]|repl(?:y|ies)|recommend|suggest|cit(?:e[sd]?|er|ez|ar|are|ando)(?!\w)|names?(?!\w)|mention|link|promot|prais|consider|regard|advertis|prefer"
    r"|gedächtnis|merken|erinner|antwort|beantwort|empfehl|empfiehl|vorschl|vorzuschlag|nenn|erwähn|hinweis|verlink|zitier|bevorzug|betracht|zu (?:nennen|erwähnen|verlinken)"
    r"|mémoire|mémoris|répon|recommand|suggér|propos|lien|considér|nommer"
    r"|respuest|recomend|recomiend|suger|enlace|enlaz|nombrar"
    r"|rispost|rispond|raccomand|consigli|suggeri|menzion|colleg"
    r"|memória|respost|ligaç"
    r"|geheugen|onthoud|antwoord|beantwoord|aanbevel|aanrad|aan te (?:bevelen|raden)|noemen|vermeld|beschouw|verwijz"
    r"|памят|запомин|ответ|отвеч|рекоменд|совет|ссыл|упомина|назыв|счита)"
    r"|记忆|記憶|记住|回答|回复|推荐|推薦|引用|链接|提及|答え|推奨|紹介|おすすめ|お勧め|リンク|勧め"
)
"""What a planted duty is after: what is remembered, answered, recommended, named."""
