"""Where a server is, read from its base URL."""

import ssl

from tests.support.tables import table

from recollect_proxy.upstream.http1.pool import Address, tls


@table(
    ("url", "address"),
    [
        ("http://llm:8000/v1", Address("llm", 8000, encrypted=False, authority=b"llm:8000", path=b"/v1")),
        ("http://llm", Address("llm", 80, encrypted=False, authority=b"llm", path=b"")),
        ("http://llm:80/", Address("llm", 80, encrypted=False, authority=b"llm", path=b"")),
        ("http://llm:443", Address("llm", 443, encrypted=False, authority=b"llm:443", path=b"")),
        ("https://llm/v1/", Address("llm", 443, encrypted=True, authority=b"llm", path=b"/v1")),
        ("https://llm:443", Address("llm", 443, encrypted=True, authority=b"llm", path=b"")),
        ("https://llm:80", Address("llm", 80, encrypted=True, authority=b"llm:80", path=b"")),
        ("http://[::1]:81/v1", Address("::1", 81, encrypted=False, authority=b"[::1]:81", path=b"/v1")),
        ("http://[::1]", Address("::1", 80, encrypted=False, authority=b"[::1]", path=b"")),
        ("http://LLM.Local", Address("llm.local", 80, encrypted=False, authority=b"llm.local", path=b"")),
        (
            "http://m\u00fcnchen.test/\u00fc b%20c",
            Address(
                "xn--mnchen-3ya.test",
                80,
                encrypted=False,
                authority=b"xn--mnchen-3ya.test",
                path=b"/%C3%BC%20b%20c",
            ),
        ),
    ],
)
def test_an_address_is_read_from_a_url(url: str, address: Address) -> None:
    assert Address.parse(url) == address


@table(
    ("base", "shown"),
    [
        ("http://llm:8000/v1", "http://llm:8000"),
        ("https://key:hush@llm/hush/v1?key=hush", "https://llm"),
    ],
)
def test_of_an_address_the_log_has_the_server_alone(base: str, shown: str) -> None:
    assert Address.parse(base).origin == shown


def test_servers_are_trusted_by_certificate_and_name_and_spoken_to_in_http_1_1() -> None:
    context = tls()

    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert tls() is context
