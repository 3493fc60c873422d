# SPDX-License-Identifier: Apache-2.0
"""The command line of the scripts that compare the results of our programs with a peer."""

import argparse
import subprocess
import sys
import tempfile

from compare import load_manifest


def main(peer, prepare):
    """Runs PROGRAM in a temporary folder. `prepare(records, folder)` returns the records to check.
    `check(record)` yields a line for each error in a record. Exits with 1 if there is an error, or no
    record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", default="", metavar="PART_OF_NAME")
    parser.add_argument("--seed", default="0")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([arguments.program, folder, arguments.only, arguments.seed], check=True)
        records, check = prepare(load_manifest(folder), folder)
        failed = 0
        for record in records:
            wrong = list(check(record))
            failed += bool(wrong)
            for line in wrong:
                print(f"{record['name']}: {line}")
    print(f"{len(records) - failed} of {len(records)} agree with {peer}")
    sys.exit(0 if records and not failed else 1)
