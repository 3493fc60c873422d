// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/splitter.h"

#include <utility>

namespace meshwright::tokenizers {
namespace {

class Collected final : public WordSink {
 public:
  std::vector<std::string_view> words;

 private:
  void take(std::span<const std::string_view> batch) override {
    words.insert(words.end(), batch.begin(), batch.end());
  }
};

class SplitFurther final : public WordSink {
 public:
  SplitFurther(const Splitter& next, WordSink& words) : next_(next), words_(words) {}

 private:
  void take(std::span<const std::string_view> batch) override {
    for (const std::string_view word : batch)
      next_.split(word, words_);
  }

  const Splitter& next_;
  WordSink& words_;
};

class Pair final : public Splitter {
 public:
  Pair(SplitterPtr first, SplitterPtr second)
      : first_(std::move(first)), second_(std::move(second)) {}

  void split(std::string_view text, WordSink& words) const override {
    SplitFurther further(*second_, words);
    first_->split(text, further);
    further.flush();
  }

 private:
  SplitterPtr first_, second_;
};

class Whole final : public Splitter {
  void split(std::string_view text, WordSink& words) const override {
    if (!text.empty()) words.push(text);
  }
};

}  // namespace

std::vector<std::string_view> words_of(const Splitter& splitter, std::string_view text) {
  Collected sink;
  splitter.split(text, sink);
  sink.flush();
  return std::move(sink.words);
}

SplitterPtr split_in_sequence(std::vector<SplitterPtr> parts) {
  if (parts.empty()) return std::make_shared<Whole>();
  SplitterPtr out = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    out = std::make_shared<Pair>(std::move(out), std::move(parts[i]));
  return out;
}

}  // namespace meshwright::tokenizers
