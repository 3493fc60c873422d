// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/eval/eval_files.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "meshwright/base/str.h"

namespace meshwright::train {
namespace {

// Has the form of checkpoint folder names, so that names sort by step.
std::string step_name(std::int64_t step) {
  const std::string digits = std::to_string(step);
  return "step_" + std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0') + digits;
}

}  // namespace

EvalFiles::EvalFiles(std::shared_ptr<io::FileSystem> run,
                     const Evaluator& evaluator,
                     std::int64_t step)
    : run_(std::move(run)), evaluator_(evaluator), step_(step) {
  const std::optional<OutputsConfig>& config = evaluator.config().outputs;
  if (!config) return;
  outputs_.emplace(run_, str("outputs/", evaluator.name(), "/", step_name(step), ".jsonl"),
                   *config);
}

EvalHooks EvalFiles::hooks(const EvalHooks& others) {
  EvalHooks out = others;
  if (outputs_) out.keep_outputs = [this](const JudgedBatch& judged) { outputs_->write(judged); };
  out.enter = [this, others](std::int64_t batch, std::string_view phase) {
    if (others.enter) others.enter(batch, phase);
    enter(batch, phase);
  };
  return out;
}

void EvalFiles::enter(std::int64_t batch, std::string_view phase) {
  const std::vector<std::int64_t>& traced = evaluator_.config().trace_batches;
  if (phase == "waiting for data") {
    const bool is_wanted = std::ranges::find(traced, batch) != traced.end();
    if (!is_wanted) stop_trace();
    if (is_wanted && !trace_.is_on()) {
      first_traced_ = batch;
      trace_.start();
    }
  }
  trace_.begin_phase(batch, phase);
}

void EvalFiles::stop_trace() {
  trace_.stop(
      *run_, str("traces/", evaluator_.name(), "_step_", step_, "_batch_", first_traced_, ".json"));
}

void EvalFiles::finish() {
  stop_trace();
  if (outputs_) outputs_->finish();
}

}  // namespace meshwright::train
