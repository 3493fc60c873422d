// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/dry_run.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/results.h"
#include "meshwright/cli/run_words.h"
#include "meshwright/train/signals.h"

namespace meshwright::cli {
namespace {

ExitCode code_of(int stop_signal) {
  if (stop_signal == SIGHUP) return ExitCode::hung_up;
  return stop_signal == SIGINT ? ExitCode::interrupted : ExitCode::preempted;
}

int finish(const train::Outcome& outcome, const std::string& dir) {
  if (outcome.reason == train::StopReason::requested) {
    note("stopped on request after step ", outcome.step, "; the same command goes on from there");
    return static_cast<int>(code_of(outcome.stop_signal));
  }
  note("done at step ", outcome.step, ": everything is in ", dir);
  print_results(outcome.results);
  return static_cast<int>(ExitCode::done);
}

}  // namespace

int run_train(const Words& words) {
  const double began = train::steady_seconds();
  ArgumentParser parser("train",
                        "Trains a model, from the newest checkpoint in the run's folder if there "
                        "is one.");
  Words settings;
  bool fresh = false, goes_back = false, is_dry = false, as_json = false;
  ClientWords client_words;
  parser.flag("--fresh", fresh,
              "begin anew; what was in the run's folder is moved to earlier.N there");
  parser.flag("--go-back", goes_back,
              "with checkpoint.restore_step=N: checkpoints after it are moved to earlier.N");
  parser.flag("--dry-run", is_dry,
              "trace and compile, say how large everything is; write nothing, train nothing");
  parser.flag("--json", as_json, "what --dry-run says, for programs");
  client_words.declare(parser);
  run_words(parser, settings);
  parser.example("shapes_vit max_step=300");
  parser.example("my.toml optimizer.learning_rate.peak=1e-3 dir=runs/second");
  parser.example("my.toml --dry-run");
  if (!parser.parse(words)) return 0;
  MW_CHECK(!as_json || is_dry, "train: --json goes with --dry-run only");
  const train::EndAtOnce end_at_once;
  const RunConfig config = load_run_config("train", settings);
  runtime::Client client = open_client(config.mesh, client_words);
  train::Job job = make_job(config, client.devices());
  job.fresh = fresh;
  job.goes_back = goes_back;
  job.began_seconds = began;
  if (is_dry) {
    print_dry_run(job, train::dry_run(job, client), as_json);
    return static_cast<int>(ExitCode::done);
  }
  std::signal(SIGPIPE, SIG_IGN);  // who reads what it says may leave; training goes on
  return finish(train::run(job, client), config.dir);
}

}  // namespace meshwright::cli
