// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/png.h"

#include <memory>

#include <libdeflate.h>

#include "meshwright/base/check.h"

namespace meshwright::metrics {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift & 0xff);
  return out;
}

std::string chunk(std::string_view type, std::string_view data) {
  std::string body = str(type, data);
  const std::uint32_t crc = ::libdeflate_crc32(0, body.data(), body.size());
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc);
}

std::string deflated(const std::string& data) {
  constexpr int kLevel = 6;
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      ::libdeflate_alloc_compressor(kLevel), ::libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(::libdeflate_zlib_compress_bound(compressor.get(), data.size()), '\0');
  out.resize(::libdeflate_zlib_compress(compressor.get(), data.data(), data.size(), out.data(),
                                        out.size()));
  return out;
}

char color_type(int num_channels) {
  return static_cast<char>(num_channels == 1 ? 0 : num_channels == 3 ? 2 : 6);
}

}  // namespace

std::string png(std::span<const std::uint8_t> pixels, PngSize size) {
  constexpr std::int64_t kLimit = 1 << 15;
  MW_CHECK(size.num_channels == 1 || size.num_channels == 3 || size.num_channels == 4,
           "png: ", size.num_channels, " channels, expected 1, 3 or 4");
  MW_CHECK(size.width > 0 && size.height > 0 && size.width <= kLimit && size.height <= kLimit,
           "png: ", size.width, " x ", size.height, " pixels; each size must be 1 to ", kLimit);
  MW_CHECK(std::ssize(pixels) == size.width * size.height * size.num_channels,
           "png: ", pixels.size(), " values for ", size.width, " x ", size.height, " x ",
           size.num_channels);
  const auto row_bytes = static_cast<std::size_t>(size.width * size.num_channels);
  std::string rows;
  for (std::size_t at = 0; at < pixels.size(); at += row_bytes) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(pixels.data() + at), row_bytes);
  }
  std::string header = big_endian(static_cast<std::uint32_t>(size.width)) +
                       big_endian(static_cast<std::uint32_t>(size.height));
  header += '\x08';  // bits per channel
  header += color_type(size.num_channels);
  header += std::string(3, '\0');  // deflate, the only filter method, not interlaced
  return std::string("\x89PNG\r\n\x1a\n") + chunk("IHDR", header) + chunk("IDAT", deflated(rows)) +
         chunk("IEND", "");
}

}  // namespace meshwright::metrics
