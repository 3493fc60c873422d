// SPDX-License-Identifier: Apache-2.0
// Positional encodings.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/nn/context.h"

namespace meshwright::nn {

/// Returns 0, 1, 2, ... as s32 [len].
Value positions(std::int64_t len);

/// How the elements of a vector are paired for rotation: i with i + n/2, or 2i with 2i + 1.
enum class RopePairs { halves, neighbours };

struct RopeOptions {
  double max_timescale = 10000;
  RopePairs pairs = RopePairs::halves;
};

/// Rotary position embedding: rotates pairs of elements of queries and keys by angles proportional
/// to the position. Create one Rope and share it among all layers.
class Rope {
 public:
  Rope() = default;
  /// `dim`: size of a head. `positions`: integers, [len] or [batch, len].
  Rope(Value positions, std::int64_t dim, const RopeOptions& options = {});

  bool is_null() const { return cosine_.is_null(); }
  /// Rotates x (batch len ... dim). Computes in f32.
  Value operator()(Value x) const;

 private:
  Value cosine_, sine_;  // len dim/2, or batch len dim/2
  RopePairs pairs_ = RopePairs::halves;
};

/// Returns f32 sinusoidal embeddings along a new last axis of size `dim`, sines first. Wavelengths
/// range from 2 pi to 2 pi max_timescale.
Value sincos(Value positions, std::int64_t dim, double max_timescale = 10000);
/// Returns sinusoidal embeddings of a grid, row by row, [height * width, dim]: the first half of
/// each vector encodes the column and the second half the row, as in Big Vision.
Value sincos_2d(std::int64_t height,
                std::int64_t width,
                std::int64_t dim,
                double max_timescale = 10000);

struct RelativeBiasOptions {
  bool is_bidirectional = true;
  int num_buckets = 32;
  int max_distance = 128;
  std::string heads = "kv q";  // axis names
};

/// T5's relative position bias: a learned value per head and bucket of distances, added to the
/// attention logits.
class RelativeBias : public Module {
 public:
  RelativeBias(Module* parent, std::string name, const RelativeBiasOptions& options = {});

  /// Returns f32 [kv, q, len, src] for query positions [len] and key positions [src].
  Value operator()(Ctx& p, Value query_positions, Value key_positions) const;
  /// Returns f32 [kv, q, len + src - 1] for the distances from -(len - 1) to src - 1.
  Value by_distance(Ctx& p, std::int64_t len, std::int64_t src) const;

 private:
  Value of(Ctx& p, Value distance) const;  // [..., kv, q]

  RelativeBiasOptions options_;
  Param table_;
};

}  // namespace meshwright::nn
