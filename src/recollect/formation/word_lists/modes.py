# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""The closed classes of words by which something is not simply so: wished, tried, learned, allowed, due or past. Never: how they are compared.

In folded case and without accents; each is part of a regular expression, bounded by words in scripts that have spaces.
"""

WISHED = (
    (
        r"wants?|wanted|wishes to|would (?:like|love)|hopes? to|hoping to|plans?|planning|planned|intends?|intention"
        r"|(?:is|are|am|'m) (?:going|about|set) to|will|aims? to|aiming|dreams? of|considering|thinking (?:of|about)|looking to"
        r"|will|wollen|wollte|mochten?|(?:hat|habe)(?: \w+){0,3} vor|plant|plane|planen|beabsichtigt|hofft|traumt|uberlegt|ziel|absicht|wunscht"
        r"|veut|veux|vouloir|voudrait|voudrais|souhait\w*|aimerais?|aimerait|compte \w+r|envisage\w*|prevoit|projette|espere|reve de|l'intention|pense (?:a )?\w+r"
        r"|(?:va|vais) (?:(?:se|s'|le|la|en|y) ?)?\w+(?:er|ir|re)|projet"
        r"|quier[eo]|quisiera|querria|gustaria|encantaria|plane\w+|piensa|pretende|espera|desea|tiene (?:pensado|previsto)|intencion|(?:va|voy) a \w+[aei]r(?:se|me)?|suena con|proyecta"
        r"|vuole|voglio|vorrei|vorrebbe|intende|pensa di|spera|desidera|intenzione|in programma|progetta|conta di|sta per|sogna|piacerebbe"
        r"|quer|quero|queria|gostaria|gostava de|pretende|planei?j?a|tenciona|deseja|pensa em|(?:vai|vou) \w+[aei]r(?:-se|-me)?|intencao|sonha"
        r"|wil|wilt|wou|zou graag|graag willen|van plan|hoopt|overweegt|droomt|gaat (?:(?:een|de|het) )?(?:\w+ )?\w+en$"
        r"|хоч\w+|хотел\w*|хотелось|собира(?:ется|юсь|ются|емся)|планиру\w+|намерен\w*|мечта\w+|надеется|думает|будет|цель"
    ),
    (
        r"[想](?![起到念法像象])|打算|计划|計劃|希望|准备|準備|梦想|夢想|考虑|考慮"
        r"|た(?:い|がる|がって)(?=$|[^\u3041-\u3096]|と|で|の)|つもり|予定|計画|志望|夢|検討"
    ),
)
TRIED = (
    (
        r"tr(?:y|ies|ying|ied) (?:to|not)|attempts? to|versuch\w*|bemuht|essaie\w*|essaye\w*|tente|s'efforce|intenta|trata de|procura"
        r"|cerca di|prova a|tenta|probeert|tracht|стара(?:ется|юсь)|пыта(?:ется|юсь)|пробует"
    ),
    (r"尽量|盡量|试着|試著|尝试|嘗試|努力|ようとし|よう努"),
)
LEARNED = (
    (
        r"learn(?:s|ing)?|lern(?:t|e|en)|apprend|apprendre|aprend\w+|impar\w+|leert|leren|уч(?:ится|атся|усь)|осваивает"
    ),
    (r"学(?=[着弹唱跳做开画说打])|學(?=[著彈唱跳做開畫說打])|在学|在學|学习|學習|習(?!慣)|学んで|学び"),
)
STUDIED = (
    (
        r"stud\w+|school|class(?:es)?|course|lessons?|pupil|apprentice\w*|trainee|lern\w*|\w*kurs\w*|\w*unterricht\w*|\w*stunden|lehrling|azubi|ausbildung|schul\w*"
        r"|cours|lecons?|eleve|etud\w+|ecole|formation|clases?|curso|alumn[oa]|escuela|lezion\w+|corso|allie\w+|scuola|aulas?|escola|alun[oa]"
        r"|les|lessen|cursus|opleiding|урок\w*|курс\w*|изуча\w+|студент\w*|школ\w*|занима\w+"
    ),
    (r"课|課|学|學|習|勉強|レッスン|教室"),
)
DUE = (
    (
        r"must|ha(?:s|ve|d) to|needs? to|should|ought|(?:is|am|are) (?:obliged|required|supposed) to|muss|mussen|musste|soll|sollte|sollen"
        r"|doit|(?:je|tu) dois|devrait|il faut|obligee?|tiene que|tengo que|debe|debo|hay que|deve|devo|dovrebbe|bisogna|tem (?:de|que)|tenho (?:de|que)|moet|moeten|hoort"
        r"|долж(?:ен|на|ны)|нужно|надо|приходится|обязан\w*"
    ),
    (r"必须|必須|应该|應該|不得不|なければ|なきゃ|ないといけ|べき"),
)
NEEDED = (
    (
        r"due|deadline|needs?|necessary|prescribed|orders?|fallig|frist|abgabe|braucht|termin|pflicht|rendre|besoin|echeance|entrega|plazo|necesita|scade|scadenza|serve|prazo|precisa"
        r"|uiterlijk|nodig|срок\w*|требу\w+"
    ),
    (r"需要|截止|要|必要|締め切り|期限"),
)
ALLOWED = (
    (
        r"(?<!in )(?<!since )(?<!last )(?<!this )(?<!next )may(?= [a-z])|can|could|might|able to|allowed to|permitted to|kann|konnte|konnten|darf|durfen"
        r"|peut|peux|pourrait|puede|puedo|podria|puo|potrebbe|pode|poderia|mag (?:thuis|van|niet|geen|wel|nog|weer)|может|могу|можно"
    ),
    (
        r"可以|能(?![量力源干])|会(?=[做弹说唱跳游开骑写画修])|會(?=[做彈說唱跳游開騎寫畫修])|でき(?:る|ます|て)|いい(?:$|です)"
    ),
)
ABLE = (
    (
        r"spe(?:ak|aks)|speaking|knows? how|skilled|fluent|lets?|permission|option\w*|spricht|erlaub\w*|moglich\w*|parle|autorise\w*|possib\w+|posib\w+|habla|permiso|permite\w*|parla|permess\w+|fala|permi\w+"
        r"|spreekt|toegestaan|mogelijk|говорит|владеет|умеет|разреш\w+"
    ),
    (r"说|說|话|話せる|上手|得意|許可"),
)
PAST = (
    (
        r"used to|formerly|previously|was|were|wasn't|back then|ex|former|fruher(?:e[nrs]?)?|ehemal\w+|damals|war|waren|einst"
        r"|autrefois|etait|etaient|ancien(?:ne)?|jadis|era|erano|eran|eram|antiguamente|soli?a|fu|estava|foi|antigamente"
        r"|vroeger|voorheen|was|waren|раньше|прежде|бывш\w+|был[аио]?"
    ),
    (r"以前|曾经|曾經|曾|从前|だった|でした|かつて|元(?=[\u4e00-\u9fff])"),
)
OVER = (
    (
        r"been|went|grew|born|died|dead|late|retired|ex|did|had|\w{3,}ed|taught|worked|gewesen|geboren|gestorben|rente|rentner\w*|hatte|ge\w+(?:t|en)|\w+iert"
        r"|ete|nee?|avait|retraite\w*|mort\w*|decede\w*|fue|sido|nacio|nacid[oa]|murio|jubilad[oa]|tenia|stat[oa]|nat[oa]|mort[oa]|aveva|pension\w+|sido|morreu|nasceu|reformad[oa]|aposentad[oa]|tinha"
        r"|geweest|geboren|overleden|gepensioneerd|had|\w+л(?:а|и|о|ась|ся)?|пенси\w+"
    ),
    (r"过|過|了|出生|た$|ました|生まれ|出身"),
)
TASTES = (
    (
        r"prefer\w*|like[sd]?|enjoys?|loves?|hates?|dislikes?|favou?rite\w*|always|bevorzug\w+|mag|lieber|gern\w*|am liebsten|hasst|vorlieb\w*|prefier\w+|aime|deteste"
        r"|gust\w+|odia|encanta|piac\w+|ama|gost\w+|adora|liever|graag|houdt van|voorkeur|предпочита\w+|люб\w+|нрав\w+"
    ),
    (r"喜欢|喜歡|偏好|爱|愛|好き|好む|嫌い|苦手"),
)
