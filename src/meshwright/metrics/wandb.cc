// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/wandb.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <random>
#include <sstream>
#include <utility>

#include <protozero/pbf_writer.hpp>

#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/metrics/format.h"
#include "meshwright/metrics/wandb_log.h"

namespace meshwright::metrics {
namespace {

using protozero::pbf_writer;

constexpr const char* kIdFile = "wandb_id";
constexpr std::uint64_t kMaxIdBytes = 4096;

// Field numbers of W&B's wandb_internal.proto.
namespace record {
enum { num = 1, history = 2, summary = 3, run = 17, exit = 18, header = 21 };
}
namespace run {
enum {
  run_id = 1,
  entity = 2,
  project = 3,
  config = 4,
  run_group = 6,
  job_type = 7,
  display_name = 8,
  notes = 9,
  tags = 10,
  start_time = 17,
  resume = 24
};
}
namespace timestamp {
enum { seconds = 1, nanos = 2 };
}
namespace item {
enum { key = 1, nested_key = 2, value_json = 16 };
}
constexpr int kUpdate = 1;           // of a config and a summary
constexpr int kItem = 1, kStep = 2;  // of a history
constexpr int kVersionInfo = 1;      // of a header
constexpr int kProducer = 1;         // of version info
constexpr int kExitCode = 1;         // of an exit
constexpr int kStepNum = 1;          // of a step

constexpr std::pair<const char*, protozero::pbf_tag_type> kVariables[] = {
    {"WANDB_ENTITY", run::entity},       {"WANDB_PROJECT", run::project},
    {"WANDB_NAME", run::display_name},   {"WANDB_NOTES", run::notes},
    {"WANDB_GROUP", run::run_group},  // AXLearn's
    {"WANDB_RUN_GROUP", run::run_group}, {"WANDB_JOB_TYPE", run::job_type},
};

constexpr std::size_t kMaxBins = 64;  // W&B's default; it rejects more than 512

// Python's JSON has names for non-finite numbers, and W&B uses them.
std::string json_number(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return JsonWriter().value(number).str();
}

std::string json_list(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (double number : numbers)
    texts.push_back(json_number(number));
  return str("[", join(texts, ","), "]");
}

// Merges adjacent buckets to limit their number, with finite borders.
std::string json_histogram(const Histogram& from) {
  const std::size_t num_together = (from.counts.size() + kMaxBins - 1) / kMaxBins;
  std::vector<double> borders = {from.min}, counts;
  for (std::size_t i = 0; i < from.counts.size(); ++i) {
    if (i % num_together == 0) {
      counts.push_back(0);
      borders.push_back(0);
    }
    counts.back() += from.counts[i];
    borders.back() = std::clamp(from.limits[i], from.min, from.max);
  }
  return str(R"({"_type":"histogram","values":)", json_list(counts), R"(,"bins":)",
             json_list(borders), "}");
}

/// Returns nullopt for values that W&B keeps in separate files.
struct JsonOf {
  using Json = std::optional<std::string>;
  Json operator()(double number) const { return json_number(number); }
  Json operator()(const WeightedScalar& scalar) const { return json_number(scalar.mean); }
  Json operator()(const Histogram& h) const { return json_histogram(h); }
  Json operator()(const Distribution& d) const { return json_histogram(histogram(d.values)); }
  Json operator()(const Text&) const { return {}; }
  Json operator()(const Image&) const { return {}; }
  Json operator()(const Settings&) const { return {}; }
};

struct SettingWriter {
  JsonWriter& json;

  void operator()(const auto& value) const { json.value(value); }
  void operator()(const config::Array& array) const {
    json.begin_array();
    for (const config::Node& node : array)
      std::visit(*this, node.value);
    json.end_array();
  }
  void operator()(const config::Table& table) const {
    json.begin_object();
    for (const config::Entry& entry : table.entries()) {
      json.key(entry.key);
      std::visit(*this, entry.node.value);
    }
    json.end_object();
  }
};

std::string config_of(const config::Table& settings) {
  std::string bytes;
  pbf_writer out(bytes);
  for (const config::Entry& entry : settings.entries()) {
    JsonWriter json;
    std::visit(SettingWriter{json}, entry.node.value);
    pbf_writer item(out, kUpdate);
    item.add_string(item::key, entry.key);
    item.add_string(item::value_json, json.str());
  }
  return bytes;
}

std::string new_id() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::uniform_int_distribution<std::size_t> letter(0, kLetters.size() - 1);
  std::string out(8, ' ');
  std::ranges::generate(out, [&] { return kLetters[letter(random)]; });
  return out;
}

// Returns "" if there is no plain file.
std::string find_id(const io::FileSystem& files) {
  if (!io::is_file(files, kIdFile)) return "";
  std::istringstream text(read_text(files, kIdFile, kMaxIdBytes));
  std::string id;
  text >> id;
  return id;
}

std::string id_of_run(io::FileSystem& files) {
  std::string id = find_id(files);
  if (!id.empty()) return id;
  id = new_id();
  replace_text(files, kIdFile, id + "\n");
  return id;
}

// Returns a path that differs for each process, even within a second.
std::string new_file(const io::FileSystem& files, const std::string& id, double wall_seconds) {
  for (;; ++wall_seconds) {
    const std::string time = utc_text(wall_seconds, "%Y%m%d_%H%M%S");
    const std::string of_process = str("wandb/offline-run-", time, "-", id);
    if (!files.find(of_process)) return str(of_process, "/run-", id, ".wandb");
  }
}

void append_variables(pbf_writer& out) {
  for (const auto& [name, field] : kVariables) {
    if (const char* value = std::getenv(name)) out.add_string(field, value);
  }
  const char* tags = std::getenv("WANDB_TAGS");
  for (std::string_view rest = tags == nullptr ? "" : tags; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    out.add_string(run::tags, rest.data(), end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

WandbSink::WandbSink(const Files& files, double wall_seconds, const config::Table& config)
    : start_seconds_(wall_seconds) {
  const std::string id = id_of_run(*files);
  file_.emplace(files, new_file(*files, id, wall_seconds));
  begin(id, config);
}

WandbSink::~WandbSink() {
  try {
    append_row(std::move(row_));
    std::string exit;
    pbf_writer(exit).add_int32(kExitCode, std::uncaught_exceptions() > 0 ? 1 : 0);
    append(record::exit, exit);
  } catch (const std::exception& error) {
    log_warning("metrics: wandb: cannot mark the end of the run: ", error.what());
  }
}

void WandbSink::begin(const std::string& id, const config::Table& config) {
  file_->append(wandb_log_header());
  std::string header, version, bytes;
  pbf_writer(version).add_string(kProducer, "meshwright");
  pbf_writer(header).add_message(kVersionInfo, version);
  append(record::header, header);

  pbf_writer out(bytes);
  out.add_string(run::run_id, id);
  append_variables(out);
  out.add_message(run::config, config_of(config));
  const double whole = std::floor(start_seconds_);
  pbf_writer start(out, run::start_time);
  start.add_int64(timestamp::seconds, static_cast<std::int64_t>(whole));
  start.add_int64(timestamp::nanos, static_cast<std::int64_t>((start_seconds_ - whole) * 1e9));
  start.commit();
  out.add_bool(run::resume, true);
  append(record::run, bytes);
}

void WandbSink::append(std::uint32_t field, const std::string& message) {
  std::string bytes;
  pbf_writer out(bytes);
  out.add_int64(record::num, ++num_records_);
  out.add_message(field, message);
  file_->append(wandb_log_record(bytes, file_->num_bytes()));
}

void WandbSink::write(const Record& record) {
  Row done;
  if (record.step != row_.step) done = std::exchange(row_, {});
  row_.step = record.step;
  row_.wall_seconds = record.wall_seconds;
  for (const Entry& entry : record.entries) {
    if (auto json = std::visit(JsonOf{}, entry.value)) row_.values[entry.name] = *std::move(json);
  }
  append_row(std::move(done));
}

void WandbSink::append_row(Row row) {
  if (row.values.empty()) return;
  row.values["_step"] = str(row.step);
  row.values["_timestamp"] = json_number(row.wall_seconds);
  row.values["_runtime"] = json_number(row.wall_seconds - start_seconds_);
  std::string summary, history, step;
  for (const auto& [name, json] : row.values) {
    std::string value;
    pbf_writer item(value);
    item.add_string(item::nested_key, name);
    item.add_string(item::value_json, json);
    pbf_writer(summary).add_message(kUpdate, value);
    pbf_writer(history).add_message(kItem, value);
  }
  pbf_writer(step).add_int64(kStepNum, row.step);
  pbf_writer(history).add_message(kStep, step);
  append(record::summary, summary);
  append(record::history, history);
}

}  // namespace meshwright::metrics
