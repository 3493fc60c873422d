// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/ocdbt/manifest.h"

#include <algorithm>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/take_bytes.h"
#include "meshwright/io/ocdbt/envelope.h"

namespace meshwright::io::ocdbt {
namespace {

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxNodeBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kNoNode = ~std::uint64_t{0};
constexpr std::uint64_t kDefaultNodeBytes = 100'000'000;
constexpr char kArity = 4;  // of the tree of older versions, as a power of 2

// The columns that references to nodes have after their files: offsets, lengths, numbers of keys,
// bytes of nodes, and bytes of values.
constexpr int kNodeColumns = 5;

std::optional<NodePlace> take_latest_version(std::string_view& bytes) {
  const std::vector<DataFile> files = take_files(bytes, "");
  const std::uint64_t count = take_varint(bytes);
  if (count == 0) return std::nullopt;
  take_column(bytes, count);  // generations
  const std::string_view heights = take(bytes, count);
  const std::vector<std::uint64_t> file = take_column(bytes, count);
  std::vector<std::vector<std::uint64_t>> columns;
  for (int i = 0; i < kNodeColumns; ++i)
    columns.push_back(take_column(bytes, count));
  if (columns[1].back() == kNoNode) return std::nullopt;
  if (file.back() >= files.size()) fail(ErrorCode::data_loss, "refers to a file it does not list");
  return NodePlace{.file = files[file.back()],
                   .offset = columns[0].back(),
                   .num_bytes = columns[1].back(),
                   .height = static_cast<std::uint8_t>(heights.back())};
}

Manifest parsed(std::string_view bytes) {
  Manifest out;
  take(bytes, 16);  // uuid
  const auto kind = take_number<std::uint8_t>(bytes);
  if (kind > 1) fail(ErrorCode::unimplemented, "has an unknown kind, ", int{kind});
  out.is_numbered = kind == 1;
  take_varint(bytes);  // bytes of values within nodes
  out.max_node_bytes = std::min(take_varint(bytes), kMaxNodeBytes);
  take(bytes, 1);                               // arity
  if (take_varint(bytes) == 1) take(bytes, 4);  // level of zstd
  if (!out.is_numbered) out.root = take_latest_version(bytes);
  return out;
}

}  // namespace

std::vector<std::uint64_t> take_column(std::string_view& bytes, std::uint64_t count) {
  if (count > bytes.size()) fail(ErrorCode::data_loss, "has too few bytes for ", count, " numbers");
  std::vector<std::uint64_t> out;
  out.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i)
    out.push_back(take_varint(bytes));
  return out;
}

void check_is_empty(std::string_view bytes) {
  if (!bytes.empty()) fail(ErrorCode::data_loss, "has ", bytes.size(), " bytes too many");
}

std::vector<DataFile> take_files(std::string_view& bytes, const std::string& base) {
  const std::uint64_t count = take_varint(bytes);
  if (count == 0) return {};
  const std::vector<std::uint64_t> shared = take_column(bytes, count - 1);
  const std::vector<std::uint64_t> rest = take_column(bytes, count);
  const std::vector<std::uint64_t> base_size = take_column(bytes, count);
  std::vector<DataFile> out;
  std::string path;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t num_shared = i == 0 ? 0 : shared[i - 1];
    if (num_shared > path.size()) fail(ErrorCode::data_loss, "has a damaged table of files");
    path.resize(num_shared);
    path += take(bytes, rest[i]);
    if (base_size[i] > path.size()) fail(ErrorCode::data_loss, "has a damaged table of files");
    constexpr std::size_t kLongestPath = 4096;
    if (path.size() > kLongestPath) fail(ErrorCode::data_loss, "has a path that is too long");
    out.push_back({base + path.substr(0, base_size[i]), path.substr(base_size[i])});
  }
  return out;
}

const DataFile& take_file(std::string_view& bytes, const std::vector<DataFile>& files) {
  const std::uint64_t index = take_varint(bytes);
  if (index >= files.size()) fail(ErrorCode::data_loss, "refers to a file it does not list");
  return files[index];
}

Manifest parse_manifest(std::string_view bytes, const std::string& name) {
  const std::string content = open_envelope(Block::manifest, bytes, kMaxManifestBytes, name);
  try {
    return parsed(content);
  } catch (const Error& error) {
    throw error.with_context(name);
  }
}

std::string manifest_bytes(const NewManifest& manifest) {
  std::string out = manifest.uuid;
  out += '\0';  // the versions are in this file
  append_varint(out, kMaxInlineBytes);
  append_varint(out, kDefaultNodeBytes);
  out += kArity;
  append_varint(out, 0);  // no compression
  append_varint(out, 1);  // files
  append_varint(out, manifest.file.size());
  append_varint(out, 0);  // bytes of its base
  out += manifest.file;
  append_varint(out, 1);  // versions
  append_varint(out, 1);  // generation
  out += '\0';            // height
  append_varint(out, 0);  // file
  for (const std::uint64_t column : {manifest.offset, manifest.num_bytes, manifest.num_keys,
                                     manifest.num_bytes, manifest.num_value_bytes})
    append_varint(out, column);
  append_number(out, manifest.nanoseconds);
  append_varint(out, 0);  // older versions
  return close_envelope(Block::manifest, out);
}

}  // namespace meshwright::io::ocdbt
