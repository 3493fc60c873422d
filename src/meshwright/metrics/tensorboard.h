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
  /// What older processes wrote for this step and later ones is no longer shown.
  std::int64_t first_step = 0;
  double wall_seconds = 0;                                // now, since 1970
  std::int64_t write_every_n_steps = 1;                   // records of other steps are left out
  std::int64_t max_file_bytes = std::int64_t{256} << 20;  // then a new file begins
  EventLimits limits = {};
};

/// Event files that TensorBoard reads, one or more per process: events.out.tfevents.<seconds>.
/// <host>.<process>, whose order by name is the order in which they were begun.
class TensorBoardSink : public Sink {
 public:
  /// Throws if no file can be made in `folder`.
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
