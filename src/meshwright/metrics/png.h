// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace meshwright::metrics {

struct PngSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int num_channels = 0;  // 1 gray, 3 RGB, 4 RGBA
};

/// The PNG file of an image of 8 bits per channel, row by row. Throws invalid_argument if the sizes
/// and the number of pixels do not go together.
std::string png(std::span<const std::uint8_t> pixels, PngSize size);

}  // namespace meshwright::metrics
