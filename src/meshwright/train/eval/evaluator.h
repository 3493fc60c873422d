// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/config/source_config.h"
#include "meshwright/data/pipeline/prefetcher.h"
#include "meshwright/metrics/average.h"
#include "meshwright/metrics/event.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/eval/output_writer.h"
#include "meshwright/train/loop/policy.h"
#include "meshwright/train/step/step_program.h"

namespace meshwright::train {

struct EvaluatorConfig {
  std::string method;  // name of one of the task's evaluation methods
  config::OrAuto<When> when = {};
  /// Maximum number of batches. Defaults to one pass over the data, which must be finite.
  std::optional<std::int64_t> num_batches = {};
  /// Evaluate the moving average of the parameters if the learner keeps one.
  bool use_ema = true;
  /// Casts parameters and inputs to "f32" or "bf16". If absent, does not cast.
  std::optional<std::string> dtype = {};
  /// Number of examples to print with the model's outputs.
  std::int64_t num_shown = 0;
  /// If set, writes the outputs for individual examples to files.
  std::optional<OutputsConfig> outputs = {};
  /// Indices, from 0, of the batches during which to trace the host.
  std::vector<std::int64_t> trace_batches = {};
  /// Used by programs that build sources from configs. A Job takes its sources from eval_sources
  /// instead.
  data::SourceConfig data = {};

  void fields(auto& f) {
    f.required("method", method, config::kNonEmpty, "Evaluation method of the task.");
    f.optional("num_batches", num_batches, config::kPositive,
               "Number of batches to evaluate. `none`: one pass over the data.");
    f.optional("use_ema", use_ema,
               "Evaluate the moving average of the parameters, if there is one.");
    f.optional("dtype", dtype, config::one_of({"f32", "bf16"}),
               "Dtype to cast parameters and inputs to. `none`: do not cast.");
    f.optional("num_shown", num_shown, config::kNotNegative,
               "Number of examples to print with their results.");
    f.optional("outputs", outputs,
               "Write the model's outputs for each example to files. `none`: do not.");
    f.optional("trace_batches", trace_batches,
               "Batches during which to trace the host, counted from 0.");
    f.optional("when", when,
               "When to evaluate. `auto`: as the preset says, otherwise every 1000 steps and at "
               "the last.");
    f.required("data", data, "Data to evaluate on.");
  }
};

struct Evaluation {
  std::vector<metrics::Entry> entries;  // weighted means
  std::vector<std::string> shown;
  double seconds = 0;
  double wait_seconds = 0;  // of `seconds`, waiting for data
};

/// Returns the random key that all evaluations of a run share, so that they differ only in the
/// parameters.
HostTensor eval_key(std::int64_t seed);

/// Callbacks for an evaluation; all are optional.
struct EvalHooks {
  /// Called when the host enters a phase of a batch: "waiting for data", "starting a batch" or
  /// "reading results".
  std::function<void(std::int64_t batch, std::string_view phase)> enter = {};
  std::function<bool()> should_stop = {};
  std::function<void(const JudgedBatch&)> keep_outputs = {};
};

/// Throws invalid_argument, naming the evaluator, if its name or its config is invalid or the task
/// lacks the method.
void check_evaluator(const std::string& name, const EvaluatorConfig& config, const Task& task);

/// Returns the program that an evaluator executes for each batch.
EvalProgram trace_evaluator(const std::string& name,
                            const EvaluatorConfig& config,
                            const TrainingSetup& setup,
                            const data::Source& source);

/// Evaluates parameters on one data source. Compiles its program on first use.
class Evaluator {
 public:
  /// Throws the errors of check_evaluator(), and invalid_argument if the data is endless and
  /// `num_batches` is absent. Opens the data.
  Evaluator(std::string name,
            EvaluatorConfig config,
            const TrainingSetup& setup,
            data::SourcePtr source,
            const data::PrefetchOptions& prefetch = {});

  const std::string& name() const { return name_; }
  const EvaluatorConfig& config() const { return config_; }
  bool is_compiled() const { return compiled_.has_value(); }

  EvalProgram trace() const { return trace_evaluator(name_, config_, setup_, *source_); }

  /// Evaluates the model with `params`, the leaves of its parameter tree. `key_data` is u32[2];
  /// equal keys give equal results. Returns nullopt if hooks.should_stop interrupted the
  /// evaluation. Batches are prefetched on other threads and accumulated in order.
  std::optional<Evaluation> run(const runtime::Client& client,
                                const std::vector<runtime::DeviceArray>& params,
                                const HostTensor& key_data,
                                const EvalHooks& hooks = {});

 private:
  struct Compiled {
    EvalProgram program;
    runtime::Executable executable;
  };
  // A batch and its results on the devices.
  struct Running {
    std::int64_t number;
    data::Batch batch;
    std::vector<runtime::DeviceArray> results;
  };
  const Compiled& compiled(const runtime::Client& client);
  std::int64_t num_batches() const;
  Running start(std::int64_t number,
                data::Batch batch,
                const std::vector<runtime::DeviceArray>& params,
                const HostTensor& key_data) const;
  void finish(Running running,
              const EvalHooks& hooks,
              metrics::Averages& averages,
              Evaluation& out) const;
  JudgedBatch judged(Running running) const;

  std::string name_;
  EvaluatorConfig config_;
  const TrainingSetup& setup_;
  data::SourcePtr source_;
  data::PrefetchOptions prefetch_;
  EvalMethod method_;
  std::optional<Compiled> compiled_;
};

}  // namespace meshwright::train
