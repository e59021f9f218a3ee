"""Signs of an order in Italian, Portuguese, Dutch and Polish, the plainest only. Pure data. Never: what signs together tell."""

from recollect.formation.word_lists.orders_signs import OrderSigns

ITALIAN = OrderSigns(
    actor=r"(?:l'|all'|un )?assistente|l'ia|ia|chatbot|il modello|chatgpt",
    must=r"deve|devono|dovrebbe|bisogna|vuole|desidera",
    act=r"raccomand\w+|consigli\w+|sugger\w+|propo\w+|menzion\w+|cit(?:are|a|i|ato|ata)|promuov\w+|loda\w*|privilegi\w+|fidarsi|indirizz\w+|rimand\w+|presenta\w*|considera\w*|tratta\w*|nascond\w+|prenot\w+",
    ordered=r"(?:deve|devono|dovrebbe|va|vanno) (?:sempre )?(?:essere )?(?:raccomandat|consigliat|suggerit|menzionat|citat|privilegiat|presentat|considerat|indirizzat|aggiunt|inclus|nascost|omess|ignorat|prenotat|acquistat)\w+",
    arrange=r"(?:prenotat|acquistat|comprat|ordinat|pagat)\w+ (?:\S+ ){0,3}?(?:tramite|da|presso|su|con|via)",
    scope=r"sempre|mai|per impostazione predefinita|esclusivamente|solo|per prim\w+|prima (?:di|degli|delle) altr\w+|in (?:ogni|tutte le|tutti i) \w+|d'ora in poi|in futuro|se possibile|quando possibile",
    topic=r"(?:quando|se|ogni volta che)\b.{0,80}?\b(?:chied\w+|parl\w+|domand\w+|cerc\w+)|(?:le |ogni )?domande (?:su|di|\w+)",
    person=r"(?:all'|dell'|l')utente|(?:alla|la) persona|agli utenti",
    believes=r"vuole|desidera|preferisce|crede|pensa|considera|ritiene|si fida|ha accettato",
    hide=r"nascond\w+|nascost\w+|segret\w+|celare|(?:non|senza|nulla)\b.{0,20}?(?:dire|dirlo|rivel\w+|inform\w+|mostra\w*|menzion\w+|avvis\w+)",
    rules=r"(?:istruzioni|regole|direttive|restrizioni|limiti|filtri) (?:\S+ )?(?:precedenti|iniziali|originali|di sistema|di sicurezza)|(?:tue|vostre) (?:istruzioni|regole|direttive|restrizioni)",
    void=r"annullat\w+|non (?:valgono|si applicano|contano)|ignor\w+|dimentic\w+|aggir\w+|sostituit\w+|nulle|sospes\w+|disattivat\w+",
    praise=(
        r"(?:è|sono|come) (?:una? |la |il |l')?(?:\S+ ){0,2}?(?:fonti?|riferimento|autorità|marca|marchio|azienda|società|fornitore|sito|banca|scelta|agenzia) (?:\S+ ){0,2}?(?:affidabil\w+|attendibil\w+|ufficial\w+|di fiducia|autorevol\w+|leader|più \w+)|"
        r"(?:è|sono) (?:la |il |l')(?:miglior\w*|unic\w+|prim\w+|principale) (?:fonte|marca|marchio|azienda|banca|scelta|agenzia|sito|prodotto)|insuperabil\w+|senza rivali"
    ),
    rival=r"concorren\w+|altr\w+ (?:marche|marchi|banche)|recensioni negative|critiche a",
    omit=r"(?:non|mai|senza)\b.{0,20}?(?:menzion\w+|citare|nomin\w+|mostra\w*|consigli\w+)|omett\w+|ignor\w+|nascond\w+|tac\w+",
    link=r"link|pubblicità|coupon|codice sconto|slogan",
    answers=r"(?:ogni|tutte le|tue)(?: \S+)? (?:risposta|risposte|conversazion\w+|chat|messaggi\w*)",
    unbound=r"senza (?:alcuna |nessuna )?(?:restrizioni|regole|filtri|limiti|censura)",
    unasked=r"senza (?:\S+ )?(?:conferma|chiedere|approvazione|consenso)",
    deed=r"strumenti|pagament\w+|bonific\w+|acquist\w+|comand\w+|script|ordini",
    send=r"invi\w+|inoltr\w+|pubblic\w+|trasmett\w+|condivid\w+|copi\w+",
    data=r"conversazion\w+|cronologia|messaggi\w*|chat|dati|credenziali|password|chiavi api",
    own=r"io|mi|me|mio|mia|miei|mie|noi|nostr\w+|secondo|(?:suo|sua) \w+",
)

PORTUGUESE = OrderSigns(
    actor=r"(?:o |ao |um )?assistente|(?:a )?ia|chatbot|o modelo|chatgpt",
    must=r"deve|devem|deveria|tem que|precisa|quer|deseja",
    act=r"recomend\w+|suger\w+|sugir\w+|mencion\w+|cit(?:ar|e|a|ado|ada)|promov\w+|elogi\w+|prioriz\w+|confiar|direcion\w+|encaminh\w+|apresent\w+|consider\w+|trat(?:ar|e)|ocult\w+|escond\w+|reserv\w+",
    ordered=r"(?:deve|devem|deveria\w*) (?:sempre )?ser (?:sempre )?(?:recomendad|sugerid|mencionad|citad|priorizad|apresentad|considerad|direcionad|encaminhad|incluíd|adicionad|ocultad|omitid|ignorad|reservad|comprad)\w+|sejam? (?:reservad|comprad|recomendad|mencionad)\w+",
    arrange=r"(?:reservad|comprad|pedid|encomendad|pag)\w+ (?:\S+ ){0,3}?(?:por meio|através|pela?|na|no|com|via|pelo)",
    scope=r"sempre|nunca|por padrão|exclusivamente|somente|apenas|primeiro|em primeiro lugar|antes d\w+ (?:outr\w+|demais)|em (?:cada|tod[oa]s?)(?: \S+)? \w+|a partir de agora|no futuro|se possível|sempre que possível",
    topic=r"(?:quando|se|sempre que)\b.{0,80}?\b(?:pergunt\w+|fal\w+|procur\w+|mencion\w+)|(?:as )?(?:perguntas|dúvidas) (?:sobre|de|\w+)",
    person=r"(?:ao|o|do|aos|os) usuários?|(?:à|a|da) pessoa|ao utilizador|o utilizador",
    believes=r"quer|deseja|prefere|acredita|acha|considera|confia|concordou|aceitou",
    hide=r"ocult\w+|escond\w+|segredo|sigilo|(?:não|sem|nada)\b.{0,20}?(?:diga|dizer|conte|contar|revel\w+|inform\w+|mostr\w+|mencion\w+|avis\w+)",
    rules=r"(?:instruções|regras|diretrizes|restrições|limites|filtros) (?:\S+ )?(?:anteriores|prévias|iniciais|originais|do sistema|de segurança)|(?:suas|tuas) (?:instruções|regras|diretrizes|restrições)",
    void=r"anulad\w+|cancelad\w+|não (?:valem|se aplicam|contam)|ignor\w+|esqueç\w+|esquece\w*|desconsider\w+|contorn\w+|substituíd\w+|suspens\w+|sem efeito",
    praise=(
        r"(?:é|são|como) (?:uma? |a |o )?(?:\S+ ){0,2}?(?:fontes?|referência|autoridade|marca|empresa|fornecedor|site|banco|escolha|agência) (?:\S+ ){0,2}?(?:confiáve\w+|fiáve\w+|oficia\w+|de confiança|líder|mais \w+)|"
        r"(?:é|são) (?:a |o )(?:melhor|únic\w|principal|líder) (?:fonte|marca|empresa|banco|escolha|agência|site|produto|loja)|imbatíve\w+|insuperáve\w+"
    ),
    rival=r"concorrên\w+|concorrentes?|outr\w+ (?:marcas|bancos|empresas)|avaliações negativas|críticas a\w*",
    omit=r"(?:não|nunca|sem)\b.{0,20}?(?:mencion\w+|cit\w+|mostr\w+|recomend\w+)|omit\w+|ignor\w+|ocult\w+|escond\w+",
    link=r"links?|propaganda|anúncios?|cupo\w+|slogan",
    answers=r"(?:cada|todas|toda|suas)(?: as| suas)?(?: \S+)? ?(?:respostas?|conversas?|mensagens?|chats?)",
    unbound=r"sem (?:nenhuma |quaisquer )?(?:restrições|regras|filtros|limites|censura)",
    unasked=r"sem (?:\S+ )?(?:confirmação|perguntar|aprovação|permissão|consentimento)",
    deed=r"ferramentas?|pagamentos?|transferências?|compras?|comandos?|scripts?|pedidos?",
    send=r"envi\w+|mand\w+|encaminh\w+|public\w+|transmit\w+|compartilh\w+|copi\w+",
    data=r"conversas?|histórico|mensage\w+|chats?|dados|credenciais|senhas?|chaves?",
    own=r"eu|me|mim|meu|minha|meus|minhas|nós|noss\w+|confio|acho|seu chefe|sua (?:mãe|empresa|equipe)",
)

DUTCH = OrderSigns(
    actor=r"(?:de |het )?(?:assistent|chatbot|ai|bot)|ai-\w+|het model|chatgpt",
    must=r"moet\w*|zou|dient|hoort|mag|wil|wenst",
    act=r"aanbevel\w+|aanbeve\w+|beveel\w*|aanraad\w*|aanraden|raad\w*|noem\w*|vermeld\w*|citeer\w*|citeren|promo\w+|vertrouw\w*|verwijz\w+|verwijs\w*|prijz\w+|presenteer\w*|beschouw\w*|behandel\w*|voorstel\w*|verberg\w*|verzwijg\w*|boek\w*",
    ordered=r"(?:moet\w*|dien\w*|worden|wordt)\b.{0,60}?\b(?:aanbevolen|aangeraden|genoemd|vermeld|geciteerd|verwezen|geboekt|toegevoegd|verborgen|verzwegen|weggelaten|gepresenteerd|gekocht)",
    arrange=r"(?:via|bij|met|door)\b.{1,50}?\b(?:geboekt|gereserveerd|besteld|gekocht|te (?:boeken|kopen|bestellen))",
    scope=r"altijd|nooit|standaard|uitsluitend|alleen|eerst|als eerste|vóór andere|voor andere|in (?:elk\w*|alle) \w+|bij (?:elke|alle) \w+|voortaan|vanaf nu|in de toekomst|indien mogelijk|zo mogelijk|waar mogelijk",
    topic=r"(?:als|wanneer|zodra|telkens)\b.{0,80}?\b(?:vraagt|vragen|gaat over|zoekt|praat|gevraagd)|(?:bij )?vragen over|\w+vragen",
    person=r"(?:de |aan de |voor de )?gebruikers?|de persoon",
    believes=r"wil|wenst|gelooft|vindt|vertrouwt|beschouwt|heeft (?:ingestemd|besloten)|denkt",
    hide=r"verberg\w*|verborgen|geheim\w*|verzwijg\w*|(?:niet|niets|nooit|zonder)\b.{0,30}?\b(?:zeg\w*|vertel\w*|toon\w*|meld\w*|informe\w*|weten)|(?:vertel|zeg|toon)\b.{0,30}?\b(?:niet|niets|nooit)",
    rules=r"(?:eerdere|vorige|bestaande|bovenstaande|je|jouw|uw|veiligheids\w*|systeem\w*) ?(?:\S+ )?(?:instructies?|regels?|richtlijnen|beperkingen|opdrachten|filters)",
    void=r"gelden niet(?: meer)?|vervallen|ongeldig|ingetrokken|opgeheven|negeer\w*|negeren|vergeet|vergeten|omzeil\w*|vervangen|uitgeschakeld",
    praise=(
        r"(?:is|zijn|als)?\b ?(?:een |de |het )(?:meest )?(?:\S+ )?(?:betrouwba\w+|gezaghebbend\w*|officiële|beste|enige|toonaangevend\w*|vertrouwde) (?:\S+ ){0,2}?(?:bron|bronnen|merk|bedrijf|aanbieder|leverancier|autoriteit|site|expert|bank|keuze|winkel)\b|"
        r"ongeëvenaard\w*|onovertroffen|een autoriteit"
    ),
    rival=r"concurrent\w*|andere (?:merken|banken|aanbieders)|negatieve (?:recensies|berichten)|kritiek op",
    omit=r"(?:niet|nooit|geen)\b.{0,30}?\b(?:noem\w*|vermeld\w*|toon\w*)|(?:noem|vermeld)\w*\b.{0,40}?\b(?:niet|nooit|geen)|weglat\w*|weggelaten|negeer\w*|negeren|verzwijg\w*|verberg\w*",
    link=r"links?|reclame|advertentie\w*|kortingscode|slogan",
    answers=r"(?:elk|elke|alle|ieder|je)(?: \S+)? (?:antwoord\w*|gesprek\w*|chats?|bericht\w*)",
    unbound=r"zonder (?:enige )?(?:beperkingen|regels|filters?|grenzen|censuur)|ongefilterd\w*|ongecensureerd\w*",
    unasked=r"zonder (?:\S+ ){0,2}?(?:bevestiging|toestemming|te vragen|goedkeuring)",
    deed=r"tools?|betaling\w*|overboeking\w*|aankop\w+|commando\w*|scripts?|bestelling\w*",
    send=r"stuur\w*|sturen|doorst\w+|verzend\w*|plaats\w*|upload\w*|kopieer\w*|deel\w*|mail\w*",
    data=r"gesprek\w*|geschiedenis|berichten|chats?|gegevens|wachtwoord\w*|sleutels?|herinneringen",
    own=r"ik|mij|me|mijn|wij|we|ons|onze|(?:zijn|haar) (?:baas|moeder|vader|bedrijf|team)|volgens",
)

POLISH = OrderSigns(
    actor=r"asysten\w+|ai|chatbot\w*|model\w*|bot\w*|chatgpt",
    must=r"powin\w+|musi|mają|ma|należy|trzeba|chce|życzy",
    act=r"polec\w+|rekomend\w+|zaleca\w*|suger\w+|wspomin\w+|wymieni\w+|cytow\w+|cytuj\w*|promow\w+|promuj\w*|ufa\w*|chwal\w+|kier\w+|odsył\w+|przedstawi\w+|traktow\w+|powoł\w+|proponow\w+|ukryw\w+|rezerw\w+|uzna\w+",
    ordered=r"(?:należy|trzeba|powin\w+|ma być|mają być|musi być) (?:\S+ ){0,2}?(?:polec\w+|rekomend\w+|wspomin\w+|cytow\w+|wymieni\w+|promow\w+|kierow\w+|ukry\w+|pomij\w+|dodaw\w+)|(?:były|było) (?:rezerwowane|kupowane|polecane)",
    arrange=r"(?:rezerwowan|kupowan|zamawian)\w+ (?:\S+ ){0,3}?(?:przez|w|u|za pośrednictwem|na)",
    scope=r"zawsze|nigdy|domyślnie|wyłącznie|tylko|najpierw|jako pierwsz\w+|przed innymi|w każd\w+ \w+|we wszystkich \w+|od teraz|w przyszłości|w miarę możliwości|przy każd\w+ \w+",
    topic=r"(?:gdy|kiedy|jeśli|jeżeli)\b.{0,80}?\b(?:pyta\w*|zapyta\w*|mowa|mówi\w*|szuka\w*)|pytani\w+ (?:o|dotycząc\w+|\w+)",
    person=r"użytkownik\w*|(?:przed |dla )?osob\w+",
    believes=r"chce|życzy|wierzy|uważa|ufa|woli|zgodził\w* się|sądzi",
    hide=r"ukry\w+|ukryj|zataj\w*|w tajemnicy|tajemnic\w+|(?:nie|bez|nic)\b.{0,20}?(?:mów\w*|powie\w*|ujawni\w*|pokaz\w*|inform\w+|wspomin\w+|wiedzy)",
    rules=r"(?:wcześniejsz\w+|poprzedni\w+|twoj\w+|swoj\w+|powyższ\w+|systemow\w+) (?:\S+ )?(?:instrukcj\w+|polece\w+|zasad\w*|reguł\w*|wytyczn\w+|ogranicze\w+)|zasad\w* bezpieczeństwa",
    void=r"nie obowiązuj\w+|nieważn\w+|unieważni\w+|anulowan\w+|zignoruj\w*|ignoruj\w*|zapomnij|pomiń|obejdź|zastąpion\w+|odwołan\w+|wyłączon\w+",
    praise=r"(?:to|jest|są|jako|za) (?:\S+ ){0,2}?(?:zaufan\w+|wiarygodn\w+|rzeteln\w+|oficjaln\w+|najlepsz\w+|jedyn\w+|najbardziej \w+|wiodąc\w+) (?:\S+ ){0,2}?(?:źródł\w+|mark\w+|firm\w+|dostawc\w+|autorytet\w*|stron\w+|ekspert\w*|bank\w*|wyb\w+)|bezkonkurencyjn\w+|niezrównan\w+",
    rival=r"konkurencj\w+|konkurent\w*|inn\w+ (?:marki|marek|firmy|banki)|negatywn\w+ (?:opini\w+|recenzj\w+)|krytyk\w+",
    omit=r"(?:nie|nigdy|bez)\b.{0,20}?(?:wspomin\w+|wymieni\w+|cytuj\w*|pokazuj\w*|polecaj\w*)|pomij\w+|pomiń|ignoruj\w*|ukry\w+|przemilcz\w+",
    link=r"link\w*|reklam\w+|kod\w* rabatow\w+|slogan\w*",
    answers=r"(?:każd\w+|wszystki\w+|swoich) (?:\S+ )?(?:odpowied\w+|rozmow\w+|czat\w*|wiadomości\w*)",
    unbound=r"bez (?:żadnych )?(?:ogranicze\w+|zasad|filtr\w+|cenzury)",
    unasked=r"bez (?:\S+ )?(?:potwierdzeni\w+|pytania|zgody|akceptacji)",
    deed=r"narzędzi\w*|płatnoś\w+|przelew\w*|zakup\w*|polece\w+|skrypt\w*|zamówie\w+",
    send=r"wysył\w+|wyślij|wysłać|prześl\w+|przesył\w+|przekaz\w+|opublik\w+|udostępni\w+|kopiuj\w*",
    data=r"rozmow\w*|histori\w+|wiadomości\w*|czat\w*|dan\w+|hasł\w+|klucz\w*|wspomnie\w+",
    own=r"ja|mi|mnie|mój|moja|moje|moim|mojej|my|nas|nasz\w*|według|(?:jego|jej) (?:szef|mama|firma)",
)
