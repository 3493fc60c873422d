# SPDX-License-Identifier: Apache-2.0
"""Compares output quoted in documentation with the output of a command.

The two must match except for:

- `...`: any text; as a line of its own, any number of lines.
- Quantities that depend on the machine: numbers with a unit of time, rate or memory, percentages, and
  decimals followed by a unit. Any number matches.
- Other decimals, such as losses: the printed value must be within a factor of two of the quoted one.
"""

import re

NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
DECIMAL = r"\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+"
UNIT = r" ?(?:ns|us|ms|s|min|m|h|%|B|KB|MB|GB|KiB|MiB|GiB|[MGT]?FLOP(?:s|/s)?|[a-z]+/s)(?![\w])"
SPECIAL = re.compile(rf"(?P<dots>\.\.\.)|(?P<quantity>{NUMBER})(?={UNIT})|(?P<decimal>{DECIMAL})|(?P<space>[ ]+)")
FACTOR = 2


def line_matches(quoted, actual):
    pattern, expected = [], []
    end = 0
    for found in SPECIAL.finditer(quoted):
        pattern.append(re.escape(quoted[end:found.start()]))
        end = found.end()
        if found["dots"]:
            pattern.append(".*")
        elif found["quantity"]:
            pattern.append(NUMBER)
        elif found["space"]:
            pattern.append(" +")  # columns are as wide as their numbers
        else:
            pattern.append(f"({DECIMAL}|\\d+)")
            expected.append(float(found["decimal"]))
    pattern.append(re.escape(quoted[end:]))
    match = re.fullmatch("".join(pattern), actual)
    return match is not None and all(map(is_near, expected, map(float, match.groups())))


def is_near(expected, actual):
    return expected / FACTOR <= actual <= expected * FACTOR


def difference(quoted, actual):
    """Returns where the lines of an output differ from those quoted, or None if they match."""
    quoted = [line.rstrip() for line in quoted.splitlines()]
    actual = [line.rstrip() for line in actual.splitlines()]
    reached, furthest = {0}, 0  # numbers of actual lines that the quoted lines so far may cover
    for number, line in enumerate(quoted):
        if line.strip() == "...":
            reached = set(range(min(reached), len(actual) + 1))
            continue
        after = {i + 1 for i in reached if i < len(actual) and line_matches(line, actual[i])}
        if not after:
            before = f"after quoted line {quoted[number - 1]!r}" if number else "at the beginning"
            return f"{before}: expected {line!r}, found:\n" + "\n".join(actual[min(reached):][:20])
        reached, furthest = after, max(after)
    if len(actual) not in reached:
        return "not quoted, at the end:\n" + "\n".join(actual[furthest:])
    return None
