// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/base/printable.h"
#include "meshwright/base/regex.h"
#include "meshwright/checkpoint/contents/statistics.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

using checkpoint::Statistics;
using checkpoint::StoredArray;
using metrics::significant;

struct ShowArgs {
  Args folder;
  std::optional<std::string> only;
  bool with_statistics = false;
  bool as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Prints the arrays and metadata of a checkpoint and, with --stats, value statistics. "
        "Without --stats no array is read.");
    declare_folder(parser, folder);
    parser.option("--only", only, {"PATTERN"}, "only arrays whose whole path matches");
    parser.flag("--stats", with_statistics,
                "read the arrays; print range, mean, zeros, NaN, magnitudes");
    parser.flag("--json", as_json, "print JSON");
    parser.example("runs/a");
    parser.example("runs/a/checkpoints/step_00001000 --only 'model/.*' --stats");
  }
};

using Arrays = std::vector<std::pair<std::string, StoredArray>>;

Arrays wanted_arrays(const checkpoint::Stored& stored, const ShowArgs& args) {
  Arrays out;
  const std::optional<Regex> only = args.only ? std::optional<Regex>(*args.only) : std::nullopt;
  for (const auto& [path, array] : flatten(stored.arrays))
    if (!only || only->matches(path)) out.emplace_back(path, array);
  return out;
}

std::string decade_name(std::size_t decade) {
  const int exponent = Statistics::kFirstDecade + static_cast<int>(decade);
  return decade == 0 ? str("<1e", exponent) : str("1e", exponent - 1);
}

/// Prints the fraction of elements in each nonempty decade of magnitudes.
void print_histogram(const Statistics& statistics) {
  if (statistics.num_zero == statistics.num_finite()) return;
  std::cout << "    |x| from";
  for (std::size_t i = 0; i < statistics.decades.size(); ++i) {
    if (statistics.decades[i] == 0) continue;
    const double part =
        static_cast<double>(statistics.decades[i]) / static_cast<double>(statistics.num_elements);
    std::cout << "  " << decade_name(i) << ": " << metrics::percent(part);
  }
  std::cout << "\n";
}

void print_statistics(const Statistics& statistics) {
  if (statistics.num_elements == 0) return;
  std::cout << "    min " << significant(statistics.min) << "  max " << significant(statistics.max)
            << "  mean " << significant(statistics.mean) << "  std "
            << significant(std::sqrt(statistics.variance)) << "  zeros "
            << with_separators(statistics.num_zero);
  if (statistics.num_nan > 0) std::cout << "  NaN " << with_separators(statistics.num_nan);
  if (statistics.num_infinite > 0)
    std::cout << "  infinite " << with_separators(statistics.num_infinite);
  std::cout << "\n";
  print_histogram(statistics);
}

// Prints multi-line text, such as a config, below its name.
void print_value(const std::string& path, const Scalar& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || text->find('\n') == std::string::npos) {
    std::cout << printable_name(str(path, " = ", scalar_text(value))) << "\n";
    return;
  }
  std::cout << printable_name(path) << ":\n";
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);)
    std::cout << "    " << printable_name(line) << "\n";
}

std::uint64_t num_bytes(const checkpoint::IteratorState& iterator) {
  std::uint64_t out = 0;
  for (const auto& [name, file] : iterator.files)
    out += file.num_bytes;
  return out;
}

void print_iterators(const checkpoint::Location& location, const checkpoint::Stored& stored) {
  for (const checkpoint::IteratorState& iterator : stored.iterators) {
    std::vector<std::string> names;
    for (const auto& [name, file] : iterator.files)
      names.push_back(name);
    std::cout << printable_name(str(iterator.path, "  ", iterator.type)) << ", "
              << human_bytes(static_cast<std::int64_t>(num_bytes(iterator))) << " in "
              << (names.empty() ? "no file" : printable_name(join(names, ", ")))
              << "; used only by " << location.container->name() << "\n";
  }
}

void print_text(const checkpoint::Location& location,
                const checkpoint::Stored& stored,
                const Arrays& arrays,
                const ShowArgs& args) {
  constexpr std::size_t kMaxWidth = 100;
  std::int64_t num_elements = 0, num_bytes = 0;
  std::size_t width = 0;
  for (const auto& [path, array] : arrays) {
    num_elements = added(num_elements, meshwright::num_elements(array.type().dims));
    num_bytes = added(num_bytes, array.type().num_bytes());
    width = std::max(width, std::min(path.size(), kMaxWidth));
  }
  std::cout << printable_name(location.files->full_name(location.step().folder)) << "\n"
            << "step " << stored.step << ", format " << location.container->name() << ", "
            << counted(std::ssize(arrays), "array") << ", " << with_separators(num_elements)
            << (num_elements == 1 ? " element, " : " elements, ") << human_bytes(num_bytes)
            << (stored.digest.empty()
                    ? str(stored.is_verified ? ", with" : ", without", " checksums")
                    : str(", digest ", stored.digest))
            << "\n";
  for (const auto& [path, array] : arrays) {
    std::cout << std::left << std::setw(static_cast<int>(width)) << path << std::right << "  "
              << to_string(array.type()) << "\n";
    if (args.with_statistics) print_statistics(checkpoint::statistics(array));
  }
  if (args.only) return;
  print_iterators(location, stored);
  for (const auto& [path, why] : stored.unreadable)
    std::cout << printable_name(str(path, "  cannot be read: ", why)) << "\n";
  for (const auto& [path, node] : stored.structure.empty)
    std::cout << printable_name(path) << "  empty " << name_of(node) << "\n";
  for (const auto& [path, text] : stored.structure.texts)
    print_value(path, text);
  for (const auto& [path, value] : flatten(stored.meta))
    print_value(path, value);
}

void write_statistics(JsonWriter& json, const Statistics& statistics) {
  json.field("min", statistics.min).field("max", statistics.max).field("mean", statistics.mean);
  json.field("std", std::sqrt(statistics.variance)).field("zeros", statistics.num_zero);
  json.field("nan", statistics.num_nan).field("infinite", statistics.num_infinite);
  json.key("decades").begin_object();
  for (std::size_t i = 0; i < statistics.decades.size(); ++i)
    json.field(decade_name(i), statistics.decades[i]);
  json.end_object();
}

void print_json(const checkpoint::Location& location,
                const checkpoint::Stored& stored,
                const Arrays& arrays,
                const ShowArgs& args) {
  JsonWriter json;
  json.begin_object()
      .field("folder", location.files->full_name(location.step().folder))
      .field("step", stored.step)
      .field("format", location.container->name())
      .field("has_checksums", stored.is_verified)
      .field("digest", stored.digest);
  json.key("arrays").begin_array();
  for (const auto& [path, array] : arrays) {
    json.begin_object().field("path", path).field("dtype", to_string(array.type().dtype));
    json.key("shape").begin_array();
    for (const std::int64_t size : array.type().dims)
      json.value(size);
    json.end_array();
    if (args.with_statistics) write_statistics(json, checkpoint::statistics(array));
    json.end_object();
  }
  json.end_array().key("iterators").begin_array();
  for (const checkpoint::IteratorState& iterator : stored.iterators) {
    json.begin_object().field("path", iterator.path).field("type", iterator.type);
    json.key("files").begin_object();
    for (const auto& [name, file] : iterator.files)
      json.field(name, file.num_bytes);
    json.end_object().end_object();
  }
  json.end_array().key("unreadable").begin_object();
  for (const auto& [path, why] : stored.unreadable)
    json.field(path, why);
  json.end_object().key("empty").begin_object();
  for (const auto& [path, node] : stored.structure.empty)
    json.field(path, name_of(node));
  json.end_object().key("texts").begin_object();
  for (const auto& [path, text] : stored.structure.texts)
    json.field(path, text);
  json.end_object().key("meta").begin_object();
  for (const auto& [path, value] : flatten(stored.meta))
    std::visit([&, &name = path](const auto& content) { json.field(name, content); }, value);
  std::cout << json.end_object().end_object().str() << "\n";
}

int show(const ShowArgs& args) {
  const checkpoint::Location location = located("show", args.folder);
  const checkpoint::Stored stored = open_step(location, location.step());
  const Arrays arrays = wanted_arrays(stored, args);
  if (args.as_json) {
    print_json(location, stored, arrays, args);
  } else {
    print_text(location, stored, arrays, args);
  }
  return 0;
}

}  // namespace

CommandBody show_checkpoint(const std::string& name) {
  return make_ckpt_command<ShowArgs>(name, show);
}

}  // namespace meshwright::cli
