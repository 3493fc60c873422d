// SPDX-License-Identifier: Apache-2.0
// Reads a metric from TensorBoard's event files, which any program may write.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "meshwright/metrics/append_file.h"

namespace meshwright::metrics {

/// The values of one metric in the event files of a folder. Another program may be appending to
/// them: each call of update() reads only what is new.
class EventFiles {
 public:
  /// The folder may be absent so far. `tag` names the metric: "accuracy".
  EventFiles(Files files, std::string folder, std::string tag)
      : files_(std::move(files)), folder_(std::move(folder)), tag_(std::move(tag)) {}

  /// Returns the value of each step, the newest one if there are several. Warns once about a file
  /// that is damaged, of which only the events before the damage count.
  const std::map<std::int64_t, double>& update();

 private:
  void read_new_events(const std::string& file);

  Files files_;
  std::string folder_;
  std::string tag_;
  std::map<std::string, std::uint64_t> num_read_;  // bytes, by file
  std::set<std::string> damaged_;
  std::map<std::int64_t, double> values_;
};

struct ScalarEvent {
  std::int64_t step = 0;
  double value = 0;
};
/// Returns the value of a metric in an event in TensorBoard's format; nullopt if it has none of
/// this name. Throws data_loss if the event is malformed.
std::optional<ScalarEvent> find_scalar(std::string_view event, std::string_view tag);

}  // namespace meshwright::metrics
