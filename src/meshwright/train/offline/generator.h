// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "meshwright/train/offline/trained_model.h"
#include "meshwright/train/task/generation.h"

namespace meshwright::train {

struct GeneratedText {
  std::vector<std::int32_t> tokens;  // without the prompt and the end token
  double score = 0;                  // log probability; by beam search weighed by length
  bool has_ended = false;            // by the end token
};

/// To how many tokens prompts are padded of which the longest has so many: a power of two, so that
/// few programs serve all of them; less where there are no more positions. Throws invalid_argument
/// if there are too few for the longest one and its continuation.
std::int64_t padded_length(std::int64_t longest,
                           std::int64_t max_tokens,
                           std::optional<std::int64_t> max_positions);

/// The most tokens that continue prompts of which the longest has so many: what the options say, or
/// what the model's positions leave if they allow it.
std::int64_t continuation_length(std::int64_t longest,
                                 const GenerateOptions& options,
                                 std::optional<std::int64_t> max_positions);

/// Continues prompts with a trained model. Compiles a program for each number of prompts and each
/// padded length.
class Generator {
 public:
  /// Both must outlive it. Throws unimplemented, when it is called, for a task that generates
  /// nothing.
  Generator(const TrainedModel& model, const GenerateOptions& options, std::int64_t seed);

  /// The alternatives for each prompt, the best first. What is drawn depends on the seed, on how
  /// many calls there were before, and on the place among the prompts of this one.
  std::vector<std::vector<GeneratedText>> operator()(
      const std::vector<std::vector<std::int32_t>>& prompts);

 private:
  // What a program is compiled for.
  struct Shape {
    std::int64_t num_rows = 0, len = 0;  // of prompts
    std::int64_t max_tokens = 0;
    // clang-tidy 14 takes its zero for a pointer.
    auto operator<=>(const Shape&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  const runtime::Executable& compiled(const Shape& shape);

  const TrainedModel& model_;
  GenerateOptions options_;
  std::int64_t seed_;
  std::uint32_t num_calls_ = 0;
  std::map<Shape, runtime::Executable> executables_;
};

}  // namespace meshwright::train
