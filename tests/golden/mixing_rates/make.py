#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write rates.tsv with the function of the installed seqio. Importing seqio needs TensorFlow, which the function does
not use, so the function is taken out of its file."""

import ast
import importlib.util
import logging
import pathlib
import types
import typing

NAME = "mixing_rate_num_examples"


def function_of_seqio():
    folder = pathlib.Path(importlib.util.find_spec("seqio").origin).parent
    tree = ast.parse((folder / "utils.py").read_text())
    tree.body = [node for node in tree.body if getattr(node, "name", "") == NAME]
    names = {"Optional": typing.Optional, "logging": logging}
    exec(compile(tree, "utils.py", "exec"), names)
    return names[NAME]


def main():
    rate = function_of_seqio()
    lines = []
    for size in [1, 2, 7, 1000, 365_000, 87_599, 392_702, 1_000_003, 364_868_892, 2**40 + 1, 2**53]:
        task = types.SimpleNamespace(cache_dir="cached", get_cached_stats=lambda split: {"examples": size})
        for maximum in [None, 1, 2**16, 2**19, 1e6, 2**21]:
            maximum = None if maximum is None else int(maximum)
            for temperature in [1.0, 2.0, 3.3333, 5.0, 8.0, 0.5]:
                value = rate(task, maximum=maximum, temperature=temperature)
                lines.append(f"{size}\t{maximum or 0}\t{temperature}\t{float(value)!r}\n")
    (pathlib.Path(__file__).parent / "rates.tsv").write_text("".join(lines))


main()
