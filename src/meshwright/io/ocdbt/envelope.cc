// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/ocdbt/envelope.h"

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/crc32c.h"
#include "meshwright/base/take_bytes.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io::ocdbt {
namespace {

constexpr std::uint64_t kVersion = 0;
constexpr std::uint64_t kNone = 0, kZstd = 1;  // kinds of compression

// The magic number is the only one in big-endian order.
std::string magic_bytes(Block block) {
  const auto magic = static_cast<std::uint32_t>(block);
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(magic >> shift);
  return out;
}

std::string opened(Block block, std::string_view bytes, std::uint64_t max_bytes) {
  std::string_view rest = bytes;
  if (take(rest, 4) != magic_bytes(block))
    fail(ErrorCode::data_loss, "does not begin as ",
         block == Block::manifest ? "a manifest" : "a node", " of a database");
  if (const auto length = take_number<std::uint64_t>(rest); length != bytes.size())
    fail(ErrorCode::data_loss, "has ", bytes.size(), " bytes, but says ", length);
  if (rest.size() < 4) fail(ErrorCode::data_loss, "is truncated");
  std::string_view checksum = rest.substr(rest.size() - 4);
  rest.remove_suffix(4);
  if (crc32c(bytes.substr(0, bytes.size() - 4)) != take_number<std::uint32_t>(checksum))
    fail(ErrorCode::data_loss, "checksum mismatch");
  if (const std::uint64_t version = take_varint(rest); version != kVersion)
    fail(ErrorCode::unimplemented, "has version ", version, " of the OCDBT format");
  switch (take_varint(rest)) {
    case kNone:
      return std::string(rest);
    case kZstd:
      return decode_zstd(as_bytes(rest), max_bytes);
    default:
      fail(ErrorCode::unimplemented, "has an unknown compression");
  }
}

}  // namespace

std::string open_envelope(Block block,
                          std::string_view bytes,
                          std::uint64_t max_bytes,
                          const std::string& name) {
  try {
    return opened(block, bytes, max_bytes);
  } catch (const Error& error) {
    throw error.with_context(name);
  }
}

std::string close_envelope(Block block, std::string_view content) {
  std::string header;
  append_varint(header, kVersion);
  append_varint(header, kNone);
  std::string out = magic_bytes(block);
  append_number(out, std::uint64_t{out.size() + 8 + header.size() + content.size() + 4});
  out += header;
  out += content;
  append_number(out, crc32c(out));
  return out;
}

}  // namespace meshwright::io::ocdbt
