// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/background.h"
#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/data/core/source.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/step/state.h"
#include "meshwright/train/step/step_program.h"

namespace meshwright::train {

/// Outputs of a step other than the next state, on the devices.
struct StepResults {
  runtime::DeviceArray metrics;
  std::vector<runtime::DeviceArray> histograms;
};

/// Holds the state on the devices and the compiled step that updates it.
class StepRunner {
 public:
  /// Starts compiling the step in the background. With `can_hold`, then compiles a second version
  /// that does not donate the state.
  StepRunner(const runtime::Client& client,
             const TrainingSetup& setup,
             const BatchSpec& batch,
             const StepOptions& options,
             bool can_hold = false);

  /// Initialises a new state. `prebuilt` holds arrays with known values; it does not affect the
  /// initial values of the others.
  void init(std::int64_t seed, const Tree<HostTensor>& prebuilt = {});
  /// Restores the state from a checkpoint, possibly while the step is being compiled. Throws
  /// invalid_argument, with all differences, if names or types do not match this run.
  void restore(const Tree<checkpoint::StoredArray>& arrays,
               const checkpoint::ReadOptions& options = {});

  /// Starts an update and returns without waiting for it. If an array of the state is held
  /// (DeviceArray::is_held), the next state is allocated alongside it.
  StepResults update(const data::Batch& batch);
  /// True once the version of the step that does not donate the state is compiled.
  bool may_hold() const;
  /// Waits for all updates started so far.
  void wait() const { executable().wait(); }

  /// Copies the state to host memory, indexed by array and shard, and back to the devices.
  using HostState = std::vector<std::vector<HostTensor>>;
  HostState copy_state() const;
  void put_state(HostState state);

  State state() const;
  /// Returns the leaves of one part of the state, such as "model". The handles are shared and valid
  /// until the next update.
  std::vector<runtime::DeviceArray> part(std::string_view path) const;
  const std::vector<std::string>& metric_names() const { return metric_names_; }
  const std::vector<std::string>& histogram_names() const { return histogram_names_; }
  const runtime::Executable& executable() const { return executable_.get(); }

 private:
  StepRunner(const runtime::Client& client,
             const TrainingSetup& setup,
             StepProgram program,
             bool can_hold);
  const runtime::Executable& next_executable() const;

  runtime::Client client_;
  const TrainingSetup& setup_;
  std::vector<std::string> metric_names_;
  std::vector<std::string> histogram_names_;
  Background<runtime::Executable> executable_;
  std::optional<Background<runtime::Executable>> holding_;  // does not donate the state
  std::vector<runtime::DeviceArray> state_;                 // leaves of the state
};

}  // namespace meshwright::train
