// SPDX-License-Identifier: Apache-2.0
// Synthetic images to classify without files: simple shapes with random position, size and
// brightness on a noisy background.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "meshwright/data/core/image_batch.h"

namespace meshwright::data {

/// Class names, indexed by label.
inline constexpr std::string_view kShapeNames[] = {"circle", "square", "triangle", "cross"};

struct ShapesOptions {
  std::int64_t batch_size = 0;
  std::int64_t size = 16;  // height and width in pixels, at least 8
  double noise = 0.1;  // maximum change of a pixel; shapes differ from the background by 0.5 to 1
  std::int64_t seed = 0;
  /// Number of batches of held-out images, which are the same for all seeds. If absent, the source
  /// is endless training data.
  std::optional<std::int64_t> num_held_out_batches = {};
};

class ShapesSource : public Source {
 public:
  /// Throws invalid_argument unless batch_size > 0, size >= 8 and noise >= 0.
  explicit ShapesSource(ShapesOptions options);

  std::string name() const override { return "shapes"; }
  const BatchSpec& spec() const override { return spec_; }
  std::optional<std::int64_t> num_batches() const override { return options_.num_held_out_batches; }
  Tree<Scalar> identity() const override;
  Batch batch(std::int64_t step, Rows rows) const override;

 private:
  ShapesOptions options_;
  BatchSpec spec_;
};

}  // namespace meshwright::data
