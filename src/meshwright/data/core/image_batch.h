// SPDX-License-Identifier: Apache-2.0
// The arrays of a batch of labelled images.
#pragma once

#include <string_view>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

inline constexpr std::string_view kImages = "images";  // f32 batch height width channels, -1 to 1
inline constexpr std::string_view kLabels = "labels";  // s32 batch: the class of each image

struct ImageShape {
  std::int64_t height = 0, width = 0, channels = 0;
};

inline BatchSpec image_batch_spec(std::int64_t batch_size, const ImageShape& shape) {
  BatchSpec out;
  out[kImages] = array_spec(f32, {batch_size, shape.height, shape.width, shape.channels},
                            "batch height width channels");
  out[kLabels] = array_spec(s32, {batch_size}, "batch");
  return out;
}

}  // namespace meshwright::data
