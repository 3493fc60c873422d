// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "meshwright/train/offline/trained_model.h"
#include "meshwright/train/task/generation.h"

namespace meshwright::train {

struct GeneratedText {
  std::vector<std::int32_t> tokens;  // excluding the prompt and an end token
  double score = 0;                  // log probability; length-normalised in beam search
  bool has_ended = false;            // true if it ended with an end token
  bool is_complete = true;           // false if more tokens would follow
};

/// Called with the texts of all prompts so far. Returns false to generate no more.
using WatchTexts = std::function<bool(const std::vector<GeneratedText>& texts)>;

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

/// Continues prompts with a trained model. Compiles programs for each combination of prompt count,
/// padded length and continuation length.
class Generator {
 public:
  /// `model` must outlive the generator. Calls throw unimplemented if the task cannot generate.
  Generator(const TrainedModel& model, const GenerateOptions& options, std::int64_t seed);

  /// Returns the alternatives for each prompt, best first. Samples depend on the seed, the number
  /// of earlier calls and the index of the prompt in this call.
  /// Tasks that generate in parts call `watch` after the first token and then about every 50 ms,
  /// except after the last. The texts do not depend on it, as far as they are generated.
  std::vector<std::vector<GeneratedText>> operator()(
      const std::vector<std::vector<std::int32_t>>& prompts, const WatchTexts& watch = {});

 private:
  // Sizes for which a program is compiled.
  struct Shape {
    std::int64_t num_rows = 0, len = 0;  // of the prompts
    std::int64_t max_tokens = 0;
    // clang-tidy 14 mistakes the zero in <=> for a null pointer.
    auto operator<=>(const Shape&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  // Either generates whole continuations, or reads the prompts, and `next` generates parts.
  struct Programs {
    runtime::Executable first;
    std::optional<runtime::Executable> next;
  };
  runtime::Executable compiled(const graph::Program& program, const Shape& shape) const;
  Programs compiled(const Shape& shape) const;
  const Programs& programs_for(const Shape& shape);
  std::vector<std::vector<GeneratedText>> in_parts(
      const Programs& programs,
      std::vector<runtime::DeviceArray> state,
      const std::vector<std::vector<std::int32_t>>& prompts,
      const WatchTexts& watch);

  const TrainedModel& model_;
  GenerateOptions options_;
  std::int64_t seed_;
  std::uint32_t num_calls_ = 0;
  std::map<Shape, Programs> programs_;
};

}  // namespace meshwright::train
