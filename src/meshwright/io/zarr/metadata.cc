// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/metadata.h"

#include <algorithm>

#include "meshwright/base/error.h"

namespace meshwright::io::zarr {
namespace {

constexpr std::size_t kMaxRank = 32;
constexpr std::int64_t kMaxChunkBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 56;

}  // namespace

std::string KeyEncoding::key(const Dims& place) const {
  std::string out = has_prefix ? "c" : "";
  for (std::int64_t index : place) {
    if (!out.empty()) out += separator;
    out += std::to_string(index);
  }
  return out.empty() ? "0" : out;
}

Dims Metadata::grid() const {
  Dims out;
  for (std::size_t i = 0; i < chunk.size(); ++i)
    out.push_back(type.dims[i] / chunk[i] + (type.dims[i] % chunk[i] == 0 ? 0 : 1));
  return out;
}

std::uint64_t Metadata::chunk_bytes() const {
  return static_cast<std::uint64_t>(num_elements(chunk)) * byte_size(type.dtype);
}

std::optional<std::int64_t> product_below(const Dims& dims, std::int64_t limit) {
  if (std::ranges::find(dims, 0) != dims.end()) return 0;  // regardless of the others
  std::int64_t out = 1;
  for (std::int64_t size : dims) {
    if (out > limit / size) return std::nullopt;
    out *= size;
  }
  return out;
}

void check_sizes(const ArrayType& type, const Dims& chunk) {
  if (type.dims.size() > kMaxRank) {
    fail(ErrorCode::data_loss, "has ", type.dims.size(), " dimensions; at most ", kMaxRank,
         " are supported");
  }
  if (chunk.size() != type.dims.size()) {
    fail(ErrorCode::data_loss, "chunks ", chunk, " do not match the rank of shape ", type.dims);
  }
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    if (type.dims[i] < 0) fail(ErrorCode::data_loss, "shape ", type.dims, " has a negative size");
    if (chunk[i] < 1) fail(ErrorCode::data_loss, "chunks ", chunk, " have a size below 1");
  }
  Dims sizes = type.dims;  // without zeros, so that strides can be computed too
  std::ranges::replace(sizes, 0, 1);
  if (!product_below(sizes, kMaxElements)) {
    fail(ErrorCode::data_loss, "shape ", type.dims, " has more than ", kMaxElements, " elements");
  }
  if (!product_below(chunk, kMaxChunkBytes / static_cast<std::int64_t>(byte_size(type.dtype)))) {
    fail(ErrorCode::data_loss, "chunks ", chunk, " of ", type.dtype, " have more than ",
         kMaxChunkBytes, " bytes");
  }
}

}  // namespace meshwright::io::zarr
