// SPDX-License-Identifier: Apache-2.0
// Internal to tensor_bundle/: keys of the parts of tensors, which TensorFlow encodes so that their
// bytes sort as their numbers do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::io {

/// A part of a tensor along one dimension. Length -1: all of it.
struct SliceExtent {
  std::int64_t start = 0;
  std::int64_t length = -1;
};

std::string slice_key(std::string_view tensor, const std::vector<SliceExtent>& slice);

}  // namespace meshwright::io
