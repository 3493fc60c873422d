// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/dry_run.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/cli/results.h"
#include "meshwright/train/health/signals.h"
#include "meshwright/train/offline/run_programs.h"
#include "meshwright/train/report/pace.h"
#include "meshwright/train/trainer/run.h"

namespace meshwright::cli {
namespace {

ExitCode code_of(int stop_signal) {
  if (stop_signal == SIGHUP) return ExitCode::hung_up;
  if (stop_signal == SIGXCPU) return ExitCode::out_of_cpu_time;
  return stop_signal == SIGINT ? ExitCode::interrupted : ExitCode::preempted;
}

int finish(const train::Outcome& outcome, const std::string& dir) {
  if (outcome.reason == train::StopReason::requested) {
    log_info("stopped on request after step ", outcome.step,
             "; the same command resumes from there");
    return static_cast<int>(code_of(outcome.stop_signal));
  }
  if (outcome.last.empty()) log_info("to train longer: max_step=N; to start from scratch: --fresh");
  log_info("done at step ", outcome.step, ": everything is in ", dir);
  // An error code would make a scheduler repeat a finished run.
  if (!try_print_results(outcome.results))
    log_warning("the results could not be printed: stdout is closed or full; they are in ",
                (std::filesystem::path(dir) / "metrics.jsonl").string());
  return static_cast<int>(ExitCode::done);
}

struct TrainArgs {
  Args config;
  bool fresh = false, goes_back = false, is_dry_run = false, as_json = false;
  ClientArgs client;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Trains a model. Resumes from the newest checkpoint in the run folder if there is one.");
    parser.flag("--fresh", fresh, "start from scratch; move the run's existing files to earlier.N");
    parser.flag("--go-back", goes_back,
                "with checkpoint.restore_step=N: move later checkpoints to earlier.N");
    parser.flag("--dry-run", is_dry_run,
                "trace, compile and report sizes; write and train nothing");
    parser.flag("--json", as_json, "print the report of --dry-run as JSON");
    parser.option("--bundle", client.bundle, {"FILE", Offer::files},
                  "load the programs that `meshwright compile` wrote instead of compiling them");
    client.declare(parser);
    declare_run_config(parser, config);
    parser.example("shapes_vit max_step=300");
    parser.example("my.toml optimizer.learning_rate.peak=1e-3 dir=runs/second");
    parser.example("my.toml --dry-run");
  }

  void check(const RunConfig& run) const {
    const bool restores_one = run.train.checkpoint.restore.step.has_value();
    MW_CHECK(!as_json || is_dry_run, "train: --json requires --dry-run");
    MW_CHECK(
        !fresh || !restores_one,
        "train: checkpoint.restore_step resumes from a checkpoint, --fresh starts without one: "
        "use one or the other");
    MW_CHECK(!goes_back || restores_one,
             "train: --go-back requires the step of a checkpoint: checkpoint.restore_step=N");
  }
};

int run_training(const TrainArgs& args) {
  const train::StartupSignals startup_signals;
  const double began = train::steady_seconds();
  const RunConfig config = load_run_config("train", args.config);
  args.check(config);
  runtime::Client client = open_client(config.mesh, args.client);
  train::Job job = make_job(config, client.devices());
  job.fresh = args.fresh;
  job.goes_back = args.goes_back;
  job.began_seconds = began;
  if (client.bundle() != nullptr) train::check_bundle(job, client);
  if (args.is_dry_run) {
    print_dry_run(job, train::dry_run(job, client), args.as_json);
    return static_cast<int>(ExitCode::done);
  }
  (void)job.source->identity();  // reads the data before the run's folder is touched
  return finish(train::run(job, client), config.train.dir);
}

}  // namespace

CommandBody train_command(const std::string& name) {
  return make_command<TrainArgs>(name, run_training);
}

}  // namespace meshwright::cli
