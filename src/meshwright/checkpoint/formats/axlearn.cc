// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/axlearn.h"

#include <charconv>
#include <optional>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/json_value.h"
#include "meshwright/checkpoint/formats/in_place.h"
#include "meshwright/checkpoint/formats/step_name.h"
#include "meshwright/checkpoint/step_folders.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr const char* kIndex = "index";
constexpr const char* kArrays = "gda";

std::string array_folder(const std::string& path) {
  return join_path(kArrays, path);
}

// --- the index --------------------------------------------------------------------------------

// "()", "(3,)", "(4, 3)".
std::string tuple_text(const Dims& dims) {
  return str("(", join(dims, ", "), dims.size() == 1 ? ",)" : ")");
}

Dims parse_tuple(std::string_view text) {
  auto bad = [&] { fail(ErrorCode::data_loss, "'", text, "' is no shape"); };
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

// AXLearn compares entries as text, so dtype comes before shape, and the spaces are Python's.
std::string index_text(const StepPlan& plan) {
  std::string out = str("[[\"step\", ", plan.step, "]");
  for_each(plan.arrays, [&](const std::string& path, const ArrayPlan& array) {
    out += str(", [", to_string(JsonValue(path)), ", {\"dtype\": \"", numpy_name(array.type.dtype),
               "\", \"shape\": \"", tuple_text(array.type.dims), "\"}]");
  });
  return str(out, "]");
}

struct Index {
  std::int64_t step = 0;
  Tree<ArrayType> arrays;
  Meta values;
};

ArrayType read_type(const JsonValue& entry) {
  const std::string& name = entry.at("dtype").as_text();
  std::optional<DType> dtype = find_dtype(name);
  if (!dtype) fail(ErrorCode::unimplemented, "dtype '", name, "' is not supported");
  ArrayType out{*dtype, parse_tuple(entry.at("shape").as_text())};
  num_elements(out.dims);
  return out;
}

void read_entry(const std::string& path, const JsonValue& value, Index& out) {
  if (value.is_object()) {
    Tree<ArrayType>& entry = out.arrays[path];
    MW_CHECK(!entry.is_leaf() && entry.children().empty(), "is there twice");
    entry = read_type(value);
    io::check_path(array_folder(path));
  } else if (std::optional<std::int64_t> integer = value.find_integer()) {
    if (path == "step") out.step = *integer;
    out.values[path] = Scalar(*integer);
  } else if (value.is_number()) {
    out.values[path] = Scalar(value.as_number());
  } else if (value.is_text()) {
    out.values[path] = Scalar(value.as_text());  // of an iterator: the name of its class
  }
}

Index parse_index(std::string_view text, const std::string& name) {
  Index out;
  std::string at;
  try {
    JsonValue json = parse_json(text, "the index");
    for (const JsonValue& entry : json.as_array()) {
      if (entry.as_array().size() != 2) fail(ErrorCode::data_loss, "an entry is no pair");
      at = entry.as_array()[0].as_text();
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

constexpr InPlace kHow = {
    .layout = {.folder = array_folder, .chunk_is_part = true},
    .marker = kIndex,
    .marker_text = index_text,
};

// --- the format -------------------------------------------------------------------------------

class AxLearn : public Format {
 public:
  std::string_view name() const override { return "axlearn"; }
  std::string step_name(std::int64_t step) const override {
    return padded_step_name("step_", 8, step);
  }
  std::optional<std::int64_t> find_step(std::string_view folder_name) const override {
    return find_padded_step("step_", 8, folder_name);
  }

  bool is_step(const Files& files, const std::string& folder) const override {
    std::optional<io::FileInfo> arrays = files->find(join_path(folder, kArrays));
    return is_committed(files, folder) || (arrays && arrays->kind == io::FileKind::folder);
  }
  bool is_committed(const Files& files, const std::string& folder) const override {
    std::optional<io::FileInfo> index = files->find(join_path(folder, kIndex));
    return index && index->kind == io::FileKind::file;
  }

  Stored open(const Files& files, const std::string& folder) const override {
    if (std::optional<Stored> verified = find_verified(files, folder, kIndex)) {
      return *std::move(verified);
    }
    std::string file = join_path(folder, kIndex);
    Index index = parse_index(io::read_text(*files, file), files->full_name(file));
    auto array = [&](const std::string& path, const ArrayType& type) {
      return stored_zarr(files, join_path(folder, array_folder(path)), type);
    };
    return {index.step, map(index.arrays, array), std::move(index.values)};
  }
  std::vector<Damage> verify(const Files& files, const std::string& folder) const override {
    return verify_in_place(*this, files, folder);
  }

  std::unique_ptr<StepWriter> begin(const Files& files,
                                    const std::string& run,
                                    StepPlan plan,
                                    const WriteOptions& options) const override {
    return begin_in_place(*this, kHow, files, run, std::move(plan), options);
  }
  void remove(const Files& files, const std::string& folder) const override {
    remove_marked(*files, folder, kIndex);
  }
};

}  // namespace

const Format& axlearn_format() {
  static const AxLearn format;
  return format;
}

}  // namespace meshwright::checkpoint
