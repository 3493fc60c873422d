// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/reporter.h"

#include <chrono>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/config/parse_toml.h"
#include "meshwright/metrics/console.h"
#include "meshwright/metrics/jsonl.h"
#include "meshwright/metrics/tensorboard.h"
#include "meshwright/metrics/wandb.h"

namespace meshwright::train {
namespace {

using metrics::Bus;
using metrics::Entry;

using Sinks = std::vector<std::unique_ptr<metrics::Sink>>;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Training continues without a sink that cannot be opened.
void open_sink(Sinks& sinks, const std::function<std::unique_ptr<metrics::Sink>()>& open) {
  try {
    sinks.push_back(open());
  } catch (const Error& error) {
    log_warning("metrics: ", error.what());
  }
}

std::unique_ptr<metrics::Sink> open_added(const SinkFactory& factory,
                                          const Files& files,
                                          std::int64_t first_step) {
  try {
    return factory.open(files, first_step);
  } catch (const Error& error) {
    throw error.with_context(str("sink '", factory.name, "'"));
  }
}

std::unique_ptr<Bus> bus_of(Sinks sinks) {
  const bool is_writer = !sinks.empty();
  return std::make_unique<Bus>(std::move(sinks), metrics::BusOptions{.is_writer = is_writer});
}

std::unique_ptr<Bus> tensorboard(const Files& files,
                                 const std::string& folder,
                                 const ReporterOptions& options) {
  Sinks sinks;
  if (has_sink<TensorBoardSinkConfig>(options.sinks)) {
    open_sink(sinks, [&] {
      return std::make_unique<metrics::TensorBoardSink>(
          files, folder,
          metrics::TensorBoardOptions{.first_step = options.first_step,
                                      .wall_seconds = now_seconds()});
    });
  }
  return bus_of(std::move(sinks));
}

std::unique_ptr<Bus> wandb(const Files& files, const ReporterOptions& options) {
  Sinks sinks;
  if (has_sink<WandbSinkConfig>(options.sinks)) {
    open_sink(sinks, [&] {
      const config::Node tree = config::parse_toml(std::make_shared<const config::Source>(
          config::Source{checkpoint::kRunConfig, options.config}));
      return std::make_unique<metrics::WandbSink>(files, now_seconds(), *tree.table());
    });
  }
  return bus_of(std::move(sinks));
}

// Returns the part of a step's metrics that the console line shows.
metrics::Progress completed(metrics::Progress progress,
                            const StepMetrics& metrics,
                            const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    double value = metrics.values[i];
    if (names[i] == "loss") progress.loss = value;
    if (names[i] == "learning_rate") progress.learning_rate = value;
    if (names[i] == "gradient_norm") progress.gradient_norm = value;
  }
  return progress;
}

}  // namespace

Reporter::Reporter(const RunFolder& folder, const ReporterOptions& options)
    : first_step_(options.first_step) {
  Sinks sinks;
  if (options.show) {
    sinks.push_back(std::make_unique<metrics::ConsoleSink>(
        metrics::ConsoleOptions{.max_step = options.max_step}));
  }
  if (has_sink<JsonlSinkConfig>(options.sinks)) {
    open_sink(sinks, [&] {
      return std::make_unique<metrics::JsonlSink>(folder.files(), "metrics.jsonl",
                                                  options.first_step, now_seconds());
    });
  }
  for (const SinkFactory& factory : options.added_sinks)
    open_sink(sinks, [&] { return open_added(factory, folder.files(), options.first_step); });
  lines_ = std::make_unique<Bus>(std::move(sinks));
  training_ = tensorboard(folder.files(), "summaries/train_train", options);
  for (const std::string& name : options.evaluators)
    evaluators_[name] = tensorboard(folder.files(), "summaries/" + name, options);
  wandb_ = wandb(folder.files(), options);
}

void Reporter::training(const StepMetrics& metrics,
                        const std::vector<std::string>& names,
                        const std::vector<std::string>& histogram_names) {
  if (!metrics.report && !metrics.is_for_files) return;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < names.size(); ++i)
    entries.push_back({names[i], static_cast<double>(metrics.values[i])});
  lines_->write(metrics.step, entries);
  std::optional<metrics::Progress> progress;
  if (metrics.report) {
    progress = completed(*metrics.report, metrics, names);
    for (Entry& entry : entries_of(*progress))
      entries.push_back(std::move(entry));
  }
  for (std::size_t i = 0; i < metrics.histograms.size(); ++i)
    entries.push_back({histogram_names[i], metrics::Distribution{metrics.histograms[i]}});
  wandb_->write(metrics.step, entries);
  training_->write(metrics.step, std::move(entries));
  if (progress) lines_->report(*std::move(progress));
}

void Reporter::evaluation(std::int64_t step,
                          const std::string& evaluator,
                          const std::vector<Entry>& entries,
                          const std::vector<std::string>& shown) {
  std::vector<Entry> all = entries;
  if (!shown.empty())
    all.push_back({"examples", metrics::Text{metrics::markdown_code(join(shown, "\n"))}});
  evaluators_.at(evaluator)->write(step, std::move(all));
  std::vector<Entry> prefixed;
  for (const Entry& entry : entries)
    prefixed.push_back({evaluator + "/" + entry.name, entry.value});
  wandb_->write(step, prefixed);
  lines_->write(step, std::move(prefixed));
}

void Reporter::about_run(std::int64_t step, std::vector<Entry> entries) {
  lines_->write(step, entries);
  // W&B already has a row for the step at which a run resumes; another would take the next number.
  if (step >= first_step_) wandb_->write(step, entries);
  training_->write(step, std::move(entries));
}

void Reporter::flush() {
  lines_->flush();
  training_->flush();
  wandb_->flush();
  for (auto& [name, bus] : evaluators_)
    bus->flush();
}

}  // namespace meshwright::train
