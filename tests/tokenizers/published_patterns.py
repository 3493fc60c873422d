# SPDX-License-Identifier: Apache-2.0
"""The regular expressions by which published tokenizers split text, in Oniguruma's grammar."""

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
PREFIX = r"[^\r\n\p{L}\p{N}]?"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*" + SPACES
QWEN3_5 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*" + SPACES
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*" + SPACES
O200K = f"{PREFIX}{UPPER}*{LOWER}+{CONTRACTIONS}?|{PREFIX}{UPPER}+{LOWER}*{CONTRACTIONS}?" + r"|\p{N}{1,3}" + REST
TEKKEN = f"{PREFIX}{UPPER}*{LOWER}+|{PREFIX}{UPPER}+{LOWER}*" + r"|\p{N}" + REST
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^" + "\r\n" + r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[" + "\r\n]*" + r"|\s*[" + "\r\n" + r"]+|\s+(?!\S)|\s+"
)
DEEPSEEK_SPLITS = [r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", DEEPSEEK]
