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
  std::vector<std::int32_t> tokens;  // excluding the prompt and the end token
  double score = 0;                  // log probability; length-normalised in beam search
  bool has_ended = false;            // true if it ended with the end token
};

/// Returns the length to which to pad prompts of at most `longest` tokens: a power of two, so that
/// few programs are compiled, limited by `max_positions`. Throws invalid_argument if there are too
/// few positions for the longest prompt and its continuation.
std::int64_t padded_length(std::int64_t longest,
                           std::int64_t max_tokens,
                           std::optional<std::int64_t> max_positions);

/// Returns the maximum length of continuations for prompts of at most `longest` tokens:
/// `options.max_tokens`. If the options allow shorter continuations and the longest prompt leaves
/// fewer of the `max_positions`, returns the number that it leaves, but at least 1.
std::int64_t continuation_length(std::int64_t longest,
                                 const GenerateOptions& options,
                                 std::optional<std::int64_t> max_positions);

/// Continues prompts with a trained model. Compiles a program for each combination of prompt count,
/// padded length and continuation length.
class Generator {
 public:
  /// `model` must outlive the generator. Calls throw unimplemented if the task cannot generate.
  Generator(const TrainedModel& model, const GenerateOptions& options, std::int64_t seed);

  /// Returns the alternatives for each prompt, best first. Samples depend on the seed, the number
  /// of earlier calls and the index of the prompt in this call.
  std::vector<std::vector<GeneratedText>> operator()(
      const std::vector<std::vector<std::int32_t>>& prompts);

 private:
  // Sizes for which a program is compiled.
  struct Shape {
    std::int64_t num_rows = 0, len = 0;  // of the prompts
    std::int64_t max_tokens = 0;
    // clang-tidy 14 mistakes the zero in <=> for a null pointer.
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
