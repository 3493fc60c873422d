// SPDX-License-Identifier: Apache-2.0
// Destinations for a run's metrics, in addition to the console. Each destination's `kFiles` names
// its files and folders in the run's folder.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/config/type_of.h"

namespace meshwright::train {

/// metrics.jsonl: one JSON object per line.
struct JsonlSinkConfig {
  static constexpr char kType[] = "jsonl";
  static constexpr std::array kFiles = {"metrics.jsonl"};
  void fields(auto& /*f*/) {}
  bool operator==(const JsonlSinkConfig&) const = default;
};

/// Event files in summaries/, for TensorBoard.
struct TensorBoardSinkConfig {
  static constexpr char kType[] = "tensorboard";
  static constexpr std::array kFiles = {"summaries"};
  void fields(auto& /*f*/) {}
  bool operator==(const TensorBoardSinkConfig&) const = default;
};

/// An offline Weights & Biases run in wandb/, which `wandb sync` uploads.
struct WandbSinkConfig {
  static constexpr char kType[] = "wandb";
  static constexpr std::array kFiles = {"wandb", "wandb_id"};
  void fields(auto& /*f*/) {}
  bool operator==(const WandbSinkConfig&) const = default;
};

using SinkConfig = std::variant<JsonlSinkConfig, TensorBoardSinkConfig, WandbSinkConfig>;
using SinkConfigs = config::OneOrMore<SinkConfig>;

inline SinkConfigs default_sinks() {
  return {JsonlSinkConfig(), TensorBoardSinkConfig()};
}

template <typename Sink>
bool has_sink(const SinkConfigs& sinks) {
  for (const SinkConfig& sink : sinks)
    if (std::holds_alternative<Sink>(sink)) return true;
  return false;
}

/// Returns the files and folders of all sink types.
std::vector<std::string> files_of_sinks();

/// True if no type occurs twice.
bool are_distinct(const SinkConfigs& sinks);

}  // namespace meshwright::train
