// SPDX-License-Identifier: Apache-2.0
// Lists what is in a run's folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Lists the run's folder; empty if it is absent.
std::vector<io::FolderEntry> entries_in(const io::FileSystem& files, const std::string& run);
/// Returns the name without the prefix; the name itself if it does not begin with it.
std::string_view without_prefix(std::string_view prefix, std::string_view name);
/// Returns "step_00000012" for "damaged-step_00000012.2".
std::string_view name_before(std::string_view prefix, std::string_view name);

/// Everything in a run's folder that has the name of a step of this format, in ascending order.
/// None if there is no folder.
std::vector<StepEntry> list_steps(const Format& format, const Files& files, const std::string& run);

/// Those of them that are folders of this format: several formats have the same names.
std::vector<StepEntry> steps_of_format(const Format& format,
                                       const Files& files,
                                       const std::string& run);

/// An entry of a run's folder that was a step until it got a prefix.
struct SetAside {
  std::string path;
  std::string_view prefix;  // kDamaged, kAbandoned or kReplaced
};
/// Lists those of this format. A replaced- folder that still serves as the step (list_steps) is not
/// among them.
std::vector<SetAside> list_set_aside(const Format& format,
                                     const Files& files,
                                     const std::string& run);

/// What shows that there are or were checkpoints in a run's folder: the name of something that has
/// a step's name in any format (also one that was set aside, or is no folder), or holds a manifest
/// or a marker. What a killed save left does not count. With `up_to`, only names of steps up to
/// this one do.
std::optional<std::string> find_trace(const Files& files,
                                      const std::string& run,
                                      std::optional<std::int64_t> up_to = {});
/// The same in the other folders of a run, and beside them: steps that somebody moved out of
/// `checkpoints`. What a run that began anew set aside does not count.
std::optional<std::string> find_trace_elsewhere(const Files& run, const std::string& checkpoints);

}  // namespace meshwright::checkpoint
