// SPDX-License-Identifier: Apache-2.0
#include "runs.h"

#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/job.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"
#include "run_in_folder.h"

namespace meshwright::config_keys {

namespace fs = std::filesystem;

Ran train_here(const cli::RunConfig& config) {
  std::string lines;
  std::mutex mutex;
  // With the prefix, as on the console.
  const ScopedLogHandler handler([&](Severity severity, std::string_view message) {
    const std::lock_guard lock(mutex);
    lines += log_line(severity, message);
  });
  const std::string error = message_of([&] {
    const runtime::Client& client = train::caching_client();
    std::vector<runtime::DeviceInfo> devices = client.devices();
    devices.resize(static_cast<std::size_t>(config.mesh.num_devices));
    (void)train::run(cli::make_job(config, devices), client);
  });
  const std::lock_guard lock(mutex);
  return {lines, error};
}

namespace {

// A run in its own folder.
struct Run {
  explicit Run(const cli::RunConfig& config) {
    const InFolder in_folder(folder.path());
    ran = train_here(config);
  }

  io::TemporaryFolder folder;
  Ran ran;
};

// A run that must succeed.
struct GoodRun : Run {
  explicit GoodRun(const cli::RunConfig& config) : Run(config) { EXPECT_EQ(ran.error, "no error"); }
};

std::vector<std::string> lines_of(std::istream&& in) {
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

std::string joined_once(const std::vector<std::string>& lines) {
  return join(std::set<std::string>(lines.begin(), lines.end()), "\n");
}

std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_number = (c >= '0' && c <= '9') || c == '.';
    if (!is_number) out += c;
    if (is_number && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

std::string names_of_files(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    // Their names contain the time.
    const bool has_time = name.find("tfevents") != name.npos || name.find("wandb/") != name.npos;
    if (!has_time) names.insert(name);
  }
  return join(names, "\n");
}

// Returns the metrics of all records, in order.
JsonValue::Object metrics_of(const cli::RunConfig& config) {
  const GoodRun run(config);
  JsonValue::Object out;
  const fs::path file = run.folder.path() / config.train.dir / "metrics.jsonl";
  for (const std::string& line : lines_of(std::ifstream(file))) {
    const JsonValue record = parse_json(line, "metrics.jsonl");
    if (const JsonValue* metrics = record.find("metrics"))
      out.insert(out.end(), metrics->as_object().begin(), metrics->as_object().end());
  }
  return out;
}

}  // namespace

std::string files(const cli::RunConfig& config) {
  return names_of_files(GoodRun(config).folder.path());
}

std::string outcome(const cli::RunConfig& config) {
  const Run run(config);
  return str(names_of_files(run.folder.path()), "\n", run.ran.error);
}

std::string messages(const cli::RunConfig& config) {
  std::vector<std::string> out;
  for (const std::string& line :
       lines_of(std::istringstream(without_numbers(GoodRun(config).ran.console)))) {
    std::istringstream words(line);
    std::string first, second, third;
    words >> first >> second >> third;
    // The cache of programs determines which of the two it is.
    if (second == "a" && third == "program") first = "compiled or loaded";
    // That line starts with the category that took most time.
    if (first != "time:") out.push_back(str(first, ' ', second, ' ', third));
  }
  return joined_once(out);
}

std::string description_of_work(const cli::RunConfig& config) {
  std::string out;
  for (const std::string& line : lines_of(std::istringstream(GoodRun(config).ran.console)))
    if (line.find("peak FLOP/s") != line.npos) out += line + "\n";
  return out;
}

std::string evaluation(const cli::RunConfig& config) {
  std::string out;
  for (const auto& [name, value] : metrics_of(config))
    if (name.starts_with("name/") && !name.ends_with("_secs"))
      out += str(name, ' ', to_string(value), '\n');
  return out;
}

std::string eval_outputs(const cli::RunConfig& config) {
  const GoodRun run(config);
  const fs::path folder = run.folder.path() / config.train.dir / "outputs";
  std::vector<std::string> lines;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    for (const std::string& line : lines_of(std::ifstream(entry.path())))
      lines.push_back(line);
  }
  return joined_once(lines);
}

std::string resumption(const cli::RunConfig& config) {
  cli::RunConfig first = config;
  first.train.max_step = 4;
  first.train.checkpoint.when = train::When{train::EveryN{.n = 1}};
  first.train.checkpoint.restore = {};
  first.train.prefetch = {};
  cli::RunConfig second = config;
  second.train.max_step = 6;
  const io::TemporaryFolder folder;
  const InFolder in_folder(folder.path());
  (void)train_here(first);
  const Ran ran = train_here(second);
  std::string out = ran.error + "\n";
  for (const std::string& line : lines_of(std::istringstream(ran.console)))
    if (line.starts_with("restored") || line.starts_with("batch ")) out += line + "\n";
  return out;
}

}  // namespace meshwright::config_keys
