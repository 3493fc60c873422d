// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/config/fields.h"
#include "meshwright/data/combinators.h"
#include "meshwright/data/shapes.h"

namespace meshwright::data {

struct ShapesConfig {
  static constexpr char kType[] = "shapes";
  std::int64_t batch_size = 128;
  std::int64_t size = 16;
  double noise = 0.1;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "images per step");
    f.optional("size", size, config::at_least(8), "height and width in pixels");
    f.optional("noise", noise, config::kFraction, "largest change of a pixel");
  }
  SourcePtr make(std::int64_t seed) const;
  std::int64_t num_classes() const { return std::ssize(kShapeNames); }
  std::string contents() const { return str("shapes of ", size, " x ", size, " pixels"); }
};

/// Images that `shapes` never gives.
struct HeldOutShapesConfig {
  static constexpr char kType[] = "held_out_shapes";
  std::int64_t batch_size = 128;
  std::int64_t size = 16;
  double noise = 0.1;
  std::int64_t num_batches = 8;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "images per step");
    f.optional("size", size, config::at_least(8), "height and width in pixels");
    f.optional("noise", noise, config::kFraction, "largest change of a pixel");
    f.optional("num_batches", num_batches, config::kPositive, "of them there are");
  }
  SourcePtr make(std::int64_t seed) const;
  std::string contents() const { return str("shapes of ", size, " x ", size, " pixels"); }
};

}  // namespace meshwright::data
