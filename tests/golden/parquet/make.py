#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the files of this folder: tools/peers/python parquet tests/golden/parquet/make.py"""

import json
from pathlib import Path

import duckdb
import fastparquet
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).resolve().parent
ENCODINGS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]


def texts():
    out = ["", "caf\u00e9", None, "\U0001f600\n"]
    for i in range(120):
        out.append(None if i % 11 == 3 else "prefix " + "ab " * (i % 13) + str(i % 40))
    return out


def main():
    values = texts()
    chats = [[{"role": "user" if j % 2 == 0 else "bot", "content": f"{i} {j}"} for j in range(i % 4)]
             for i in range(len(values))]
    table = pa.table({
        "id": pa.array(range(len(values)), pa.int32()),
        "text": pa.array(values, pa.string()),
        "meta": [{"title": "none" if v is None else v[:3], "ok": i % 2 == 0}
                 for i, v in enumerate(values)],
        "chat": chats,
        "score": [0.5 * (i % 3) for i in range(len(values))],
    })
    for codec in ("none", "snappy", "gzip", "zstd", "brotli", "lz4"):
        for version in ("1.0", "2.0"):
            pq.write_table(table, HERE / f"arrow_{codec}_{version[0]}.parquet", compression=codec,
                           data_page_version=version, row_group_size=50, data_page_size=300,
                           write_page_checksum=True, write_statistics=False, store_schema=False)
    for encoding in ENCODINGS:
        pq.write_table(table, HERE / f"arrow_{encoding.lower()}.parquet", use_dictionary=False,
                       column_encoding={"text": encoding, "id": "DELTA_BINARY_PACKED",
                                        "meta.ok": "RLE"},
                       data_page_version="2.0", write_statistics=False, store_schema=False)
    polars.from_arrow(table).write_parquet(HERE / "polars.parquet", statistics=False)
    duckdb.register("written", table)
    duckdb.sql(f"copy (select * from written) to '{HERE}/duckdb.parquet' (format parquet)")
    frame = pandas.DataFrame({"text": pandas.Series(values, dtype=object), "id": range(len(values))})
    fastparquet.write(str(HERE / "fastparquet.parquet"), frame, object_encoding="utf8",
                      compression="SNAPPY", row_group_offsets=[0, 50])
    written = {"texts": ["null" if v is None else "=" + v for v in values]}
    (HERE / "expected.json").write_text(json.dumps(written, indent=0) + "\n")


if __name__ == "__main__":
    main()
