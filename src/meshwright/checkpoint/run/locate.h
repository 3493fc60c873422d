// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// The format of the newest step in a run's folder that can be read, or of any step if none can;
/// nullptr if there are no steps.
const Format* find_format_of_run(const Files& files, const std::string& run);

/// Where a checkpoint is that somebody named: a run's folder, or a step in it.
struct Location {
  Files files;
  const Format* format = nullptr;
  std::string run;
  std::vector<StepEntry> steps;    // of the run
  std::optional<StepEntry> named;  // absent if a run's folder was named

  /// The step that was named, or the newest that can be read; newer ones that cannot are a
  /// warning. Throws not_found.
  const StepEntry& step() const;
};
/// Finds out the format. Throws not_found where there is no checkpoint.
Location locate(const std::string& path);

}  // namespace meshwright::checkpoint
