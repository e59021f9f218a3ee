"""The words and the signs of orders, language by language. Pure data. Never: how they are looked for."""

from recollect.formation.word_lists import orders, orders_elsewhere, orders_further
from recollect.formation.word_lists import orders_signs as signs
from recollect.formation.word_lists import orders_signs_elsewhere as signs_elsewhere
from recollect.formation.word_lists import orders_signs_further as signs_further

LANGUAGES: tuple[tuple[orders.OrderWords, signs.OrderSigns | None], ...] = (
    (orders.ENGLISH, signs.ENGLISH),
    (orders_elsewhere.GERMAN, signs.GERMAN),
    (orders_elsewhere.FRENCH, signs_elsewhere.FRENCH),
    (orders_elsewhere.SPANISH, signs_elsewhere.SPANISH),
    (orders_elsewhere.ITALIAN, signs_further.ITALIAN),
    (orders_further.PORTUGUESE, signs_further.PORTUGUESE),
    (orders_further.DUTCH, signs_further.DUTCH),
    (orders_further.POLISH, signs_further.POLISH),
    (orders_further.RUSSIAN, signs_elsewhere.RUSSIAN),
    (orders_further.CHINESE, signs_elsewhere.CHINESE),
    (orders_further.JAPANESE, signs_elsewhere.JAPANESE),
    (orders_further.KOREAN, None),
)
