// SPDX-License-Identifier: Apache-2.0
// Prints continuations while they are generated.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/data/core/text_codec.h"
#include "meshwright/train/offline/generator.h"

namespace meshwright::cli {

/// The text of a continuation that grows. The parts together are the text of text_before().
class LiveText {
 public:
  /// The arguments must outlive it.
  LiveText(const data::TextCodec& codec, const std::vector<std::string>& stops)
      : codec_(&codec), stops_(&stops) {}

  /// Returns the text that follows what earlier calls have returned and that further tokens cannot
  /// change.
  std::string next(const train::GeneratedText& made);
  /// True if the text has reached its end.
  bool is_over() const { return is_over_; }

 private:
  std::string settled(const train::GeneratedText& made);

  const data::TextCodec* codec_;
  const std::vector<std::string>* stops_;
  std::size_t num_shown_ = 0;
  bool is_over_ = false;
};

/// Prints the continuations of several prompts in order, one line each. The first that is not over
/// is printed as far as it is known.
class LiveLines {
 public:
  using Print = std::function<void(const std::string& text)>;

  /// `print` is called with parts of lines and should flush. The references must outlive it.
  LiveLines(const data::TextCodec& codec, const std::vector<std::string>& stops, Print print)
      : codec_(codec), stops_(stops), print_(std::move(print)), text_(codec, stops) {}

  /// Prints what is new. Returns false if all texts are over.
  bool show(const std::vector<train::GeneratedText>& texts);

 private:
  const data::TextCodec& codec_;
  const std::vector<std::string>& stops_;
  Print print_;
  std::size_t row_ = 0;
  LiveText text_;  // of row_
};

}  // namespace meshwright::cli
