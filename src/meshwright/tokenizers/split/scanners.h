// SPDX-License-Identifier: Apache-2.0
// Hand-written equivalents of the regular expressions of published tokenizers. Internal to split/.
#pragma once

#include "meshwright/tokenizers/split/splitter.h"

namespace meshwright::tokenizers {

SplitterPtr gpt2_scanner();

// The family of GPT-4.
SplitterPtr cl100k_scanner();  // as in tiktoken since 0.8: a final run of spaces is one word
SplitterPtr cl100k_one_digit_scanner();  // the same with numbers of one digit
SplitterPtr llama3_scanner();
SplitterPtr qwen2_scanner();
SplitterPtr qwen3_5_scanner();

// The family of GPT-4o.
SplitterPtr o200k_scanner();
SplitterPtr tekken_scanner();

// The three splits of DeepSeek V3, which follow one another.
SplitterPtr three_digits_scanner();
SplitterPtr cjk_scanner();
SplitterPtr deepseek_scanner();

SplitterPtr one_digit_scanner();  // "\p{N}"
SplitterPtr clip_scanner();       // drops the white space between words

}  // namespace meshwright::tokenizers
