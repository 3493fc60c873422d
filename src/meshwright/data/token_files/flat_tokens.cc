// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/flat_tokens.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/digest.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/io/file_system.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/array.h"
#include "meshwright/io/zarr/group.h"

namespace meshwright::data {
namespace {

constexpr char kTokens[] = "encoded_tokens", kStarts[] = "seq_starts";
constexpr std::uint64_t kMaxCachedBytes = std::uint64_t{64} << 20;

io::zarr::Array open_array(const std::shared_ptr<io::FileSystem>& files,
                           const std::string& path,
                           DType dtype) {
  io::zarr::Array out = io::zarr::Array::open(files, path, io::zarr::MissingChunks::are_data_loss);
  if (out.type().dtype != dtype || out.type().dims.size() != 1) {
    fail(ErrorCode::data_loss, files->full_name(path), ": is ", out.type(), ", expected ", dtype,
         " and one dimension");
  }
  return out;
}

std::vector<std::int64_t> read_sequences(const io::zarr::Array& array, const std::string& name) {
  std::vector<std::int64_t> out;
  // An array of a single 0 may have no chunk.
  const bool is_empty = array.type().dims[0] == 1 && !array.has_chunk({0});
  const HostTensor starts = is_empty ? HostTensor(array.type()) : array.read();
  const auto values = starts.values<std::uint64_t>();
  out.assign(values.begin(), values.end());
  if (out.empty() || out.front() != 0) fail(ErrorCode::data_loss, name, ": does not begin with 0");
  const auto descent = std::ranges::adjacent_find(out, std::ranges::greater());
  if (descent != out.end()) {
    fail(ErrorCode::data_loss, name, ": sequence ", descent - out.begin(), " begins at ", *descent,
         " and ends at ", *(descent + 1));
  }
  return out;
}

std::int64_t read_max_token(const io::zarr::Group& group, const std::string& name) {
  try {
    const std::int64_t out = group.attributes.at("max_token_id").as_integer();
    if (out < 0 || out > std::numeric_limits<std::int32_t>::max())
      fail(ErrorCode::data_loss, "max_token_id is ", out);
    return out;
  } catch (const Error& error) {
    throw error.with_context(name);
  }
}

// Covers names and sizes of all files, and samples of some.
std::string fingerprint_of(const io::FileSystem& files, const std::string& folder) {
  Digest digest;
  for (const char* array : {kTokens, kStarts}) {
    const std::string path = io::join_path(folder, array);
    const std::vector<io::FolderEntry> entries = files.list(path);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string file = io::join_path(path, entries[i].name);
      const std::optional<io::FileInfo> info = files.find(file);
      digest.update(str(entries[i].name, " ", info ? info->num_bytes : 0, "\n"));
      const bool is_sample = i < 2 || i == entries.size() / 2 || i + 1 == entries.size();
      if (is_sample && info && info->kind == io::FileKind::file)
        digest.update(describe_data_file(files.full_name(file)).sample_digest);
    }
  }
  return digest.hex();
}

// The ids of a split.
class FlatTokenArray : public TokenArray {
 public:
  explicit FlatTokenArray(std::shared_ptr<const FlatTokens> tokens) : tokens_(std::move(tokens)) {}

  const std::string& name() const override { return tokens_->name(); }
  std::int64_t size() const override { return tokens_->num_tokens(); }
  std::int64_t byte_offset(std::int64_t token) const override {
    return token * static_cast<std::int64_t>(sizeof(std::uint32_t));
  }
  void read(std::int64_t begin, std::span<std::int32_t> out) const override {
    std::vector<std::uint32_t> encoded(out.size());
    tokens_->read(begin, encoded);
    std::ranges::transform(encoded, out.begin(), [](std::uint32_t value) {
      return static_cast<std::int32_t>(value >> 1);
    });
  }

 private:
  std::shared_ptr<const FlatTokens> tokens_;
};

}  // namespace

bool is_flat_tokens(const std::string& path) {
  return has_split(path, "");
}

bool has_split(const std::string& path, const std::string& split) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::path(path) / split / ".zgroup", ignored);
}

FlatTokens::FlatTokens(const std::string& path, const std::string& split) {
  const std::shared_ptr<io::FileSystem> files = io::open_file_system(path);
  const std::optional<io::zarr::Group> group = io::zarr::find_group(*files, split);
  if (!group) fail(ErrorCode::not_found, path, ": has no group '", split, "'");
  name_ = files->full_name(split);
  max_token_ = read_max_token(*group, name_);
  const io::zarr::Array starts = open_array(files, io::join_path(split, kStarts), DType::u64);
  sequences_ = read_sequences(starts, files->full_name(starts.folder()));
  io::zarr::Array tokens = open_array(files, io::join_path(split, kTokens), DType::u32);
  if (tokens.type().dims[0] != sequences_.back()) {
    fail(ErrorCode::data_loss, name_, ": has ", tokens.type().dims[0],
         " tokens, but its sequences end at ", sequences_.back());
  }
  fingerprint_ = fingerprint_of(*files, split);
  tokens_ = std::make_unique<io::zarr::RangeReader>(std::move(tokens), kMaxCachedBytes);
}

void FlatTokens::read(std::int64_t begin, std::span<std::uint32_t> out) const {
  tokens_->read(begin, std::as_writable_bytes(out));
}

void FlatTokens::check_starts() const {
  constexpr std::int64_t kBlock = 1 << 18;
  std::vector<std::uint32_t> block;
  auto start = sequences_.begin();
  for (std::int64_t begin = 0; begin < num_tokens(); begin += kBlock) {
    block.resize(static_cast<std::size_t>(std::min(kBlock, num_tokens() - begin)));
    read(begin, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::int64_t position = begin + static_cast<std::int64_t>(i);
      while (*start < position)
        ++start;
      const bool is_start = *start == position, is_marked = (block[i] & 1) != 0;
      if (is_start == is_marked) continue;
      fail(ErrorCode::data_loss, name_, ": token ", position, " is ", is_marked ? "" : "not ",
           "marked as the first of a sequence, but ", kStarts, is_start ? " has" : " lacks", " it");
    }
  }
}

TokenFile open_flat_tokens(const std::string& path, const std::string& split) {
  auto tokens = std::make_shared<const FlatTokens>(path, split);
  return {.tokens = std::make_shared<FlatTokenArray>(tokens),
          .begins = tokens->sequences(),
          .fingerprint = tokens->fingerprint(),
          .max_token = tokens->max_token(),
          .verify = [tokens] { tokens->check_starts(); }};
}

}  // namespace meshwright::data
