// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/part.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/part_info.h"

namespace meshwright::data {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kDigestedAtOnce = 1 << 20;
constexpr std::size_t kMaxInfoBytes = std::size_t{1} << 30;

std::unique_ptr<io::ReadableFile> open_sized(const io::FileSystem& files,
                                             const std::string& path,
                                             std::int64_t num_bytes) {
  std::unique_ptr<io::ReadableFile> out = files.open(path);
  if (out->num_bytes() != static_cast<std::uint64_t>(num_bytes)) {
    fail(ErrorCode::data_loss, files.full_name(path), ": has ", out->num_bytes(),
         " bytes, expected ", num_bytes);
  }
  return out;
}

std::string digest_of(const io::ReadableFile& file) {
  Digest digest;
  io::Buffer bytes(std::min(file.num_bytes(), kDigestedAtOnce));
  for (std::uint64_t begin = 0; begin < file.num_bytes(); begin += kDigestedAtOnce) {
    const auto block = bytes.span().first(std::min(file.num_bytes() - begin, kDigestedAtOnce));
    file.read(begin, block);
    digest.update(io::as_text(block));
  }
  return digest.hex();
}

void check_digest(const io::FileSystem& files,
                  const std::string& path,
                  const io::ReadableFile& file,
                  const std::string& expected) {
  if (digest_of(file) != expected)
    fail(ErrorCode::data_loss, files.full_name(path), ": checksum mismatch");
}

// Checks the sizes of all files and the digests of those for which `is_digested` is true.
void check_files(const io::FileSystem& files,
                 std::size_t part,
                 const PartInfo& info,
                 bool (*is_digested)(std::string_view kind)) {
  for (const auto& [kind, num_bytes] : part_sizes(info)) {
    const std::string path = part_path(part, kind);
    const auto file = open_sized(files, path, num_bytes);
    if (!is_digested(kind)) continue;
    const auto digest = info.digests.find(kind);
    check_digest(files, path, *file, digest == info.digests.end() ? "" : digest->second);
  }
}

// Returns nullopt if `find` finds a file missing or damaged.
std::optional<PartInfo> unless_damaged(const std::function<PartInfo()>& find) {
  try {
    return find();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::data_loss || error.code() == ErrorCode::not_found)
      return std::nullopt;
    throw;
  }
}

}  // namespace

PartFormat part_format(const RecordEncoder& encoder) {
  const std::int64_t size = encoder.vocab_size();
  return {.bytes_per_token = size <= 1 << 8    ? 1
                             : size <= 1 << 16 ? 2
                                               : 4,
          .has_weights = encoder.has_weights()};
}

std::string part_path(std::size_t part, std::string_view kind) {
  const std::string number = str(part);
  return str(std::string(5 - std::min<std::size_t>(5, number.size()), '0'), number, ".", kind);
}

std::map<std::string_view, std::int64_t> part_sizes(const PartInfo& info) {
  std::map<std::string_view, std::int64_t> out = {
      {kTokens, info.num_tokens * info.format.bytes_per_token},
      {kEnds, info.num_documents * std::int64_t{sizeof(std::int64_t)}},
      {kHashes, info.num_documents * std::int64_t{sizeof(std::uint64_t)}},
      {kOrigins, info.num_documents * std::int64_t{sizeof(RecordPlace)}}};
  if (info.format.has_weights) out[kLossWeights] = (info.num_tokens + 7) / 8;
  return out;
}

void check_part(const io::FileSystem& files, std::size_t part, const PartInfo& info) {
  check_files(files, part, info, [](std::string_view kind) { return kind == kEnds; });
}

void verify_part(const io::FileSystem& files, std::size_t part, const PartInfo& info) {
  check_files(files, part, info, [](std::string_view) { return true; });
}

std::optional<PartInfo> find_part_info(const io::FileSystem& files, std::size_t part) {
  return unless_damaged([&] {
    const std::string path = part_path(part, kInfo);
    const std::string text = io::read_text(files, path, kMaxInfoBytes);
    return part_info_from(parse_json(text, files.full_name(path), kMaxInfoBytes));
  });
}

std::optional<PartInfo> find_part(const io::FileSystem& files, std::size_t part) {
  std::optional<PartInfo> out = find_part_info(files, part);
  if (!out) return out;
  return unless_damaged([&] {
    verify_part(files, part, *out);
    return *out;
  });
}

}  // namespace meshwright::data
