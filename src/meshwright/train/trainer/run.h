// SPDX-License-Identifier: Apache-2.0
// Training runs: the entry point of train/.
//
// A Job (job.h) is everything that defines a run: the config, the task, the optimizer, the data and
// the placement on devices. run() trains a job. The config's `dir` is the run's folder; calling
// run() again with the same folder continues from its newest checkpoint.
//
// run() builds these parts in order, and train() in run.cc shows how they work together:
// - Session: resources held from start to end: the locked folder, signal handlers, the watchdog
//   and the account of time.
// - RunParts: objects made from the job before compilation: the TrainingSetup, evaluators, and the
//   checkpoint manager.
// - StartingState: where the state comes from: a checkpoint of this run, the job's StateBuilder, or
//   initial values. Before compilation, it rejects a checkpoint that does not match the job.
// - StepRunner: the state on the devices and the compiled step that updates it.
// - Trainer: the work between start and end.
//
// A run alternates between boundaries and updates. Boundary k is the point after k updates, where
// the run calls hooks, logs, evaluates and saves. The Agenda (loop/agenda.h) decides which of these
// are due, in which order, and whether the run ends; it works without devices. The Trainer asks it
// for one Item at a time and performs it, then attempts an update and reports the Verdict: updated,
// interrupted by a request, end of data, or rewound to an earlier state.
//
// The subfolders of train/, from the lowest layer up:
//   task      a model with its loss and evaluation methods, as traced functions
//   loop      boundaries, policies, the agenda, presets
//   step      the training state, the compiled programs, StepRunner
//   foreign   training states as other systems name and lay them out
//   health    signals, the watchdog, non-finite values, silent data corruption, memory
//   eval      evaluators and their output files
//   report    the run's folder, metric sinks, accounts of time and speed
//   restore   choosing a checkpoint, matching it with the job, states built from other runs
//   trainer   Job, Session, Trainer, run()
//   offline   work on a job without training: dry run, profile, evaluation, generation
//
// Extending a run:
// - Code between updates: push a Hook (hooks.h) onto Job::hooks. It sees the boundary and the
//   parameters, and after evaluations their results, and may request a checkpoint or the end of the
//   run.
// - A destination for metrics: push a SinkFactory (report/sink_factory.h) onto Job::sinks. For a
//   sink in configs, add its struct to SinkConfig (report/sink_config.h) and open it in Reporter.
// - An evaluation method: return it from Task::eval_methods(). An evaluator in the config names it
//   and its data; Job::eval_sources has the data source under the evaluator's name.
// - A policy, that is, another rule for when something is due: add its struct to PolicyConfig
//   (loop/policy.h) and the rule to policy.cc.
// - A model or loss: derive from Task or ModelTask (task/).
//
//   train::Job job{.config = config, .task = task, .learner = learner, .source = source};
//   job.config.dir = "runs/line";
//   const train::Outcome outcome = train::run(job);
#pragma once

#include "meshwright/runtime/client.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// Trains, continuing from the newest checkpoint in the run's folder if there is one. Throws the
/// Error that ends the run: numerics for non-finite values, no_checkpoint if no checkpoint can be
/// used, unavailable if a retry may help. Handles signals while it runs: like StartupSignals until
/// the first update, then like SignalWatch, so that SIGTERM, SIGINT and SIGHUP make it save and
/// return instead of ending the process.
Outcome run(const Job& job, const runtime::Client& client);
/// Trains on the CPU, with as many virtual devices as the job's mesh needs.
Outcome run(const Job& job);

}  // namespace meshwright::train
