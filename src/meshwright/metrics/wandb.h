// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "meshwright/base/proto_writer.h"
#include "meshwright/config/node.h"
#include "meshwright/metrics/append_file.h"
#include "meshwright/metrics/bus.h"

namespace meshwright::metrics {

/// An offline run of Weights & Biases, which `wandb sync` uploads, in wandb/offline-run-
/// <time>-<id>. The id is in wandb_id: a later process goes on with the same run. Project,
/// entity, name and more come from the variables WANDB_*. Records of one step are one row, which is
/// written when the next one begins.
class WandbSink : public Sink {
 public:
  /// `config`: what W&B is to show as the settings of the run. Throws if no file
  /// can be made.
  WandbSink(const Files& files, double wall_seconds, const config::Table& config);
  /// Ends the run, as failed while an exception is on its way.
  ~WandbSink() override;

  std::string name() const override { return "wandb"; }
  void write(const Record& record) override;

 private:
  struct Row {
    std::int64_t step = 0;
    double wall_seconds = 0;
    std::map<std::string, std::string> values;  // JSON
  };

  void append(int field, const ProtoWriter& message);
  void append_row(Row row);
  void begin(const std::string& id, const config::Table& config);

  double start_seconds_;
  std::optional<AppendFile> file_;
  std::int64_t num_records_ = 0;
  Row row_;
};

}  // namespace meshwright::metrics
