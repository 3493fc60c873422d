// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <iomanip>
#include <iostream>

#include "meshwright/base/json.h"
#include "meshwright/base/printable.h"
#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/run/readable.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

struct Row {
  checkpoint::CheckpointEntry step;
  std::int64_t num_bytes = 0;
  std::int64_t modified_seconds = 0;
  bool is_pinned = false;
  std::optional<checkpoint::Flaw> flaw = {};

  std::string state() const {
    std::string out = !flaw ? "committed" : flaw->is_damage ? "damaged" : "unreadable";
    if (!step.is_committed && step.is_folder) out = "unfinished";
    return is_pinned ? out + ", pinned" : out;
  }
};

std::vector<Row> rows_of(const checkpoint::Location& location) {
  std::vector<Row> out;
  for (const checkpoint::CheckpointEntry& step : location.steps) {
    if (location.named && location.named->folder != step.folder) continue;
    auto flaw = checkpoint::find_flaw(*location.container, location.files, step);
    const auto info = location.files->find(step.folder);
    if (!info) continue;  // removed by a run in the meantime
    out.push_back({step, step.is_folder ? bytes_of(location, step) : 0, info->modified_seconds,
                   checkpoint::is_pinned(*location.files, step.folder), std::move(flaw)});
  }
  return out;
}

void print_json(const checkpoint::Location& location, const std::vector<Row>& rows) {
  JsonWriter json;
  json.begin_array();
  for (const Row& row : rows) {
    json.begin_object()
        .field("step", row.step.step)
        .field("folder", location.files->full_name(row.step.folder))
        .field("bytes", row.num_bytes)
        .field("modified", row.modified_seconds)
        .field("format", location.container->name())
        .field("committed", row.step.is_committed)
        .field("readable", !row.flaw)
        .field("pinned", row.is_pinned)
        .end_object();
  }
  std::cout << json.end_array().str() << "\n";
}

void print_table(const checkpoint::Location& location, const std::vector<Row>& rows) {
  const auto now = static_cast<double>(std::time(nullptr));
  std::cout << std::setw(10) << "step" << std::setw(13) << "size" << std::setw(10) << "age"
            << "  format      state\n";
  for (const Row& row : rows) {
    const double age = std::max(0.0, now - static_cast<double>(row.modified_seconds));
    std::cout << std::setw(10) << row.step.step << std::setw(13) << human_bytes(row.num_bytes)
              << std::setw(10) << metrics::duration(age) << "  " << std::left << std::setw(12)
              << location.container->name() << std::right << row.state() << "\n";
    if (row.flaw && row.state() != "unfinished")
      std::cout << printable_message(str("            ", row.flaw->what, "\n"));
  }
}

struct LsArgs {
  Args folder;
  bool as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description("Lists the checkpoints of a run with step, size, age, format and state.");
    declare_folder(parser, folder);
    parser.flag("--json", as_json, "print JSON");
  }
};

int list(const LsArgs& args) {
  const checkpoint::Location location = located("ls", args.folder);
  const std::vector<Row> rows = rows_of(location);
  if (args.as_json) {
    print_json(location, rows);
  } else {
    print_table(location, rows);
  }
  return 0;
}

}  // namespace

CommandBody list_checkpoints(const std::string& name) {
  return make_ckpt_command<LsArgs>(name, list);
}

}  // namespace meshwright::cli
