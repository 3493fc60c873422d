# SPDX-License-Identifier: Apache-2.0
"""Documents in English, in code and in 90 other languages, from packages of the environment data_bench.

There are two sets: `tuning`, to profile and tune with, and `withheld`, which benches measure. No package
file is in both."""

import ast
import gzip
import hashlib
import html
import json
import pathlib
import re
import struct
import sysconfig

import numpy as np

PACKAGES = pathlib.Path(sysconfig.get_path("purelib"))
SHARES = {"english": 0.38, "code": 0.28, "languages": 0.34}
DOCUMENT_CHARACTERS = 4000
MOST_BYTES = 100_000  # of a source file


def documents(name, num_bytes):
    """Returns documents of the set `name` as strings, always the same, that have about `num_bytes`."""
    chosen = []
    for kind, share in SHARES.items():
        size = 0
        for _, text in sorted(KINDS[kind](name)):
            if size >= share * num_bytes:
                break
            chosen.append(text)
            size += len(text.encode())
    return sorted(chosen, key=order)


def write(path, documents):
    """Writes strings or bytes, each after its number of bytes as a 32-bit number."""
    with open(path, "wb") as file:
        for text in documents:
            data = text if isinstance(text, bytes) else text.encode()
            file.write(struct.pack("<I", len(data)) + data)


def read(path):
    """Returns the documents of a file as bytes."""
    return list(framed(pathlib.Path(path).read_bytes(), 1))


def framed(data, item_bytes):
    """Returns parts of `data` that follow the number of their items."""
    at = 0
    while at < len(data):
        (count,) = struct.unpack_from("<I", data, at)
        end = at + 4 + count * item_bytes
        yield data[at + 4 : end]
        at = end


def write_ids(path, documents):
    """Writes the ids of documents, each after their number, as 32-bit numbers."""
    with open(path, "wb") as file:
        for ids in documents:
            file.write(struct.pack("<I", len(ids)) + np.asarray(ids, np.int32).tobytes())


def read_ids(path):
    """Returns the ids of documents as arrays."""
    return [np.frombuffer(ids, np.int32) for ids in framed(pathlib.Path(path).read_bytes(), 4)]


def order(text):
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def files(name, pattern):
    """Returns the package files of a set that match, by their paths."""
    for path in PACKAGES.glob(pattern):
        key = str(path.relative_to(PACKAGES))
        digest = hashlib.blake2b(source_key(key).encode(), digest_size=8).digest()
        if (digest[0] % 2 == 0) == (name == "tuning"):
            yield digest + key.encode(), path


def source_key(path):
    """The translations of one component and the versions of one service have the same key."""
    return re.sub(r"/(translations|\d{4}-\d\d-\d\d)/.*", "", path)


def pieces(parts):
    """Joins short texts into documents."""
    document, size = [], 0
    for part in parts:
        document.append(part)
        size += len(part)
        if size >= DOCUMENT_CHARACTERS:
            yield "\n".join(document)
            document, size = [], 0
    if document:
        yield "\n".join(document)


def keyed(found):
    """Orders the documents of files by hashes."""
    for key, texts in found:
        for i, text in enumerate(texts):
            yield hashlib.blake2b(key + bytes([i % 256, i // 256])).digest(), text


def english(name):
    """The descriptions of services and their parameters."""
    return keyed((key, pieces(descriptions(path)))
                 for key, path in files(name, "botocore/data/*/*/service-2.json*"))


def descriptions(path):
    data = path.read_bytes()
    service = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    seen = set()
    for text in strings_of(service, "documentation"):
        text = html.unescape(re.sub(r"<[^>]*>", "", text)).strip()
        if len(text) > 80 and text not in seen:
            seen.add(text)
            yield text


def strings_of(value, name=None):
    """Returns all strings in a JSON value, or those of the members called `name`."""
    if isinstance(value, dict):
        for key, member in value.items():
            if isinstance(member, str):
                if name in (None, key):
                    yield member
            else:
                yield from strings_of(member, name)
    elif isinstance(value, list):
        for member in value:
            yield from strings_of(member, name)


def code(name):
    found = [*files(name, "homeassistant/**/*.py"), *files(name, "django/**/*.py")]
    return keyed((key, [path.read_text()]) for key, path in found if 0 < path.stat().st_size < MOST_BYTES)


def languages(name):
    """User interfaces in other languages, the same number of documents of each as far as there are any."""
    found = {}
    for key, path in files(name, "homeassistant/components/*/translations/*.json"):
        if not path.stem.startswith("en"):
            found.setdefault(path.stem, []).append((key, pieces(strings_of(json.loads(path.read_text())))))
    for key, path in files(name, "django/**/locale/*/LC_MESSAGES/*.po"):
        found.setdefault(path.parts[-3], []).append((key, pieces(translated(path.read_text()))))
    for texts in found.values():
        yield from ((i.to_bytes(4) + key, text) for i, (key, text) in enumerate(sorted(keyed(texts))))


def translated(catalogue):
    """Returns the translations in a gettext catalogue."""
    for entry in re.findall(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', catalogue, re.MULTILINE):
        text = "".join(ast.literal_eval(line) for line in entry.splitlines())
        if text and "Content-Type:" not in text:
            yield text


KINDS = {"english": english, "code": code, "languages": languages}
