// SPDX-License-Identifier: Apache-2.0
// Splitters cut text into words, which models encode one by one ("pre-tokenizers").
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace meshwright::tokenizers {

/// Receives the words of a text in order, in batches.
class WordSink {
 public:
  static constexpr std::size_t kBatch = 256;

  WordSink(const WordSink&) = delete;
  WordSink& operator=(const WordSink&) = delete;

  /// Adds a word, which must not be empty.
  void push(std::string_view word) {
    words_[count_++] = word;
    if (count_ == kBatch) flush();
  }
  /// Hands over the words of an unfinished batch.
  void flush() {
    const std::size_t count = count_;
    count_ = 0;
    take(std::span(words_).first(count));
  }

 protected:
  WordSink() = default;
  ~WordSink() = default;

 private:
  virtual void take(std::span<const std::string_view> words) = 0;

  std::size_t count_ = 0;
  std::array<std::string_view, kBatch> words_;
};

/// Thread-safe.
class Splitter {
 public:
  virtual ~Splitter() = default;

  /// Pushes the words of `text`, which must be valid UTF-8, without a final flush. The words are
  /// views of `text`.
  virtual void split(std::string_view text, WordSink& words) const = 0;
};

using SplitterPtr = std::shared_ptr<const Splitter>;

/// Returns the words of a text, for tests and small texts.
std::vector<std::string_view> words_of(const Splitter& splitter, std::string_view text);

/// Returns a splitter that applies each of `parts` to the words of the one before.
SplitterPtr split_in_sequence(std::vector<SplitterPtr> parts);

}  // namespace meshwright::tokenizers
