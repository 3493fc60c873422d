// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/config/fields.h"
#include "meshwright/data/core/combinators.h"
#include "meshwright/data/generated/shapes.h"

namespace meshwright::data {

/// Settings shared by training data and held-out images.
struct ImagesOfShapes {
  std::int64_t batch_size = 128;
  std::int64_t size = 16;
  double noise = 0.1;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "Images per batch.");
    f.optional("size", size, config::at_least(8), "Height and width in pixels.");
    f.optional("noise", noise, config::kFraction, "Amplitude of the noise added to each pixel.");
  }
  std::string contents() const { return str("shapes of ", size, " x ", size, " pixels"); }
};

struct ShapesConfig : ImagesOfShapes {
  static constexpr char kType[] = "shapes";

  SourcePtr make(std::int64_t seed) const;
  std::int64_t num_classes() const { return std::ssize(kShapeNames); }
};

/// Images that `shapes` never generates.
struct HeldOutShapesConfig : ImagesOfShapes {
  static constexpr char kType[] = "held_out_shapes";
  std::int64_t num_batches = 8;

  void fields(auto& f) {
    ImagesOfShapes::fields(f);
    f.optional("num_batches", num_batches, config::kPositive, "Number of batches.");
  }
  SourcePtr make(std::int64_t seed) const;
};

}  // namespace meshwright::data
