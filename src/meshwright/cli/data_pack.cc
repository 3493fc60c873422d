// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <thread>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/base/ordered_tasks.h"
#include "meshwright/cli/data_commands.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/cli/output_path.h"
#include "meshwright/cli/progress_line.h"
#include "meshwright/data/config/source_config.h"
#include "meshwright/data/core/skipped_batches.h"
#include "meshwright/data/export/batch_writer.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

using data::Rows;

constexpr char kName[] = "data pack";

struct PackArgs {
  Args config;
  std::optional<std::string> out, format;
  std::optional<std::int64_t> epoch, first_step, num_steps;
  bool force = false, as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Writes the rows that a run trains on, in their order, for other programs: an array of "
        "NumPy for each array of the batches (inputs, targets, weights and, where rows have "
        "several documents, segments and positions), or a line of JSON for each row.");
    parser.option("--out", out, {"PATH", Offer::files}, "folder or file to write");
    parser.option("--format", format, one_of({"npy", "jsonl"}),
                  "a folder of .npy files, or a file of JSON lines (default: jsonl if PATH ends in "
                  ".jsonl, otherwise npy)");
    parser.option(
        "--epoch", epoch, {"N"},
        "pass over the data, from 0 on, with the batches that the run skips (default: 0)");
    parser.option("--first-step", first_step, {"N"}, "instead of an epoch: begin with this batch");
    parser.option("--steps", num_steps, {"N"}, "instead of an epoch: write this many batches");
    parser.flag("--force", force, "replace PATH if it exists");
    parser.flag("--json", as_json, "print the results as JSON");
    declare_run_config(parser, config);
    parser.example("configs/text.toml data.path=book.txt --out packed");
    parser.example("runs/text --steps 100 --out first.jsonl");
  }
};

// Rows of all batches, numbered across batches.
struct RowRange {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

RowRange rows_of_steps(const PackArgs& args, const data::Source& source) {
  MW_CHECK(!args.epoch, kName, ": --epoch cannot be combined with --first-step or --steps");
  const std::int64_t size = batch_size(source), first = args.first_step.value_or(0);
  const std::optional<std::int64_t> num_batches = source.num_batches();
  MW_CHECK(args.num_steps || num_batches, kName, ": the data '", source.name(),
           "' is endless\nlimit it: --steps N");
  const std::int64_t num_steps = args.num_steps.value_or(num_batches.value_or(0) - first);
  MW_CHECK(first >= 0 && num_steps > 0, kName, ": there are no batches from ", first, " to ",
           first + num_steps);
  MW_CHECK(!num_batches || first + num_steps <= *num_batches, kName, ": the data '", source.name(),
           "' has ", num_batches.value_or(0), " batches, fewer than ", first + num_steps);
  return {first * size, (first + num_steps) * size};
}

RowRange rows_of_epoch(const PackArgs& args, const data::Source& source) {
  const std::int64_t epoch = args.epoch.value_or(0);
  const std::optional<double> per_epoch = batches_per_pass(source);
  MW_CHECK(per_epoch, kName, ": the data '", source.name(), "' has no epochs\ngive --steps N");
  const auto num_rows =
      static_cast<std::int64_t>(std::llround(*per_epoch * static_cast<double>(batch_size(source))));
  const std::optional<std::int64_t> num_batches = source.num_batches();
  MW_CHECK(epoch >= 0, kName, ": --epoch ", epoch, " is negative");
  MW_CHECK(!num_batches || (epoch + 1) * num_rows <= *num_batches * batch_size(source), kName,
           ": the data '", source.name(), "' ends before the end of epoch ", epoch);
  return {epoch * num_rows, (epoch + 1) * num_rows};
}

// Calls `write` with these rows, in order, in parts of batches that threads read.
void read_rows(const data::SourcePtr& source,
               const RowRange& range,
               const std::function<void(const data::Batch&)>& write) {
  const std::int64_t size = batch_size(*source);
  OrderedTasks<data::Batch> batches(
      static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  for (std::int64_t begin = range.begin; begin < range.end;) {
    const std::int64_t step = begin / size;
    const Rows rows = {begin % size, std::min(size, range.end - step * size)};
    if (batches.is_full()) write(batches.pop());
    batches.push([source, step, rows] { return source->batch(step, rows); });
    begin += rows.size();
  }
  while (!batches.is_empty())
    write(batches.pop());
}

data::BatchFormat format_of(const PackArgs& args) {
  const bool is_jsonl = args.format ? *args.format == "jsonl" : args.out->ends_with(".jsonl");
  return is_jsonl ? data::BatchFormat::jsonl : data::BatchFormat::npy;
}

void write_rows(const data::SourcePtr& source, const RowRange& range, data::BatchWriter& writer) {
  ProgressLine line;
  std::int64_t num_written = 0;
  read_rows(source, range, [&](const data::Batch& batch) {
    writer.add(batch);
    num_written += flatten(batch).front().second.dims().front();
    line.show(
        [&] { return str(with_separators(num_written), " of ", counted(range.size(), "row")); });
  });
  writer.finish();
}

void print_report(const PackArgs& args, std::int64_t num_rows, double seconds) {
  if (args.as_json) {
    JsonWriter json;
    json.begin_object().field("path", *args.out).field("rows", num_rows).field("seconds", seconds);
    std::cout << json.end_object().str() << "\n";
  } else {
    std::cout << "wrote " << counted(num_rows, "row") << " to " << *args.out << " in "
              << metrics::duration(seconds) << "\n";
  }
}

int pack(const PackArgs& args) {
  const auto start = std::chrono::steady_clock::now();
  MW_CHECK(args.out, kName, ": no output is named\ngive --out PATH");
  check_output(kName, *args.out, args.force);
  const RunConfig config = load_run_config(kName, args.config);
  const data::RunData data = open_data(config, data::DataUse::batches);
  const bool is_by_steps = args.first_step || args.num_steps;
  const data::SourcePtr all = data::make_source(config.data, data);
  const data::SourcePtr source =
      is_by_steps ? data::without(all, data::skipped_batches(config.data)) : all;
  const RowRange range = is_by_steps ? rows_of_steps(args, *source) : rows_of_epoch(args, *source);
  const auto writer =
      data::open_batch_writer(*args.out, format_of(args), source->spec(), range.size(),
                              args.force ? data::IfExists::replace : data::IfExists::refuse);
  write_rows(source, range, *writer);
  print_report(args, range.size(),
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return 0;
}

}  // namespace

CommandBody pack_data(const std::string& name) {
  return make_command<PackArgs>(name, pack);
}

}  // namespace meshwright::cli
