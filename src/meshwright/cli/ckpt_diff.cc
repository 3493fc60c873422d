// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/base/printable.h"
#include "meshwright/base/regex.h"
#include "meshwright/checkpoint/contents/statistics.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

using checkpoint::ArrayDifference;
using checkpoint::Stored;

struct DiffArgs {
  Args folders;
  checkpoint::Tolerance tolerance;
  std::optional<std::string> only;
  bool with_meta = false;
  bool as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Compares two checkpoints, in the same format or not: arrays only in A ('-') or only in B "
        "('+'), then elements. Exit code 1 if they differ.");
    parser.positionals(folders, {"A B", Offer::folders}, "run folders or checkpoint folders");
    parser.option("--atol", tolerance.atol, {"X"}, "absolute tolerance");
    parser.option("--rtol", tolerance.rtol, {"X"},
                  "relative tolerance, as a fraction of B's element");
    parser.option("--only", only, {"PATTERN"}, "only arrays whose whole path matches");
    parser.flag("--meta", with_meta, "also compare metadata such as the data position");
    parser.flag("--json", as_json, "print JSON");
    parser.example("runs/a runs/b --rtol 1e-5 --only 'model/.*'");
  }
};

struct Side {
  std::string folder;
  Stored stored;
};

/// An array that is missing on one side or has another type there.
struct TypeDifference {
  std::string path;
  std::optional<ArrayType> a, b;
};

struct Differences {
  std::size_t num_compared = 0;  // arrays in A or B
  std::vector<TypeDifference> types;
  std::vector<ArrayDifference> values;
  std::vector<std::string> meta;

  bool is_empty() const { return types.empty() && values.empty() && meta.empty(); }
};

Side open_named(const std::string& folder) {
  const checkpoint::Location location = located("diff", {folder});
  const checkpoint::CheckpointEntry& step = location.step();
  return {location.files->full_name(step.folder), open_step(location, step)};
}

void keep_only(const std::string& pattern, Stored& stored) {
  const Regex only(pattern);
  std::vector<std::pair<std::string, checkpoint::StoredArray>> kept;
  for (auto& entry : flatten(stored.arrays))
    if (only.matches(entry.first)) kept.push_back(std::move(entry));
  stored.arrays = unflatten(kept);
  std::erase_if(stored.unreadable, [&](const auto& entry) { return !only.matches(entry.first); });
}

// Adds how the members other than arrays differ.
void add_structure(const checkpoint::Structure& a,
                   const checkpoint::Structure& b,
                   std::vector<std::string>& out) {
  const auto compare = [&](const auto& left, const auto& right, const auto& text_of) {
    for (const auto& [path, value] : left) {
      const auto found = right.find(path);
      if (found == right.end()) {
        out.push_back(str(path, ": only in A: ", text_of(value)));
      } else if (found->second != value) {
        out.push_back(str(path, ": ", text_of(value), " and ", text_of(found->second)));
      }
    }
    for (const auto& [path, value] : right)
      if (!left.contains(path)) out.push_back(str(path, ": only in B: ", text_of(value)));
  };
  compare(a.empty, b.empty,
          [](checkpoint::EmptyNode node) { return str("empty ", name_of(node)); });
  compare(a.texts, b.texts, [](const std::string& text) { return scalar_text(text); });
}

Differences differences_of(const Stored& a, const Stored& b, const DiffArgs& args) {
  Differences out;
  const auto type_at = [](const Stored& in, const std::string& path) {
    const auto* found = in.arrays.find(path);
    return found != nullptr && found->is_leaf() ? std::optional(found->value().type())
                                                : std::nullopt;
  };
  for_each(a.arrays, [&](const std::string& path, const checkpoint::StoredArray& array) {
    ++out.num_compared;
    const std::optional<ArrayType> other = type_at(b, path);
    if (other != array.type()) out.types.push_back({path, array.type(), other});
  });
  for_each(b.arrays, [&](const std::string& path, const checkpoint::StoredArray& array) {
    if (type_at(a, path)) return;
    ++out.num_compared;
    out.types.push_back({path, std::nullopt, array.type()});
  });
  out.values = differing_arrays(a, b, args.tolerance);
  if (args.with_meta) {
    const auto compare = [](const Scalar& left, const Scalar& right) {
      return left == right ? "" : str(scalar_text(left), " and ", scalar_text(right));
    };
    out.meta = differences(a.meta, b.meta, compare, "A", "B");
    add_structure(a.structure, b.structure, out.meta);
  }
  return out;
}

std::string equal_line(const Differences& found, const DiffArgs& args) {
  const bool is_exact = args.tolerance.atol == 0 && args.tolerance.rtol == 0;
  return str(is_exact ? "equal: " : "equal within the tolerance: ", found.num_compared,
             found.num_compared == 1 ? " array" : " arrays",
             args.with_meta ? " and the metadata" : "");
}

void print_text(const Differences& found, const DiffArgs& args) {
  const auto line = [](const std::string& text) { std::cout << printable_name(text) << "\n"; };
  for (const TypeDifference& array : found.types) {
    if (array.a) line(str("- ", array.path, " ", *array.a));
    if (array.b) line(str("+ ", array.path, " ", *array.b));
  }
  for (const ArrayDifference& array : found.values) {
    line(str(array.path, ": ", with_separators(array.num_different), " of ",
             with_separators(array.num_elements), " elements differ, by ",
             metrics::significant(array.largest), " at most"));
  }
  for (const std::string& text : found.meta)
    line(text);
  if (found.is_empty()) line(equal_line(found, args));
}

void write_type(JsonWriter& json, std::string_view name, const std::optional<ArrayType>& type) {
  json.key(name);
  if (!type) {
    json.null();
    return;
  }
  json.begin_object().field("dtype", to_string(type->dtype)).key("shape").begin_array();
  for (const std::int64_t size : type->dims)
    json.value(size);
  json.end_array().end_object();
}

void print_json(const Side& a, const Side& b, const Differences& found, const DiffArgs& args) {
  JsonWriter json;
  json.begin_object().field("equal", found.is_empty());
  for (const auto& [name, side] : {std::pair<const char*, const Side&>{"a", a}, {"b", b}}) {
    json.key(name).begin_object().field("folder", side.folder);
    json.field("step", side.stored.step).end_object();
  }
  json.field("compared", static_cast<std::int64_t>(found.num_compared));
  json.key("types").begin_array();  // null: missing
  for (const TypeDifference& array : found.types) {
    json.begin_object().field("path", array.path);
    write_type(json, "a", array.a);
    write_type(json, "b", array.b);
    json.end_object();
  }
  json.end_array().key("values").begin_array();
  for (const ArrayDifference& array : found.values) {
    json.begin_object().field("path", array.path).field("elements", array.num_elements);
    json.field("different", array.num_different).field("largest", array.largest).end_object();
  }
  json.end_array();
  if (args.with_meta) {
    json.key("meta").begin_array();
    for (const std::string& text : found.meta)
      json.value(text);
    json.end_array();
  }
  std::cout << json.end_object().str() << "\n";
}

int diff(const DiffArgs& args) {
  MW_CHECK(args.folders.size() == 2, "ckpt diff: takes two folders, not ", args.folders.size(),
           "\nsee: meshwright ckpt diff --help");
  MW_CHECK(args.tolerance.atol >= 0 && args.tolerance.rtol >= 0,
           "ckpt diff: --atol and --rtol must be at least 0");
  Side a = open_named(args.folders[0]);
  Side b = open_named(args.folders[1]);
  if (args.only) {
    keep_only(*args.only, a.stored);
    keep_only(*args.only, b.stored);
  }
  check_readable(a.stored);
  check_readable(b.stored);
  const Differences found = differences_of(a.stored, b.stored, args);
  MW_CHECK(!args.only || found.num_compared > 0, "ckpt diff: no array's path matches '", *args.only,
           "'\nto see the paths: meshwright ckpt show ", args.folders[0]);
  if (args.as_json) {
    print_json(a, b, found, args);
  } else {
    print_text(found, args);
  }
  return static_cast<int>(found.is_empty() ? ExitCode::done : ExitCode::no);
}

}  // namespace

CommandBody diff_checkpoints(const std::string& name) {
  return make_ckpt_command<DiffArgs>(name, diff);
}

}  // namespace meshwright::cli
