#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the records of Parquet files that other libraries write with what pyarrow reads.

usage: parquet_peer_test.py PARQUET_RECORDS
"""

import itertools
from pathlib import Path
import random
import subprocess
import sys
import tempfile
import unittest

import duckdb
import fastparquet
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = sys.argv.pop(1)
CODECS = ["none", "snappy", "gzip", "zstd", "brotli", "lz4"]
TEXT_ENCODINGS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]


def records(path, *options):
    """Returns the lines that the program prints, without the last one, and the last one."""
    done = subprocess.run([PROGRAM, *options, str(path)], stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    return lines[:-1], lines[-1]


def line_of(number, fields, messages=()):
    out = f"{number} " + "".join(f"f{field.encode().hex()} " for field in fields)
    for role, content in messages:
        out += f"r{role.encode().hex()} c{content.encode().hex()} "
    return out


def texts(rng, count, nulls=0.0, long_text=False):
    words = ["", "a", "one two", "caf\u00e9", "\U0001f600", "x" * 300, "tab\t\n\0", "prefix shared"]
    out = []
    for i in range(count):
        if rng.random() < nulls:
            out.append(None)
        elif rng.random() < 0.5:
            out.append(rng.choice(words))
        else:
            out.append("".join(rng.choice(words[1:5]) for _ in range(rng.randrange(30))) + str(i))
    if long_text and count > 3:
        out[count // 2] = "\u00fc" * 3_000_000
    return out


class ParquetPeer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "a.parquet"
        self.rng = random.Random(7)

    def check_text(self, column="text", *options):
        """Nulls are corrupt records, which are skipped."""
        table = pq.read_table(self.path)
        values = table.column(column).cast(pa.large_string()).to_pylist()
        expected = [line_of(i, [v]) for i, v in enumerate(values) if v is not None]
        for threads in ("1", "3"):
            got, last = records(self.path, "--fields", column, "--skip", "1000000", "--threads",
                                threads, *options)
            self.assertEqual(got, expected, last)
            nulls = sum(v is None for v in values)
            self.assertIn(f"accepted {len(expected)} corrupt {nulls} ", last)

    def test_codecs_encodings_and_page_versions(self):
        nulls = itertools.cycle([0.0, 0.3, 1.0])
        for codec, version, encoding in itertools.product(CODECS, ["1.0", "2.0"],
                                                          [None, *TEXT_ENCODINGS]):
            with self.subTest(codec=codec, version=version, encoding=encoding):
                table = pa.table({"other": list(range(5000)),
                                  "text": pa.array(texts(self.rng, 5000, next(nulls)), pa.string())})
                pq.write_table(table, self.path, compression=codec, data_page_version=version,
                               use_dictionary=encoding is None, data_page_size=20_000,
                               row_group_size=1700, write_page_checksum=True,
                               column_encoding={"text": encoding} if encoding else None)
                self.check_text()

    def test_sizes(self):
        for page, dictionary, group in itertools.product([1, 3000, 1 << 20], [100, 1 << 20], [7, 900]):
            with self.subTest(page=page, dictionary=dictionary, group=group):
                table = pa.table({"text": texts(self.rng, 1000, 0.1)})
                pq.write_table(table, self.path, data_page_size=page, row_group_size=group,
                               dictionary_pagesize_limit=dictionary)
                self.check_text()

    def test_types(self):
        for kind in [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]:
            with self.subTest(kind=kind):
                array = pa.array(texts(self.rng, 400), pa.string()).cast(kind)
                pq.write_table(pa.table({"text": array}), self.path)
                self.check_text()

    def test_required_empty_and_long(self):
        schema = pa.schema([pa.field("text", pa.string(), nullable=False)])
        for count in (0, 1, 1000):
            for encoding in TEXT_ENCODINGS:
                table = pa.table([pa.array(texts(self.rng, count, long_text=True))], schema=schema)
                pq.write_table(table, self.path, use_dictionary=False,
                               column_encoding={"text": encoding})
                self.check_text()

    def test_nested(self):
        rows = []
        for text in texts(self.rng, 3000, 0.2):
            rows.append({"meta": self.rng.choice([None, {"title": text, "a": {"b": text}},
                                                  {"title": None, "a": None}])})
        for version in ("1.0", "2.0"):
            pq.write_table(pa.Table.from_pylist(rows), self.path, data_page_version=version,
                           data_page_size=5000)
            for path in (["meta", "title"], ["meta", "a", "b"]):
                expected = []
                for i, row in enumerate(rows):
                    value = row
                    for name in path:
                        value = value and value[name]
                    if value is not None:
                        expected.append(line_of(i, [value]))
                got, last = records(self.path, "--fields", ".".join(path), "--skip", "100000")
                self.assertEqual(got, expected, last)

    def messages(self, count):
        out = []
        for i in range(count):
            size = 3000 if i % 500 == 499 else self.rng.choice([0, 1, 2, 5, 20])
            values = texts(self.rng, size)
            out.append([{"role": self.rng.choice(["user", "bot"]), "content": v, "n": 3}
                        for v in values])
        return out

    def check_messages(self, rows, *options):
        expected = [line_of(i, [], [(m["role"], m["content"]) for m in row])
                    for i, row in enumerate(rows)]
        got, last = records(self.path, "--fields", "", "--messages", "chat", *options)
        self.assertEqual(got, expected, last)

    def test_messages(self):
        rows = self.messages(1000)
        table = pa.table({"id": list(range(len(rows))), "chat": rows})
        for version, codec in itertools.product(["1.0", "2.0"], ["snappy", "zstd"]):
            for page, compliant in itertools.product([100, 1 << 20], [True, False]):
                pq.write_table(table, self.path, data_page_version=version, compression=codec,
                               data_page_size=page, row_group_size=350,
                               use_compliant_nested_type=compliant)
                self.check_messages(rows)
        polars.DataFrame({"chat": rows}).write_parquet(self.path)
        self.check_messages(rows)
        duckdb.register("written", table)
        duckdb.sql(f"copy (select chat from written) to '{self.path}' (format parquet)")
        self.check_messages(rows, "--threads", "2")

    def test_null_messages(self):
        good = {"role": "a", "content": "b"}
        rows = [None, [], [good], [None], [{"role": None, "content": "x"}], [good, good]]
        kind = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
        pq.write_table(pa.table({"chat": pa.array(rows, kind)}), self.path)
        got, last = records(self.path, "--fields", "", "--messages", "chat", "--skip", "10")
        expected = [line_of(i, [], [("a", "b")] * len(rows[i])) for i in (1, 2, 5)]
        self.assertEqual(got, expected)
        self.assertIn("corrupt 3", last)

    def test_other_writers(self):
        values = texts(self.rng, 20_000, 0.1)
        table = pa.table({"text": pa.array(values, pa.string())})
        for codec in ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4"):
            with self.subTest(codec=codec):
                polars.DataFrame({"text": values}).write_parquet(
                    self.path, compression=codec, row_group_size=6000)
                self.check_text()
        duckdb.register("written", table)
        for codec in ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"):
            for version in ("v1", "v2"):
                with self.subTest(codec=codec, version=version):
                    duckdb.sql(f"copy (select * from written) to '{self.path}' (format parquet, "
                               f"codec {codec}, row_group_size 5000, parquet_version {version})")
                    self.check_text()
        frame = pandas.DataFrame({"text": pandas.Series(values, dtype=object)})
        for codec in ("UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4_RAW"):
            with self.subTest(codec=codec):
                fastparquet.write(str(self.path), frame, compression=codec, object_encoding="utf8",
                                  row_group_offsets=[0, 9000])
                self.check_text()

    def test_equal(self):
        count = 3000
        columns = {
            "text": [str(i) for i in range(count)],
            "i": pa.array([self.rng.choice([None, -1, 0, 7, 1 << 40]) for _ in range(count)]),
            "u": pa.array([self.rng.choice([0, 4_000_000_000]) for _ in range(count)], pa.uint32()),
            "s": [self.rng.choice([None, "en", "de"]) for _ in range(count)],
            "b": pa.array([self.rng.choice([None, True, False]) for _ in range(count)]),
            "d": pa.array([self.rng.choice([0.1, 2.5, -3.0]) for _ in range(count)]),
            "f": pa.array([self.rng.choice([0.1, 2.5]) for _ in range(count)], pa.float32()),
        }
        table = pa.table(columns)
        wanted = [("i", "-1", -1), ("i", str(1 << 40), 1 << 40), ("i", "null", None),
                  ("u", "4000000000", 4_000_000_000), ("s", "en", "en"), ("s", "null", None),
                  ("b", "true", True), ("b", "false", False), ("d", "0.1", 0.1), ("d", "-3", -3.0),
                  ("f", "0.1", pa.scalar(0.1, pa.float32()).as_py())]
        for version, plain in itertools.product(["1.0", "2.0"], [True, False]):
            encodings = {"i": "DELTA_BINARY_PACKED", "u": "DELTA_BINARY_PACKED", "b": "RLE"}
            pq.write_table(table, self.path, data_page_version=version, use_dictionary=False,
                           data_page_size=2000, column_encoding=None if plain else encodings)
            for name, written, value in wanted:
                with self.subTest(version=version, plain=plain, name=name, value=written):
                    rows = table.column(name).to_pylist()
                    expected = [line_of(i, [str(i)]) for i, v in enumerate(rows) if v == value]
                    got, last = records(self.path, "--equal", f"{name}={written}")
                    self.assertEqual(got, expected, last)

    def test_refuses_by_name(self):
        table = pa.table({"text": ["a"] * 100, "f": pa.array([1.5] * 100)})
        pq.write_table(table, self.path, use_dictionary=False,
                       column_encoding={"f": "BYTE_STREAM_SPLIT"})
        self.assertIn("BYTE_STREAM_SPLIT is not supported", records(self.path, "--equal", "f=1")[1])
        pq.write_table(pa.table({"text": [1]}), self.path)
        self.assertIn("the column 'text' is INT64, expected strings", records(self.path)[1])
        pq.write_table(pa.table({"txt": ["a"]}), self.path)
        self.assertIn("has no column 'text'; did you mean 'txt'?", records(self.path)[1])


if __name__ == "__main__":
    unittest.main()
