# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Pronouns of the first and of the second person. Pure data. Never: how they are looked for.

Closed classes of a language, not words for what is asked. In small letters; parted by spaces, "-" stands for an ending.
"""

FIRST = (
    "i'm i've i'd i'll me my mine myself we we're we've our ours us"
    " ich mein- mir mich wir unser- uns je j'- m'- mon ma moi me nous notre nos"
    " yo mi mis mío mía conmigo nosotr- nuestr- soy estoy tengo io mio mia miei mie sono noi nostr-"
    " eu meu minha meus minhas sou tenho nós noss- ik mijn ons onze wij we"
    " ja mój moja moje moim mojej mnie mi mam jestem my nasz- я мой моя моё мое мои моей моего моему мне меня мы наш- нам нас"
    " мій моє мої мені мене ми jag min mitt mina mig jeg mit mine vi vår- minä minun minulla minut me meidän"
    " já můj moje mě mi mám jsem my náš én az enyém nekem engem mi ben benim bana biz bizim eu meu mea mei mele noi"
    " εγώ εμένα μου μας εμείς אני שלי אותי לי אנחנו أنا نحن मैं मेरा मेरी मेरे मुझे हम हमारा हमारी"
    " 나는 내 내가 제 제가 저는 저의 우리 우리는 tôi tao mình saya aku kami"
)
ENGLISH_I = (
    r"(?<!\w)I(?!\w)|(?:^|[.,;:!?] |\b(?:and|when|that|if|which|what|where|because|but|so|as|than) )i(?!\w)"
)
"""The English pronoun in a text as it is written; elsewhere a small "i" is another language's "in" or "and"."""
FIRST_WITHIN = "我 咱 俺 私 僕 わたし うち 弊社 自分 ฉัน ผม เรา"
"""The same in scripts without spaces."""
FIRST_ENDS = "بريدي موقعي عنواني"

SECOND = (
    "you your yours yourself du dich dir dein- tu te t'- toi ton ta tes vous votre vos tú ti tus contigo"
    " você vocês lhe teu tua jij je jou jouw u uw ty ciebie ci twój- ты тебе тебя тобой твой- вы вас вам ваш- ти тобі тебе"
    " dig din ditt dina dit dine sinä sinun sinut te téged neked sen sana senin siz size"
    " εσύ εσένα σου σας אתה את שלך أنت तुम तू आप तुम्हें आपको 너 네 당신 anda kamu bạn"
)
SECOND_WITHIN = "你 您 君 あなた"

THAT = "que che żebyś żeby чтобы щоб dass damit om zodat hogy atti att để agar supaya"
"""Conjunctions, behind which languages that leave the pronoun out say what somebody else shall do."""
