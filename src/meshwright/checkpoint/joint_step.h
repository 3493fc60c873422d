// SPDX-License-Identifier: Apache-2.0
// One step written by several processes.
#pragma once

#include <functional>
#include <string>

#include "meshwright/checkpoint/format.h"

namespace meshwright::checkpoint {

/// Waits until every process has called it; true if all said that they are well. Throws if one of
/// them is gone.
using Agree = std::function<bool(bool is_well)>;

/// The processes that write a step.
struct Writers {
  WriteOptions options = {};                           // which of them this is
  Agree agree = [](bool is_well) { return is_well; };  // as one that is alone
};

/// This process's share of a step : it begins after the
/// first has, `write` writes its parts, and the first commits when all have written theirs. On an
/// error of any of them, or when one is gone, nothing is committed and a step of the same number
/// that was there before is as it was. Returns in every process only after the commit. Throws what
/// this process threw; unavailable where it was another one.
void write_jointly(const Format& format,
                   const Files& files,
                   const std::string& run,
                   const StepPlan& plan,
                   const Writers& writers,
                   const std::function<void(StepWriter& writer)>& write);

}  // namespace meshwright::checkpoint
