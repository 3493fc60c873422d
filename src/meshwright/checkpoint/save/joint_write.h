// SPDX-License-Identifier: Apache-2.0
// A checkpoint written by several processes.
#pragma once

#include <functional>
#include <string>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// A barrier: waits until every process has called it. Returns true if all of them passed true.
/// Throws if a process is gone.
using Agree = std::function<bool(bool is_well)>;

/// The processes that write a checkpoint.
struct Writers {
  WriteOptions options = {};                           // includes the index of this process
  Agree agree = [](bool is_well) { return is_well; };  // default: a single process
};

/// Writes this process's share of a checkpoint. The first process begins and commits; `write`
/// writes this process's parts. If any process fails or is gone, nothing is committed and an
/// earlier checkpoint of the same step is untouched. Returns after the commit, in every process.
/// Throws this process's own error, or unavailable for an error of another process.
void write_jointly(const Container& container,
                   const Files& files,
                   const std::string& path,
                   const CheckpointPlan& plan,
                   const Writers& writers,
                   const std::function<void(CheckpointWriter& writer)>& write);

}  // namespace meshwright::checkpoint
