// SPDX-License-Identifier: Apache-2.0
// Images of simple shapes, drawn anywhere in any size and brightness over noise, and which shape it
// is: something to classify that needs no files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "meshwright/data/image_batch.h"

namespace meshwright::data {

/// Names of the classes by label.
inline constexpr std::string_view kShapeNames[] = {"circle", "square", "triangle", "cross"};

struct ShapesOptions {
  std::int64_t batch_size = 0;
  std::int64_t size = 16;  // height and width in pixels, at least 8
  double noise = 0.1;      // largest change of a pixel, where the shape differs by 0.5 to 1
  std::int64_t seed = 0;
  /// Other images, the same for all seeds, and so many batches of them; absent: to train on,
  /// without end.
  std::optional<std::int64_t> num_held_out_batches = {};
};

class ShapesSource : public Source {
 public:
  /// Throws invalid_argument for numbers that make no sense.
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
