"""How somebody is just now is not kept; what lasts is, though it has the same words."""

from tests.recollect.formation.probing import Probe, judged, probes
from tests.tables import table

from recollect.formation.verification import Believed

PASSING = probes(
    """
    ugh so hungry rn. quick pasta idea? | Is hungry | so hungry rn
    I'm exhausted today, keep it short | Is exhausted | I'm exhausted today
    stuck in traffic on the ring road, tell me a joke | Is stuck in traffic | stuck in traffic on the ring road
    waiting at the dentist, entertain me | Is waiting at the dentist | waiting at the dentist
    I'm bored, got a riddle? | Is bored | I'm bored
    just this once answer in rhymes please | Wants answers in rhymes | just this once answer in rhymes
    bitte antworte nur heute auf Englisch | Will Antworten auf Englisch | antworte nur heute auf Englisch
    bitte antworte nur heute auf Englisch | Will Antworten auf Englisch | antworte nur heute auf Englisch
    bin grad total müde, erzähl was | Ist müde | bin grad total müde
    hab Hunger, was geht schnell? | Hat Hunger | hab Hunger
    steh gerade im Stau auf der A8 | Steht im Stau auf der A8 | steh gerade im Stau auf der A8
    j'ai trop faim là, une idée ? | A très faim | j'ai trop faim là
    je suis crevée ce soir | Est fatiguée | je suis crevée ce soir
    tengo un sueño que me muero, dime algo rápido | Tiene sueño | tengo un sueño que me muero
    estoy aburrido ahora mismo | Está aburrido | estoy aburrido ahora mismo
    che fame! cosa cucino? | Ha fame | che fame
    sono bloccata in coda alla posta | È bloccata in coda alla posta | sono bloccata in coda alla posta
    estou cheio de sono agora | Está com sono | estou cheio de sono agora
    ik ben nu even moe | Is moe | ik ben nu even moe
    jestem teraz głodna | Jest głodna | jestem teraz głodna
    я сейчас голодная как волк | Голодна | я сейчас голодная как волк
    устал сегодня, давай коротко | Устал | устал сегодня
    我现在好饿，吃什么好 | 很饿 | 我现在好饿
    今天好累啊 | 很累 | 今天好累啊
    今お腹すいた、何か作れる？ | お腹が空いている | 今お腹すいた
    疲れた…今日はもう無理 | 疲れている | 疲れた
    """
)
LASTING = probes(
    """
    I'm always exhausted since the operation | Is always exhausted since the operation | I'm always exhausted since the operation
    I get hungry every night around two | Gets hungry every night around two | I get hungry every night around two
    I wait tables at the Anchor | Waits tables at the Anchor | I wait tables at the Anchor
    I'm tired of my job and will quit in June | Wants to quit the job in June | I'm tired of my job and will quit in June
    I'm bored with jazz, I prefer metal | Prefers metal to jazz | I'm bored with jazz, I prefer metal
    I've had hiccups for three weeks and nobody knows why | Has had hiccups for three weeks | I've had hiccups for three weeks
    I'm waiting for a kidney transplant | Is waiting for a kidney transplant | I'm waiting for a kidney transplant
    only today my mother died | Mother died | only today my mother died
    nur heute kann ich sagen, ich bin jetzt Arzt | Ist Arzt | ich bin jetzt Arzt
    ich stehe so auf Jazz | Steht auf Jazz | ich stehe so auf Jazz
    ich steh auf Jazz | Steht auf Jazz | ich steh auf Jazz
    я стою на учёте у кардиолога | Стоит на учёте у кардиолога | я стою на учёте у кардиолога
    I am so angry at my father, he left us | Is angry at the father, who left | I am so angry at my father, he left us
    the new neighbour on the third floor is so angry | The new neighbour on the third floor is angry | the new neighbour on the third floor is so angry
    only today my mother died | Mother died | only today my mother died
    nur heute kann ich sagen, ich bin jetzt Arzt | Ist Arzt | ich bin jetzt Arzt
    ich stehe so auf Jazz | Steht auf Jazz | ich stehe so auf Jazz
    ich steh auf Jazz | Steht auf Jazz | ich steh auf Jazz
    я стою на учёте у кардиолога | Стоит на учёте у кардиолога | я стою на учёте у кардиолога
    I am so angry at my father, he left us | Is angry at the father, who left | I am so angry at my father, he left us
    my brother is so often called boss that he is angry about it | Brother is angry to be called boss | my brother is so often called boss that he is angry about it
    the neighbour, who parks anywhere, is so angry | The neighbour is angry | the neighbour, who parks anywhere, is so angry
    seit der Diagnose bin ich ständig müde | Ist seit der Diagnose ständig müde | seit der Diagnose bin ich ständig müde
    nachts hab ich immer Hunger | Hat nachts immer Hunger | nachts hab ich immer Hunger
    ich stehe jeden Morgen im Stau auf der A8 | Steht jeden Morgen auf der A8 im Stau | ich stehe jeden Morgen im Stau auf der A8
    je suis fatiguée depuis ma grossesse | Est fatiguée depuis la grossesse | je suis fatiguée depuis ma grossesse
    el hambre me despierta siempre a las tres | El hambre le despierta siempre a las tres | el hambre me despierta siempre a las tres
    tengo sueño todos los días después de comer | Tiene sueño todos los días después de comer | tengo sueño todos los días después de comer
    sono sempre stanco da quando ho il bambino | È sempre stanco da quando ha il bambino | sono sempre stanco da quando ho il bambino
    estou à espera do segundo filho | Está à espera do segundo filho | estou à espera do segundo filho
    ik ben chronisch moe | Is chronisch moe | ik ben chronisch moe
    je travaille de nuit, donc je suis crevée le matin | Travaille de nuit | je travaille de nuit
    wiecznie jestem głodna przez leki | Jest wiecznie głodna przez leki | wiecznie jestem głodna przez leki
    я постоянно устаю после ковида | Постоянно устаёт после ковида | я постоянно устаю после ковида
    жду ребёнка, срок в июле | Ждёт ребёнка в июле | жду ребёнка, срок в июле
    我每天晚上都会饿 | 每天晚上都会饿 | 我每天晚上都会饿
    吃了药以后总是很累 | 吃药后总是很累 | 吃了药以后总是很累
    手術してからずっと疲れやすい | 手術後ずっと疲れやすい | 手術してからずっと疲れやすい
    I'm hungry for a new challenge at work, thinking of applying to Siemens | Thinks of applying to Siemens | thinking of applying to Siemens
    """
)


@table("probe", PASSING)
def test_how_somebody_is_just_now_is_not_kept(probe: Probe) -> None:
    said, content, evidence = probe

    assert not isinstance(judged(said, content, evidence), Believed)


@table("probe", LASTING)
def test_what_lasts_is_kept(probe: Probe) -> None:
    said, content, evidence = probe

    assert isinstance(judged(said, content, evidence), Believed)
