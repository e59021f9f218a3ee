# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Words that exclude each other: a group a subject, a member what means the same. Never: how they are found.

In folded case and without accents; each member is part of a regular expression, bounded by words in scripts that
have spaces. In one member, what has Han characters or kana stands between bars of its own.
"""

ONLY = (
    r"only|solely|exclusively|just|nur|ausschliesslich|lediglich|seulement|uniquement|n(?:e |')\w+ que|solo|solamente|unicamente|soltanto|so|apenas|somente|alleen|enkel|slechts|только|лишь"
    r"|(?<![一二三四五六七八九十两兩几幾这那])[只仅僅](?![狗猫鸡鸟兔])|だけ|しか|のみ"
)
OPPOSITIONS = (
    (
        r"left|link(?:e[mnrs]?|s)|gauche|izquierd[oa]s?|sinistr[oa]|esquerd[oa]|лев\w+|左",
        r"right|recht(?:e[mnrs]?|s)|droite?|derech[oa]s?|destr[oa]|direit[oa]|прав\w+|右",
    ),
    (
        r"before|vor|bevor|avant|antes|prima|до|перед|前",
        r"after|nach|nachdem|apres|despues|dopo|depois|после|后|後",
    ),
    (
        r"mornings?|morgens?|fruhmorgens|vormittags?|matins?|mananas?|mattin[ao]|manhas?|утр\w+|早上|朝",
        r"noon|midday|mittags?|midi|mediodia|mezzogiorno|meio-dia|中午|昼",
        r"afternoons?|nachmittags?|apres-midi|tardes?|pomeriggi?o?|下午",
        r"evenings?|abends?|soirs?|soirees?|ser[ae]|вечер\w*|晚上|夜",
        r"nights?|nachts?|nuits?|noches?|nott[ei]|noites?|ноч\w+|深夜",
    ),
    (
        r"north(?:ern)?|nord\w{0,6}|norte|север\w*|北",
        r"south(?:ern)?|sud\w{0,6}|sul|юг\w*|南",
        r"east(?:ern)?|ost(?:en|lich)?|este|восток\w*|东|東",
        r"west(?:ern|en|lich)?|ouest|oeste|ovest|запад\w*|西",
    ),
    (
        r"sisters?|schwestern?|s\u0153urs?|soeurs?|hermanas?|sorell[ae]|irma|сестр\w+|姐姐|妹妹|姉|妹",
        r"brothers?|bruder|bruders|freres?|hermanos?|fratell[oi]|irmao|брат\w*|哥哥|弟弟|兄|弟",
    ),
    (
        r"mother|mum|mom|mutter|mama|mere|madre|mae|мам\w+|мать|матер\w+|妈妈|媽媽|母",
        r"father|dad|vater|papa|pere|padre|pai|отц\w*|отец|пап\w+|爸爸|父",
    ),
    (
        r"daughters?|tochter\w*|filles?|hijas?|figli[ae]|filhas?|доч\w+|女儿|女兒|娘",
        r"sons?|sohn\w*|fils|hijos?|figlio|filhos?|сын\w*|儿子|兒子|息子",
    ),
    (
        r"grandmother|grandma|gran|oma|grossmutter|grand-mere|mamie|abuela|nonna|бабушк\w+|奶奶|祖母",
        r"grandfather|grandpa|opa|grossvater|grand-pere|papi|abuelo|nonno|дедушк\w+|爷爷|祖父",
    ),
    (
        r"wife|frau|ehefrau|femme|epouse|esposa|mujer|moglie|жен\w+|妻子?|老婆",
        r"husband|mann|ehemann|mari|epoux|esposo|marido|marito|муж\w*|丈夫|夫|老公",
    ),
    (r"aunt|tante|tia|zia|т[её]т\w+", r"uncle|onkel|oncle|tio|zio|дяд\w+"),
    (r"niece|nichte|sobrina|племянниц\w+", r"nephew|neffe|neveu|sobrino|племянник\w*"),
    (r"he|his|him", r"she|her|hers"),
    (
        r"red|rot(?:e[mnrs]?|s)?|rouges?|roj[oa]s?|ross[oaei]|красн\w+|红|紅|赤",
        r"green|grune?[mnrs]?|verte?s?|verdes?|verdi|зел[её]н\w+|绿|綠|緑",
        r"blue|blaue?[mnrs]?|bleue?s?|azul(?:es)?|blu|син\w+|голуб\w+|蓝|藍|青",
        r"yellow|gelbe?[mnrs]?|jaunes?|amarill[oa]s?|giall[oaei]|ж[её]лт\w+|黄",
        r"black|schwarze?[mnrs]?|noire?s?|negr[oa]s?|ner[oaei]|ч[её]рн\w+|黑|黒",
        r"white|weiss(?:e[mnrs]?|s)?|blanc(?:he)?s?|blanc[oa]s?|bianc[oahei]+|бел\w+|白",
        r"brown|braune?[mnrs]?|marron|коричнев\w+",
        r"gr[ae]y|graue?[mnrs]?|gris(?:es?)?|grigi[oa]|сер\w{2,3}|灰",
        r"orange",
        r"purple|lila|violett?e?|morad[oa]|фиолетов\w+|紫",
        r"pink|rosa|rose|rosado|розов\w+|粉色|ピンク",
        r"turquoise|teal|turkis\w*|turquesa|turchese|бирюзов\w+",
        r"beige|creme|cream|ocker|ocre|ochre|бежев\w+|米色|ベージュ",
    ),
    (
        r"spring|fruhling|fruhjahr|printemps|primavera|весн\w+|春",
        r"summer|sommer|ete|verano|estate|лет[оа]м?|夏",
        r"autumn|fall|herbst|automne|otono|autunno|осен\w+|秋",
        r"winter|hiver|invierno|inverno|зим\w+|冬",
    ),
    (
        r"buy|buys|bought|kauft|kaufte|gekauft|achete|compra|comprado|купил\w*|买",
        r"sells?|sold|verkauft|verkaufte|vendu?|vende|vendido|продал\w*|卖",
    ),
    (
        r"older|altere[nrs]?|ainee?|mayor|maggiore|старш\w+",
        r"younger|jungere[nrs]?|cadett?e?|menor|minore|младш\w+",
    ),
    (r"upstairs|upper|obere[nrs]?|haut", r"downstairs|lower|untere[nrs]?|bas"),
    (r"from|aus|ab|desde|из", r"to|nach|hacia|в"),
    (r"for|fur|pour|для", r"against|gegen|contre|contra|contro|против"),
    (r"private(?:ly)?|privat\w*|prive|privad[oa]", r"public(?:ly)?|offentlich\w*|publique|public[oa]"),
    (
        r"hot|heiss\w*|warm\w*|chaude?s?|caliente|cald[oa]|горяч\w+",
        r"cold|kalt\w*|froide?s?|fri[oa]|freddo|холодн\w+",
    ),
    (
        r"cats?|katzen?|kater|chats?|chatte|gat[oa]s?|gatt[oaie]|кош\w+|кот\w{0,2}|猫|貓",
        r"dogs?|hunde?[ns]?|hundin|chiens?|chienne|perr[oa]s?|can[ei]|cachorr[oa]|собак\w+|狗|犬",
    ),
    (r"tea|tees?|cha|чай|茶", r"coffee|kaffees?|cafe|caffe|кофе|咖啡"),
    (
        r"(?:is|are|am|has|have|ist|sind|bin|hat|habe|est|suis|ont|es|soy|tiene|tengo|ha|sono|ho|tem|heeft|is)(?! (?:been|gewesen|geweest))",
        r"was|were|had|used to|war|waren|hatte|hatten|etait|avait|era|fue|tenia|aveva|fu|foi|tinha",
    ),
    (
        r"starts?|started|began|begins?|beginnt|begonnen|angefangen|commence|commencee|empieza|empezo|comenzo|comincia\w*|iniziat?[oa]?|comec\w+|begon|begint|начал\w*|начина\w+|开始|開始|始め",
        r"stops?|stopped|ends?|ended|quit|endet|beendet|aufgehort|arrete|termine|dejo|termina|termino|smess[oa]|smette|finit[oa]|parou|deixou de|acabou|gestopt|stopt|закончил\w*|заканчива\w+|бросил\w*|перестал\w*|停止|结束|終わ|やめ",
    ),
    (
        r"always|every time|constantly|immer|stets|toujours|siempre|sempre|altijd|всегда|总是|總是|一直|いつも|必ず",
        (
            r"often|usually|mostly|generally|frequently|normally|oft|meist|meistens|haufig|normalerweise|gewohnlich|souvent|d'habitude|habituellement|generalement|la plupart du temps"
            r"|a menudo|suel[eo]|normalmente|habitualmente|muchas veces|con frecuencia|spesso|di solito|solitamente|normalmente|muitas vezes|costuma|frequentemente|geralmente|vaak|meestal|gewoonlijk|doorgaans"
            r"|часто|обычно|как правило|经常|經常|常常|通常|往往|よく|たいてい|普段|頻繁"
        ),
        (
            r"sometimes|occasionally|now and then|once in a while|manchmal|gelegentlich|ab und zu|hin und wieder|parfois|quelquefois|de temps en temps|a veces|algunas veces|de vez en cuando"
            r"|a volte|ogni tanto|qualche volta|as vezes|por vezes|de vez em quando|soms|af en toe|иногда|порой|время от времени|有时|有時|偶尔|偶爾|時々|たまに"
        ),
        (
            r"rarely|seldom|hardly|scarcely|almost never|selten|kaum|fast nie|rarement|presque jamais|raramente|rara vez|casi nunca|quase nunca|quasi mai|zelden|bijna nooit|nauwelijks"
            r"|редко|почти никогда|почти не|很少|几乎不|幾乎不|めったに|滅多に|ほとんど"
        ),
        r"(?<!almost )(?<!fast )(?<!presque )(?<!casi )(?<!quase )(?<!quasi )(?<!bijna )(?<!почти )(?:never|nie|niemals|jamais|nunca|mai|nooit|никогда)|从不|從不|从来不|從來不|決して|一切",
    ),
    (
        (
            r"(?<!almost )(?<!nearly )(?<!fast )(?<!presque )(?<!casi )(?<!quase )(?<!quasi )(?<!bijna )(?<!почти )(?<!not )(?<!nicht )(?:all|every|everyone|everybody|alle[ns]?|tous|toutes|todos|todas|tutt[ie]|все|всех)"
            r"|所有|全部|全員|みんな|すべて"
        ),
        (
            r"most of|most|the majority|almost all|nearly all|die meisten|den meisten|fast alle|mehrheit|la plupart|presque tous|la majorite|la mayoria|casi tod[oa]s|la maggior parte|quasi tutt[ie]"
            r"|a maioria|quase tod[oa]s|de meeste|bijna alle|большинств\w+|почти все|大多数|大多數|大部分|多数|ほとんど"
        ),
        r"half(?= (?:of|the|my|his|her|their))|die halfte|la moitie|la mitad|la meta|metade|de helft|половин\w+|一半|半分(?=の)",
        r"some|several|a few|einige|manche|mehrere|quelques|plusieurs|certains|certaines|algun[oa]s|vari[oa]s|alcun[ie]|qualche|vari|alguns|algumas|varios|sommige|enkele|некоторые|несколько|一些|有些|いくつか|一部",
        r"(?<!a )few|wenige[rn]?|peu de|poc[oa]s|poch[ie]|pouc[oa]s|weinig|мало|немногие|少数|わずか",
        r"none|no one|nobody|kein\w*|keine[rn]?|aucune?|ningun[oa]?|nessun[oa]?|nenhuma?|geen|ни один|никто|没有一|誰も",
    ),
    (
        (
            r"(?<!no )(?<!not )(?:more than|over)|at least|no (?:less|fewer) than|minimum|mehr als|mindestens|wenigstens|au moins|plus de|mas de|al menos|por lo menos|minimo|almeno|piu di|pelo menos|mais de|no minimo"
            r"|minstens|meer dan|ten minste|(?<!не )больше|(?<!не )более|не меньше|не менее|минимум|至少|超过|超過|少なくとも|以上"
        ),
        (
            r"less than|fewer than|no more than|not more than|at most|up to|maximum|weniger als|hochstens|maximal|nicht mehr als|au plus|au maximum|moins de|menos de|como mucho|como maximo|a lo sumo|al massimo|meno di|no maximo"
            r"|hoogstens|minder dan|niet meer dan|maximaal|(?<!не )меньше|(?<!не )менее|не больше|не более|максимум|最多|不到|不超过|多くても|以下|未満"
        ),
    ),
    (
        ONLY,
        r"also|too|as well|besides|auch|ausserdem|ebenfalls|aussi|egalement|tambien|ademas|anche|pure|inoltre|tambem|ook|eveneens|тоже|также|也|还|還|(?<=[\u4e00-\u9fff])も(?![うの])",
    ),
    (
        r"since|seit|depuis|desde|sinds|以来|以來",
        r"until|till|bis|jusqu|hasta|fino|ate|tot|直到|まで",
    ),
    (
        r"inside|indoors?|drinnen|innen|dedans|interieur|dentro|interior|binnen|внутри|室内|室內|屋内|里面",
        r"outside|outdoors?|draussen|aussen|dehors|exterieur|fuera|exterior|fuori|fora|buiten|снаружи|на улице|室外|屋外|外面",
    ),
    (
        (
            r"rents?|rented|renting|leases?|leased|tenant|mietet|gemietet|miete|mieter|loue|louent|locataire|alquil\w+|affitt\w+|inquilin[oa]|arrend\w+|alug\w+|huurt?|gehuurd|huurder"
            r"|снима(?:ет|ют|ю|ла?)|аренду\w+|租|賃貸|借りて"
        ),
        (
            r"owns?|owned|owner|bought|buys?|besitzt|eigentum\w*|eigentumer\w*|gekauft|kauft|kaufte|possede|proprietaire|achete|propiedad|posee|propietari[oa]|comprad[oa]|compro|proprieta\w*|possiede|comprat[oa]"
            r"|possui|comprou|proprietari[oa]|gekocht|kocht|koopt|eigenaar|купил\w*|собственн\w+|владе\w+|买|買|所有|拥有|擁有"
        ),
    ),
    (
        r"borrow\w*|ausgeborgt|emprunt\w*|(?:pidio|tomo|pedido|tomado|pedi) \w* ?prestad[oa]|in prestito|emprestad[oa]|geleend|взял[аи]?|向.{1,6}借|借了|借りた|借りて",
        r"len[dt]s?|lending|loaned|verliehen|verleiht|pretes?|presto|ha prestato|emprestou|empresta|uitgeleend|одолжил\w*|借给|借給|貸し|貸す",
    ),
    (
        (
            r"left|leaves|leaving|quit|resigned|ausgetreten|verlassen|verlasst|gekundigt|quitte|quittee?|demission\w*|dejo|abandon\w+|lasciat[oa]|lascia|saiu|deixou|weggegaan|verlaten|opgezegd"
            r"|уш[её]л|ушл[аи]|уволил\w*|покинул\w*|вышел|вышла|退出|离开|離開|辞職|辞め|退会"
        ),
        (
            r"joins?|joined|joining|beigetreten|eingetreten|angefangen|rejoin\w*|rejoint|adhere|inscrit\w*|entro|ingreso|unio|entrat[oa]|iscritt[oa]|entrou|aderiu|gekomen|aangesloten|lid geworden"
            r"|приш[её]л|пришл[аи]|вступил\w*|поступил\w*|устроил\w*|加入|入った|入会|入社"
        ),
    ),
    (
        r"pass|passed|passes|bestanden|besteht|reussit?e?|aprobo|aprobad[oa]|superat[oa]|passou|geslaagd|сдал[аи]?|及格|通过|合格",
        r"fail|failed|fails|durchgefallen|durchfallt|rate|echoue\w*|suspendio|suspendid[oa]|bocciat[oa]|chumbou|reprovad[oa]|gezakt|провалил\w*|不及格|落ち",
    ),
    (
        r"wins?|won|gewonnen|gewinnt|gagne|gano|ganad[oa]|gana|vint[oa]|vince|ganhou|gewonnen|wint|выиграл\w*|赢|勝",
        r"los[et]s?|losing|verloren|verliert|perd|perdue?|perdio|perdid[oa]|pierde|pers[oa]|perde|perdeu|verliest|проиграл\w*|потерял\w*|输|負け",
    ),
    (
        r"accepts?|accepted|angenommen|nimmt an|zugesagt|accepte|acepto|acepta|accettat[oa]|accetta|aceitou|aceita|aangenomen|принял\w*|согласил\w*|接受|引き受け",
        r"declin\w+|reject\w*|refus\w+|turned down|abgelehnt|lehnt ab|abgesagt|rechaz\w+|rifiut\w+|recus\w+|rejeit\w+|geweigerd|afgewezen|отказал\w*|отклонил\w*|拒绝|拒絕|断っ",
    ),
    (
        r"opens?|opened|geoffnet|offnet|eroffnet|auf|ouvert\w*|ouvre|abiert[oa]|abre|abrio|apert[oa]|apre|abert[oa]|abriu|open|geopend|открыва\w+|открыл\w*|открыт\w*|开门|開く|開いて",
        r"closes?|closed|geschlossen\w*|schliesst|ferm\w+|cerrad[oa]|cierra|cerro|chius[oa]|chiude|fechad[oa]|fechou|gesloten|dicht|закрыва\w+|закрыл\w*|закрыт\w*|关门|關門|閉ま|閉じ",
    ),
    (
        r"married|verheiratet|mariee?|casad[oa]|sposat[oa]|getrouwd|женат|замужем|已婚|结婚了|既婚",
        r"divorced|geschieden|divorcee?|divorciad[oa]|divorziat[oa]|gescheiden|развед\w+|离婚|離婚",
        r"widowed|widow\w*|verwitwet|witwe\w*|veu[fv]e?|viud[oa]|vedov[oa]|viuv[oa]|weduw\w*|вдов\w*|丧偶|未亡人",
        r"single|unmarried|ledig|celibataire|solter[oa]|single|celibe|nubile|solteir[oa]|ongehuwd|холост|незамужем|单身|單身|独身",
        r"engaged|verlobt|fiancee?|prometid[oa]|fidanzat[oa]|noiv[oa]|verloofd|помолвл\w+|订婚|婚約",
    ),
    (
        r"full[- ]time|vollzeit|temps plein|plein temps|jornada completa|tempo pieno|tempo inteiro|tempo integral|voltijd|fulltime|полный день|полную ставку|全职|全職|フルタイム|常勤",
        r"part[- ]time|teilzeit|temps partiel|mi-temps|media jornada|tiempo parcial|part time|tempo parziale|meio tempo|tempo parcial|deeltijd|parttime|неполный день|полставки|兼职|兼職|パート|非常勤",
    ),
    (
        r"early|fruh(?:er)?|tot|temprano|presto|cedo|vroeg|рано|早起|早く|早(?=起|い)",
        r"late|spat(?:er)?|tard|tarde|tardi|laat|поздно|晚起|遅く|遅(?=い|起)",
    ),
    (
        r"cheap\w*|billig\w*|gunstig\w*|bon marche|barat[oa]s?|economic[oaihe]+|goedkoop\w*|deshev\w+|деш[её]в\w+|便宜|安い",
        r"expensive|dear|teuer|teure[nrsm]?|chere?s?|car[oa]s?|costos[oaie]|duur|dure|дорог\w+|贵|貴|高い",
    ),
    (
        r"morning shift|fruhschicht|frueh\w*schicht|早班|早番",
        r"night shift|nachtschicht|spatschicht|夜班|晚班|夜勤",
    ),
    (
        r"vegan\w*|веган\w*|纯素|ヴィーガン|ビーガン",
        r"vegetari\w*|вегетариан\w*|吃素|ベジタリアン|菜食",
        r"pescatarian\w*|pescetari\w*|песк\w+",
    ),
    (
        r"my|mein(?:e[nmrs]?)?|mon|ma|mi|mi[oa]s?|meu|minha|mijn|мой|моя|мо[её]|мои",
        r"his|her|their|sein(?:e[nmrs]?)?|sa|su|su[oa]|seu|sua|zijn|haar|его|е[её]",
        r"our|unser(?:e[nmrs]?)?|notre|nuestr[oa]|nostr[oa]|noss[oa]|ons|onze|наш\w*",
    ),
)
