// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/split/splitter.h"

namespace meshwright::tokenizers {

/// Pushes the words of one text. The words of a batch are views of one buffer, in order.
using WordSource = std::function<void(WordSink&)>;

/// Gives words their tokens. Thread-safe.
class WordModel {
 public:
  virtual ~WordModel() = default;

  /// Appends the ids of the words. Words are valid UTF-8.
  virtual void encode(const WordSource& source, std::vector<Id>& ids) const = 0;
};

}  // namespace meshwright::tokenizers
