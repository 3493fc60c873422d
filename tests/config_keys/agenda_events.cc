// SPDX-License-Identifier: Apache-2.0
#include "agenda_events.h"

#include "meshwright/base/base_testutil.h"
#include "meshwright/cli/job.h"
#include "meshwright/train/loop/agenda_testutil.h"
#include "meshwright/train/loop/run_length.h"

namespace meshwright::config_keys {
namespace {

// The accuracy of evaluator `name` rises, falls, and stays.
const std::map<std::int64_t, double> kAccuracies = {{2, 0.5},  {4, 0.6},  {6, 0.55}, {8, 0.55},
                                                    {10, 0.6}, {12, 0.7}, {14, 0.6}, {16, 0.6},
                                                    {18, 0.6}, {20, 0.6}, {30, 0.8}};

// Returns the events up to an error, and its message.
std::string recorded(const cli::RunConfig& config, train::AgendaStart start) {
  const std::vector<runtime::DeviceInfo> devices(1);
  const train::Job job = cli::make_job(config, devices);
  std::vector<train::AgendaEvaluator> evaluators;
  for (const auto& [name, evaluator] : job.config.evaluators)
    evaluators.push_back({name, evaluator.when.value()});
  const optim::RunLength length = train::run_length(job.source, *job.task, job.config.max_step);
  train::Agenda agenda(job.config.loop, job.config.checkpoint.when.value(), evaluators, length);
  start.max_step = length.total_steps;
  train::AgendaRecorder recorder;
  recorder.accuracies = kAccuracies;
  recorder.seconds_per_update = 10;
  recorder.data_end = 100;
  const std::string error = message_of([&] { recorder.run(agenda, start); });
  return str(join(recorder.events(), "\n"), "\n", error);
}

}  // namespace

std::string events(const cli::RunConfig& config) {
  return recorded(config, {});
}

std::string events_from_step_5(const cli::RunConfig& config) {
  return recorded(config, {.step = 5, .is_fresh = false});
}

std::string events_at_end(const cli::RunConfig& config) {
  return recorded(config, {.step = 40, .is_fresh = false});
}

}  // namespace meshwright::config_keys
