// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Takes back what was interrupted: finishes the replacing of steps, removes unfinished ones and
/// says so. Only what is certainly this program's, and not another run's by its manifest, is
/// removed. For the process that writes, before it does.
void recover(const Format& format,
             const Files& files,
             const std::string& run,
             const std::optional<std::string>& run_id = {});

}  // namespace meshwright::checkpoint
