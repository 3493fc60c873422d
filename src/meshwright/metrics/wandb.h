// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "meshwright/config/node.h"
#include "meshwright/metrics/append_file.h"
#include "meshwright/metrics/bus.h"

namespace meshwright::metrics {

/// Writes an offline Weights & Biases run to wandb/offline-run-<time>-<id>, for `wandb sync` to
/// upload. The file wandb_id holds the id, so a later process continues the same run. The project,
/// the entity, the name and other settings come from the WANDB_* environment variables. All records
/// of a step form one row, written when the next step begins.
class WandbSink : public Sink {
 public:
  /// W&B shows `config` as the settings of the run. Throws if no file can be created.
  WandbSink(const Files& files, double wall_seconds, const config::Table& config);
  /// Marks the run as finished, or as failed during stack unwinding.
  ~WandbSink() override;

  std::string name() const override { return "wandb"; }
  void write(const Record& record) override;

 private:
  struct Row {
    std::int64_t step = 0;
    double wall_seconds = 0;
    std::map<std::string, std::string> values;  // JSON
  };

  void append(std::uint32_t field, const std::string& message);
  void append_row(Row row);
  void begin(const std::string& id, const config::Table& config);

  double start_seconds_;
  std::optional<AppendFile> file_;
  std::int64_t num_records_ = 0;
  Row row_;
};

}  // namespace meshwright::metrics
