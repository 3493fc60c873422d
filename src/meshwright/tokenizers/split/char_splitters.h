// SPDX-License-Identifier: Apache-2.0
// The pre-tokenizers of tokenizer.json that look at one character at a time.
#pragma once

#include <string>

#include "meshwright/tokenizers/split/rule.h"
#include "meshwright/tokenizers/split/splitter.h"

namespace meshwright::tokenizers {

/// Splits at white space, which is dropped.
SplitterPtr whitespace_splitter();
/// Splits into runs of word characters and of other characters; drops white space. "Whitespace" in
/// tokenizer.json.
SplitterPtr word_splitter();
/// Splits at white space, which is dropped, and isolates punctuation.
SplitterPtr bert_splitter();
SplitterPtr punctuation_splitter(SplitBehavior behavior);
SplitterPtr digits_splitter(bool individual);

}  // namespace meshwright::tokenizers
