// SPDX-License-Identifier: Apache-2.0
// Small configs whose programs are traced in milliseconds. Cases override their keys.
#pragma once

#include <string>

namespace meshwright::config_keys {

/// A decoder on additions, with an evaluator `name`.
inline constexpr char kLm[] = R"(
dir = "run"
max_step = 40
log = { type = "every_n", n = 4 }
[task]
type = "lm"
model = { vocab = 12, layers = 2, embed = 8, kv = 2, q = 1, dim = 4, mlp = 16 }
[data]
type = "arithmetic"
batch_size = 4
num_digits = 1
[optimizer]
type = "sgd"
learning_rate = 0.125
[checkpoint]
when = { type = "every_n", n = 8, and_last = true }
[evaluators.name]
method = "loss"
num_batches = 2
when = { type = "every_n", n = 10 }
data = { type = "held_out_arithmetic", batch_size = 4, num_digits = 1 }
)";

/// A decoder with learned positions and moving averages.
inline constexpr char kLearnedPositions[] = R"(
dir = "run"
max_step = 2
learner = { ema = { decay = 0.5 } }
[task]
type = "lm"
[task.model]
style = "gpt2"
vocab = 12
layers = 2
embed = 8
kv = 2
q = 1
dim = 4
mlp = 16
max_len = 16
[data]
type = "arithmetic"
batch_size = 4
num_digits = 1
[optimizer]
type = "sgd"
learning_rate = 0.125
[checkpoint]
when = { type = "every_n", n = 1 }
)";

/// A vision transformer on shapes.
inline constexpr char kVit[] = R"(
dir = "run"
max_step = 40
[task]
type = "image_classification"
model = { classes = 4, patch = 4, layers = 2, embed = 8, heads = 2, mlp = 16 }
[data]
type = "shapes"
batch_size = 4
size = 8
[optimizer]
type = "sgd"
learning_rate = 0.125
[evaluators.name]
method = "loss"
num_batches = 2
data = { type = "held_out_shapes", batch_size = 4, size = 8, num_batches = 4 }
)";

/// An encoder-decoder that reverses words.
inline constexpr char kSeq2Seq[] = R"(
dir = "run"
max_step = 40
[task]
type = "seq2seq"
[task.model]
vocab = 32
embed = 8
heads = 2
dim = 4
mlp = 16
encoder_layers = 2
decoder_layers = 2
[data]
type = "sequences"
batch_size = 4
[optimizer]
type = "sgd"
learning_rate = 0.125
[evaluators.name]
method = "exact_match"
num_batches = 2
data = { type = "held_out_sequences", batch_size = 4 }
)";

/// Returns the config without its evaluator.
inline std::string without_evaluator(const std::string& base) {
  return base.substr(0, base.find("[evaluators.name]"));
}

}  // namespace meshwright::config_keys
