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

/// Returns a PNG file of an image with 8 bits per channel, in row-major order. Throws
/// invalid_argument if the number of bytes does not match the size.
std::string png(std::span<const std::uint8_t> pixels, PngSize size);

}  // namespace meshwright::metrics
