// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/tensor_bundle/table.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/take_bytes.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {
namespace {

constexpr std::uint64_t kMaxTableBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kMaxBlockBytes = std::uint64_t{256} << 20;
constexpr std::size_t kFooterBytes = 48;
constexpr std::string_view kTableMagic = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
constexpr std::uint8_t kPlain = 0, kSnappy = 1;  // kinds of compression

using Entries = std::vector<std::pair<std::string, std::string>>;

struct Handle {
  std::uint64_t offset = 0, size = 0;
};

Handle take_handle(std::string_view& bytes) {
  Handle out;
  out.offset = take_varint(bytes);
  out.size = take_varint(bytes);
  return out;
}

std::string unpacked(std::string_view stored) {
  std::string_view rest = stored;
  const std::uint64_t size = take_varint(rest);
  constexpr std::uint64_t kMostPerByte = 64;  // a copy of 64 bytes takes at least two
  if (size > kMaxBlockBytes || size / kMostPerByte > stored.size())
    fail(ErrorCode::data_loss, "a block says that it has ", size, " bytes");
  return std::string(snappy_codec()->decode(as_bytes(stored), size).text());
}

std::string read_block(std::string_view file, const Handle& handle) {
  constexpr std::size_t kTrailer = 5;  // type, checksum
  if (handle.offset > file.size() || handle.size > file.size() ||
      handle.size + kTrailer > file.size() - handle.offset)
    fail(ErrorCode::data_loss, "a block of ", handle.size, " bytes at ", handle.offset,
         " exceeds its ", file.size(), " bytes");
  std::string_view block = file.substr(handle.offset, handle.size + kTrailer);
  std::string_view trailer = block.substr(handle.size);
  const auto type = take_number<std::uint8_t>(trailer);
  const auto checksum = take_number<std::uint32_t>(trailer);
  if (crc32c(block.substr(0, handle.size + 1)) != unmasked_crc(checksum))
    fail(ErrorCode::data_loss, "checksum mismatch in the block at ", handle.offset);
  block = block.substr(0, handle.size);
  if (type == kSnappy) return unpacked(block);
  if (type == kPlain) return std::string(block);
  fail(ErrorCode::unimplemented, "a block is compressed in an unknown way, ", int{type});
}

// Keys of a block share bytes with the one before. The list of restarts at the end is not needed.
Entries entries_of(std::string_view block) {
  if (block.size() < 4) fail(ErrorCode::data_loss, "a block is too short");
  std::string_view tail = block.substr(block.size() - 4);
  const std::uint64_t restart_bytes = std::uint64_t{take_number<std::uint32_t>(tail)} * 4 + 4;
  if (restart_bytes > block.size()) fail(ErrorCode::data_loss, "a block is too short");
  block.remove_suffix(restart_bytes);
  Entries out;
  std::string key;
  while (!block.empty()) {
    const std::uint64_t num_shared = take_varint(block);
    const std::uint64_t num_more = take_varint(block);
    const std::uint64_t value_size = take_varint(block);
    if (num_shared > key.size()) fail(ErrorCode::data_loss, "a block has a damaged key");
    key.resize(num_shared);
    key += take(block, num_more);
    out.emplace_back(key, take(block, value_size));
  }
  return out;
}

std::map<std::string, std::string> parse_table(std::string_view file) {
  if (file.size() < kFooterBytes) fail(ErrorCode::data_loss, "has too few bytes for a table");
  std::string_view footer = file.substr(file.size() - kFooterBytes);
  if (!footer.ends_with(kTableMagic)) fail(ErrorCode::data_loss, "does not end as a table");
  take_handle(footer);  // of the properties
  const Handle index = take_handle(footer);
  std::map<std::string, std::string> out;
  std::size_t num_bytes = 0;
  for (const auto& [last_key, value] : entries_of(read_block(file, index))) {
    std::string_view handle = value;
    for (auto& [key, content] : entries_of(read_block(file, take_handle(handle)))) {
      num_bytes += key.size() + content.size();
      if (num_bytes > kMaxTableBytes) fail(ErrorCode::data_loss, "has too many entries");
      if (!out.empty() && key <= out.rbegin()->first)
        fail(ErrorCode::data_loss, "has keys that are not in order");
      out.emplace_hint(out.end(), std::move(key), std::move(content));
    }
  }
  return out;
}

}  // namespace

std::map<std::string, std::string> read_table(const FileSystem& files, const std::string& path) {
  const Buffer bytes = read_file(files, path, kMaxTableBytes);
  try {
    return parse_table(bytes.text());
  } catch (const Error& error) {
    throw error.with_context(files.full_name(path));
  }
}

}  // namespace meshwright::io
