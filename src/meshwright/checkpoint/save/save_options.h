// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/config/check.h"
#include "meshwright/config/type_of.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::checkpoint {

/// How a save gets values from the devices.
enum class SnapshotKind {
  copy,  // copy to host memory
  hold,  // keep on the devices: the next step creates a new state alongside the held one
};
inline config::Choices<SnapshotKind> config_choices(SnapshotKind) {
  return {{"copy", SnapshotKind::copy}, {"hold", SnapshotKind::hold}};
}

/// How to handle a save that is due while an earlier one is still being written.
enum class WhenBusy {
  wait,
  skip,  // unless the save is required
};
inline config::Choices<WhenBusy> config_choices(WhenBusy) {
  return {{"wait", WhenBusy::wait}, {"skip", WhenBusy::skip}};
}

struct SaveOptions {
  SnapshotKind snapshot = SnapshotKind::copy;
  /// Host memory for copies. Defaults to as much as the state needs.
  std::optional<std::int64_t> staging_bytes = {};
  WhenBusy when_busy = WhenBusy::wait;
  bool replica_parallel = false;
  std::int64_t threads = 8;
  /// Number of consecutive failed saves after which the run ends with unavailable.
  std::int64_t max_failed_saves = 3;
  /// The dtype in which floating-point arrays below "model" are written. Defaults to their own.
  std::optional<DType> params_dtype = {};

  void fields(auto& f) {
    f.optional("snapshot", snapshot,
               "How long training waits. `copy`: until the state is copied to host memory. `hold`: "
               "not at all, but the devices hold the state twice until it is written.");
    f.optional("staging_bytes", staging_bytes, config::kNotNegative,
               "Host memory for that copy; training waits while the rest is written. `none`: as "
               "much as the state needs.")
        .unit("bytes");
    f.optional("when_busy", when_busy,
               "Behaviour while an earlier save is still being written. Saves at the end of "
               "the run, on request and after an evaluation always wait.");
    f.optional("replica_parallel", replica_parallel,
               "Let each replica of an array write a share of it if the array divides evenly.");
    f.optional("threads", threads, config::between(1, 1024), "Number of threads that write files.");
    f.optional("max_failed_saves", max_failed_saves, config::kPositive,
               "Number of consecutive failed saves after which the run ends with exit code 75.");
  }
};

}  // namespace meshwright::checkpoint
