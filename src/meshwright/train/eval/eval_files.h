// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/eval/output_writer.h"
#include "meshwright/train/health/phase_trace.h"

namespace meshwright::train {

/// Writes the files that an evaluator's config requests for one step into the run's folder:
/// outputs/NAME/step_00000100.jsonl and traces/NAME_step_100_batch_0.json.
class EvalFiles {
 public:
  EvalFiles(std::shared_ptr<io::FileSystem> run, const Evaluator& evaluator, std::int64_t step);

  /// Returns hooks that call `others` and write the files. This object must outlive them.
  EvalHooks hooks(const EvalHooks& others);
  /// Completes the files. Call this only if the evaluation was not interrupted.
  void finish();

 private:
  void enter(std::int64_t batch, std::string_view phase);
  void stop_trace();

  std::shared_ptr<io::FileSystem> run_;
  const Evaluator& evaluator_;
  std::int64_t step_;
  std::optional<OutputWriter> outputs_;
  PhaseTrace trace_{"batch"};
  std::int64_t first_traced_ = 0;
};

}  // namespace meshwright::train
