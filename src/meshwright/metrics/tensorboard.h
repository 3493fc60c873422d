// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "meshwright/metrics/append_file.h"
#include "meshwright/metrics/bus.h"
#include "meshwright/metrics/event_proto.h"

namespace meshwright::metrics {

struct TensorBoardOptions {
  /// Hides events of earlier processes from this step on.
  std::int64_t first_step = 0;
  double wall_seconds = 0;                                // current time, since 1970
  std::int64_t write_every_n_steps = 1;                   // omit records of other steps
  std::int64_t max_file_bytes = std::int64_t{256} << 20;  // start a new file beyond this size
  EventLimits limits = {};
};

/// Writes event files for TensorBoard, at least one per process, named
/// events.out.tfevents.<seconds>.<host>.<process>. The names sort in order of creation.
class TensorBoardSink : public Sink {
 public:
  /// Throws if no file can be created in `folder`.
  TensorBoardSink(Files files, std::string folder, TensorBoardOptions options);

  std::string name() const override { return "tensorboard"; }
  void write(const Record& record) override;

 private:
  void begin_file(double wall_seconds);

  Files files_;
  std::string folder_;
  TensorBoardOptions options_;
  std::unique_ptr<AppendFile> file_;
};

}  // namespace meshwright::metrics
