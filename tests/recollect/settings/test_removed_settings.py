from tests.tables import table

from recollect.settings import is_setting
from recollect.settings.removed import REMOVED, without_effect
from recollect_proxy.settings.proxy_settings import ProxySettings

SETTINGS = {name for name, field in ProxySettings.model_fields.items() if is_setting(field)}


def test_what_was_removed_is_no_setting() -> None:
    assert not REMOVED.keys() & SETTINGS


def test_advice_names_no_variable_that_was_removed() -> None:
    for advice in REMOVED.values():
        assert not without_effect(
            (word.strip(".,:;()") for word in advice.replace("=", " ").split()), SETTINGS
        )


@table(
    ("variable", "said"),
    [
        ("RECOLLECT_SESSION_CAP", "PATCH /memory/settings"),
        ("recollect_session_cap", "PATCH /memory/settings"),
        ("RECOLLECT_USERCAP", "did you mean RECOLLECT_USER_CAP?"),
        ("RECOLLECT_TRUSTED_NETWORK", "did you mean RECOLLECT_TRUSTED_NETWORKS?"),
    ],
)
def test_a_variable_that_sets_nothing_is_told_with_what_to_do(variable: str, said: str) -> None:
    [(told, advice)] = without_effect(["PATH", "RECOLLECT_USER_CAP", variable], SETTINGS).items()

    assert told == variable
    assert said in advice


@table(
    "variable",
    ["RECOLLECT_USER_CAP", "RECOLLECT_TEST_POSTGRES", "RECOLLECT_THE_CAT", "SESSION_CAP", "PATH"],
)
def test_what_sets_something_or_is_of_somebody_else_is_not(variable: str) -> None:
    assert without_effect([variable], SETTINGS) == {}
