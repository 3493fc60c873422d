// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <iostream>

#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/config_words.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/job.h"
#include "meshwright/config/config.h"
#include "meshwright/config/find_config.h"

namespace meshwright::cli {
namespace {

RunConfig load_run_config(const Words& words) {
  ConfigWords split = split_config_words(words);
  MW_CHECK(split.names.size() <= 1, "train: one config at a time, and not '",
           join(split.names, "' and '"), "'");
  std::string name = split.names.empty() ? kDefaultConfig : split.names[0];
  return config::load<RunConfig>(config::find_config(name, config::config_folders()),
                                 split.overrides);
}

// For programs: one result per line.
void print_results(const train::Results& results) {
  for (const auto& [name, value] : results)
    std::cout << name << ": " << str(static_cast<float>(value)) << '\n';
}

int finish(const train::Outcome& outcome, const std::string& dir) {
  if (outcome.reason == train::StopReason::requested) {
    note("stopped on request after step ", outcome.step, "; the same command goes on from there");
    bool by_key = outcome.stop_signal == SIGINT;
    return static_cast<int>(by_key ? ExitCode::interrupted : ExitCode::preempted);
  }
  note("done at step ", outcome.step, ": everything is in ", dir);
  print_results(outcome.results);
  return static_cast<int>(ExitCode::done);
}

}  // namespace

int run_train(const Words& words) {
  ArgumentParser parser("train",
                        "Trains a model, from the newest checkpoint in the run's folder if there "
                        "is one. Without CONFIG: configs/arithmetic_lm.toml.");
  Words settings;
  bool fresh = false;
  parser.flag("--fresh", fresh, "begin anew; what was there is moved aside");
  parser.positionals(settings, "[CONFIG] [key.path=value...]",
                     "a TOML file or the name of one in configs/, and values over it");
  if (!parser.parse(words)) return 0;
  const RunConfig config = load_run_config(settings);
  runtime::Client client = open_client(config.mesh);
  train::Job job = make_job(config, client.num_devices());
  job.fresh = fresh;
  return finish(train::run(job, client), config.dir);
}

}  // namespace meshwright::cli
