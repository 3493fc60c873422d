// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/tensor_bundle/ordered_code.h"

#include <algorithm>
#include <array>

namespace meshwright::io {
namespace {

// The number of its bytes without leading zeros, then these.
void append_unsigned(std::string& out, std::uint64_t value) {
  std::string bytes;
  for (; value != 0; value >>= 8)
    bytes += static_cast<char>(value);
  out += static_cast<char>(bytes.size());
  out.append(bytes.rbegin(), bytes.rend());
}

void append_text(std::string& out, std::string_view text) {
  for (const char c : text) {
    out += c;
    if (c == '\0') out += '\xff';
    if (c == '\xff') out += '\0';
  }
  out += '\0';
  out += '\1';
}

// The first bits, as many ones as bytes, are combined with the number in two's complement. Each
// byte holds 7 bits of it, the first also its sign.
void append_signed(std::string& out, std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? ~value : value);
  int size = 1;
  while (size < 10 && magnitude >> (7 * size - 1) != 0)
    ++size;
  constexpr int kMost = 10;
  std::array<unsigned char, kMost> bytes;
  for (int i = 0; i < size; ++i) {
    const int shift = 8 * (size - 1 - i);
    const std::uint64_t part = shift >= 64 ? (value < 0 ? ~std::uint64_t{0} : 0)
                                           : static_cast<std::uint64_t>(value >> shift);
    bytes[static_cast<std::size_t>(i)] = static_cast<unsigned char>(part);
  }
  for (int bit = 0; bit < size; ++bit)
    bytes[static_cast<std::size_t>(bit / 8)] ^= static_cast<unsigned char>(0x80 >> (bit % 8));
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

}  // namespace

std::string slice_key(std::string_view tensor, const std::vector<SliceExtent>& slice) {
  std::string out;
  append_unsigned(out, 0);
  append_text(out, tensor);
  append_unsigned(out, slice.size());
  for (const SliceExtent& extent : slice) {
    append_signed(out, extent.start);
    append_signed(out, extent.length);
  }
  return out;
}

}  // namespace meshwright::io
