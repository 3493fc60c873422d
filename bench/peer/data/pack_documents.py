# SPDX-License-Identifier: Apache-2.0
"""Packs tokens into rows with the functions of another library.

usage: pack_documents.py trl|torchtitan IDS LENGTH

IDS is a file of tokenize_texts.py. The functions are taken out of the packages' sources, whose other
imports are not installed. Prints the seconds of CPU time, and the number of rows and of tokens in them.
"""

import ast
import logging
import pathlib
import sys
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))
import numpy as np
import texts

TRL_BATCH = 1000  # what datasets.map gives to a function at once


def definitions(file, names, within=None, **variables):
    """Executes the definitions of functions and classes in a source file, or in the class `within`; returns
    them and the other variables."""
    body = ast.parse((texts.PACKAGES / file).read_text()).body
    if within:
        body = next(node.body for node in body if getattr(node, "name", None) == within)
    for node in body:
        if getattr(node, "name", None) in names:
            exec("from __future__ import annotations\n" + ast.unparse(node), variables)
    return variables


def trl(documents, length):
    from collections import defaultdict, deque

    import pyarrow
    from pyarrow import compute
    found = definitions("trl/data_utils.py", ["_check_if_columns_can_be_packed", "_SegmentTree", "_pack_bfd"],
                        pyarrow=pyarrow, pa=pyarrow, pc=compute, np=np, defaultdict=defaultdict, deque=deque)
    ends = np.cumsum([0, *map(len, documents)])
    ids = pyarrow.ListArray.from_arrays(pyarrow.array(ends, pyarrow.int32()), np.concatenate(documents))
    table = pyarrow.table({"input_ids": ids})

    def rows():
        for begin in range(0, len(table), TRL_BATCH):
            packed = found["_pack_bfd"](table.slice(begin, TRL_BATCH), length)
            yield from compute.list_value_length(packed["input_ids"]).to_pylist()
    return rows


def torchtitan(documents, length):
    found = definitions("torchtitan/hf_datasets/text_datasets.py", ["__iter__", "_normalize_positions"],
                        within="HuggingFaceTextDataset", torch=types.SimpleNamespace(LongTensor=np.array), logger=logging.getLogger())
    lists = [document.tolist() for document in documents]
    tokenizer = types.SimpleNamespace(encode=lambda ids, **options: ids)
    dataset = types.SimpleNamespace(
        _get_data_iter=lambda: iter(lists), _text_processor=lambda sample: sample, _tokenizer=tokenizer,
        _inputs_buffer=[], _labels_buffer=[], _positions_buffer=[], _sample_idx=0, seq_len=length,
        infinite=False, dataset_name="")
    dataset._normalize_positions = lambda positions: found["_normalize_positions"](dataset, positions)

    def rows():
        for inputs, _ in found["__iter__"](dataset):
            yield len(inputs["input"])
    return rows


def main():
    logging.disable()
    library, path, length = sys.argv[1:]
    rows = globals()[library](texts.read_ids(path), int(length))
    begin = time.process_time()
    lengths = list(rows())
    print("seconds", time.process_time() - begin)
    print("rows", len(lengths))
    print("tokens", sum(lengths))


if __name__ == "__main__":
    main()
