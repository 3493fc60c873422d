# SPDX-License-Identifier: Apache-2.0
"""Phrases that check_prose rejects, each with the reason and a better wording.

The rule behind them: subject, verb, object, in the words of the field. A comment says what the caller
gets: Returns ..., Throws ..., True if ... To add a phrase, try its pattern with `check_prose --all`
first: one that is often right costs more than it saves.
"""

from dataclasses import dataclass
import re

ALL = ("comment", "string", "markdown")
# The start of a passage, sentence, list item or table cell, but not of a heading.
START = r"(?:\A[^\w#]*|[.!?]\s+|\n[^\S\n]*(?:[-*]|\d+\.)\s+)"


@dataclass
class Phrase:
    pattern: re.Pattern  # its group `phrase` is what is reported
    reason: str
    better: str
    kinds: tuple = ALL


def anywhere(words, reason, better):
    """A phrase of whole words, in any case, which line breaks may divide."""
    return Phrase(re.compile(rf"\b(?P<phrase>{spaced(words)})", re.IGNORECASE), reason, better)


def at_start(words, reason, better, kinds=ALL, before=START):
    """A phrase that starts a sentence."""
    return Phrase(re.compile(rf"{before}(?P<phrase>{spaced(words)})"), reason, better, kinds)


def spaced(words):
    return words.replace(" ", r"\s+")


PHRASES = [
    at_start(r"Of\b", "sentence starts with 'Of'", "name the subject first"),
    at_start(r"The same\b(?! (?:holds|applies|goes) )", "sentence starts with 'The same'",
             "say what it does, or 'Like f(), but ...'"),
    at_start(r"What\b(?![^.]*\?)", "'What ...' as a subject", "use a noun: 'Options of ...', 'Bytes that ...'"),
    at_start(r"Who\b(?![^.]*\?)", "'Who ...' as a subject", "use a noun: 'A caller that ...'"),
    at_start(r"Whether\b", "clause instead of a sentence", "'True if ...'", kinds=("comment",)),
    at_start(r"Which\b(?![^.]*\?)", "clause instead of a sentence", "'Returns the ... that ...'", kinds=("comment",)),
    at_start(r"Not for other folders\b", "riddling", "'Internal to FOLDER/.'"),
    anywhere(r"of ours\b", "not idiomatic", "'our ...', or 'Meshwright's ...'"),
    anywhere(r"that (?:is|are) none\b", "riddling", "'invalid', or 'is not a valid ...'"),
    anywhere(r"(?:is|are|was|were|be|been|being) told\b(?! apart)", "passive of 'tell'",
             "'is reported', or 'gets', 'receives'"),
    anywhere(r"as (?:it|they) (?:is|are|was|were|stands?|lies?)(?=\s*(?:[.,;:)]|\Z))", "not idiomatic",
             "'unchanged', or 'as stored'"),
    anywhere(r"for who\b", "not grammatical", "'for callers that ...'"),
    anywhere(r"anew\b", "archaic", "'again', or 'from scratch'"),
    anywhere(r"not to be had\b", "archaic", "'unavailable'"),
    anywhere(r"(?:may|can) be had\b", "archaic", "'is available'"),
    anywhere(r"likeliest\b", "unusual", "'most likely'"),
    anywhere(r"whose newest checkpoint it is\b", "inverted", "'a run folder (its newest checkpoint)'"),
    anywhere(r"(?:nothing|something) else is said\b", "riddling", "'by default'"),
    anywhere(r"what there (?:is|was)\b", "riddling", "name it: 'existing ...'"),
    anywhere(r"nobody (?:else )?(?:uses|needs|reads)\b", "personifies code", "'unused'"),
    anywhere(r"for people\b", "not the field's word", "'human-readable', or 'console output'"),
    anywhere(r"for programs(?=\s*[.,;:)]|\s+and\b|\Z)", "not the field's word", "'machine-readable', or 'JSON'"),
    anywhere(r"for ever\b", "archaic spelling", "'forever'"),
    anywhere(r"mend(?:s|ed|ing)?\b", "archaic", "'fix'"),
    anywhere(r"judg(?:e|es|ed|ing)\b", "not the field's word", "'evaluate'"),
    anywhere(r"(?:do|does|did) not suit\b", "not the field's word", "'does not match', or 'does not fit'"),
    anywhere(r"lets? go\b(?! of)", "riddling", "'delete', or 'release'"),
    anywhere(r"and not (?:the )?\S+ (?:it|they) should\b", "riddling", "'expected ...'"),
    anywhere(r"is not the one (?:it|that)\b", "riddling", "'mismatch'"),
    anywhere(r"how (?!often )(?:\w+ ){1,3}lies?\b|lies? as (?:it|they|the)\b", "not the field's word",
             "'layout', or 'sharding'"),
    Phrase(re.compile(r"[;.]\s+(?P<phrase>else)\s+(?!if\b)(?!.*;\s*fi\b)"), "'else' as an adverb", "'otherwise'"),
    Phrase(re.compile(r"(?:'|\b(?:what|that|which|it))\s*(?P<phrase>(?:is|are)\s+no)\s+"
                      r"(?!longer|more|less|other|such|better|different|need|way)"),
           "inverted negation", "'is not a ...'"),
    anywhere(r"(?:(?:where|there|here)(?:of|upon|unto|in)|whence|thence|whither|lest|unto|albeit)\b", "archaic",
             "plain words"),
]
