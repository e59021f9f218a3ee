"""Undoes a body's content encodings, piece by piece, within a bound (RFC 9110, section 8.4).

It does not interpret the bytes, and holds no more than a piece of the unpacked data.
"""

import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any, BinaryIO, Protocol, cast

import brotli
import zstandard

DECODING_ERRORS = (zlib.error, brotli.error, zstandard.ZstdError, OverflowError)
"""The errors of writing to a decoder: broken bytes, or too many of them."""

_PIECE = 64 * 1024  # the most that is unpacked before its size is looked at
_MOST_ENCODINGS = 5  # each has a window of memory, and clients send one
_MOST_MEMBERS = 1 << 16  # empty ones cost time and count no bytes
_LARGEST_WINDOW = 8 * 1024 * 1024  # RFC 9659: the most a zstd content encoding may ask for
_GZIP = zlib.MAX_WBITS | 16  # zlib's sign for the header of gzip
_HEADER_BYTES, _DEFLATE_METHOD = 2, 8  # RFC 1950, section 2.2


class Sink(Protocol):
    """Takes bytes as they come."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes."""
        ...


def decoding(content_encoding: str, sink: Sink, most: int) -> Sink | None:
    """Return a sink for encoded bytes that writes the plain ones on, ``most`` of any one encoding; it may raise ``DECODING_ERRORS``.

    ``content_encoding`` has names in the order they were applied. None if one is unknown, or there are more than five.
    """
    names = [name for listed in content_encoding.lower().split(",") if (name := listed.strip())]
    if len(names) > _MOST_ENCODINGS or any(name not in _DECODERS for name in names):
        return None
    for name in names:  # the encoding that was applied last is undone first, so it comes to stand outermost
        sink = _DECODERS[name](_Bounded(sink, most))
    return sink


def decoded(data: bytes, content_encoding: str, most: int) -> bytes | None:
    """Return data with its encodings undone; None if it is broken, unpacks to more than ``most`` bytes, or has an unknown encoding."""
    plain = BytesIO()
    encoded = decoding(content_encoding, plain, most)
    if encoded is None:
        return None
    try:
        encoded.write(data)
    except DECODING_ERRORS:
        return None
    return plain.getvalue()


class _Bounded:
    def __init__(self, sink: Sink, most: int) -> None:
        self._sink = sink
        self._left = most

    def write(self, data: bytes, /) -> int:
        self._left -= len(data)
        if self._left < 0:
            raise OverflowError
        self._sink.write(data)
        return len(data)


_ZlibObject = Any
"""A decompression object of zlib's, whose class has no public name."""


def _inflate(body: _ZlibObject, data: bytes, sink: Sink) -> None:
    piece = body.decompress(data, _PIECE)
    while piece:
        sink.write(piece)
        piece = body.decompress(body.unconsumed_tail, _PIECE)


class _Gzip:
    """RFC 1952; several members may follow one another."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._member: _ZlibObject = zlib.decompressobj(_GZIP)
        self._members_left = _MOST_MEMBERS

    def write(self, data: bytes, /) -> None:
        while data:
            if self._member.eof:
                self._members_left -= 1
                if self._members_left < 0:
                    raise OverflowError
                self._member = zlib.decompressobj(_GZIP)
            _inflate(self._member, data, self._sink)
            data = self._member.unused_data


class _Deflate:
    """RFC 1950, as the name demands, or RFC 1951, as some servers send."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._head = b""
        self._body: _ZlibObject | None = None

    def write(self, data: bytes, /) -> None:
        if self._body is None:
            data = self._head + data
            if len(data) < _HEADER_BYTES:
                self._head = data
                return
            # The header of RFC 1950 is a multiple of 31, which raw deflate is only by chance.
            wrapped = data[0] & 0x0F == _DEFLATE_METHOD and int.from_bytes(data[:_HEADER_BYTES]) % 31 == 0
            self._body = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        if not self._body.eof:
            _inflate(self._body, data, self._sink)


class _Brotli:
    """RFC 7932."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._body = brotli.Decompressor()

    def write(self, data: bytes, /) -> None:
        piece = self._body.process(data, output_buffer_limit=_PIECE)
        while piece:
            self._sink.write(piece)
            piece = self._body.process(b"", output_buffer_limit=_PIECE)


def _zstandard(sink: Sink) -> Sink:
    """RFC 8878; several frames may follow one another."""
    writable = cast(BinaryIO, sink)  # it is only ever written to
    return zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_writer(writable)


_DECODERS: dict[str, Callable[[Sink], Sink]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _zstandard,
    "identity": lambda sink: sink,
}
