"""What compressing WebSocket messages costs and saves: `python -m bench deflate`. Never: a test, a socket.

Messages as a realtime API's, each compressed and read again as RFC 7692's permessage-deflate has it, with one context for the
whole connection. A relay that is asked by both sides does both twice a message.
"""

import argparse
import base64
import json
import math
import random
import statistics
import time
import zlib
from array import array

_TAIL = b"\x00\x00\xff\xff"  # RFC 7692, section 7.2.1: left out on the wire
_WINDOW_BITS = -15
_MEMORY_LEVEL = 8
_RATE = 24_000


def _audio(number: int) -> bytes:
    """Return an event with 100 ms of a voice-like tone, 16 bits a sample."""
    noise = random.Random(number)
    begin = number * _RATE // 10
    samples = array(
        "h",
        (
            int(6_000 * math.sin(at / 19) * math.sin(at / 4_001) + noise.gauss(0, 300))
            for at in range(begin, begin + _RATE // 10)
        ),
    )
    delta = base64.b64encode(samples.tobytes()).decode()
    return _event("response.audio.delta", number, delta)


def _text(number: int) -> bytes:
    words = [
        "the",
        "a",
        "memory",
        "of",
        "what",
        "was",
        "said",
        "and",
        "who",
        "asked",
        "it",
        "once",
        "more",
        "before",
        "noon",
    ]
    return _event("response.text.delta", number, f" {words[number * 7 % len(words)]}")


def _event(kind: str, number: int, delta: str) -> bytes:
    event = {
        "type": kind,
        "event_id": f"event_{number:020d}",
        "response_id": "resp_001",
        "item_id": "item_007",
        "output_index": 0,
        "content_index": 0,
        "delta": delta,
    }
    return json.dumps(event).encode()


def _measure(name: str, messages: list[bytes]) -> None:
    packing = zlib.compressobj(wbits=_WINDOW_BITS, memLevel=_MEMORY_LEVEL)
    unpacking = zlib.decompressobj(wbits=_WINDOW_BITS)
    sent, packed_in, unpacked_in = 0, [], []
    for message in messages:
        began = time.perf_counter()
        packed = packing.compress(message) + packing.flush(zlib.Z_SYNC_FLUSH)
        packed_in.append(time.perf_counter() - began)
        sent += len(packed) - len(_TAIL)
        began = time.perf_counter()
        unpacking.decompress(packed)
        unpacked_in.append(time.perf_counter() - began)
    size = sum(map(len, messages))
    middles = [statistics.median(each) * 1e6 for each in (packed_in, unpacked_in)]
    cells = [f"{size / len(messages):.0f}", f"{sent / size:.0%}", *(f"{each:.0f}" for each in middles)]
    print(f"| {name} | {' | '.join(cells)} | {sum(middles) * 2:.0f} |")


def main() -> None:
    """Print the figures as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=500, help="messages of each kind")
    count = parser.parse_args().messages
    print(
        "| message | bytes | sent | compressed in, µs | read in, µs | a relay between two that compress, µs |"
    )
    print("|---|---|---|---|---|---|")
    _measure("a word of a text", [_text(number) for number in range(count)])
    _measure("100 ms of audio", [_audio(number) for number in range(count)])
