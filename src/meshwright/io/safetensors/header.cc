// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/safetensors/header.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/number_at.h"
#include "meshwright/base/printable.h"
#include "meshwright/io/declared_bytes.h"

namespace meshwright::io {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::size_t kMaxParsedBytes = std::size_t{1} << 30;
constexpr std::string_view kMetadata = "__metadata__";

struct SafetensorsName {
  DType dtype;
  std::string_view text;
};
constexpr std::array kSafetensorsNames = {
    SafetensorsName{DType::pred, "BOOL"},      SafetensorsName{DType::s8, "I8"},
    SafetensorsName{DType::s16, "I16"},        SafetensorsName{DType::s32, "I32"},
    SafetensorsName{DType::s64, "I64"},        SafetensorsName{DType::u8, "U8"},
    SafetensorsName{DType::u16, "U16"},        SafetensorsName{DType::u32, "U32"},
    SafetensorsName{DType::u64, "U64"},        SafetensorsName{DType::f8e4m3fn, "F8_E4M3"},
    SafetensorsName{DType::f8e5m2, "F8_E5M2"}, SafetensorsName{DType::f16, "F16"},
    SafetensorsName{DType::bf16, "BF16"},      SafetensorsName{DType::f32, "F32"},
    SafetensorsName{DType::f64, "F64"},
};

DType dtype_named(std::string_view text) {
  for (const SafetensorsName& name : kSafetensorsNames)
    if (name.text == text) return name.dtype;
  fail(ErrorCode::unimplemented, "dtype '", printable_name(text), "' is not supported");
}

std::string_view name_of_dtype(DType dtype) {
  for (const SafetensorsName& name : kSafetensorsNames)
    if (name.dtype == dtype) return name.text;
  fail(ErrorCode::unimplemented, "safetensors files cannot store ", dtype);
}

std::uint64_t offset_of(const JsonValue& value) {
  const std::int64_t out = value.as_integer();
  if (out < 0) fail(ErrorCode::data_loss, "has the offset ", out);
  return static_cast<std::uint64_t>(out);
}

// Offsets are relative to the end of the header.
SafetensorsArray parse_entry(const JsonValue& value) {
  SafetensorsArray out{.type = {.dtype = dtype_named(value.at("dtype").as_text()), .dims = {}},
                       .place = {}};
  for (const JsonValue& size : value.at("shape").as_array())
    out.type.dims.push_back(size.as_integer());
  const JsonValue::Array& offsets = value.at("data_offsets").as_array();
  if (offsets.size() != 2) fail(ErrorCode::data_loss, "has ", offsets.size(), " offsets");
  const std::uint64_t begin = offset_of(offsets[0]), end = offset_of(offsets[1]);
  if (end < begin) fail(ErrorCode::data_loss, "ends at ", end, ", before it begins at ", begin);
  out.place = {.offset = begin, .num_bytes = end - begin};
  if (declared_bytes(out.type) != out.place.num_bytes)
    fail(ErrorCode::data_loss, "has ", out.place.num_bytes, " bytes for ", out.type);
  return out;
}

void check_tiling(const Safetensors& parsed, std::uint64_t num_bytes, const std::string& name) {
  std::vector<std::pair<FileRange, const std::string*>> places;
  for (const auto& [path, array] : parsed.arrays)
    places.emplace_back(array.place, &path);
  const auto by_place = [](const auto& a, const auto& b) {
    return std::pair(a.first.offset, a.first.num_bytes) <
           std::pair(b.first.offset, b.first.num_bytes);
  };
  std::ranges::sort(places, by_place);
  std::uint64_t end = 0;
  for (const auto& [place, path] : places) {
    if (place.offset != end)
      fail(ErrorCode::data_loss, name, ": '", printable_name(*path), "' begins at ", place.offset,
           ", expected ", end, ": arrays overlap or leave a gap");
    end += place.num_bytes;
    if (end > num_bytes)
      fail(ErrorCode::data_loss, name, ": '", printable_name(*path), "' ends at ", end,
           ", but the elements have only ", num_bytes, " bytes");
  }
  if (end != num_bytes)
    fail(ErrorCode::data_loss, name, ": ", num_bytes - end, " bytes follow the last array");
}

std::string read_header(const ReadableFile& file, const std::string& name) {
  if (file.num_bytes() < kLengthBytes)
    fail(ErrorCode::data_loss, name, ": has ", file.num_bytes(), " bytes, too few for a header");
  std::array<std::byte, kLengthBytes> length;
  file.read(0, length);
  const auto size = number_at<std::uint64_t>(length, 0);
  if (size > kMaxHeaderBytes || size > file.num_bytes() - kLengthBytes)
    fail(ErrorCode::data_loss, name, ": says that its header has ", size, " bytes, but has ",
         file.num_bytes());
  std::string out(size, '\0');
  file.read(kLengthBytes, std::as_writable_bytes(std::span(out)));
  return out;
}

}  // namespace

Safetensors read_safetensors(const ReadableFile& file, const std::string& name) {
  const std::string header = read_header(file, name);
  const JsonValue parsed = parse_json(header, name, kMaxParsedBytes);
  Safetensors out;
  for (const auto& [path, value] : parsed.as_object()) {
    try {
      if (path != kMetadata) {
        out.arrays.emplace(path, parse_entry(value));
        continue;
      }
      for (const auto& [key, text] : value.as_object())
        out.metadata.emplace(key, text.as_text());
    } catch (const Error& error) {
      throw error.with_context(str(name, ": '", printable_name(path), "'"));
    }
  }
  const std::uint64_t begin = kLengthBytes + header.size();
  check_tiling(out, file.num_bytes() - begin, name);
  for (auto& [path, array] : out.arrays)
    array.place.offset += begin;
  return out;
}

SafetensorsPlan plan_safetensors(const std::map<std::string, ArrayType>& arrays,
                                 const std::map<std::string, std::string>& metadata) {
  std::vector<std::pair<std::string, ArrayType>> order(arrays.begin(), arrays.end());
  std::ranges::stable_sort(order, std::greater(),
                           [](const auto& array) { return byte_size(array.second.dtype); });
  JsonWriter json;
  json.begin_object().key(kMetadata).begin_object();
  for (const auto& [key, text] : metadata)
    json.field(key, text);
  json.end_object();
  SafetensorsPlan out;
  for (const auto& [path, type] : order) {
    const auto begin = static_cast<std::int64_t>(out.num_bytes);
    json.key(path).begin_object().field("dtype", name_of_dtype(type.dtype));
    json.key("shape").begin_array();
    for (const std::int64_t size : type.dims)
      json.value(size);
    json.end_array().key("data_offsets").begin_array();
    json.value(begin).value(begin + type.num_bytes()).end_array().end_object();
    out.places[path] = {.offset = out.num_bytes,
                        .num_bytes = static_cast<std::uint64_t>(type.num_bytes())};
    out.num_bytes += out.places[path].num_bytes;
  }
  std::string text = json.end_object().str();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  append_number(out.header, std::uint64_t{text.size()});
  out.header += text;
  for (auto& [path, place] : out.places)
    place.offset += out.header.size();
  out.num_bytes += out.header.size();
  return out;
}

}  // namespace meshwright::io
