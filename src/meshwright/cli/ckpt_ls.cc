// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <iomanip>
#include <iostream>

#include "meshwright/base/json.h"
#include "meshwright/checkpoint/pins.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

struct Row {
  checkpoint::StepEntry step;
  std::int64_t num_bytes = 0;
  std::int64_t modified_seconds = 0;
  bool is_pinned = false;
};

std::vector<Row> rows_of(const checkpoint::Location& location) {
  std::vector<Row> out;
  for (const checkpoint::StepEntry& step : location.steps) {
    if (location.named && location.named->folder != step.folder) continue;
    const auto info = location.files->find(step.folder);
    out.push_back({step, bytes_of(location, step), info ? info->modified_seconds : 0,
                   checkpoint::is_pinned(*location.files, step.folder)});
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
        .field("format", location.format->name())
        .field("committed", row.step.is_committed)
        .field("pinned", row.is_pinned)
        .end_object();
  }
  std::cout << json.end_array().str() << "\n";
}

void print_table(const checkpoint::Location& location, const std::vector<Row>& rows) {
  const auto now = static_cast<double>(std::time(nullptr));
  std::cout << std::setw(10) << "step" << std::setw(13) << "size" << std::setw(10) << "age"
            << "  format   state\n";
  for (const Row& row : rows) {
    const double age = std::max(0.0, now - static_cast<double>(row.modified_seconds));
    std::cout << std::setw(10) << row.step.step << std::setw(13) << human_bytes(row.num_bytes)
              << std::setw(10) << metrics::duration(age) << "  " << std::left << std::setw(9)
              << location.format->name() << std::right
              << (row.step.is_committed ? "committed" : "unfinished")
              << (row.is_pinned ? ", pinned" : "") << "\n";
  }
}

}  // namespace

int list_checkpoints(const Words& words) {
  ArgumentParser parser("ckpt ls",
                        "Lists the checkpoints of a run: step, size, age, format, state.");
  Words folder;
  bool as_json = false;
  checkpoint_word(parser, folder);
  parser.flag("--json", as_json, "for programs");
  if (!parser.parse(words)) return 0;
  const checkpoint::Location location = located("ls", folder);
  const std::vector<Row> rows = rows_of(location);
  if (as_json) {
    print_json(location, rows);
  } else {
    print_table(location, rows);
  }
  return 0;
}

}  // namespace meshwright::cli
