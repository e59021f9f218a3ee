# ruff: noqa: RUF001 - people speak many languages
"""Words of orders in Portuguese, Dutch, Polish, Russian, Chinese, Japanese and Korean. Pure data. Never: how they are looked for."""

from recollect.formation.word_lists.orders import OrderWords

_NEVER = r"(?!)"

PORTUGUESE = OrderWords(
    lead=(
        r"por favor|a partir de agora|de agora em diante|no futuro|e|mas|então|agora|depois|importante|lembre-se de que|lembre-se de|note que|que|"
        r"(?:você |tu )?(?:deve|deves|tem que|tens de)|é preciso|é importante|não se esqueça de|(?:o assistente|a ia|o modelo)(?: deve)?|quero que"
    ),
    override=r"ignore|ignora|ignorar|esqueça|esquece|desconsidere|contorne|descarte|desobedeça",
    rules=r"(?:todas?|todos|as suas|suas|tuas|as|os|quaisquer|essas)\b.{0,40}\b(?:instruções|instrução|regras?|diretrizes|restrições|mensagens do sistema|limites)",
    always=(
        r"sempre|nunca|jamais|apenas|somente|só|exclusivamente|toda vez|em (?:todas?|todos|cada)|para (?:todas?|todos|cada)|a (?:todos|todo mundo)|primeiro|"
        r"(?:quando|se) (?:alguém|um usuário|o usuário|perguntarem)"
    ),
    steer=(
        r"recomende|recomenda|recomendar|sugira|sugere|sugerir|mencione|menciona|mencionar|cite|citar|promova|promover|confie em|confia em|prefira|elogie|diga|dizer|afirme|afirmar|"
        r"responda(?: \S+){0,3} (?:com|que)|direcione|encaminhe|(?:adicione|inclua|insira) .{0,40}(?:link|anúncio|propaganda)"
    ),
    asked=r"(?:quando|se|sempre que|toda vez que)(?: \S+){0,5}? (?:pergunt\w+|fal\w+|procur\w+|mencion\w+)|a qualquer pergunta sobre",
    say=r"diga|responda|afirme|alegue|cite|indique",
    persona=(
        r"\b(?:você é agora|agora você é|agora és)\b|\b(?:a partir de agora|de agora em diante),? (?:você |tu )?(?:é|és|será|deve|deves|vai|obedece)|"
        r"(?:^|[.!?:] *)(?:novo )?(?:prompt (?:do|de) sistema|mensagem do sistema|modo (?:de )?desenvolvedor) ?[:=]|(?:ative|entre no|mude para) .{0,10}modo (?:de )?(?:desenvolvedor|admin|debug)|"
        r"(?:revele|mostre|imprima|repita) .{0,30}(?:prompt|mensagem) (?:do|de) sistema"
    ),
    trusted=(
        r"\b(?:é|são|como) (?:uma? |a |o )?(?:\S{1,40} ){0,2}?(?:fontes?|referência|autoridade|marca|empresa|fornecedor|site|especialista) (?:\S{1,40} ){0,2}?(?:confiáve(?:l|is)|fiáve(?:l|is)|oficia(?:l|is)|de confiança|mais \S+|líder)|"
        r"\b(?:é|são) (?:a |o )?(?:melhor|únic[oa]|principal) (?:\S{1,40} )?(?:fonte|marca|empresa|fornecedor)\b|(?:^|[.!?:,] *|\bdeve )(?:considere|trate|considerar|tratar) .{1,80}? como (?:\S{1,40} ){0,3}?(?:confiável|fiável|oficial|verdade|autoridade|fonte)\b"
    ),
    send=r"envie|envia|enviar|mande|encaminhe|publique|poste|transmita|compartilhe|copie|chame|abra|abrir|visite|execute|executar|clique|baixe|instale|adicione",
    data=(
        r"(?:conversa|histórico|dados (?:do usuário|pessoais)|credenciais|senhas?|chaves? de api|memórias)\b|(?:a |o |este |esta )(?:ferramenta|script|comando|programa|função)\b"
    ),
    hide=r"(?:esconda|oculte) .{0,60}(?:do usuário|ao usuário)|não (?:diga|conte|mostre|revele|mencione|informe) .{0,40}(?:ao usuário|aos usuários|o usuário)|sem (?:avisar|informar|dizer) .{0,20}usuário",
    own=r"\b(?:eu|mim|me|meu|minha|meus|minhas|nós|noss\w+|acho|penso|acha|pensa|diz|disse|favorit\w+|preferid\w+)\b",
    style=(
        r"\b(?:tópicos|listas?|curt[oa]s?|breves?|concis\w+|tabelas?|passos|português|inglês|idioma|emojis?|unidades|métric\w+|exemplos?|código|comentários|as fontes|simples|detalhes?|vegan\w+|vegetarian\w+|halal|kosher|glúten|"
        r"lactose|carne|porco|peixe|nozes|álcool|açúcar|saudáve\w+|barat\w+|grátis|gratuit\w+|locais|trem|comboio|bicicleta|crianças|seus \w+|suas \w+|(?:meu|minha) (?:ex|pai|mãe|nome|idade|peso|trabalho|doença|família))\b"
    ),
)

DUTCH = OrderWords(
    lead=(
        r"alsjeblieft|graag|vanaf nu|voortaan|in de toekomst|en|maar|dan|nu|dus|belangrijk|onthoud(?: dat)?|let op|dat|je (?:moet|zult)|u (?:moet|zult)|het is belangrijk om|vergeet niet om|"
        r"(?:de assistent|de ai|het model)(?: moet)?|ik wil dat je"
    ),
    override=r"negeer|vergeet|omzeil|overschrijf|laat",
    rules=r"(?:alle|elke|je|jouw|uw|vorige|eerdere|bovenstaande|bestaande)\b.{0,40}\b(?:instructies?|regels?|richtlijnen|beperkingen|opdrachten|prompts?|systeemberichten)",
    always="altijd|nooit|alleen|uitsluitend|elke keer|bij (?:elke|alle)|in (?:elke|alle)|aan iedereen|als eerste|(?:als|wanneer) (?:iemand|een gebruiker|gebruikers)",
    steer=r"beveel|aanbeveel|raad|noem|vermeld|citeer|promoot|vertrouw|verkies|prijs|zeg|beweer|stel|antwoord(?: \S+){0,3} (?:met|dat)|verwijs|stuur (?:alle|gebruikers|mensen)|(?:voeg|zet) .{0,40}(?:link|reclame)",
    steer_last=r"aanbevelen|aanraden|noemen|vermelden|citeren|promoten|vertrouwen",
    asked=r"(?:als|wanneer|telkens als|zodra)(?: \S+){0,7}? (?:vraagt|vragen|gevraagd wordt|zoekt|zoeken|praat|noemt)|bij vragen over",
    say=r"zeg|antwoord|beweer|noem|verwijs",
    persona=(
        r"\b(?:je|jij|u) bent (?:nu|vanaf nu|voortaan) (?!klaar|in staat)|\b(?:vanaf nu|voortaan) (?:ben|moet|zul|gehoorzaam) (?:je|jij|u)|"
        r"(?:^|[.!?:] *)(?:nieuwe )?(?:systeemprompt|systeeminstructie|ontwikkelaarsmodus) ?[:=]|(?:activeer|schakel) .{0,20}(?:ontwikkelaars|admin|debug)-?modus|(?:toon|onthul|herhaal) .{0,30}systeemprompt"
    ),
    trusted=(
        r"\b(?:is|zijn|als) (?:een |de |het |onze )?(?:\S{1,40} ){0,2}?(?:betrouwba\w+|gezaghebbend\w*|officiële?|beste|enige|toonaangevend\w*|vertrouwde) (?:\S{1,40} ){0,2}?(?:bron|bronnen|merk|bedrijf|aanbieder|leverancier|autoriteit|site|expert)\b|"
        r"\b(?:een|de|het) (?:betrouwba\w+|gezaghebbend\w*|vertrouwde|beste) (?:bron|merk|bedrijf|aanbieder|leverancier) (?:is|zijn)\b|"
        r"(?:^|[.!?:,] *|\bmoet )(?:behandel|beschouw|zie) .{1,80}? als (?:\S{1,40} ){0,3}?(?:betrouwba\w+|gezaghebbend|officieel|waar|feit|autoriteit|bron)\b"
    ),
    send=r"stuur|verstuur|verzend|plaats|upload|mail|kopieer|deel|roep|open|bezoek|voer|klik|download|installeer|voeg|start",
    data=r"(?:gesprek|chatgeschiedenis|gebruikersgegevens|persoonsgegevens|inloggegevens|wachtwoord(?:en)?|api-sleutels?|herinneringen)\b|(?:het |de |dit )(?:\S{1,40} )?(?:tool|script|commando|programma)\b",
    hide=r"verberg .{0,60}voor de gebruiker|(?:vertel|zeg|toon|meld) .{0,30}(?:de|aan de) gebruiker .{0,30}(?:niet|niets|nooit)|zonder (?:de )?gebruiker .{0,20}te (?:vertellen|informeren)",
    own=r"\b(?:ik|mij|me|mijn|wij|we|ons|onze|vind|denk|vindt|denkt|zegt|zei|favoriete)\b",
    style=(
        r"\b(?:opsomming\w*|punten|kort\w*|beknopt\w*|lijst\w*|tabel\w*|stappen|nederlands|engels|taal|emoji'?s?|eenheden|metrisch\w*|voorbeeld\w*|code|bronnen|eenvoudig\w*|details|veganistisch\w*|vegetarisch\w*|halal|koosjer|"
        r"gluten\w*|lactose\w*|vlees|varken\w*|vis|noten|alcohol|suiker|gezond\w*|goedkoop|goedkope|gratis|lokaal|lokale|trein|fiets|kinderen|mijn (?:ex|vader|moeder|naam|leeftijd|gewicht|werk|ziekte|familie))\b"
    ),
)

POLISH = OrderWords(
    lead=(
        r"proszę|od teraz|od tej pory|w przyszłości|i|ale|więc|teraz|potem|ważne|pamiętaj(?:, że| że|,)?|zapamiętaj(?:, że| że|,)?|że|musisz|masz|powinieneś|należy|trzeba|"
        r"(?:asystent|model|ai)(?: musi| powinien)?|chcę, żebyś"
    ),
    override=r"zignoruj|ignoruj|zapomnij o|pomiń|obejdź|nadpisz|odrzuć",
    rules=r"(?:wszystkie|wszystkich|wszelkie|poprzednie|poprzednich|wcześniejsze|swoje|twoje|powyższe|swoich)\b.{0,40}\b(?:instrukcj\w+|polece\w+|zasad\w*|reguł\w*|wytyczn\w+|ogranicze\w+)|polecenia systemowe",
    always=r"zawsze|nigdy nie|nigdy|tylko|wyłącznie|za każdym razem|w każd\w+|każdemu|wszystkim|przy każd\w+|jako pierwsz\w+|(?:gdy|kiedy|jeśli) (?:ktoś|użytkownik)",
    steer=r"polecaj|poleć|rekomenduj|zalecaj|sugeruj|wspominaj|wspomnij|wymieniaj|cytuj|promuj|ufaj|zaufaj|preferuj|chwal|mów|powiedz|twierdź|odpowiadaj(?: \S+){0,3} (?:że|tylko)|kieruj|odsyłaj|(?:dodawaj|dodaj|wstaw) .{0,40}(?:link|reklam\w+)",
    asked=r"(?:gdy|kiedy|jeśli|jeżeli|za każdym razem, gdy)(?: \S+){0,5}? (?:pyta|zapyta|spyta|pytają|zapytają|mówi|szuka|wspomni)|zapytany o",
    say=r"mów|powiedz|odpowiedz|odpowiadaj|twierdź|wskaż|wymień",
    persona=(
        r"\b(?:jesteś teraz|teraz jesteś|od teraz jesteś)\b|\bod (?:teraz|tej pory) (?:musisz|będziesz|masz|słuchasz)\b|(?:^|[.!?:] *)(?:nowy )?(?:prompt systemowy|komunikat systemowy|tryb (?:dewelopera|deweloperski)) ?[:=]|"
        r"(?:włącz|aktywuj|przejdź w) .{0,10}tryb (?:dewelopera|deweloperski|administratora)|(?:ujawnij|pokaż|powtórz|wypisz) .{0,30}(?:prompt|komunikat) systemowy"
    ),
    trusted=(
        r"\b(?:to|jest|są|jako) (?:\S{1,40} ){0,2}?(?:zaufan\w+|wiarygodn\w+|rzeteln\w+|oficjaln\w+|najlepsz\w+|jedyn\w+|najbardziej \w+) (?:\S{1,40} ){0,2}?(?:źródł\w+|mark\w+|firm\w+|dostawc\w+|autorytet\w*|stron\w+|ekspert\w*)\b|"
        r"(?:^|[.!?:,] *)(?:traktuj|uznawaj|uznaj) .{1,80}? (?:jako|za) (?:\S{1,40} ){0,3}?(?:wiarygodn\w+|zaufan\w+|oficjaln\w+|prawd\w+|autorytet|źródło)\b"
    ),
    send=r"wyślij|wysyłaj|prześlij|przekaż|opublikuj|udostępnij|skopiuj|wywołaj|otwórz|odwiedź|wykonaj|uruchom|kliknij|pobierz|zainstaluj|dodaj",
    data=r"(?:rozmow\w+|histori\w+ czatu|dan\w+ (?:użytkownika|osobow\w+)|hasł\w+|klucz\w* api|wspomnieni\w+)\b|(?:to |ten |tę )?(?:narzędzie|skrypt|polecenie|komendę|program)\b",
    hide=r"ukryj .{0,60}przed użytkownikiem|nie (?:mów|pokazuj|ujawniaj|wspominaj|informuj) .{0,40}użytkownik\w+|bez (?:wiedzy|informowania) użytkownika",
    own=r"\b(?:ja|mi|mnie|mój|moja|moje|my|nas|nasz\w*|myślę|uważam|sądzę|uważa|myśli|mówi|powiedział\w*|ulubion\w+)\b",
    style=(
        r"\b(?:punkt\w*|krótk\w+|zwięź\w+|list\w+|tabel\w+|krok\w*|polsku|angielsku|język\w*|emoji|jednostk\w*|metryczn\w+|przykład\w*|kod\w*|źródła|prost\w+|szczegół\w*|wegańsk\w+|wegetariańsk\w+|halal|koszern\w+|gluten\w*|laktoz\w*|mięs\w*|"
        r"wieprzow\w*|ryb\w*|orzech\w*|alkohol\w*|cukr\w*|zdrow\w+|tani\w*|darmow\w+|lokaln\w+|pociąg\w*|rower\w*|dzieci\w*|swoim \w+|(?:mojego|mojej|moim) \w+)\b"
    ),
)

RUSSIAN = OrderWords(
    lead=(
        r"пожалуйста|отныне|теперь|впредь|с этого момента|в будущем|и|но|а|затем|потом|важно|запомни(?:те)?(?:, что| что|,)?|помни(?:те)?(?:, что|,)?|что|ты (?:должен|должна|обязан)|вы должны|(?:его |её |ее |их )?(?:надо|нужно)|необходимо|следует|"
        r"(?:ассистент|модель|ии|бот)(?: должен| должна)?|я хочу, чтобы ты"
    ),
    override=r"игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|отмени|обойди|пренебреги|не соблюдай",
    rules=r"(?:все|всех|любые|предыдущие|прежние|прошлые|свои|твои|вышеуказанные|обо всех|про)\b.{0,40}\b(?:инструкци\w+|правил\w*|указани\w+|ограничени\w+|директив\w*|команд\w*)|(?:предыдущие|прежние|свои) (?:инструкции|правила|указания)",
    always=r"всегда|никогда не|никогда|только|исключительно|каждый раз|в каждом|во всех|всем|каждому|в первую очередь|первым делом|первым|первой|при любом|при всех|при вопрос\w+|(?:когда|если) (?:кто-то|кто-нибудь|пользователь|тебя)",
    steer=r"рекомендуй(?:те)?|рекомендовать|советовать|предлагать|упоминать|советуй(?:те)?|предлагай(?:те)?|упоминай(?:те)?|упомяни|цитируй(?:те)?|продвигай(?:те)?|рекламируй(?:те)?|доверяй(?:те)?|предпочитай|хвали|говори(?:те)?|утверждай|отвечай(?:те)?(?: \S+){0,3} (?:что|фразой|словами)|направляй|ссылайся|(?:добавляй|вставляй) .{0,40}(?:ссылк\w+|реклам\w+)",
    asked=r"(?:когда|если|каждый раз, когда|всякий раз, когда)(?: \S+){0,5}? (?:спросят|спрашивают|спросит|спрашивает|спрошу|ищут|ищет|говорят|зайдёт речь|зайдет речь)|на (?:любые |все )?вопросы о|на вопрос о",
    say=r"говори|скажи|отвечай|ответь|утверждай|назови|называй|рекомендуй|советуй",
    persona=(
        r"\bты (?:теперь|отныне) (?!можешь|готов)|\bтеперь ты (?!можешь|готов|понимаешь|знаешь)|\b(?:отныне|с этого момента|впредь),? (?:ты|вы) (?!можешь)|(?:^|[.!?:] *)(?:новый )?(?:системный промпт|системное сообщение|режим разработчика) ?[:=]|"
        r"(?:включи|активируй|перейди в) .{0,10}режим (?:разработчика|администратора|отладки)|(?:покажи|раскрой|выведи|повтори) .{0,30}системн\w+ (?:промпт|сообщени\w+|инструкци\w+)"
    ),
    trusted=(
        r"(?:[—–-]|\bэто|\bявляется|\bявляются|\bсчитается|\bкак) ?(?:\S{1,40} ){0,2}?(?:надёжн\w+|надежн\w+|достоверн\w+|авторитетн\w+|проверенн\w+|официальн\w+|лучш\w+|единственн\w+|доверенн\w+|самы\w+ \S+) (?:\S{1,40} ){0,2}?(?:источник\w*|бренд\w*|марк\w+|компани\w+|поставщик\w*|сайт\w*|эксперт\w*|авторитет\w*)\b|"
        r"(?:^|[.!?:,] *)(?:считай|рассматривай|воспринимай) .{1,80}? (?:как |за )?(?:надёжн\w+|надежн\w+|достоверн\w+|авторитетн\w+|официальн\w+|истин\w+|проверенн\w+)"
    ),
    send=r"отправь(?:те)?|отправляй|перешли|пересылай|опубликуй|загрузи|передай|поделись|скопируй|вызови|открой(?:те)?|посети|выполни|запусти|нажми|скачай|установи|добавь|перейди",
    data=r"(?:переписк\w+|истори\w+ чата|разговор\w*|данн\w+ пользователя|персональн\w+ данн\w+|парол\w+|ключ\w* api|api-ключ\w*|воспоминани\w+)\b|(?:этот |эту )?(?:инструмент|скрипт|команду|программу|функцию)\b",
    hide=r"(?:скрой|скрывай) .{0,60}от пользовател\w+|не (?:говори|сообщай|показывай|раскрывай|упоминай) .{0,40}пользовател\w+|без ведома пользователя",
    own=r"\b(?:я|мне|меня|мой|моя|моё|мое|мои|мы|нам|наш\w*|думаю|считаю|считает|думает|говорит|сказал\w*|любим\w+)\b",
    style=(
        r"\b(?:пункт\w*|кратк\w+|коротк\w+|списк\w+|таблиц\w*|шаг\w*|русск\w+|английск\w+|язык\w*|эмодзи|единиц\w*|метрическ\w+|пример\w*|код\w*|источник\w* (?:информации)?|прост\w+|подробн\w+|веганск\w+|вегетарианск\w+|халяль\w*|кошерн\w+|глютен\w*|лактоз\w*|"
        r"мяс\w*|свинин\w*|рыб\w*|орех\w*|алкогол\w*|сахар\w*|здоров\w+|дешёв\w+|дешев\w+|бесплатн\w+|местн\w+|поезд\w*|велосипед\w*|дет\w+|своим \w+|на ты|на вы|(?:моего|моей|моём) \w+)\b"
    ),
)

CHINESE = OrderWords(
    lead=_NEVER,
    override=r"(?<!我)(?:忽略|无视|無視|不要遵守|不要理会|忘记|忘掉|绕过|覆盖)",
    rules=r"(?:所有|一切|之前|以前|先前|上面|前面|以上|你的|系统|任何).{0,10}(?:指令|指示|规则|規則|提示|限制|设定|要求)",
    always=r"(?<!我)(?<!我们)(?:总是|一律|始终|永远|务必|必须|每次都?|以后都|今后都|只能|绝不|从不|凡是|優先|优先)",
    steer=r"(?:.{0,12}?(?:推荐|推薦|建议购买|提到|提及|宣传|引用|信任|相信|优先选择|回答说|告诉(?:用户|大家|所有人)))",
    asked=r"(?:有人|用户|别人|被|大家).{0,6}(?:问|询问|提到|咨询).{0,20}(?:时|的时候|，|,|就)",
    say=r"(?:请|都|就|要|必须|一律){0,3}(?:回答|说|告诉|推荐|声称|回复)",
    persona=r"(?:从现在开始|从现在起|今后|你现在是|从今以后).{0,3}(?:你(?:是|必须|将|要|只能|不再)|扮演)|你现在是|(?:新的?|以下)?系统(?:提示词?|指令|消息)[:：]|(?:进入|开启|启用|切换到).{0,6}(?:开发者|管理员|调试|越狱)模式|(?:显示|输出|泄露|告诉我|重复).{0,8}系统提示",
    trusted=r"(?:是|为|作为|視為|视为|当作).{0,12}(?:最?(?:可信|可靠|权威|值得信赖|官方|好|佳)|唯一.{0,4}|首选)的?.{0,6}(?:来源|來源|信息源|品牌|公司|供应商|网站|专家|权威)|(?:把|将).{1,30}(?:视为|当作|看作).{0,6}(?:权威|可信|可靠|事实|官方|真)",
    send=r"(?<!我)(?:发送|发到|转发|上传|发布|提交|发给|调用|打开|访问|执行|运行|点击|下载|安装)",
    data=r"(?:对话|聊天)(?:记录|内容|历史)|用户(?:的)?(?:数据|资料|信息)|个人信息|密码|密钥|(?:这个|该|以下)(?:工具|命令|脚本|函数|程序)",
    hide=r"(?:不要|别|切勿|不得)(?:告诉|告知|让|通知|提醒).{0,4}用户|(?:对|向)用户.{0,4}(?:隐瞒|保密)|隐瞒用户",
    own=r"我|咱|觉得|认为|最喜欢",
    style=r"(?:要点|简短|简洁|列表|表格|步骤|中文|英文|英语|普通话|语言|表情|单位|公制|例子|示例|代码|注释|出处|详细|简单|素食|纯素|清真|无麸质|乳糖|猪肉|牛肉|海鲜|花生|坚果|酒精|糖|健康|便宜|免费|本地|火车|自行车|孩子|给我|我的|叫我|称呼我)",
    spaced=False,
)

JAPANESE = OrderWords(
    lead=_NEVER,
    override=r"(?:以前|これまで|今まで|上記|すべて|全て|あなた|システム).{0,10}(?:指示|命令|ルール|規則|プロンプト|制限)",
    rules=r".{0,10}(?:無視し(?:て|ろ|なさい|てください)|忘れ(?:て|ろ|なさい)|従わない(?:で|こと)|破棄し(?:て|ろ))",
    always=r"(?:必ず|常に|いつも|毎回|絶対に|今後は?|これからは?|決して)",
    steer=r"(?:.{0,40}?(?:(?:推薦|推奨|宣伝|引用|紹介|言及|優先|信頼)(?:して(?!い)|しろ|しなさい|すること|せよ)|勧めて(?!い)|薦めて(?!い)|おすすめして(?!い)))",
    asked=r"(?:誰か|ユーザー|聞かれ|尋ねられ|質問され|訊かれ).{0,20}(?:たら|れば|とき|時|場合)",
    say=r".{0,30}(?:と答え(?:て|ろ|なさい|ること)|と言(?:って(?!い)|え|いなさい)|を?(?:推薦|推奨|紹介)して(?!い)|勧めて(?!い))",
    persona=r"あなたは今から|あなたはこれから|今からあなたは|これからあなたは|(?:新しい)?システム(?:プロンプト|指示|メッセージ)[:：]|(?:開発者|管理者|デバッグ|脱獄)モード(?:を|に).{0,4}(?:有効|入|切り替|起動)|システムプロンプトを.{0,6}(?:表示|見せ|教え|出力|公開)",
    trusted=r"(?:最も|一番|唯一)?(?:信頼できる|信頼性の高い|権威ある|公式の|最高の|最良の|唯一の).{0,10}(?:情報源|ソース|ブランド|会社|企業|サイト|業者|専門家)(?:です|だ|である|として)|(?:を|は).{0,4}(?:権威|事実|公式|信頼できるもの)として(?:扱|みな)",
    send=r"(?:https?://|www\.|[\w.+-]{1,60}@[\w-]{1,60}\.\w|[a-z0-9-]{1,60}\.(?:com|net|org|io|jp)|会話履歴|会話の?内容|ユーザー(?:の)?(?:データ|情報)|個人情報|パスワード|このツール|次のコマンド|このコマンド)",
    data=r".{0,20}(?:送信して|送って|送れ|転送して|アップロードして|投稿して|開いて|開け|アクセスして|実行して|呼び出して|クリックして|ダウンロードして|インストールして)(?!い)",
    hide=r"ユーザー(?:には|に|へ).{0,20}(?:言わない|教えない|伝えない|知らせない|隠して|秘密に)|ユーザーに(?:内緒|隠れて)",
    own=r"私|僕|俺|わたし|ぼく|思う|思います|個人的|好きな",
    style=r"(?:箇条書き|短く|短い|簡潔|リスト|表形式|手順|日本語|英語|敬語|丁寧|タメ口|言語|絵文字|単位|メートル法|例を|コード|コメント|出典|詳しく|簡単|ベジタリアン|ヴィーガン|菜食|ハラル|グルテン|乳糖|豚肉|牛肉|魚介|ナッツ|アルコール|砂糖|健康|安い|無料|地元|電車|自転車|子ども|子供|私の|と呼んで)",
    spaced=False,
    sends_last=True,
)

KOREAN = OrderWords(
    lead=_NEVER,
    override=r"(?:이전|모든|위의|기존|너의|당신의|시스템).{0,10}(?:지시|명령|규칙|프롬프트|제한)",
    rules=r".{0,8}(?:무시해|무시하|잊어|따르지 마)",
    always=r"(?:항상|언제나|반드시|매번|절대|앞으로)",
    steer=r"(?:.{0,40}?(?:추천해|추천하(?:라|세요|십시오)|언급해|언급하(?:라|세요)|홍보해|인용해|권해|신뢰해))",
    asked=r"(?:누가|누군가|사용자가|질문(?:을)?\s?받으면).{0,20}(?:물으면|물어보면|질문하면|받으면|때)",
    say=r".{0,30}(?:라고 (?:대답해|답해|말해)|추천해|말해라)",
    persona=r"(?:너는|당신은) (?:이제|지금부터)|(?:이제|지금)부터 (?:너는|당신은)|시스템 (?:프롬프트|메시지)[:：]|(?:개발자|관리자) 모드(?:를|로)|시스템 프롬프트를.{0,6}(?:보여|알려|출력)",
    trusted=r"(?:가장 |유일하게 )?(?:신뢰할 수 있는|믿을 수 있는|권위 있는|공식|최고의|유일한) (?:정보 )?(?:출처|정보원|브랜드|회사|기업|사이트|업체)(?:이다|입니다|야|로)",
    send=r"(?:https?://|www\.|[\w.+-]{1,60}@[\w-]{1,60}\.\w|대화 (?:기록|내용)|사용자 (?:데이터|정보)|개인정보|비밀번호)",
    data=r".{0,20}(?:보내|전송해|전달해|업로드해|게시해|열어|접속해|실행해|클릭해|다운로드해)",
    hide=r"사용자에게.{0,20}(?:말하지|알리지|숨겨|비밀)",
    own=r"나는|내가|나의|저는|제가|저의|생각|좋아하는",
    style=r"(?:목록|짧게|간단|간결|표로|단계|한국어|영어|존댓말|반말|언어|이모지|단위|미터법|예시|코드|주석|출처를|자세|채식|비건|할랄|글루텐|유당|돼지고기|소고기|해산물|견과|술|설탕|건강|저렴|무료|지역|기차|자전거|아이|나를|내)",
    spaced=False,
    sends_last=True,
)
