// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/manifest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/json.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/tree.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::int64_t kVersion = 1;
// Text between the checked text and its checksum, and after the checksum.
constexpr std::string_view kBeforeCrc = ",\"crc32c\":\"";
constexpr std::string_view kEnd = "\"}\n";
constexpr std::size_t kCrcDigits = 8;

std::string hex(std::uint32_t number) {
  std::string out(kCrcDigits, '0');
  for (std::size_t i = kCrcDigits; i-- > 0; number >>= 4)
    out[i] = "0123456789abcdef"[number & 15];
  return out;
}

// JSON does not distinguish 3.0 from 3, and has no infinity.
void write_value(JsonWriter& json, const Scalar& scalar) {
  if (const auto* number = std::get_if<double>(&scalar)) {
    json.begin_object().key("float");
    if (std::isfinite(*number)) {
      json.value(*number);
    } else {
      json.value(str(*number));
    }
    json.end_object();
  } else if (const auto* flag = std::get_if<bool>(&scalar)) {
    json.value(*flag);
  } else if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    json.value(*integer);
  } else {
    json.value(std::get<std::string>(scalar));
  }
}

void write_array(JsonWriter& json, const ManifestArray& array) {
  json.begin_object().field("folder", array.folder);
  json.field("dtype", numpy_name(array.type.dtype)).key("shape").begin_array();
  for (std::int64_t size : array.type.dims)
    json.value(size);
  json.end_array().end_object();
}

void write_paths(JsonWriter& json, std::string_view name, const std::set<std::string>& paths) {
  json.key(name).begin_array();
  for (const std::string& path : paths)
    json.value(path);
  json.end_array();
}

void write_structure(JsonWriter& json, const Structure& structure) {
  json.begin_object().key("empty").begin_object();
  for (const auto& [path, node] : structure.empty)
    json.field(path, name_of(node));
  json.end_object().key("texts").begin_object();
  for (const auto& [path, text] : structure.texts)
    json.field(path, text);
  json.end_object();
  write_paths(json, "lists", structure.lists);
  write_paths(json, "slashes", structure.slashes);
  json.end_object();
}

std::uint32_t parse_hex(std::string_view text) {
  std::uint32_t out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
  bool is_good = text.size() == kCrcDigits && error == std::errc() &&
                 end == text.data() + text.size() && hex(out) == text;
  if (!is_good) fail(ErrorCode::data_loss, "'", text, "' is not a checksum");
  return out;
}

// Throws unless the checksum matches the text before it.
void check_crc(std::string_view text) {
  std::size_t tail = kBeforeCrc.size() + kCrcDigits + kEnd.size();
  std::size_t at = text.size() < tail ? 0 : text.size() - tail;
  bool is_whole =
      text.size() > tail && text.substr(at).starts_with(kBeforeCrc) && text.ends_with(kEnd);
  if (!is_whole) fail(ErrorCode::data_loss, "is truncated or not a manifest");
  std::uint32_t crc = parse_hex(text.substr(at + kBeforeCrc.size(), kCrcDigits));
  if (crc32c(text.substr(0, at)) != crc) {
    fail(ErrorCode::data_loss, "checksum mismatch");
  }
}

Scalar read_value(const JsonValue& value) {
  if (value.is_text()) return value.as_text();
  if (auto integer = value.find_integer()) return *integer;
  if (!value.is_object()) return value.as_bool();
  const JsonValue& number = value.at("float");
  if (!number.is_text()) return number.as_number();
  const std::string& name = number.as_text();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  return name.starts_with('-') ? -std::numeric_limits<double>::quiet_NaN()
                               : std::numeric_limits<double>::quiet_NaN();
}

ManifestArray read_array(const JsonValue& value) {
  const std::string& dtype_text = value.at("dtype").as_text();
  std::optional<DType> dtype = find_dtype(dtype_text);
  if (!dtype) fail(ErrorCode::data_loss, "'", dtype_text, "' is not a dtype");
  ManifestArray out{value.at("folder").as_text(), {*dtype, {}}};
  for (const JsonValue& size : value.at("shape").as_array()) {
    out.type.dims.push_back(size.as_integer());
    if (out.type.dims.back() < 0) fail(ErrorCode::data_loss, "a size is negative");
  }
  check_stored_type(out.type);
  io::check_path(out.folder);
  return out;
}

io::FileRecord read_record(const JsonValue& value) {
  const JsonValue::Array& pair = value.as_array();
  if (pair.size() != 2 || pair[0].as_integer() < 0) fail(ErrorCode::data_loss, "not a file record");
  return {static_cast<std::uint64_t>(pair[0].as_integer()), parse_hex(pair[1].as_text())};
}

std::set<std::string> read_paths(const JsonValue& list, StoredPaths& paths) {
  std::set<std::string> out;
  for (const JsonValue& path : list.as_array()) {
    if (!path.as_text().empty()) paths.add(path.as_text());  // the root may be a list
    out.insert(path.as_text());
  }
  return out;
}

Structure read_structure(const JsonValue& json, StoredPaths& paths) {
  Structure out;
  for (const auto& [path, value] : json.at("empty").as_object()) {
    paths.add(path);
    const std::optional<EmptyNode> node = find_empty_node(value.as_text());
    if (!node) fail(ErrorCode::data_loss, "'", value.as_text(), "' is not a kind of empty node");
    out.empty.emplace(path, *node);
  }
  for (const auto& [path, text] : json.at("texts").as_object()) {
    paths.add(path);
    out.texts.emplace(path, text.as_text());
  }
  out.lists = read_paths(json.at("lists"), paths);
  out.slashes = read_paths(json.at("slashes"), paths);
  return out;
}

Manifest read(const JsonValue& json) {
  if (json.at("meshwright_checkpoint").as_integer() != kVersion) {
    fail(ErrorCode::unimplemented, "has version ", to_string(json.at("meshwright_checkpoint")),
         ", which this program does not support");
  }
  Manifest out{.format = json.at("format").as_text(), .step = json.at("step").as_integer()};
  if (const JsonValue* run = json.find("run")) out.run = run->as_text();
  StoredPaths paths;
  for (const auto& [path, value] : json.at("arrays").as_object()) {
    paths.add(path);
    io::check_path(path);  // it becomes a folder name when saved again
    out.arrays.emplace(path, read_array(value));
  }
  Tree<bool> places;  // throws if one array is inside another
  for (const auto& [path, array] : out.arrays)
    places[path] = true;
  if (const JsonValue* structure = json.find("structure"))
    out.structure = read_structure(*structure, paths);
  for (const auto& [path, node] : out.structure.empty)
    places[path] = true;
  for (const auto& [path, text] : out.structure.texts)
    places[path] = true;
  for (const auto& [path, value] : json.at("values").as_object()) {
    paths.add(path);
    out.meta[path] = read_value(value);
  }
  for (const auto& [file, value] : json.at("files").as_object()) {
    io::check_path(file);
    out.files.emplace(file, read_record(value));
  }
  return out;
}

}  // namespace

void StoredPaths::add(std::string_view path) {
  constexpr std::size_t kMaxNames = std::size_t{1} << 18;
  if (path.size() > kMaxPathBytes) {
    fail(ErrorCode::data_loss, "a path has ", path.size(), " bytes; at most ", kMaxPathBytes,
         " are supported");
  }
  try {
    num_names_ += split_tree_path(path).size();
  } catch (const Error& error) {
    throw Error(ErrorCode::data_loss, error.what());
  }
  if (num_names_ > kMaxNames) {
    fail(ErrorCode::data_loss, "its paths exceed the limit of ", kMaxNames, " components");
  }
}

void check_stored_type(const ArrayType& type) {
  constexpr std::size_t kMaxRank = 32;  // as in numpy and zarr
  if (type.dims.size() > kMaxRank) {
    fail(ErrorCode::data_loss, "an array has ", type.dims.size(), " dimensions; at most ", kMaxRank,
         " are supported");
  }
  // If one size is 0, the others may be too large for strides.
  ArrayType held = type;
  std::ranges::replace(held.dims, 0, 1);
  held.num_bytes();
}

std::string write_manifest(const Manifest& manifest) {
  JsonWriter json;
  json.begin_object().field("meshwright_checkpoint", kVersion);
  json.field("format", manifest.format).field("step", manifest.step);
  if (!manifest.run.empty()) json.field("run", manifest.run);
  json.key("arrays").begin_object();
  for (const auto& [path, array] : manifest.arrays) {
    json.key(path);
    write_array(json, array);
  }
  json.end_object().key("values").begin_object();
  for_each(manifest.meta, [&](const std::string& path, const Scalar& scalar) {
    json.key(path);
    write_value(json, scalar);
  });
  json.end_object();
  if (!manifest.structure.is_plain()) {
    json.key("structure");
    write_structure(json, manifest.structure);
  }
  json.key("files").begin_object();
  for (const auto& [file, record] : manifest.files)
    json.key(file).begin_array().value(record.num_bytes).value(hex(record.crc)).end_array();
  json.end_object();
  const std::string& text = json.str();
  return str(text, kBeforeCrc, hex(crc32c(text)), kEnd);
}

Manifest parse_manifest(std::string_view text, const std::string& name) {
  try {
    check_crc(text);
    Manifest out = read(parse_json(text, "the manifest"));
    out.digest = text.substr(text.size() - kEnd.size() - kCrcDigits, kCrcDigits);
    return out;
  } catch (const Error& error) {
    // A path that leaves the folder is damage too: it comes from a file, not from a caller.
    ErrorCode code =
        error.code() == ErrorCode::invalid_argument ? ErrorCode::data_loss : error.code();
    throw Error(code, error.what()).with_context(name);
  }
}

}  // namespace meshwright::checkpoint
