// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/axlearn_index.h"

#include <charconv>
#include <optional>

#include "meshwright/base/check.h"
#include "meshwright/base/json_value.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::string_view kClass = "<class '";  // as Python prints a class

// Returns text such as "()", "(3,)" or "(4, 3)".
std::string tuple_text(const Dims& dims) {
  return str("(", join(dims, ", "), dims.size() == 1 ? ",)" : ")");
}

Dims parse_tuple(std::string_view text) {
  auto bad = [&] { fail(ErrorCode::data_loss, "'", text, "' is not a shape"); };
  if (!text.starts_with('(') || !text.ends_with(')')) bad();
  std::string_view rest = text.substr(1, text.size() - 2);
  Dims out;
  while (!rest.empty()) {
    std::int64_t size = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || size < 0) bad();
    out.push_back(size);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.starts_with(", ")) {
      rest.remove_prefix(2);
    } else if (rest == ",") {
      rest = "";
    } else if (!rest.empty()) {
      bad();
    }
  }
  if (tuple_text(out) != text) bad();
  return out;
}

}  // namespace

std::string write_axlearn_index(const AxLearnIndex& index) {
  // dtype precedes shape, with spaces as Python prints them.
  Tree<std::string> entries = map(index.arrays, [](const ArrayType& type) {
    return str("{\"dtype\": \"", numpy_name(type.dtype), "\", \"shape\": \"", tuple_text(type.dims),
               "\"}");
  });
  for (const auto& [path, type] : index.iterators)
    entries[path] = to_string(JsonValue(type));
  std::string out = str("[[\"step\", ", index.step, "]");
  for_each(entries, [&](const std::string& path, const std::string& entry) {
    out += str(", [", to_string(JsonValue(path)), ", ", entry, "]");
  });
  return str(out, "]");
}

namespace {

ArrayType read_type(const JsonValue& entry) {
  const std::string& name = entry.at("dtype").as_text();
  std::optional<DType> dtype = find_dtype(name);
  if (!dtype) fail(ErrorCode::unimplemented, "dtype '", name, "' is not supported");
  ArrayType out{*dtype, parse_tuple(entry.at("shape").as_text())};
  check_stored_type(out);
  return out;
}

void read_entry(const std::string& path, const JsonValue& value, AxLearnIndex& out) {
  if (value.is_object()) {
    Tree<ArrayType>& entry = out.arrays[path];
    MW_CHECK(!entry.is_leaf() && entry.children().empty(), "occurs twice");
    entry = read_type(value);
    io::check_path(path);
  } else if (std::optional<std::int64_t> integer = value.find_integer()) {
    if (path == "step") out.step = *integer;
    out.values[path] = Scalar(*integer);
  } else if (value.is_number()) {
    out.values[path] = Scalar(value.as_number());
  } else if (value.is_text() && value.as_text().starts_with(kClass)) {
    io::check_path(path);
    out.iterators[path] = value.as_text();
  } else if (value.is_text()) {
    out.values[path] = Scalar(value.as_text());
  }
}

}  // namespace

AxLearnIndex parse_axlearn_index(std::string_view text, const std::string& name) {
  AxLearnIndex out;
  std::string at;
  try {
    JsonValue json = parse_json(text, "the index");
    StoredPaths paths;
    for (const JsonValue& entry : json.as_array()) {
      if (entry.as_array().size() != 2) fail(ErrorCode::data_loss, "an entry is not a pair");
      const std::string& path = entry.as_array()[0].as_text();
      paths.add(path);
      at = path;
      read_entry(at, entry.as_array()[1], out);
    }
    at = "";
    if (out.values.find("step") == nullptr) fail(ErrorCode::data_loss, "has no step");
  } catch (const Error& error) {
    ErrorCode code = error.code() == ErrorCode::unimplemented ? error.code() : ErrorCode::data_loss;
    throw Error(code, str(name, at.empty() ? "" : str(": '", at, "'"), ": ", error.what()));
  }
  return out;
}

}  // namespace meshwright::checkpoint
