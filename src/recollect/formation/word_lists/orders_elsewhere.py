"""Words of orders in German and the Romance languages. Pure data."""

from recollect.formation.word_lists.orders import OrderWords

GERMAN = OrderWords(
    lead=(
        r"bitte|ab (?:jetzt|sofort|heute)|von nun an|künftig|in zukunft|zukünftig|und|aber|dann|nun|jetzt|also|merke?|merk dir|denk daran|"
        r"wichtig|dass|du (?:musst|sollst|solltest|wirst|hast)|sie (?:müssen|sollen|sollten)|"
        r"(?:der assistent|die ki|das modell|der chatbot|der bot)(?: muss| soll| sollte)?|ich (?:will|möchte), dass du"
    ),
    override=r"ignorier(?:e|en|st|t)?|missachte|vergiss|verwirf|übergeh(?:e|en)?|umgeh(?:e|en)?|überschreib(?:e|en)?",
    rules=(
        r"(?:alle|sämtliche|jede|bisherigen?|vorherigen?|vorigen?|früheren?|obigen?|deine|ihre|eure|bestehenden?|anderen?)\b.{0,40}\b"
        r"(?:anweisung(?:en)?|regeln?|richtlinien?|vorgaben?|instruktion(?:en)?|prompts?|einschränkungen|befehle|systemnachrichten?)"
        r"|alles,? was (?:dir|vorher|oben|bisher)|anweisung(?:en)?|systemprompt"
    ),
    always=(
        r"immer|stets|nie|niemals|nur|ausschliesslich|jedes mal|grundsätzlich|bei (?:jeder|allen|jedem)|in (?:jeder|allen)|allen|"
        r"jedem|zuerst|als erstes|an erster stelle|vor allen anderen|sobald jemand|wenn (?:jemand|nutzer|du|leute)|standardmässig"
    ),
    steer=(
        r"empfiehl|empfehle|empfehlen sie|empfehlt|erwähne|erwähn|nenne|nenn|schlage?|bewirb|bewerbe|zitiere|zitier|vertraue?|"
        r"bevorzuge|verlinke?|lobe|rate|behaupte|stelle?|sag|sage|antworte(?: \S+){0,3} mit|verweise?|leite|schicke? (?:alle|nutzer|kunden)|"
        r"füge? .{0,40}(?:link|werbung|gutschein|hinweis auf)"
    ),
    steer_last=r"empfehlen|erwähnen|nennen|vorschlagen|bewerben|zitieren|vertrauen|bevorzugen|verlinken|loben|anpreisen|behaupten|verweisen|hinweisen",
    asked=(
        r"(?:wenn|falls|sobald|sooft|immer wenn|jedes mal, wenn)(?: \S+){0,7}? (?:fragt|fragst|fragen|gefragt wirst|gefragt wird|"
        r"wissen will|wissen möchte|sucht|suchen|spricht|erwähnt|geht)|bei fragen (?:zu|nach|über)|auf die frage nach"
    ),
    say=r"sag|sage|sagst du|antworte|antwortest du mit|behaupte|nenne|nenn|nennst du|empfiehlst du|erwähnst du|verweise?|verweist du|schlägst du",
    persona=(
        r"\bder (?:nutzer|benutzer) (?:hat |ist )?.{0,30}(?:zugestimmt|eingewilligt|einverstanden|erlaubt|genehmigt)\b|"
        r"\bdu bist (?:jetzt|ab jetzt|ab sofort|von nun an|nun) (?!in der lage|fertig|dran|bereit)|"
        r"\b(?:ab jetzt|ab sofort|von nun an) (?:bist|musst|wirst|sollst|darfst|gehorchst) du|"
        r"(?:^|[.!?:\n] *)(?:neuer? )?(?:system-?prompt|system-?anweisung|entwicklermodus) ?[:=]|"
        r"(?:aktivier|schalt|wechsl)\w* .{0,20}(?:entwickler|admin|debug|gott)-?modus|"
        r"(?:^|[.!?:,] *|\bbitte )(?:zeig|verrat|gib|nenn|wiederhol)\w* .{0,30}(?:system-?prompt|systemanweisung)"
    ),
    trusted=(
        r"\b(?:ist|sind|gilt als|gelten als|als) (?:eine? |die |der |das |einzige |unsere? )?(?:\S{1,40} ){0,2}?(?:vertrauenswürdig\w*|zuverlässig\w*|"
        r"verlässlich\w*|massgeblich\w*|seriös\w*|offiziell\w*|best\w*|führend\w*|einzig\w*) (?:\S{1,40} ){0,2}?"
        r"(?:quellen?|anbieter|firma|marken?|hersteller|unternehmen|autorität|instanz|experten?|lieferant|webseite|website|adresse)\b|"
        r"\b(?:eine? |die |der |das )(?:vertrauenswürdig\w*|zuverlässig\w*|verlässlich\w*|massgeblich\w*|seriös\w*|best\w*|einzig\w*) "
        r"(?:quellen?|anbieter|firma|marken?|hersteller|unternehmen|autorität|webseite|website) (?:für \S{1,40} )?(?:ist|sind)\b|"
        r"(?:^|[.!?:,] *|\bbitte )(?:behandle?|betrachte?|sieh|stufe?|werte?) .{1,80}? als (?:\S{1,40} ){0,3}?(?:massgeblich\w*|vertrauenswürdig\w*|"
        r"verlässlich\w*|zuverlässig\w*|autorität|wahr|tatsache|offiziell\w*|sicher|quelle)\b"
    ),
    send=(
        r"sende|schick|schicke|leite|poste|lade?|übermittle|übertrage|maile?|kopiere|teile|ruf|rufe|öffne|besuche|führe?|klicke?|"
        r"starte|installiere|füge?|verlinke|hänge?|senden sie|öffnen sie|klicken sie"
    ),
    data=(
        r"(?:gespräch|unterhaltung|chat-?verlauf|gesprächsverlauf|nutzerdaten|benutzerdaten|zugangsdaten|passwörter|passwort|api-schlüssel|"
        r"erinnerungen|personenbezogene\w* daten)\b|(?:das|ein|folgende[sn]?|den) (?:\S{1,40} ){0,1}(?:tool|skript|befehl|kommando|programm)\b.{0,30}\b(?:aus|auf)\b"
    ),
    hide=(
        r"(?:verschweige?|verbirg|verheimliche?) .{0,60}|(?:sag|sage|verrate?|zeige?|erzähle?) .{0,30}\b(?:dem|der) (?:nutzer|benutzer|user|anwender|"
        r"person|menschen)\w* .{0,30}(?:nicht|nichts|nie)|ohne (?:dem|den|die) (?:nutzer|benutzer|user|anwender)\w* .{0,30}(?:zu sagen|zu informieren)"
    ),
    own=r"\b(?:ich|mir|mich|mein\w*|wir|uns|unser\w*|findet|meint|glaubt|denkt|hält|sagt|sagte|lieblings\w*)\b",
    style=(
        r"\b(?:stichpunkt\w*|stichwort\w*|kurz\w*|knapp\w*|liste\w*|tabelle\w*|schritt\w*|deutsch|englisch|hochdeutsch|emojis?|einheiten|metrisch\w*|"
        r"celsius|kilometer\w*|beispiel\w*|code|kommentar\w*|quellen|(?:die|deine|eine) quelle|quellenangabe\w*|einfach\w*|ausführlich\w*|förmlich|gesiezt|geduzt|duzen|siezen|vegan\w*|"
        r"vegetarisch\w*|halal|koscher\w*|gluten\w*|laktose\w*|fleisch\w*|schwein\w*|fisch|nüsse|alkohol\w*|zucker\w*|gesund\w*|günstig\w*|billig\w*|"
        r"kostenlos\w*|lokal\w*|regional\w*|bahn|zug|fahrrad|öpnv|kinder\w*|barrierefrei\w*|saisonal\w*|mein\w* (?:name\w*|ex|mutter|vater|frau|mann|"
        r"tochter|sohn|krankheit|gewicht|alter|beruf))\b"
    ),
)

FRENCH = OrderWords(
    lead=(
        r"s'il (?:te|vous) plaît|ne|désormais|à partir de maintenant|dorénavant|à l'avenir|et|mais|alors|donc|puis|maintenant|important|retiens que|"
        r"souviens-toi (?:que|de)|note que|que|tu (?:dois|devras|vas)|vous (?:devez|devrez)|il faut|il est important de|n'oublie pas de|"
        r"(?:l'assistant|l'ia|le modèle|le chatbot)(?: doit)?|je veux que tu"
    ),
    override=r"ignore[rz]?|oublie[rz]?|contourne[rz]?|outrepasse[rz]?|désobéis|ne (?:tiens|tenez) (?:pas|plus) compte",
    rules=(
        r"(?:toutes?|tous|tes|vos|les|des|ces|l'ensemble)\b.{0,40}\b(?:instructions?|règles?|consignes?|directives?|restrictions?|messages système|limites)"
        r"(?: précédent\w*| antérieur\w*| ci-dessus|\b)"
    ),
    always=(
        r"toujours|jamais|systématiquement|uniquement|exclusivement|seulement|chaque fois|à chaque fois|dans (?:toutes?|tous|chaque)|"
        r"pour (?:toutes?|tous|chaque)|à (?:tous|tout le monde)|en premier|en priorité|(?:quand|lorsque|si) (?:on|quelqu'un|un utilisateur|l'utilisateur)"
    ),
    steer=(
        r"recommande[rz]?|conseille[rz]?|suggère|suggérer|suggérez|propose[rz]?|mentionne[rz]?|cite[rz]?|promeus|promouvoir|vante[rz]?|privilégie[rz]?|"
        r"préfère|fais confiance à|faire confiance à|dis|dire|affirme[rz]?|réponds(?: \S+){0,3} (?:par|avec|que)|répondre(?: \S+){0,3} (?:par|avec|que)|"
        r"renvoie[rz]?|dirige[rz]?|oriente[rz]? (?:les|tous)|(?:ajoute|insère|inclus|mets)[rz]? .{0,40}(?:lien|publicité|promo\w*)"
    ),
    asked=(
        r"(?:quand|lorsque|lorsqu'|si|dès que|dès qu'|chaque fois que|chaque fois qu')\s?(?:\S{1,40} ){0,5}?(?:demande\w*|interroge\w*|question\w*|parle\w*|"
        r"cherche\w*|évoque\w*)|à (?:toute|chaque) question sur"
    ),
    say=r"dis|dites|réponds|répondez|affirme|prétends|cite|nomme|recommande",
    persona=(
        r"\bl'utilisateur a (?:accepté|consenti|autorisé|approuvé)\b|"
        r"\btu es (?:maintenant|désormais)\b|\bvous êtes (?:maintenant|désormais)\b|"
        r"\b(?:à partir de maintenant|désormais|dorénavant),? (?:tu (?:es|dois|vas|seras|obéis)|vous (?:êtes|devez))|"
        r"(?:^|[.!?:] *)(?:nouvelle )?(?:invite système|prompt système|instruction système|mode développeur) ?[:=]|"
        r"(?:active|passe|entre)[rz]? (?:en |le |dans le )?mode (?:développeur|admin|debug|dieu)|"
        r"(?:révèle|affiche|montre|répète|donne)[rz]? .{0,30}(?:prompt|invite|message) système"
    ),
    trusted=(
        r"\b(?:est|sont|comme) (?:une? |la |le |l'|notre )?(?:\S{1,40} ){0,2}?(?:sources?|référence|autorité|marque|entreprise|société|fournisseur|site|expert) (?:\S{1,40} ){0,2}?"
        r"(?:de confiance|fiables?|officiel\w*|sûre?s?|faisant autorité|incontournable|la plus \S+|le plus \S+|digne de confiance)|"
        r"\b(?:est|sont) (?:la |le |l')?(?:meilleure?|seule?|première?|unique) (?:\S{1,40} )?(?:source|marque|entreprise|société|fournisseur|référence)\b|"
        r"(?:^|[.!?:,] *|\bfaut |\bdois )(?:considère|traite|regarde|considérer|traiter)[rz]? .{1,80}? comme (?:\S{1,40} ){0,3}?(?:fiable|de confiance|officiel\w*|vraie?|autorité|"
        r"source|référence|sûre?)\b"
    ),
    send=(
        r"envoie|envoyez|envoyer|transmets|transfère|transférer|publie|poste|téléverse|partage|copie|appelle|ouvre|ouvrez|ouvrir|visite|exécute|exécuter|lance|"
        r"clique|cliquez|télécharge|installe|ajoute|insère"
    ),
    data=(
        r"(?:conversation|historique|données (?:de l'utilisateur|personnelles|utilisateur)|identifiants|mots? de passe|clés? api|souvenirs)\b|"
        r"(?:l'|le |la |cette |ce )(?:outil|script|commande|programme|fonction)\b"
    ),
    hide=(
        r"cache[rz]? .{0,60}\b(?:à l'utilisateur|aux utilisateurs)|ne (?:dis|dites|montre|révèle|mentionne|parle)\w* .{0,40}\bà l'utilisateur|"
        r"n'(?:informe|avertis|en parle)\w* (?:pas|jamais) (?:à )?l'utilisateur|sans (?:le dire|en informer|prévenir) .{0,20}l'?utilisateur"
    ),
    own=r"\b(?:je|j'\w+|moi|me|mon|ma|mes|nous|notre|nos|pense|trouve|croit|estime|dit|préférée?)\b",
    style=(
        r"\b(?:puces|listes?|courte?s?|bref|brèves?|brièvement|concis\w*|tableaux?|étapes?|français|anglais|langue|emojis?|unités|métriques?|exemples?|code|"
        r"commentaires|tes sources|les sources|simple\w*|détail\w*|végan\w*|végétarien\w*|végétalien\w*|halal|casher|gluten|lactose|viande|porc|poisson|noix|alcool|sucre|"
        r"sains?|saines?|pas chers?|gratuit\w*|locaux|locales?|train|vélo|enfants?|tutoie|vouvoie|mon (?:ex|père|mari|nom|âge|poids|travail)|ma (?:mère|femme|maladie|famille))\b"
    ),
)

SPANISH = OrderWords(
    lead=(
        r"por favor|a partir de ahora|de ahora en adelante|desde ahora|en el futuro|y|pero|entonces|ahora|luego|importante|recuerda que|recuerda|"
        r"ten en cuenta que|que|(?:tú )?(?:debes|tienes que|vas a)|(?:usted )?(?:debe|tiene que)|hay que|es importante|no olvides|"
        r"(?:el asistente|la ia|el modelo|el chatbot)(?: debe| tiene que)?|quiero que"
    ),
    override=r"ignora|ignore|ignorar|olvida|olvide|omite|descarta|sáltate|anula|desobedece|no (?:sigas|hagas caso)",
    rules=(
        r"(?:todas?|todos|tus|sus|las|los|cualquier|estas)\b.{0,40}\b(?:instrucci(?:ones|ón)|reglas?|normas?|directrices|restricciones|mensajes del sistema|límites)"
        r"(?: anteriores| previas| de arriba|\b)"
    ),
    always=(
        r"siempre|nunca|jamás|únicamente|solo|sólo|exclusivamente|cada vez|en (?:todas?|todos|cada)|para (?:todas?|todos|cada)|a (?:todos|todo el mundo)|"
        r"en primer lugar|primero|(?:cuando|si) (?:alguien|un usuario|el usuario|te pregunten|pregunten)"
    ),
    steer=(
        r"recomienda|recomiende|recomendar|recomiendes|sugiere|sugerir|sugieras|menciona|mencione|mencionar|menciones|promociona|promocionar|cita|citar|cites|"
        r"confía en|confíes en|prioriza|elogia|di|decir|afirma|afirmar|responde(?: \S+){0,3} (?:con|que)|contesta(?: \S+){0,3} (?:con|que)|dirige|envía a|deriva|"
        r"(?:añade|incluye|inserta|pon) .{0,40}(?:enlace|anuncio|publicidad)"
    ),
    asked=(
        r"(?:cuando|si|siempre que|cada vez que)(?: \S+){0,5}? (?:pregunte[ns]?|preguntan|pregunta|consulte[ns]?|hable[ns]?|busque[ns]?|busca|mencione[ns]?)|"
        r"ante (?:cualquier|toda) pregunta sobre"
    ),
    say=r"di|diga|responde|contesta|afirma|asegura|nombra|diles|dile",
    persona=(
        r"\bel usuario (?:ha )?(?:aceptado|aceptó|autorizado|autorizó|consentido|aprobado)\b|"
        r"\bahora eres\b|\beres ahora\b|\b(?:a partir de ahora|de ahora en adelante|desde ahora),? (?:tú )?(?:eres|serás|debes|tienes que|obedeces|vas a)|"
        r"(?:^|[.!?:] *)(?:nuevo )?(?:prompt (?:del|de) sistema|mensaje del sistema|modo desarrollador) ?[:=]|"
        r"(?:activa|entra en|cambia a) .{0,10}modo (?:desarrollador|administrador|dios|debug)|"
        r"(?:revela|muestra|imprime|repite|dame) .{0,30}(?:prompt|mensaje|instrucciones) (?:del|de) sistema"
    ),
    trusted=(
        r"\b(?:es|son|como) (?:una? |la |el |nuestra )?(?:\S{1,40} ){0,2}?(?:fuentes?|referencia|autoridad|marca|empresa|compañía|proveedor|sitio|página|expert[oa]) (?:\S{1,40} ){0,2}?"
        r"(?:de confianza|confiables?|fiables?|oficial\w*|más \S+|de referencia|autorizad[oa]|líder)|"
        r"\b(?:es|son) (?:la |el )?(?:mejor|única?|principal) (?:\S{1,40} )?(?:fuente|marca|empresa|compañía|proveedor|referencia)\b|"
        r"(?:^|[.!?:,] *|\bdebes |\bque )(?:considera|trata|toma|considerar|tratar) .{1,80}? como (?:\S{1,40} ){0,3}?(?:fiable|confiable|de confianza|oficial|verdad|verdadero|autoridad|fuente|referencia)\b"
    ),
    send=(
        r"envía|envíe|enviar|manda|mandar|reenvía|reenviar|publica|sube|transmite|comparte|copia|llama a|abre|abra|abrir|visita|ejecuta|ejecute|ejecutar|haz clic|"
        r"descarga|instala|añade|inserta|consulta"
    ),
    data=(
        r"(?:conversación|historial|datos (?:del usuario|personales)|credenciales|contraseñas?|claves? api|recuerdos)\b|"
        r"(?:la |el |este |esta |esa )(?:herramienta|script|comando|programa|función)\b"
    ),
    hide=(
        r"oculta .{0,60}(?:al usuario|a los usuarios)|no (?:le )?(?:digas|muestres|reveles|menciones|informes|cuentes) .{0,40}(?:al usuario|a los usuarios)|"
        r"sin (?:decirle|avisar|informar) .{0,20}(?:usuario)"
    ),
    own=r"\b(?:yo|mí|me|mi|mis|nos|nuestr\w+|creo|pienso|cree|piensa|opina|dice|dijo|favorit\w+|para mí)\b",
    style=(
        r"\b(?:viñetas|listas?|cort[oa]s?|breves?|brevemente|concis\w+|tablas?|pasos|español|castellano|inglés|idioma|emojis?|unidades|métric\w+|ejemplos?|código|comentarios|"
        r"tus fuentes|las fuentes|sencill\w+|simples?|detalles?|vegan\w+|vegetarian\w+|halal|kosher|gluten|lactosa|carne|cerdo|pescado|nueces|frutos secos|alcohol|azúcar|sanas?|"
        r"salud\w+|barat\w+|económic\w+|gratis|gratuit\w+|locales|tren|bici|niños|tutéame|sus alumn\w+|sus \w+|mi (?:ex|padre|madre|nombre|edad|peso|trabajo|enfermedad|familia))\b"
    ),
)

ITALIAN = OrderWords(
    lead=(
        r"per favore|d'ora in poi|da ora in poi|da adesso|in futuro|e|ma|poi|ora|adesso|quindi|importante|ricorda(?:ti)? (?:che|di)|nota che|che|"
        r"(?:tu )?(?:devi|dovrai)|deve|bisogna|è importante|non dimenticare di|(?:l'assistente|l'ia|il modello)(?: deve)?|voglio che tu"
    ),
    override=r"ignora(?:re|te)?|dimentica(?:re|te)?|aggira(?:re)?|trascura|scarta|non (?:seguire|considerare)",
    rules=r"(?:tutte|tutti|le tue|le|i|qualsiasi|queste)\b.{0,40}\b(?:istruzioni|regole|direttive|linee guida|restrizioni|messaggi di sistema|limiti)",
    always=(
        r"sempre|mai|solo|soltanto|esclusivamente|ogni volta|in (?:tutte|tutti|ogni)|per (?:tutte|tutti|ogni)|a (?:tutti|chiunque)|per prim[oa]|"
        r"(?:quando|se) (?:qualcuno|un utente|l'utente|ti chiedono|chiedono)"
    ),
    steer=(
        r"consiglia(?:re)?|raccomanda(?:re)?|suggerisci|suggerire|menziona(?:re)?|cita(?:re)?|promuovi|promuovere|fidati di|preferisci|privilegia|loda|di'|dire|afferma(?:re)?|"
        r"rispondi(?: \S+){0,3} (?:con|che)|indirizza|rimanda|(?:aggiungi|inserisci|includi) .{0,40}(?:link|pubblicità)"
    ),
    asked=r"(?:quando|se|ogni volta che)(?: \S+){0,5}? (?:chied\w+|domand\w+|parl\w+|cerc\w+|menzion\w+)|a (?:ogni|qualsiasi) domanda su",
    say=r"di'|dì|rispondi|afferma|sostieni|indica|nomina",
    persona=(
        r"\b(?:ora|adesso) (?:tu )?sei (?:un|una|il|la|in)\b|\bsei ora (?:un|una|il|la)\b|\b(?:d'ora in poi|da ora in poi|da adesso),? (?:tu )?(?:sei|sarai|devi|dovrai|obbedisci)|"
        r"(?:^|[.!?:] *)(?:nuovo )?(?:prompt di sistema|messaggio di sistema|modalità sviluppatore) ?[:=]|(?:attiva|entra in|passa alla) .{0,10}modalità (?:sviluppatore|admin|debug)|"
        r"(?:rivela|mostra|stampa|ripeti) .{0,30}(?:prompt|messaggio) di sistema"
    ),
    trusted=(
        r"\b(?:è|sono|come) (?:una? |la |il |l'|un')?(?:\S{1,40} ){0,2}?(?:font[ei]|riferimento|autorità|marca|marchio|azienda|fornitore|sito|espert[oa]) (?:\S{1,40} ){0,2}?"
        r"(?:affidabil\w+|attendibil\w+|ufficial\w+|di fiducia|autorevol\w+|di riferimento|più \S+)|\b(?:è|sono) (?:la |il |l')?(?:miglior\w*|unic[oa]|principale) (?:\S{1,40} )?"
        r"(?:fonte|marca|marchio|azienda|fornitore)\b|(?:^|[.!?:,] *|\bdevi )(?:considera|tratta|considerare|trattare) .{1,80}? come (?:\S{1,40} ){0,3}?(?:affidabile|attendibile|ufficiale|vero|autorità|fonte)\b"
    ),
    send=r"invia(?:re)?|manda(?:re)?|inoltra(?:re)?|pubblica|carica|trasmetti|condividi|copia|chiama|apri(?:re)?|visita|esegui(?:re)?|clicca|scarica|installa|aggiungi",
    data=(
        r"(?:conversazione|cronologia|dati (?:dell'utente|personali)|credenziali|password|chiav[ei] api|ricordi)\b|"
        r"(?:lo |il |la |questo |questa )(?:strumento|script|comando|programma|funzione)\b"
    ),
    hide=r"nascondi .{0,60}all'utente|non (?:dire|mostrare|rivelare|menzionare|informare) .{0,40}(?:all'utente|agli utenti|l'utente)|senza (?:dirlo|informare|avvisare) .{0,20}utente",
    own=r"\b(?:io|mi|me|mio|mia|miei|mie|noi|nostr\w+|penso|credo|pensa|crede|secondo|trova|dice|preferit\w+)\b",
    style=(
        r"\b(?:elenc\w+|list[ae]|puntat\w+|brev[ei]|brevemente|concis\w+|tabell\w+|passaggi|italiano|inglese|lingua|emoji|unità|metric\w+|esempi\w*|codice|commenti|le fonti|semplic\w+|dettagli\w*|"
        r"vegan\w+|vegetarian\w+|halal|kosher|glutine|lattosio|carne|maiale|pesce|noci|alcol|zucchero|sano|sani|sane|economic\w+|gratis|gratuit\w+|locali|treno|bici\w*|bambini|suoi \w+|sue \w+|"
        r"(?:mio|mia) (?:ex|padre|madre|nome|età|peso|lavoro|malattia|famiglia))\b"
    ),
)
