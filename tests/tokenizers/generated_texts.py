# SPDX-License-Identifier: Apache-2.0
"""Texts on which tokenizers disagree easily: many scripts, marks, spaces, numbers, long runs."""

import random

RANGES = [
    (0x20, 0x7F), (0x00, 0x100), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700),
    (0x900, 0x980), (0xE00, 0xE80), (0x1100, 0x1200), (0x1C80, 0x1CC0), (0x1E00, 0x2070), (0x2070, 0x2C00),
    (0x3000, 0x3100), (0x4E00, 0xA000), (0xA640, 0xA800), (0xAC00, 0xD7A4), (0xE000, 0xE010), (0xFE00, 0x10000),
    (0x10000, 0x10500), (0x1D400, 0x1D800), (0x1F100, 0x1F700), (0x20000, 0x20100), (0xE0000, 0xE0200),
    (0x10D40, 0x10D90), (0x1E5D0, 0x1E600), (0x10FFF0, 0x110000),
]
PIECES = (
    "'s 't 're 'VE 'm 'LL 'd 'S 'T 'x '\u017f '\u212a ' '' \u017f a B the The THE aB Ab \u01c5 \u02b0 "
    "1 12 123 1234 12345 \u00b2 \u0663 \u216b ! ?! ... // /* ---- == ( ) {} <| |> _ a_b $ + ^ ` ~ "
    "\u0301 \u0301\u0302 e\u0301 \u4e2d \u4e2d\u6587 \u3042\u30a2 \u9fa5\u9fa6 \u3040\u30ff\u3100 \u0627\u0644 "
    "\u0915\u094d\u0937 \ud55c\uad6d \U0001f600 \U0001f468\u200d\U0001f469 \u200b \ufeff \u0378 \ue000 \x00 \x1f"
).split(" ") + [
    " ", "  ", "   ", "\n", "\n\n", "\r\n", "\r", "\t", " \n", "\n ", " \n ", "\u00a0", "\u2003", "\u3000", "\x85",
    "\x0b", "\x0c", "\u2028", "\u180e", "a" * 20, " " * 40, "\n" * 9, "=" * 33, "0" * 17, "ab" * 30, "\u4e2d" * 25,
]


def text(random_):
    """Return a string of up to some hundred characters."""
    out = []
    for _ in range(random_.choice([1, 2, 3, 5, 8, 20, 60])):
        if random_.random() < 0.7:
            out.append(random_.choice(PIECES))
        else:
            first, end = random_.choice(RANGES)
            out.extend(chr(random_.randrange(first, end)) for _ in range(random_.choice([1, 1, 2, 5])))
    return "".join(out)


def long_texts():
    """Return words of many windows."""
    random_ = random.Random(3)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [
        "a" * 20_000,
        "ab" * 9_000 + "a",
        " " * 5_000 + "x",
        "=" * 3_001,
        "\u4e2d" * 5_000,
        "".join(random_.choice(letters) for _ in range(20_000)),
        "".join(random_.choice("abAB \u00e9\u4e2d") for _ in range(20_000)),
        "".join(random_.choice("ab") for _ in range(20_000)),
        "".join(random_.choice("the") for _ in range(20_000)),
    ]


def texts(count, seed):
    random_ = random.Random(seed)
    return [text(random_) for _ in range(count)] + [chr(c) for c in (0x20, 0x27, 0x301, 0x4E2D)] + [""]


def invalid_bytes(count, seed):
    """Return byte strings, most of which are not UTF-8."""
    random_ = random.Random(seed)
    out = []
    for _ in range(count):
        bytes_ = bytearray(text(random_).encode())
        for _ in range(random_.choice([1, 2, 5])):
            at = random_.randrange(len(bytes_) + 1)
            bytes_[at : at + random_.choice([0, 1, 2])] = bytes(
                random_.choice([0x80, 0xBF, 0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xA0, 0xF0, 0x90, 0xF4, 0xFF])
                for _ in range(random_.choice([0, 1, 2, 3]))
            )
        out.append(bytes(bytes_))
    return out
