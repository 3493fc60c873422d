// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/tensor_bundle/bundle.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/base/proto_reader.h"
#include "meshwright/io/declared_bytes.h"
#include "meshwright/io/path.h"
#include "meshwright/io/tensor_bundle/ordered_code.h"
#include "meshwright/io/tensor_bundle/table.h"

namespace meshwright::io {
namespace {

struct TensorFlowType {
  int number;
  DType dtype;
};
constexpr std::array kTensorFlowTypes = {
    TensorFlowType{1, DType::f32},       TensorFlowType{2, DType::f64},
    TensorFlowType{3, DType::s32},       TensorFlowType{4, DType::u8},
    TensorFlowType{5, DType::s16},       TensorFlowType{6, DType::s8},
    TensorFlowType{9, DType::s64},       TensorFlowType{10, DType::pred},
    TensorFlowType{14, DType::bf16},     TensorFlowType{17, DType::u16},
    TensorFlowType{19, DType::f16},      TensorFlowType{22, DType::u32},
    TensorFlowType{23, DType::u64},      TensorFlowType{24, DType::f8e5m2},
    TensorFlowType{25, DType::f8e4m3fn},
};

// Texts, handles of resources, and states of iterators.
constexpr std::array kTypesOfOthers = {7, 20, 21};

std::optional<DType> dtype_numbered(int number) {
  for (const TensorFlowType& type : kTensorFlowTypes)
    if (type.number == number) return type.dtype;
  return std::nullopt;
}

// A BundleEntryProto.
struct BundleEntry {
  int type = 0;
  Dims dims;
  std::int64_t shard = 0;
  FileRange place;
  std::uint32_t crc = 0;
  std::vector<std::vector<SliceExtent>> slices;
};

Dims parse_shape(std::string_view message) {
  Dims out;
  for (const ProtoField& field : read_proto(message)) {
    if (field.number != 2) continue;
    std::int64_t size = 0;
    for (const ProtoField& part : read_proto(field.bytes))
      if (part.number == 1) size = part.int64();
    out.push_back(size);
  }
  return out;
}

std::vector<SliceExtent> parse_slice(std::string_view message) {
  std::vector<SliceExtent> out;
  for (const ProtoField& field : read_proto(message)) {
    if (field.number != 1) continue;
    SliceExtent extent;
    for (const ProtoField& part : read_proto(field.bytes)) {
      if (part.number == 1) extent.start = part.int64();
      if (part.number == 2) extent.length = part.int64();
    }
    out.push_back(extent);
  }
  return out;
}

BundleEntry parse_bundle_entry(std::string_view message) {
  BundleEntry out;
  for (const ProtoField& field : read_proto(message)) {
    switch (field.number) {
      case 1:
        out.type = static_cast<int>(field.value);
        break;
      case 2:
        out.dims = parse_shape(field.bytes);
        break;
      case 3:
        out.shard = field.int64();
        break;
      case 4:
        out.place.offset = field.value;
        break;
      case 5:
        out.place.num_bytes = field.value;
        break;
      case 6:
        out.crc = unmasked_crc(static_cast<std::uint32_t>(field.value));
        break;
      case 7:
        out.slices.push_back(parse_slice(field.bytes));
        break;
      default:
        break;
    }
  }
  return out;
}

class BundleReader {
 public:
  BundleReader(const FileSystem& files, const std::string& prefix)
      : prefix_(prefix), table_(read_table(files, prefix + ".index")) {
    const auto header = table_.find("");
    if (header == table_.end()) fail(ErrorCode::data_loss, "has no header");
    for (const ProtoField& field : read_proto(header->second)) {
      if (field.number == 1) num_shards_ = field.int64();
      if (field.number == 2 && field.value != 0)
        fail(ErrorCode::unimplemented, "is in big-endian order");
    }
  }

  Bundle read() const {
    Bundle out;
    for (const auto& [key, message] : table_) {
      if (key.empty() || key[0] == '\0') continue;  // the header, or a part of a tensor
      try {
        add(key, parse_bundle_entry(message), out);
      } catch (const Error& error) {
        throw error.with_context(str("'", printable_name(key), "'"));
      }
    }
    return out;
  }

 private:
  void add(const std::string& name, const BundleEntry& entry, Bundle& out) const {
    const std::optional<DType> dtype = dtype_numbered(entry.type);
    if (!dtype) {
      if (std::ranges::find(kTypesOfOthers, entry.type) == kTypesOfOthers.end())
        out.unsupported.emplace(name, entry.type);
      return;
    }
    BundleTensor tensor{.type = {.dtype = *dtype, .dims = entry.dims}, .pieces = {}};
    declared_bytes(tensor.type);
    if (entry.slices.empty()) {
      tensor.pieces.push_back(piece(entry, whole_ranges(entry.dims), *dtype));
    } else {
      add_slices(name, entry, tensor);
    }
    out.tensors.emplace(name, std::move(tensor));
  }

  void add_slices(const std::string& name, const BundleEntry& entry, BundleTensor& tensor) const {
    constexpr std::size_t kMostSlices = 16'384;
    if (entry.slices.size() > kMostSlices)
      fail(ErrorCode::data_loss, "has ", entry.slices.size(), " parts, more than ", kMostSlices);
    std::int64_t num_covered = 0;
    for (const std::vector<SliceExtent>& slice : entry.slices) {
      const auto found = table_.find(slice_key(name, slice));
      if (found == table_.end()) fail(ErrorCode::data_loss, "lacks one of its parts");
      const Ranges ranges = ranges_of(slice, entry.dims);
      for (const BundlePiece& other : tensor.pieces)
        if (overlap(other.ranges, ranges)) fail(ErrorCode::data_loss, "has parts that overlap");
      num_covered += num_elements(sizes_of(ranges));
      tensor.pieces.push_back(piece(parse_bundle_entry(found->second), ranges, tensor.type.dtype));
    }
    if (num_covered != num_elements(entry.dims))
      fail(ErrorCode::data_loss, "has parts that do not cover it");
  }

  static Ranges ranges_of(const std::vector<SliceExtent>& slice, const Dims& dims) {
    if (slice.size() != dims.size()) fail(ErrorCode::data_loss, "has a part of another rank");
    Ranges out;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::int64_t length = slice[d].length < 0 ? dims[d] : slice[d].length;
      if (slice[d].start < 0 || length > dims[d] || slice[d].start > dims[d] - length)
        fail(ErrorCode::data_loss, "has a part that lies outside of it");
      out.push_back({slice[d].start, slice[d].start + length});
    }
    return out;
  }

  BundlePiece piece(const BundleEntry& entry, const Ranges& ranges, DType dtype) const {
    if (dtype_numbered(entry.type) != dtype)
      fail(ErrorCode::data_loss, "has a part of another dtype");
    const std::uint64_t needed = declared_bytes({dtype, sizes_of(ranges)});
    if (entry.place.num_bytes != needed)
      fail(ErrorCode::data_loss, "has ", entry.place.num_bytes, " bytes, expected ", needed);
    if (entry.shard < 0 || entry.shard >= num_shards_)
      fail(ErrorCode::data_loss, "lies in file ", entry.shard, " of ", num_shards_);
    std::array<char, 64> suffix;
    std::snprintf(suffix.data(), suffix.size(), ".data-%05lld-of-%05lld",
                  static_cast<long long>(entry.shard), static_cast<long long>(num_shards_));
    return {
        .ranges = ranges, .file = prefix_ + suffix.data(), .place = entry.place, .crc = entry.crc};
  }

  std::string prefix_;
  std::map<std::string, std::string> table_;
  std::int64_t num_shards_ = 1;
};

}  // namespace

Bundle read_bundle(const FileSystem& files, const std::string& prefix) {
  const std::string name = files.full_name(prefix + ".index");
  try {
    return BundleReader(files, prefix).read();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(name)) throw;
    throw error.with_context(name);
  }
}

std::optional<std::string> find_bundle_prefix(const FileSystem& files, const std::string& folder) {
  const std::string path = join_path(folder, kBundlePointer);
  if (!is_file(files, path)) return std::nullopt;
  constexpr std::uint64_t kMaxPointerBytes = std::uint64_t{1} << 20;
  if (files.find(path)->num_bytes > kMaxPointerBytes) return std::nullopt;
  const std::string text = read_text(files, path, kMaxPointerBytes);
  if (!text.starts_with(kBundlePointerStart)) return std::nullopt;
  const std::size_t begin = text.find('"');
  const std::size_t end = text.find('"', begin + 1);
  if (begin == text.npos || end == text.npos) return std::nullopt;
  // An absolute path is that of the machine that wrote it: only its last component is used.
  const std::string name = name_of(text.substr(begin + 1, end - begin - 1));
  const std::string prefix = join_path(folder, name);
  if (name.empty() || !is_path(prefix) || !is_file(files, prefix + ".index")) return std::nullopt;
  return prefix;
}

}  // namespace meshwright::io
