"""Compiles what secrets are looked for with, before the first text has to wait for it. Pure. Never: anybody's text."""

from recollect.text.secrets.masking import mask

_TEXT = (
    "the password is {0}, my pin is {0}, cvv {0}, security answer: {0}, my social is {0}, the door code is {0}, "
    "api key {0}, login: a / {0}, the safe: {0}-{0}-{0}, passwords are {0}; the alarm opens with {0}, the key is {0}-{0}. "
    "They texted me the code {0}. {0} opens the door. Backup codes: {0}-{0} {0}-{0}\n"
    "I changed the password to {0}. Mein Passwort lautet {0}. has\u0142o to {0}. \u5bc6\u7801\u662f{0}\n"
    "| password | {0} |\nPassword\n{0}\ncurl -u a:{0} https://a:{0}@b.example?key={0}\nexport A_SECRET={0}\n"
    "cookie: a={0}{0}\np\u0430ssword p\uff41ss\u200bword: {0}\n4111 1111 1111 1112 sort code 20-00-00 account {0} DE12 3456\n{1}\n"
)
"""Something for each reader of secrets to look at closely; it holds none."""


def warm() -> None:
    """Read a text that makes each expression be compiled: a quarter of a second, once in a process; beside the loop."""
    for value in ("a1b2c3d4", "1234", "quilt"):
        mask(_TEXT.format(value, "aB3dE5gH7jK9mN1pQ3sT5vX7z"))
