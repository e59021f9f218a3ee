"""Which signs of a sentence are an order where they stand together. Pure data. Never: how a sign is looked for."""

from recollect.formation.word_lists.orders_signs import OrderSigns

TOGETHER = (
    ("rules", "void", "strangers"),
    ("hide", "person", "strangers"),
    ("unbound", "actor", "strangers"),
    ("unasked", "deed", "strangers"),
    ("actor", "must or scope", "act", "favour", "not style", "strangers"),
    ("ordered", "address or scope", "name", "not style", "strangers"),
    ("topic", "ordered", "name", "not style", "strangers"),
    ("topic", "address", "scope", "strangers"),
    ("arrange", "must", "scope", "name", "strangers"),
    ("praise", "strangers"),
    ("rival", "omit", "strangers"),
    ("link", "answers", "name", "not style", "strangers"),
    ("send", "data", "address", "strangers"),
    ("fetch", "address", "answers", "strangers"),
)
"""What signs together are an order. A "name" or an address is in whose favour it is; "strangers": nobody speaks of themselves."""
SIGNS = frozenset(OrderSigns.__annotations__) - {"own"}
OF_THE_PERSON = (
    ("person", "believes", "name", "act", "strangers"),
    ("person", "believes", "name", "scope", "strangers"),
    ("person", "believes", "address", "strangers"),
    ("person", "believes", "praise", "strangers"),
    ("person", "believes", "arrange", "strangers"),
)
"""What else is an order where a message has it: people do not call themselves the user."""
