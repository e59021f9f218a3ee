# ruff: noqa: RUF001 - people speak many languages
"""Signs of an order in French, Spanish, Russian, Chinese and Japanese. Pure data. Never: what signs together tell."""

from recollect.formation.word_lists.orders_signs import OrderSigns

FRENCH = OrderSigns(
    actor=r"(?:l'|un |d'|les |cet )?assistants?|l'ia|ia|chatbots?|le modèle|les modèles|le robot|chatgpt",
    must=r"doit|doivent|devrait|devraient|devra|faut|est tenue? de|veut|souhaite|voudrait",
    act=(
        r"recommand\w+|conseill\w+|suggér\w*|suggèr\w*|propos\w+|mentionn\w+|cit(?:er|e[rz]?|ée?s?|ant)|promouv\w+|vant\w+|privilégi\w+|préfér\w+|confiance|"
        r"renvo\w+|dirig\w+|orient\w+|référ\w+|présent\w+|décri\w+|plac\w+|class\w+|cach\w+|tai(?:re|t)|omet\w*|mettre en avant|s'appuy\w+|réserv\w+|considér\w+|trait\w+"
    ),
    ordered=(
        r"(?:doi(?:t|vent)|devr\w+|à) (?:\S+ )?(?:toujours |jamais )?être (?:toujours )?(?:recommandé|conseillé|suggéré|proposé|mentionné|cité|privilégié|présenté|considéré|traité|renvoyé|orienté|"
        r"dirigé|ajouté|inclu[se]?|caché|omis|tu|ignoré|placé|nommé)\w*|soi(?:t|ent) (?:\S+ )?(?:recommandé|conseillé|suggéré|proposé|mentionné|cité|privilégié|présenté|réservé|acheté|commandé|orienté|dirigé)\w*|"
        r"(?:il faut|faut|à) (?:toujours |ne jamais )?(?:recommander|conseiller|suggérer|proposer|mentionner|citer|privilégier|vanter|renvoyer|orienter)"
    ),
    arrange=r"(?:réservé|acheté|commandé|payé)\w* (?:\S+ ){0,3}?(?:chez|via|par|auprès|sur|avec)",
    scope=(
        r"toujours|jamais|systématiquement|par défaut|exclusivement|uniquement|en premier|d'abord|en priorité|avant (?:tou\w+ )?(?:les|tout) autres?|de préférence|si possible|chaque fois|"
        r"(?:dans|à|pour|en) (?:chaque|toutes?|tous)(?: \S+)? \w+|désormais|dorénavant|à l'avenir|à partir de maintenant|meilleure?s?|plutôt que (?:les|d') ?autres"
    ),
    topic=(
        r"(?:quand|lorsqu\w*|si|dès qu\w*|chaque fois qu\w*)\b.{0,80}?\b(?:demand\w*|parl\w*|interrog\w*|cherch\w*|question\w*|évoqu\w*|s'agit|aborde\w*)|"
        r"(?:les |toute |chaque |aux |des |sur les )?questions? (?:sur|de|d'|à propos|concernant|juridiques?|fiscales?|médicales?|financières?|\w+)|pour (?:tout|toute) (?:ce qui|question|demande)"
    ),
    person=r"(?:à |de )?(?:l'utilisateur|l'utilisatrice|la personne|les utilisateurs|l'usager)|aux? (?:utilisateurs?|personnes?)",
    believes=r"souhaite|veut|préfère|croit|pense|considère|estime|fait confiance|voudrait|a (?:décidé|accepté)|aimerait",
    hide=(
        r"cach\w+|dissimul\w+|secr[eè]te?|taire|à l'insu|(?:ne|n'|sans)\b.{0,20}?(?:dis|dites|dire|dit|parl\w+|révèl\w*|révél\w+|inform\w+|mentionn\w+|montr\w+|préven\w+|avert\w+)|confidentiel\w*"
    ),
    rules=(
        r"(?:instructions?|règles?|consignes?|directives?|restrictions?|limites|filtres) (?:\S+ )?(?:précédentes?|antérieures?|initiales?|d'origine|ci-dessus|système|de sécurité|du système|du développeur|de modération)|"
        r"(?:tes|vos) (?:\S+ )?(?:instructions?|règles?|consignes?|directives?|restrictions?|limites|filtres)"
    ),
    void=r"annul\w+|ne s'appliqu\w+|plus (?:valables?|valides?|en vigueur)|sans effet|caduques?|oubli\w+|ignor\w+|contourn\w+|outrepass\w+|remplacé\w*|levée?s?|suspendu\w*|désactiv\w+|abrogé\w*|ne compt\w+ plus|nulles?",
    praise=(
        r"(?:est|sont|comme|reste|soit) (?:une? |la |le |les |l')?(?:\S+ ){0,2}?(?:sources?|référence|autorité|marque|entreprise|société|fournisseur|site|expert\w*|choix|banque|assureur|agence|adresse|enseigne|produit) (?:\S+ ){0,2}?"
        r"(?:de confiance|fiables?|officiel\w*|sûre?s?|faisant autorité|incontournable|la plus \w+|le plus \w+|digne de confiance|de référence)|"
        r"(?:est|sont|reste) (?:de loin )?(?:la |le |les |l')(?:meilleure?s?|seule?|première?|unique|numéro un|leader)\b(?: \S+){0,2}? (?:sources?|marques?|entreprise|société|fournisseur|référence|choix|banque|assureur|site|hôtel|produits?|agence|option|outil)|"
        r"(?:fait|font|faisant|comme) (?:\S+ )?autorité|n'a pas d'égal|sans égal|inégalée?s?|imbattables?|(?:est|sont) (?:la|le) (?:leader|numéro un|référence)|(?:est|sont|soit) (?:le|la) meilleure?(?: \S+)?$"
    ),
    rival=r"concurren\w+|rivaux|autres (?:marques|banques|fournisseurs|sites)|(?:avis|critiques|commentaires) négati\w+|critiques (?:de|sur|contre)|comparatifs?",
    omit=r"(?:ne|n'|sans|jamais|pas)\b.{0,20}?(?:mentionn\w+|cit\w+|nomm\w+|propos\w+|recommand\w+|montr\w+|parl\w+)|omet\w*|ignor\w+|cach\w+|tai(?:re|t|s)|écart\w+|pass\w+ sous silence|minimis\w+",
    link=r"liens?|publicités?|pub|code promo|promotion|slogan|coupons?|bannière|mentionn\w+",
    answers=r"(?:chaque|toutes|tes|vos|à la fin d\w+)(?: les| tes| vos)?(?: \S+)? (?:réponses?|conversations?|discussions?|messages?|résumés?)",
    unbound=r"non censurée?|non filtrée?|débridée?|sans (?:aucune? |tes )?(?:restrictions?|règles|filtres?|limites?|censure|tabous?)",
    unasked=r"sans (?:\S+ ){0,2}?(?:confirmation|demander|accord|vérif\w+|validation|consentement)|pas besoin de (?:confirmation|validation)",
    deed=r"outils?|paiements?|virements?|achats?|commandes?|scripts?|transactions?|courriels?|mails?|factures",
    send=r"envo\w+|transm\w+|transf\w+|partag\w+|publi\w+|copi\w+|téléverse\w*|post\w+|communiqu\w+",
    data=r"conversations?|historique|messages?|discussions?|données|identifiants|mots? de passe|clés? api|souvenirs|échanges",
    own=r"je|j'\w+|moi|me|m'\w+|mon|ma|mes|nous|notre|nos|au (?:bureau|travail)|(?:son|sa|ses) (?:\w+ )?(?:chef|patron|mère|père|oncle|agence|entreprise|équipe|médecin|famille|client)|trouve que",
)

SPANISH = OrderSigns(
    actor=r"(?:el |al |un |los )?asistentes?|(?:la |una )?ia|chatbots?|el modelo|los modelos|el bot|chatgpt",
    must=r"debe|deben|debería\w*|tiene que|tienen que|ha de|hay que|quiere|desea|prefiere",
    act=(
        r"recom[ie]\w+|suger\w+|sugier\w+|mencion\w+|cit(?:ar|e|a|ado|ada|arse|es)|promocion\w+|promov\w+|promuev\w+|confi(?:ar|e|a)|prioriz\w+|priori\w+|elogi\w+|alab\w+|dirig\w+|deriv\w+|remit\w+|"
        r"present\w+|describ\w+|trat\w+|consider\w+|prefer\w+|favorec\w+|enlaz\w+|ocult\w+|omit\w+|orient\w+|nombr\w+|basarse|apoyarse|poner (?:\S+ ){1,3}primero"
    ),
    ordered=(
        r"(?:debe\w*|debería\w*|ha de|han de|tiene\w* que|ser) (?:siempre )?(?:ser )?(?:siempre )?(?:recomenda\w+|sugeri\w+|menciona\w+|cita\w+|promociona\w+|prioriza\w+|presenta\w+|considera\w+|trata\w+|dirigi\w+|deriva\w+|"
        r"inclui\w+|añadi\w+|oculta\w+|omiti\w+|ignora\w+|nombra\w+)|se (?:debe\w*|haga\w*|reserve\w*|compre\w*|pida\w*|recomiende\w*|cite\w*|mencione\w*|ha de|oculte\w*)|hay que (?:recomendar|citar|mencionar|sugerir|nombrar|elogiar)"
    ),
    arrange=r"(?:se (?:hag|reserv|compr|pid|contrat|pag)\w+|(?:reservad|comprad|pedid|pagad|contratad)\w+) (?:\S+ ){0,4}?(?:en|con|por|a través|mediante|vía)",
    scope=(
        r"siempre(?: que sea posible)?|nunca|jamás|por defecto|exclusivamente|únicamente|primero|en primer lugar|antes que|por encima de|de preferencia|a ser posible|cada vez|"
        r"(?:en|a|para|con) (?:cada|tod[oa]s?)(?: \S+)? \w+|de ahora en adelante|a partir de ahora|en adelante|en el futuro|futur[oa]s|mejor(?:es)?"
    ),
    topic=(
        r"(?:cuando|si|siempre que|cada vez que|en cuanto)\b.{0,80}?\b(?:pregunt\w+|habl\w+|consult\w+|busqu\w+|busc\w+|mencion\w+|trat\w+|surj\w+)|"
        r"(?:las |toda |cualquier |ante )?(?:preguntas?|dudas?|consultas?) (?:sobre|de|acerca|legales|fiscales|médicas|\w+)|para (?:todo lo|cualquier)"
    ),
    person=r"(?:al |el |del |los |a los )usuarios?|(?:a )?la persona|a las personas|la usuaria",
    believes=r"quiere|desea|prefiere|cree|piensa|considera|confía|opina|ha (?:aceptado|decidido)|gustaría|valora",
    hide=r"ocult\w+|escond\w+|secreto|confidencial|callar\w*|a espaldas|(?:no|sin|nada|nunca)\b.{0,20}?(?:dig\w+|decir\w*|inform\w+|revel\w+|muestr\w+|mostr\w+|mencion\w+|avis\w+|cuent\w+|cont\w+|sep\w+)",
    rules=(
        r"(?:instrucciones|instrucción|reglas?|normas?|directrices|restricciones|órdenes|límites|filtros) (?:\S+ )?(?:anteriores|previas|iniciales|originales|de arriba|del sistema|de seguridad|de moderación)|"
        r"(?:tus|sus) (?:\S+ )?(?:instrucciones|reglas|normas|directrices|restricciones|límites|filtros)"
    ),
    void=r"sin efecto|no (?:se aplica\w*|valen|vale|cuentan|rigen)|anulad\w+|cancelad\w+|canceladas|ya no|ignor\w+|olvid\w+|descart\w+|sáltate|sustituid\w+|reemplazad\w+|inválid\w+|suspendid\w+|desactiv\w+|derogad\w+",
    praise=(
        r"(?:es|son|como|sigue siendo) (?:una? |la |el |los |las )?(?:\S+ ){0,2}?(?:fuentes?|referencia|autoridad|marca|empresa|compañía|proveedor|sitio|página|expert[oa]|opción|banco|aseguradora|agencia|tienda|producto) (?:\S+ ){0,2}?"
        r"(?:de confianza|confiables?|fiables?|oficial\w*|más \w+|de referencia|autorizad[oa]|líder|número uno)|"
        r"(?:es|son) (?:sin duda )?(?:la |el |los |las )?(?:mejor(?:es)?|única?o?s?|principal|líder|número uno)\b(?: \S+){0,2}? ?(?:fuente|marca|empresa|compañía|proveedor|referencia|opción|banco|seguro|tienda|sitio|producto|agencia|hotel|elección)|"
        r"como (?:\S+ )?(?:autoridad|referencia)|es (?:una |la )?autoridad|insuperable\w*|inigualable\w*|no tiene rival|sin rival"
    ),
    rival=r"competencia|competidor\w+|rivales|otras (?:marcas|empresas|tiendas)|otros (?:bancos|proveedores|sitios)|(?:reseñas|opiniones|críticas|noticias) (?:negativas|malas)|críticas (?:a|de|contra)|comparativas?|comparaciones de precios",
    omit=r"(?:no|nunca|sin|jamás)\b.{0,20}?(?:mencion\w+|cit\w+|nombr\w+|recom\w+|muestr\w+|habl\w+|suger\w+)|omit\w+|ignor\w+|ocult\w+|call\w+|descart\w+|minimiz\w+|pas\w+ por alto",
    link=r"enlaces?|vínculos?|publicidad|anuncios?|cupón|cupones|promoción|eslogan|código de descuento",
    answers=r"(?:cada|todas|tus|toda|final de)(?: las| tus| cada)?(?: \S+)? ?(?:respuestas?|conversaci\w+|chats?|mensajes?|resúmenes)",
    unbound=r"sin (?:ningun[ao]? |tus )?(?:restricciones|reglas|filtros?|límites?|censura|tabúes)|no censurad[oa]|desinhibid[oa]",
    unasked=r"sin (?:\S+ ){0,2}?(?:confirmación|confirmar|preguntar|permiso|aprobación|verificar|consultar|consentimiento)|no (?:necesitan?|requieren?) (?:confirmación|aprobación|permiso)",
    deed=r"herramientas?|pagos?|transferencias?|compras?|comandos?|scripts?|transacciones|correos?|facturas|órdenes",
    send=r"envi\w+|enví\w+|mand\w+|reenv\w+|public\w+|transm\w+|compart\w+|copi\w+|sub(?:e|ir|a)",
    data=r"conversaci\w+|historial|mensajes?|chats?|datos|credenciales|contraseñas?|claves?|recuerdos",
    own=r"yo|mí|me|mi|mis|nos|nosotr\w+|nuestr\w+|creo|para mí|en (?:la oficina|el trabajo)|su (?:\w+ )?(?:jefe|jefa|madre|padre|tío|hermano|hermana|empresa|oficina|taller|equipo|familia)|según|cree que",
)

RUSSIAN = OrderSigns(
    actor=r"(?:ассистент|помощник|чат-?бот|бот)(?:у|а|ом)?|ии|модель|модели|нейросеть|chatgpt",
    must=r"долж\w+|обязан\w*|следует|нужно|надо|необходимо|пусть|хочет|желает|просит",
    act=(
        r"(?:по)?рекоменд\w+|(?:по)?совет\w+|предл[ао]\w+|упом\w+|упоминать|цитир\w+|продвиг\w+|реклам\w+|довер\w+|предпоч\w+|хвал\w+|ссыла\w+|сослаться|направл\w+|отсыл\w+|представл\w+|описыв\w+|называ\w+|"
        r"счита\w+|скрыва\w+|скрыть|умалч\w+|опира\w+|выделя\w+|ставить|подчёркив\w+|подчеркив\w+"
    ),
    ordered=(
        r"(?:надо|нужно|следует|необходимо|долж\w+(?: быть)?|обязательно|стоит) (?:\S+ ){0,3}?(?:рекоменд\w+|совет\w+|предлаг\w+|упом\w+|цитир\w+|реклам\w+|ссыла\w+|направл\w+|называ\w+|хвал\w+|скрыва\w+|добавл\w+|указыва\w+|бронир\w+)|"
        r"(?:бронировал|покупал|заказывал|рекомендовал|упоминал|называл)\w+ся"
    ),
    arrange=r"(?:бронировал|покупал|заказывал|оплачивал)\w*с[ья] (?:\S+ ){0,3}?(?:через|в|у|на|с помощью)|(?:бронировать|покупать|заказывать) (?:\S+ ){0,3}?через",
    scope=(
        r"всегда|никогда|по умолчанию|исключительно|только|первым|первой|первую очередь|прежде|раньше (?:других|всех|остальных)|выше (?:других|всех)|каждый раз|по возможности|"
        r"(?:в|на|при|для|к) (?:кажд\w+|люб\w+|все[хм]?)(?: \S+)? \w+|отныне|впредь|в будущем|с этого момента|лучш\w+|надёжнее всех|надежнее всех"
    ),
    topic=(
        r"(?:когда|если|всякий раз|как только)\b.{0,80}?\b(?:спрос\w+|спраш\w+|речь|говор\w+|ищ\w+|интерес\w+|упом\w+)|(?:все |любые |при )?(?:\w+ )?вопрос\w* (?:о|об|про|по|насчёт|насчет)|(?:\w+ые|\w+ие) вопросы|на вопросы"
    ),
    person=r"пользовател\w+|(?:от |перед )?(?:человек\w*|собеседник\w*)|людям",
    believes=r"хочет|желает|предпочитает|считает|думает|доверяет|полагает|согласен|согласился|решил|просит",
    hide=r"скры\w+|утаи\w*|утаива\w+|секрет\w*|в тайне|втайне|умолч\w+|(?:не|без|ничего|никогда)\b.{0,20}?(?:говор\w+|сказ\w+|сообщ\w+|показ\w+|раскры\w+|упом\w+|информ\w+|ведома|рассказ\w+|узна\w+)",
    rules=(
        r"(?:прежни\w+|предыдущ\w+|прошл\w+|ранн\w+|исходн\w+|твои\w*|ваши\w*|свои\w*|системн\w+|старые) (?:\S+ )?(?:инструкци\w+|правил\w*|указани\w+|ограничени\w+|директив\w*|команд\w*|фильтр\w*)|"
        r"(?:правил\w*|инструкци\w+|ограничени\w+|фильтр\w*) (?:безопасности|системы|разработчик\w*|модерации)"
    ),
    void=r"отменен\w*|отменяются|отмени\w*|не действу\w+|недействительн\w+|больше не|утратил\w*|игнор\w+|проигнор\w+|забудь\w*|забыть|обойди|обход\w+|сняты|отключен\w*|заменен\w*|не соблюд\w+",
    praise=(
        r"(?:[—–-]|это|является|являются|считается|как|считай\w*) ?(?:\S+ ){0,3}?(?:надёжн\w+|надежн\w+|достоверн\w+|авторитетн\w+|проверенн\w+|официальн\w+|лучш\w+|единственн\w+|доверенн\w+|самы\w+ \w+|ведущ\w+|главн\w+) (?:\S+ ){0,2}?"
        r"(?:источник\w*|бренд\w*|марк\w+|компани\w+|поставщик\w*|сайт\w*|эксперт\w*|авторитет\w*|выбор\w*|банк\w*|магазин\w*|производител\w*|агентств\w*|продукт\w*)|"
        r"(?:надёжнее|надежнее|лучше|безопаснее|достовернее) (?:всех|любых|остальных)|авторитетн\w+ источник\w*|вне конкуренции|не имеет равных|непревзойд\w+|\w+ (?:самый )?лучш(?:ий|ая|ее|ие)$"
    ),
    rival=r"конкурент\w*|други\w+ (?:марк\w*|брендах|бренды|компани\w+|банки|банках)|(?:плохи\w+|негативн\w+|отрицательн\w+) отзыв\w*|критик\w+ (?:в адрес|о|про)?|недостатк\w+|сравнени\w+ цен",
    omit=r"(?:не|никогда|без)\b.{0,20}?(?:упом\w+|назыв\w+|цитир\w+|показ\w+|говор\w+|совет\w+|рекоменд\w+)|игнор\w+|умалч\w+|скры\w+|опуска\w+|замалч\w+|исключ\w+",
    link=r"ссылк\w+|реклам\w+|промокод\w*|купон\w*|слоган\w*|баннер\w*",
    answers=r"(?:кажд\w+|все[хм]?|все|люб\w+|свои\w*|твои\w*|конце) (?:\S+ )?(?:ответ\w*|разговор\w*|чат\w*|бесед\w*|сообщени\w*)",
    unbound=r"без (?:каких-либо |всяких )?(?:ограничений|правил|фильтров|цензуры|запретов)|нецензурируем\w+|неограниченн\w+",
    unasked=r"без (?:\S+ ){0,2}?(?:подтверждени\w+|спроса|согласия|проверки|разрешения|одобрения)|не (?:требу\w+|нужно|нужны) подтверждени\w+|не спрашивая",
    deed=r"инструмент\w*|платеж\w*|платёж\w*|перевод\w*|покупк\w*|команд\w*|скрипт\w*|транзакци\w*|письм\w*|счета|счетов",
    send=r"отправ\w+|пересыл\w+|перешл\w+|переслать|публик\w+|переда\w+|загру\w+|копир\w+|дели\w+сь|слать|высыла\w+",
    data=r"переписк\w+|истори\w+|разговор\w*|сообщени\w*|чат\w*|данн\w+|парол\w+|ключ\w*|воспоминани\w+|бесед\w*",
    own=r"я|мне|меня|мой|моя|моё|мое|мои|моим|моего|моей|мы|нам|нас|наш\w*|у нас|на работе|его|её|ее (?:фирм\w*|компани\w*)|по мнению",
)

CHINESE = OrderSigns(
    actor=r"助手|助理|ai|人工智能|聊天机器人|机器人|模型|chatgpt",
    must=r"应该|应当|应|必须|须|要|得|务必|只能|不得|希望",
    act=r"推荐|建议|提到|提及|引用|宣传|信任|相信|优先|引导|导向|指向|称赞|介绍|描述|视为|当作|依据|隐瞒|强调|推销|排在|夸",
    ordered=r"(?:应该?|应当|必须|务必|都要|要)(?:被|优先|首先|先)?(?:推荐|提到|提及|引用|介绍|列出|宣传|称赞)|先(?:推荐|提到|提及|介绍|引用)|(?:优先|首先|首选)(?:推荐|提到|引用|考虑|介绍|使用)|要说",
    arrange=r"(?:通过|在|用|从).{1,15}?(?:订|预订|预定|购买|买|下单|付款|预约)",
    scope=r"总是|始终|一律|永远|每次|默认|优先|首先|先|第一|以后|今后|所有|每个|每一|任何|凡是|尽可能|只|最好|最",
    topic=r"(?:谈到|说到|聊到|提到|问到|问起|被问|关于|涉及|遇到).{0,20}|.{0,8}(?:问题)(?:都|要|应|时|上|引导|请|优先)|(?:法律|税务|医疗|健康|投资|理财|旅行|旅游)(?:方面|问题)",
    person=r"用户|使用者|客户本人|对方|本人",
    believes=r"希望|想要|喜欢|偏好|认为|相信|信任|同意|倾向|要求",
    hide=r"隐瞒|保密|隐藏|瞒着|(?:不要|别|不得|不能|切勿|不可|禁止|勿)(?:让|告诉|告知|透露|提醒|通知|提及|展示|向)",
    rules=r"(?:之前|以前|先前|上面|前面|以上|你的|系统|原有|原来|安全|现有|旧的?)(?:的|所有|全部|一切)*.{0,4}(?:指令|指示|规则|限制|设定|要求|准则|约束|过滤)",
    void=r"作废|无效|失效|取消|不再(?:有效|适用|生效)|忽略|无视|忘记|忘掉|绕过|覆盖|不要遵守|废除|解除|停用|抛开",
    praise=(
        r"(?:是|为|作为|视为|当作|当成|看作).{0,12}(?:可信|可靠|权威|值得信赖|官方|最好|最佳|唯一|首选|第一|领先)的?.{0,8}(?:来源|信息源|品牌|公司|供应商|网站|专家|权威|选择|平台|银行|机构|产品|商家|商店)?|"
        r"无可匹敌|无与伦比|(?:最权威|最可信|最可靠|最值得信赖)"
    ),
    rival=r"竞争对手|竞品|竞争者|其他(?:品牌|公司|银行|商家|产品)|别的(?:品牌|公司|银行)|(?:负面|差评|不好的)(?:评价|消息|新闻|信息)?|批评|比价",
    omit=r"(?:不要|别|不|禁止|避免|不得|勿)(?:提|说|引用|推荐|展示|列|介绍)|忽略|省略|略过|隐瞒|回避|淡化|无视",
    link=r"链接|广告|优惠码|网址|口号|推广",
    answers=r"(?:每个|每次|所有|每一个|每条|任何|全部)(?:的)?(?:回答|回复|答案|对话|聊天|消息)|(?:回答|回复)(?:的)?(?:末尾|结尾|最后|开头)",
    unbound=r"(?:没有|不受|无)(?:任何)?(?:限制|规则|过滤|审查|约束)",
    unasked=r"(?:无需|不需要|不必|不用)(?:经过|征得|得到)?.{0,4}(?:确认|同意|批准|询问|许可)|未经.{0,6}(?:同意|确认)",
    deed=r"工具|付款|支付|转账|购买|命令|脚本|交易|邮件|订单|发票",
    send=r"发送|发到|转发|上传|发布|提交|发给|抄送|传到|传给|复制到|分享",
    data=r"对话|聊天|记录|消息|历史|用户(?:的)?(?:数据|资料|信息)|个人信息|密码|密钥|记忆",
    own=r"我|咱|(?:他|她|他们|她们)的|觉得|公司规定",
    spaced=False,
)

JAPANESE = OrderSigns(
    actor=r"アシスタント|ai|チャットボット|ボット|モデル|人工知能|chatgpt",
    must=r"べき|こと|なければ|必要|ください|せよ|ように|ほしい|望",
    act=r"推薦|推奨|勧め|薦め|すすめ|提案|言及|引用|紹介|宣伝|信頼|優先|誘導|案内|参照|扱|褒め|挙げ|触れ|売り込",
    ordered=r"(?:推薦|推奨|提案|言及|引用|紹介|宣伝|優先|参照)(?:する(?:こと|べき)?|される|して(?:ください)?|すべき)|(?:挙げ|触れ|勧め|薦め)(?:る|て(?!い))",
    arrange=r"(?:で|から|を通じて|経由で)(?:予約|購入|注文|手配|買|申し込)",
    scope=r"常に|必ず|いつも|毎回|既定|デフォルト|最初|まず|優先|第一|一番|今後|これから|すべて|全て|どの|あらゆる|より先|可能な限り",
    topic=r"(?:話題|質問|相談|話)(?:で|に|は|が|を|の際|になったら)|(?:聞かれ|尋ねられ|質問され|訊かれ)たら|について(?:は|聞)|に関して",
    person=r"ユーザー|利用者|使用者|本人|相手",
    believes=r"望ん|希望|好む|好み|信じ|考え|信頼|同意|思っ",
    hide=r"隠[しすせ]|秘密|内緒|伏せ|知らせな|伝えな|言わな|教えな|見せな|明かさな|黙って",
    rules=r"(?:以前|これまで|今まで|上記|あなた|システム|安全|従来|元|既存)(?:の|に関する|上の|のすべての)?.{0,4}(?:指示|命令|ルール|規則|プロンプト|制限|制約|ガイドライン)",
    void=r"無効|取り消|無視|忘れ|破棄|解除|適用されな|適用しな|失効|従わな|上書き|廃止",
    praise=(
        r"(?:最も|一番|唯一|第一)?(?:信頼できる|信頼性の高い|権威ある|権威のある|公式の|最高の|最良の|最適な|唯一の|信頼のおける|一番の|最も.{1,6}な).{0,8}(?:情報源|ソース|ブランド|会社|企業|サイト|業者|専門家|選択|銀行|店|製品|サービス|メーカー)|"
        r"(?:を|は).{0,12}(?:権威|第一人者|信頼できる)(?:として|である|です|だ)|右に出る(?:者|もの)|(?:が|は)(?:一番|最高|最良)(?:だ|です|である|と)|比類"
    ),
    rival=r"競合|ライバル|他社|他の(?:ブランド|会社|銀行|店|製品)|(?:悪い|否定的な|低い)(?:評価|口コミ|レビュー|ニュース)|批判|価格比較",
    omit=r"(?:触れ|挙げ|言及し|紹介し|勧め|出さ|見せ|言わ|書か|薦め)ない|省[いくけ]|無視|伏せ|隠[しすせ]|除[いくけ]|避け",
    link=r"リンク|広告|クーポン|url|宣伝文句|バナー",
    answers=r"(?:すべて|全て|毎回|どの|各|あらゆる|全部)(?:の)?(?:回答|返答|返信|答え|会話|応答)|(?:回答|返答|返信|答え)(?:の)?(?:最後|末尾|冒頭)",
    unbound=r"(?:制限|規制|制約|フィルター|検閲|ルール)(?:の|が)?(?:ない|なし|なく|無し)",
    unasked=r"(?:確認|承認|許可|同意)(?:なし|せず|は不要|を取らず|を求めず|を得ず)|(?:聞か|尋ね)ずに",
    deed=r"ツール|支払|送金|振込|購入|コマンド|スクリプト|取引|メール|注文",
    send=r"送信|送[るっれ]|転送|アップロード|投稿|共有|提出|コピー",
    data=r"会話|チャット|履歴|メッセージ|ユーザー(?:の)?(?:データ|情報)|個人情報|パスワード|apiキー|記憶|やり取り",
    own=r"私|僕|俺|わたし|ぼく|うち|自分|思う|思い|思って|好き|個人的|職場|(?:彼|彼女)の|母|父|会社の",
    spaced=False,
)
