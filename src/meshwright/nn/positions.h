// SPDX-License-Identifier: Apache-2.0
// How a model knows where a token stands.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/nn/context.h"

namespace meshwright::nn {

/// 0, 1, 2, ...: s32 [len].
Value positions(std::int64_t len);

/// Which elements of a vector rotate together: i and i + n/2, or 2i and 2i + 1.
enum class RopePairs { halves, neighbours };

struct RopeOptions {
  double max_timescale = 10000;
  RopePairs pairs = RopePairs::halves;
};

/// Rotary position embedding: pairs of elements of queries and keys, turned by angles that grow
/// with the position. Made once for all layers.
class Rope {
 public:
  Rope() = default;
  /// For heads of size `dim` at these integer positions, [len] or [batch, len].
  Rope(Value positions, std::int64_t dim, const RopeOptions& options = {});

  bool is_null() const { return cosine_.is_null(); }
  /// x: batch len ... dim. Computed in f32.
  Value operator()(Value x) const;

 private:
  Value cosine_, sine_;  // len dim/2, or batch len dim/2
  RopePairs pairs_ = RopePairs::halves;
};

/// Vectors of sines and cosines, f32 positions.dims() + [dim]: the sines first, of wavelengths from
/// 2 pi to 2 pi max_timescale.
Value sincos(Value positions, std::int64_t dim, double max_timescale = 10000);
/// The same for the cells of a grid, row by row, [height * width, dim]: the first half from the
/// column, the second from the row (Big Vision's).
Value sincos_2d(std::int64_t height,
                std::int64_t width,
                std::int64_t dim,
                double max_timescale = 10000);

struct RelativeBiasOptions {
  bool is_bidirectional = true;
  int num_buckets = 32;
  int max_distance = 128;
  std::string heads = "kv q";  // axes
};

/// T5's: a number for each head and each bucket of distances, added to the logits of attention.
class RelativeBias : public Module {
 public:
  RelativeBias(Module* parent, std::string name, const RelativeBiasOptions& options = {});

  /// For positions of queries [len] and keys [src]: f32 [kv, q, len, src].
  Value operator()(Ctx& p, Value query_positions, Value key_positions) const;

 private:
  RelativeBiasOptions options_;
  Param table_;
};

}  // namespace meshwright::nn
